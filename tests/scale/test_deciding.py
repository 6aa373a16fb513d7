"""Files are decided as frames are, whatever they look like; a run that is killed goes on and ends with the same bytes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import racl
from cli.air import AIR, PREFERENCE
from racl.domain.files import parse_domain
from racl.errors import DataError, RowError
from racl.model import Model, parse_model
from racl.scale import decide_files
from racl.scale.carrying import Carried
from racl.scale.journal import Journal
from racl.scale.unfinished import Unfinished, beside

OWN = ["id", "fare", "stops", "has_bag", "carrier", "persona", "budget", "threshold", "needs_bag"]
SIX = ["accepted", "credit", "plan", "value", "margin", "cost"]
ENDINGS = ("parquet", "csv", "jsonl", "csv.gz", "jsonl.zst")
EVERY = pytest.mark.parametrize("ending", ENDINGS)


@pytest.fixture(scope="module")
def model() -> Model:
    document = {"racl_model": 1, "domain": dict(parse_domain(AIR).document), "preference": PREFERENCE}
    return parse_model(json.dumps(document))


def table(rows: int, *, wrong: tuple[int, ...] = ()) -> pa.Table:
    """Rows of the small domain, of which some have no fare."""
    columns: dict[str, Any] = {
        "id": [f"r{row}" for row in range(rows)],
        "fare": [None if row in wrong else 20.0 + 7 * (row % 131) for row in range(rows)],
        "stops": [row % 3 for row in range(rows)],
        "has_bag": [row % 2 == 0 for row in range(rows)],
        "carrier": ["AA" if row % 5 else "UA" for row in range(rows)],
        "persona": ["business" if row % 7 else "leisure" for row in range(rows)],
        "budget": [float(row % 60) for row in range(rows)],
        "threshold": [float(row % 11) for row in range(rows)],
        "needs_bag": [row % 3 == 0 for row in range(rows)],
    }
    return pa.table(columns)


def write(path: Path, rows: pa.Table, group: int = 100) -> Path:
    match path.suffixes[0]:
        case ".parquet":
            pq.write_table(rows, path, row_group_size=group)
        case ".csv":
            lines = [",".join(rows.column_names)]
            lines += [",".join(map(cell, row.values())) for row in rows.to_pylist()]
            path.write_text("\n".join(lines) + "\n")
        case _:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    return path


def cell(value: object) -> str:
    return "" if value is None else str(value)


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of an output, in the types of Parquet."""
    if path.suffix == ".parquet":
        return [dict(row) for row in pq.read_table(path).to_pylist()]
    found = [row for part in racl.scale.open_rows(path).batches() for row in rows_of(part.native)]
    return [{name: plain(name, value) for name, value in row.items()} for row in found]


def rows_of(native: Any) -> list[dict[str, Any]]:
    return list(native.to_pylist() if isinstance(native, pa.Table) else native)


def plain(name: str, value: Any) -> Any:
    if not isinstance(value, str) or name in {"id", "carrier", "persona", "credit", "plan"}:
        return value
    return json.loads(value.lower())


def expected(model: Model, rows: pa.Table) -> list[dict[str, Any]]:
    decisions, _ = model.decide(rows, refused="collect")
    return [dict(row) for row in decisions.to_native().to_pylist()]


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a few hundred rows are treated like large ones."""
    monkeypatch.setattr("racl.scale.carrying.FEW_ROWS", 1)
    monkeypatch.setattr("racl.scale.work.BATCH_ROWS", 100)
    monkeypatch.setattr("racl.scale.jsonl_files.ROWS_AT_ONCE", 100)


@pytest.fixture
def every_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every piece goes into the journal."""
    monkeypatch.setattr("racl.scale.journal.PAUSE", 0.0)


# the answers -----------------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("source", ["rows.parquet", "rows.csv", "rows.jsonl"])
@pytest.mark.parametrize("threads", [1, 3])
def test_files_are_decided_as_frames_are_and_in_their_order(
    tmp_path: Path, model: Model, source: str, ending: str, threads: int
) -> None:
    rows = table(430, wrong=(7, 120, 121, 429))
    path, out, aside = write(tmp_path / source, rows), tmp_path / f"out.{ending}", tmp_path / "no.jsonl"
    tally = decide_files(model, path, out, rejects=aside, threads=threads)
    assert read(out) == expected(model, rows)
    assert [json.loads(line)["row"] for line in aside.read_text().splitlines()] == [7, 120, 121, 429]
    assert (tally.rows, tally.decided, tally.refused, tally.written) == (430, 426, 4, 426)
    assert +tally.credits == Counter(row["credit"] for row in read(out))
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([path.name, out.name, "no.jsonl"])


def test_own_columns_go_from_parquet_to_parquet_as_they_lie(tmp_path: Path, model: Model) -> None:
    schema = table(1).schema.with_metadata({"made": "by hand"})
    extra = pa.array(
        [None if row % 3 else ["", "x" * (row % 9)] for row in range(300)], pa.list_(pa.string())
    )
    rows = table(300).cast(schema).append_column("tags", extra)
    pq.write_table(
        rows,
        tmp_path / "rows.parquet",
        row_group_size=128,
        compression="zstd",
        column_encoding={"fare": "BYTE_STREAM_SPLIT"},
        use_dictionary=["carrier"],
        write_page_checksum=True,
        data_page_version="2.0",
    )
    out = tmp_path / "out.parquet"
    decide_files(model, tmp_path / "rows.parquet", out)
    before, after = (pq.ParquetFile(path) for path in (tmp_path / "rows.parquet", out))
    assert after.schema_arrow.metadata[b"made"] == b"by hand"
    assert after.read().select(rows.column_names).equals(before.read())
    assert after.read().to_pylist() == expected(model, rows)
    for group in range(3):
        for column in range(before.metadata.num_columns):
            mine, theirs = (one.metadata.row_group(group).column(column).to_dict() for one in (before, after))
            for name in ("data_page_offset", "dictionary_page_offset", "file_offset"):
                mine.pop(name), theirs.pop(name)
            assert mine == theirs
    assert after.metadata.num_row_groups == 3


