"""A run that was killed goes on and ends with the same bytes; nothing unfinished has a final name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from racl.errors import DataError
from racl.model import Model
from racl.scale import decide_files
from racl.scale.carrying import Carried
from racl.scale.journal import Journal
from racl.scale.unfinished import Unfinished, beside
from scale.deciding import EVERY, read, table, write

pytestmark = pytest.mark.usefixtures("small_groups")


class Killed(BaseException):
    """As if the process had ended there: nothing is cleaned up."""


def end(files: list[Unfinished], journal: Journal, _: BaseException) -> None:
    """What the system does with the files of a process that has ended."""
    journal.close()
    for file in files:
        file.file.close()


def killed_after(pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    done = 0
    append = Unfinished.append

    def count(self: Unfinished, piece: Any) -> None:
        nonlocal done
        done += 1
        append(self, piece)
        if done > pieces:
            raise Killed

    monkeypatch.setattr(Unfinished, "append", count)
    monkeypatch.setattr("racl.scale.deciding.leave", end)


@EVERY
@pytest.mark.parametrize("source", ["rows.parquet", "rows.csv", "rows.jsonl"])
@pytest.mark.parametrize("pieces", [0, 1, 4])
@pytest.mark.usefixtures("every_piece")
def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, model: Model, source: str, ending: str, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / source, table(700, wrong=(3, 333, 699)))
    out, aside = tmp_path / f"out.{ending}", tmp_path / "no.parquet"
    first = decide_files(model, path, out, rejects=aside)
    wanted = out.read_bytes(), aside.read_bytes()
    out.unlink()
    aside.unlink()
    with monkeypatch.context() as patched:
        killed_after(pieces, patched)
        with pytest.raises(Killed):
            decide_files(model, path, out, rejects=aside)
    assert not out.exists()
    again = decide_files(model, path, out, rejects=aside, resume=True)
    assert (out.read_bytes(), aside.read_bytes()) == wanted
    assert again.data() == first.data()
    assert {one.name for one in tmp_path.iterdir()} == {path.name, out.name, aside.name}


@pytest.mark.usefixtures("every_piece")
@pytest.mark.parametrize("named", [0, 1, 2])
def test_a_run_killed_while_its_files_get_their_names_is_ended(
    tmp_path: Path, model: Model, named: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out, aside = (
        write(tmp_path / "rows.csv", table(50, wrong=(3,))),
        tmp_path / "a.csv",
        tmp_path / "b.csv",
    )
    decide_files(model, path, out, rejects=aside)
    wanted = out.read_bytes(), aside.read_bytes()
    out.unlink()
    aside.unlink()
    given = 0
    give_name = Unfinished.give_name

    def count(self: Unfinished) -> None:
        nonlocal given
        if given == named:
            raise Killed
        given += 1
        give_name(self)

    with monkeypatch.context() as patched:
        patched.setattr(Unfinished, "give_name", count)
        patched.setattr("racl.scale.journal.Journal.remove", lambda _: (_ for _ in ()).throw(Killed))
        patched.setattr("racl.scale.deciding.leave", end)
        with pytest.raises(Killed):
            decide_files(model, path, out, rejects=aside)
    tally = decide_files(model, path, out, rejects=aside, resume=True)
    assert (out.read_bytes(), aside.read_bytes(), tally.rows) == (*wanted, 50)
    assert {one.name for one in tmp_path.iterdir()} == {"rows.csv", "a.csv", "b.csv"}


def half_done(tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    path, out = write(tmp_path / "rows.parquet", table(700)), tmp_path / "out.parquet"
    with monkeypatch.context() as patched:
        killed_after(3, patched)
        with pytest.raises(Killed):
            decide_files(model, path, out)
    return path, out


@pytest.mark.usefixtures("every_piece")
def test_what_is_no_longer_the_same_is_not_gone_on_with(
    tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = half_done(tmp_path, model, monkeypatch)
    with pytest.raises(DataError, match="cannot be resumed: columns not as in the run before"):
        decide_files(model, path, out, columns=["id"], resume=True)
    write(path, table(701))
    with pytest.raises(DataError, match=r"rows.parquet is not what it was when the run began"):
        decide_files(model, path, out, resume=True)
    decide_files(model, path, out)
    assert len(read(out)) == 701
    assert {one.name for one in tmp_path.iterdir()} == {"rows.parquet", "out.parquet"}


@pytest.mark.usefixtures("every_piece")
@pytest.mark.parametrize("cut", [1, 30, 10_000])
def test_a_journal_or_a_part_cut_short_is_gone_on_with_as_far_as_it_goes(
    tmp_path: Path, model: Model, cut: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = half_done(tmp_path, model, monkeypatch)
    whole = tmp_path / "whole.parquet"
    decide_files(model, path, whole)
    for ending in ("journal", "part"):
        place = beside(out, ending)
        place.write_bytes(place.read_bytes()[:-cut])
    decide_files(model, path, out, resume=True)
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.usefixtures("every_piece")
def test_ctrl_c_keeps_what_can_be_gone_on_with(
    tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = write(tmp_path / "rows.parquet", table(700)), tmp_path / "out.parquet"
    decide_files(model, path, out)
    wanted = out.read_bytes()
    out.unlink()

    def interrupt(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decide_files(model, path, out, tell=interrupt)
    assert {one.name for one in tmp_path.iterdir()} == {
        "rows.parquet",
        ".out.parquet.part",
        ".out.parquet.journal",
    }
    seen: list[int] = []
    decide_files(model, path, out, resume=True, tell=lambda done: seen.append(done.rows))
    assert seen == list(range(200, 701, 100))
    assert out.read_bytes() == wanted


def test_two_runs_do_not_write_the_same_file(tmp_path: Path, model: Model) -> None:
    path, out = write(tmp_path / "rows.parquet", table(300)), tmp_path / "out.parquet"

    def meanwhile(_: Any) -> None:
        with pytest.raises(DataError, match="is being written by another run"):
            decide_files(model, path, out)

    decide_files(model, path, out, tell=meanwhile)
    assert len(read(out)) == 300


def test_a_stretch_that_fails_leaves_nothing(
    tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(Carried, "piece", fail)
    path = write(tmp_path / "rows.parquet", table(300))
    with pytest.raises(MemoryError):
        decide_files(model, path, tmp_path / "out.parquet")
    assert {one.name for one in tmp_path.iterdir()} == {"rows.parquet"}


def test_progress_tells_rows_and_the_share_of_all(tmp_path: Path, model: Model) -> None:
    for source in ("rows.parquet", "rows.csv", "rows.jsonl"):
        seen: list[Any] = []
        decide_files(model, write(tmp_path / source, table(300)), tell=seen.append)
        assert [one.rows for one in seen] == sorted({one.rows for one in seen})
        assert (seen[-1].rows, seen[-1].share) == (300, 1.0)
