from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from racl.documents import read_text, write_text
from racl.errors import DataError


def held(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refused(path: str | os.PathLike[str], text: str = "x") -> str:
    """Why a file is not written, in one line without its name."""
    with pytest.raises(DataError) as caught:
        write_text(path, text)
    return str(caught.value).removeprefix(f"{os.fspath(path)}: ")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    write_text(tmp_path / "model.json", "{}\r\né\n")
    assert read_text(tmp_path / "model.json") == "{}\r\né\n"
    assert held(tmp_path) == ["model.json"]


def test_a_file_is_replaced_with_its_permissions_and_a_new_one_gets_the_usual(tmp_path: Path) -> None:
    usual, private = tmp_path / "usual", tmp_path / "private"
    private.write_text("old")
    private.chmod(0o600)
    (tmp_path / "plain").write_text("")
    for path in (usual, private):
        write_text(path, "new")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert usual.stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert private.read_text() == "new"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "model.json")
    write_text(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "model.json").read_text() == "x"


def test_where_nothing_can_be_written_the_reason_is_given(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "no" / "model.json") == "no such folder (make the folder first)"
    assert refused(tmp_path / "file" / "model.json") == "no such folder (make the folder first)"
    assert refused(tmp_path) == "a folder, not a file (name a file in it)"
    assert refused(tmp_path / "pipe") == "not an ordinary file"
    assert refused("/dev/null") == "not an ordinary file"
    assert refused(tmp_path / ("a" * 300)) == "cannot be written: file name too long"
    assert refused("a\x00b").endswith("not the name of a file")
    assert (
        refused(tmp_path / "model.json", "\ud800")
        == "the text holds half of a character pair, which no file can"
    )
    assert held(tmp_path) == ["file", "pipe"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_named_as_that(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert refused(tmp_path / "model.json") == "the folder may not be written to"


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException, step: str
) -> None:
    def fail(*_: object) -> None:
        raise fault

    path = tmp_path / "model.json"
    path.write_text("old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises((DataError, KeyboardInterrupt)):
        write_text(path, "new")
    assert held(tmp_path) == ["model.json"]
    assert path.read_text() == "old"