def test_other_readers_read_what_is_put_together(tmp_path: Path, model: Model) -> None:
    import duckdb
    import polars as pl

    write(tmp_path / "rows.parquet", table(950, wrong=(3, 911)))
    out = tmp_path / "out.parquet"
    decide_files(model, tmp_path / "rows.parquet", out, rejects=tmp_path / "no.csv")
    rows = read(out)
    assert pl.read_parquet(out).to_dicts() == rows
    found = duckdb.read_parquet(str(out))
    assert found.to_arrow_table().to_pylist() == rows
    assert len(found.filter("fare < 100").fetchall()) == sum(row["fare"] < 100 for row in rows)


def test_columns_that_are_named_are_kept_in_their_order(tmp_path: Path, model: Model) -> None:
    rows = table(250)
    for source in ("rows.parquet", "rows.csv", "rows.jsonl"):
        path = write(tmp_path / source, rows)
        for ending in ENDINGS:
            out = tmp_path / f"out.{ending}"
            decide_files(model, path, out, columns=["fare", "id"])
            wanted = [{name: row[name] for name in ["fare", "id", *SIX]} for row in expected(model, rows)]
            assert read(out) == wanted
            assert [list(row) for row in read(out)[:1]] == [["fare", "id", *SIX]]


def test_a_column_to_keep_that_is_not_there_is_guessed(tmp_path: Path, model: Model) -> None:
    write(tmp_path / "rows.parquet", table(3))
    with pytest.raises(DataError, match=r"fair: column missing \(did you mean `fare`\?\)"):
        decide_files(model, tmp_path / "rows.parquet", tmp_path / "out.csv", columns=["id", "fair"])


@EVERY
def test_only_accepted_rows_are_written_and_all_are_counted(
    tmp_path: Path, model: Model, ending: str
) -> None:
    rows = table(330)
    path = write(tmp_path / "rows.parquet", rows)
    tally = decide_files(model, path, tmp_path / f"out.{ending}", only="accepted")
    accepted = [row for row in expected(model, rows) if row["accepted"]]
    assert read(tmp_path / f"out.{ending}") == accepted
    assert 0 < len(accepted) < 330
    assert (tally.rows, tally.decided, tally.written) == (330, 330, len(accepted))


@pytest.mark.usefixtures("small_groups")
def test_folders_that_name_columns_are_decided_with_them(tmp_path: Path, model: Model) -> None:
    rows = table(260)
    for persona in ("leisure", "business"):
        for carrier in ("AA", "UA"):
            folder = tmp_path / "rows" / f"persona={persona}" / f"carrier={carrier}"
            folder.mkdir(parents=True)
            mine = rows.filter((pc.field("persona") == persona) & (pc.field("carrier") == carrier))
            pq.write_table(mine.drop_columns(["persona", "carrier"]), folder / "0.parquet", row_group_size=30)
    decide_files(model, tmp_path / "rows", tmp_path / "out.parquet")
    order = [name for name in OWN if name not in {"persona", "carrier"}] + ["persona", "carrier"]
    found = read(tmp_path / "out.parquet")
    assert list(found[0]) == [*order, *SIX]
    assert sorted(found, key=lambda row: int(row["id"][1:])) == expected(model, rows)


def test_a_refused_row_means_no_output_and_all_are_counted(tmp_path: Path, model: Model) -> None:
    path = write(tmp_path / "rows.parquet", table(400, wrong=tuple(range(50, 350, 25))))
    with pytest.raises(RowError) as caught:
        decide_files(model, path, tmp_path / "out.parquet")
    assert caught.value.count == 12
    assert [one.row for one in caught.value.refusals] == list(range(50, 300, 25))
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


def test_a_page_that_nobody_looks_into_is_checked_all_the_same(tmp_path: Path, model: Model) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(table(300), path, row_group_size=100, write_page_checksum=True, compression="none")
    chunk = pq.read_metadata(path).row_group(1).column(0)  # `id`, which the domain does not read
    data = bytearray(path.read_bytes())
    data[chunk.data_page_offset + chunk.total_compressed_size // 3] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="cannot be read"):
        decide_files(model, path, tmp_path / "out.parquet")
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


def test_files_that_differ_underneath_are_put_together_all_the_same(tmp_path: Path, model: Model) -> None:
    (tmp_path / "rows").mkdir()
    pq.write_table(table(120), tmp_path / "rows" / "a.parquet")
    schema = pa.schema([field.with_nullable(nullable=False) for field in table(1).schema])
    pq.write_table(table(90).cast(schema), tmp_path / "rows" / "b.parquet")
    decide_files(model, tmp_path / "rows", tmp_path / "out.parquet")
    assert read(tmp_path / "out.parquet") == expected(model, pa.concat_tables([table(120), table(90)]))


# killed, and gone on with ----------------------------------------------------------------------------


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
