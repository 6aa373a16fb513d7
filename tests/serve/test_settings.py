"""Settings: of a file, of the environment, of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from racl.cli import main
from racl.errors import DataError
from racl.serve.settings import Settings, settings_of

FILE = """\
[serve]
models = ["air.json"]
port = 9000
store = "log.db"
max_rows = 50
"""


def test_what_is_said_later_counts_more(tmp_path: Path) -> None:
    (tmp_path / "racl.toml").write_text(FILE)
    file = str(tmp_path / "racl.toml")
    found = settings_of(
        file, {"RACL_SERVE_PORT": "9001", "RACL_SERVE_HOSTS": "a.example,b.example"}, {"port": 9002}
    )
    assert (found.port, found.max_rows, found.hosts) == (9002, 50, ("a.example", "b.example"))
    assert settings_of(file, {"RACL_SERVE_PORT": "9001"}, {}).port == 9001
    assert settings_of(file, {}, {}).port == 9000
    assert settings_of(None, {"PORT": "1"}, {}) == Settings()


def test_files_are_found_from_where_the_settings_are(tmp_path: Path) -> None:
    (tmp_path / "racl.toml").write_text(FILE)
    found = settings_of(str(tmp_path / "racl.toml"), {}, {})
    assert (found.models, found.store) == ((str(tmp_path / "air.json"),), str(tmp_path / "log.db"))


def test_every_fault_is_told_at_once_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "racl.toml"
    file.write_text('[serve]\nprot = 1\nport = 70000\nmax_rows = "many"\n')
    with pytest.raises(DataError) as told:
        settings_of(str(file), {"RACL_SERVE_WORKERS": "x", "RACL_SERVE_": "y"}, {})
    lines = [problem.line_text() for problem in told.value.problems]
    assert len(lines) == 5
    assert lines[0] == f"{file}:2: serve.prot: unknown setting `prot` (did you mean `port`?)"
    assert all(line.startswith((f"{file}:", "RACL_SERVE_")) for line in lines)


@pytest.mark.parametrize("text", ["", "x = 1", "[serve", "serve = 1", "\0"])
def test_a_file_without_settings_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / "racl.toml").write_text(text)
    assert main(["serve", "--config", str(tmp_path / "racl.toml")]) == 2
    assert "Traceback" not in capsys.readouterr().err
