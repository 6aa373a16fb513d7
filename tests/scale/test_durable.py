"""The disk has all of a file before it has its name; a name that cannot be given loses nothing."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from racl.errors import DataError
from racl.model import Model
from racl.scale import decide_files
from racl.scale.unfinished import Unfinished
from scale.deciding import EVERY, table, write

pytestmark = pytest.mark.usefixtures("small_groups")


def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the disk, in order."""
    seen: list[str] = []
    sync, replace = os.fsync, Path.replace

    def settle(number: int) -> None:
        folder = stat.S_ISDIR(os.fstat(number).st_mode)
        seen.append("folder" if folder else f"{os.fstat(number).st_size} bytes")
        sync(number)

    def name(self: Path, target: Path) -> Path:
        seen.append(f"name {self.stat().st_size} bytes")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", settle)
    monkeypatch.setattr(Path, "replace", name)
    return seen


@EVERY
def test_the_disk_has_a_whole_file_before_its_name_and_the_name_before_the_end(
    tmp_path: Path, model: Model, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = write(tmp_path / "rows.parquet", table(300)), tmp_path / f"out.{ending}"
    seen = watched(monkeypatch)
    decide_files(model, path, out)
    size = out.stat().st_size
    assert seen == [f"{size} bytes", f"name {size} bytes", "folder"]


def test_whoever_does_not_wait_for_the_disk_does_not_ask_it(
    tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = write(tmp_path / "rows.parquet", table(300)), tmp_path / "out.parquet"
    seen = watched(monkeypatch)
    decide_files(model, path, out, durable=False)
    assert seen == [f"name {out.stat().st_size} bytes"]


def test_a_disk_that_does_not_keep_what_is_written_is_an_error_that_leaves_nothing(
    tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    path, out = write(tmp_path / "rows.parquet", table(300)), tmp_path / "out.parquet"
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(DataError, match="cannot be written: input/output error"):
        decide_files(model, path, out)
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


@pytest.mark.parametrize("which", [0, 1])
def test_a_name_that_cannot_be_given_is_given_when_the_run_goes_on(
    tmp_path: Path, model: Model, which: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "rows.parquet", table(300, wrong=(7,)))
    out, aside = tmp_path / "out.parquet", tmp_path / "no.csv"
    first = decide_files(model, path, out, rejects=aside)
    wanted = out.read_bytes(), aside.read_bytes()
    out.unlink()
    aside.unlink()
    replace, named = Path.replace, 0

    def fail(self: Path, target: Path) -> Path:
        nonlocal named
        named += 1
        if named > which:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        with pytest.raises(DataError, match=r"cannot be given its name: permission denied.*--resume"):
            decide_files(model, path, out, rejects=aside)
    assert not out.exists()
    assert decide_files(model, path, out, rejects=aside, resume=True).data() == first.data()
    assert (out.read_bytes(), aside.read_bytes()) == wanted
    assert {one.name for one in tmp_path.iterdir()} == {"rows.parquet", "out.parquet", "no.csv"}


def test_a_file_that_somebody_took_away_before_it_had_its_name_is_an_error(
    tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = write(tmp_path / "rows.parquet", table(300)), tmp_path / "out.parquet"
    close = Unfinished.close

    def take_away(self: Unfinished) -> None:
        close(self)
        self.part.unlink()

    with monkeypatch.context() as patched:
        patched.setattr(Unfinished, "close", take_away)
        with pytest.raises(DataError, match="cannot be given its name: no such file"):
            decide_files(model, path, out)
    assert not out.exists()
    assert decide_files(model, path, out, resume=True).written == 300
    assert [one.name for one in sorted(tmp_path.iterdir())] == ["out.parquet", "rows.parquet"]
