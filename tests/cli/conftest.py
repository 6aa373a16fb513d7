"""A folder with a small domain, a model and rows of every format, and the command itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.air import AIR, PREFERENCE, ROWS, Done, Racl, write_rows
from racl.cli import main
from racl.domain.files import parse_domain


@pytest.fixture
def air(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, in which the commands run."""
    (tmp_path / "air.toml").write_text(AIR, "utf-8")
    model = {"racl_model": 1, "domain": dict(parse_domain(AIR).document), "preference": PREFERENCE}
    (tmp_path / "air.json").write_text(json.dumps(model), "utf-8")
    write_rows(tmp_path / "rows.jsonl", ROWS)
    write_rows(tmp_path / "rows.csv", ROWS)
    write_rows(tmp_path / "rows.parquet", ROWS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def racl(capsys: pytest.CaptureFixture[str]) -> Racl:
    """The command, within this process."""

    def run(*words: str | Path) -> Done:
        capsys.readouterr()
        code = main([str(word) for word in words])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return Done(code, said.out, said.err)

    return run
