"""Decisions arrive whole under their final name, or not at all; the rows' own columns come first, untouched."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from racl.errors import DataError, Refusal
from racl.frames import DECISION, decision_schema
from racl.scale import open_output, open_rejects, open_rows
from scale.files import (
    BAG,
    CARRIER,
    COLUMNS,
    FARE,
    FORMATS,
    NASTY_TEXTS,
    ROWS,
    STOPS,
    contents,
    decide,
    decision,
    make,
)

EVERY_FORMAT = pytest.mark.parametrize("suffix", FORMATS)
FROM_EVERY_FORMAT = pytest.mark.parametrize("source", FORMATS)
NAMES = ["fare", "stops", "has_bag", "carrier", "note", *DECISION.names]


def left_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@EVERY_FORMAT
@FROM_EVERY_FORMAT
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_every_format_goes_to_every_other(tmp_path: Path, source: str, suffix: str, size: int) -> None:
    rows = open_rows(make(tmp_path / f"rows.{source}"))
    written = contents(decide(rows, tmp_path / f"out.{suffix}", typed=COLUMNS, size=size))
    assert [list(row) for row in written] == [NAMES] * 3
    assert left_in(tmp_path) == {f"rows.{source}", f"out.{suffix}"}
    for row, given in zip(written, ROWS, strict=True):
        for name, value in given.items():
            assert value_of(row[name], suffix, type(value)) == value
    assert [value_of(row["accepted"], suffix, bool) for row in written] == (
        [True, False, True] if size > 2 else [True, False, True] if size == 2 else [True] * 3
    )


def value_of(read: Any, suffix: str, kind: type) -> Any:
    if suffix != "csv" or read is None or kind is str:
        return read
    return json.loads(read)


@EVERY_FORMAT
def test_a_missing_value_margin_or_cost_is_a_null(tmp_path: Path, suffix: str) -> None:
    out = decide(open_rows(make(tmp_path / "rows.parquet")), tmp_path / f"out.{suffix}")
    second = contents(out)[1]
    assert [second[name] for name in ("plan", "value", "margin", "cost")] == [None] * 4
    assert second["credit"] == "rejected-non-repairable"


def test_parquet_keeps_types_and_metadata_and_writes_plain_text(tmp_path: Path) -> None:
    fields = [
        pa.field("fare", pa.float32(), nullable=False, metadata={"unit": "USD"}),
        pa.field("carrier", pa.dictionary(pa.int8(), pa.string())),
        pa.field("times", pa.list_(pa.timestamp("us", tz="UTC"))),
        pa.field("price", pa.decimal128(10, 2)),
    ]
    schema = pa.schema(fields, metadata={"made": "by hand"})
    row = {"fare": 1.5, "carrier": "AA", "times": [], "price": None}
    pq.write_table(pa.Table.from_pylist([row], schema), tmp_path / "rows.parquet")
    given = pq.read_table(tmp_path / "rows.parquet")
    back = pq.read_table(decide(open_rows(tmp_path / "rows.parquet"), tmp_path / "out.parquet"))
    assert back.schema.metadata[b"made"] == b"by hand"
    assert back.select(given.column_names).equals(given)
    assert back.schema.field("fare").metadata[b"unit"] == b"USD"
    assert [str(back.schema.field(name).type) for name in DECISION.names] == [
        "bool",
        "string",
        "string",
        *["double"] * 3,
    ]
    group = pq.ParquetFile(tmp_path / "out.parquet").metadata.row_group(0)
    pages = [group.column(at) for at in range(group.num_columns)]
    assert [
        "RLE_DICTIONARY" in page.encodings for page in pages if page.path_in_schema in ("credit", "plan")
    ] == [True, True]


def test_parquet_of_a_pandas_frame_keeps_its_index(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"fare": [1.0, 2.0]}, index=pd.Index(["a", "b"], name="id"))
    frame.to_parquet(tmp_path / "rows.parquet")
    back = pd.read_parquet(decide(open_rows(tmp_path / "rows.parquet"), tmp_path / "out.parquet"))
    assert back.index.tolist() == ["a", "b"]
    assert back.columns.tolist() == ["fare", *DECISION.names]


@EVERY_FORMAT
@FROM_EVERY_FORMAT
def test_text_that_is_passed_through_is_kept(tmp_path: Path, source: str, suffix: str) -> None:
    rows = [{"fare": 1.0, "note": text} for text in NASTY_TEXTS]
    out = decide(open_rows(make(tmp_path / f"rows.{source}", rows)), tmp_path / f"out.{suffix}")
    assert [row["note"] for row in contents(out)] == list(NASTY_TEXTS)


@EVERY_FORMAT
@FROM_EVERY_FORMAT
def test_no_rows_give_an_empty_output_with_every_column(tmp_path: Path, source: str, suffix: str) -> None:
    path = tmp_path / f"rows.{source}"
    if source == "parquet":
        pq.write_table(pa.table({"fare": pa.array([], pa.float64())}), path)
    else:
        path.write_text("fare\n" if source == "csv" else "")
    out = decide(open_rows(path), tmp_path / f"out.{suffix}", typed=(FARE,))
    own = [] if source == "jsonl" else ["fare"]
    if suffix == "parquet":
        assert pq.read_schema(out).names == [*own, *DECISION.names]
        assert pq.read_table(out).num_rows == 0
    else:
        assert out.read_text() == ("" if suffix == "jsonl" else ",".join([*own, *DECISION.names]) + "\n")


def test_columns_of_csv_that_the_domain_reads_get_its_types_in_formats_that_have_types(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("fare,stops,has_bag,carrier,note\n+01.50,1,TRUE,AA,7\n,,,,\n")
    table = pq.read_table(
        decide(open_rows(path), tmp_path / "out.parquet", typed=(FARE, STOPS, BAG, CARRIER))
    )
    assert [str(table.schema.field(at).type) for at in range(5)] == [
        "double",
        "int64",
        "bool",
        "string",
        "string",
    ]
    assert table.select(range(5)).to_pylist() == [
        {"fare": 1.5, "stops": 1, "has_bag": True, "carrier": "AA", "note": "7"},
        dict.fromkeys(["fare", "stops", "has_bag", "carrier", "note"]),
    ]
    line = (
        decide(open_rows(path), tmp_path / "out.jsonl", typed=(FARE, STOPS, BAG)).read_text().splitlines()[0]
    )
    assert line.startswith(
        '{"fare": 1.5, "stops": 1, "has_bag": true, "carrier": "AA", "note": "7", "accepted"'
    )


def test_what_json_and_csv_cannot_say_is_said_as_well_as_they_can(tmp_path: Path) -> None:
    columns = {
        "f32": pa.array([0.1, None], pa.float32()),
        "nan": pa.array([float("nan"), float("-inf")]),
        "decimal": pa.array([None, "1234567890.10"], pa.string()).cast(pa.decimal128(20, 2)),
        "time": pa.array([0, None], pa.timestamp("s")),
        "bytes": pa.array([b"\xff", None]),
        "list": pa.array([[1.5, None], None]),
        "map": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int8())),
        "word": pa.array(['x "y"', None]).dictionary_encode(),
    }
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    rows = open_rows(tmp_path / "rows.parquet")
    first, second = (
        {name: json.loads(line)[name] for name in columns}
        for line in decide(rows, tmp_path / "out.jsonl").read_text().splitlines()
    )
    assert first == {
        "f32": 0.10000000149011612,
        "nan": None,
        "decimal": None,
        "time": "1970-01-01T00:00:00",
        "bytes": "/w==",
        "list": [1.5, None],
        "map": [["a", 1]],
        "word": 'x "y"',
    }
    assert second == {**dict.fromkeys(columns), "decimal": 1234567890.1}
    assert '"decimal": 1234567890.10' in (tmp_path / "out.jsonl").read_text()
    cells = contents(decide(rows, tmp_path / "out.csv"))
    assert [cells[0][name] for name in columns] == [
        "0.10000000149011612",
        "nan",
        None,
        "1970-01-01 00:00:00.000",
        '"/w=="',
        "[1.5, null]",
        '[["a", 1]]',
        'x "y"',
    ]
    assert [cells[1][name] for name in columns] == [None, "-inf", "1234567890.10", *[None] * 5]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize("ending", [b"", b'"'])
def test_text_of_parquet_that_is_no_text_is_a_clear_error_elsewhere(
    tmp_path: Path, suffix: str, ending: bytes
) -> None:
    bad = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff" + ending]).buffers())
    pq.write_table(pa.table({"note": bad}), tmp_path / "rows.parquet")
    rows = open_rows(tmp_path / "rows.parquet")
    assert (
        pq.read_table(decide(rows, tmp_path / "out.parquet"))["note"].cast(pa.binary())[0].as_py()[:1]
        == b"\xff"
    )
    with pytest.raises(DataError, match="cannot be written"):
        decide(rows, tmp_path / f"out.{suffix}")


def whole(path: Path) -> Path:
    return path


def a_folder(path: Path) -> Path:
    path.mkdir()
    return path


def within(path: Path) -> Path:
    return path.parent / "rows" / path.name


def elsewhere(path: Path) -> Path:
    return path.parent / "nowhere" / path.name


def the_input(path: Path) -> Path:
    return path.parent / "rows" / "a.csv"


def link_to_input(path: Path) -> Path:
    path.symlink_to(the_input(path))
    return path


def hard_link_to_input(path: Path) -> Path:
    path.hardlink_to(the_input(path))
    return path


NO_OUTPUT = [
    ("out.txt", whole, "rows/a.csv", "unknown suffix `.txt`"),
    ("out.gz", whole, "rows/a.csv", "unknown suffix `.gz`"),
    ("out.parquet.gz", whole, "rows/a.csv", "Parquet within another compression"),
    ("out.csv", a_folder, "rows/a.csv", "is a folder"),
    ("out.csv", elsewhere, "rows/a.csv", "no such folder"),
    ("out.csv", the_input, "rows/a.csv", "is the file that is read"),
    ("out.csv", link_to_input, "rows/a.csv", "is the file that is read"),
    ("out.csv", hard_link_to_input, "rows/a.csv", "is the file that is read"),
    ("out.csv", within, "rows", "lies within the folder of rows that is read"),
    ("out.csv", link_to_input, "rows", "lies within the folder of rows that is read"),
    ("other.csv", whole, "rows/a.csv", "is written twice"),
]


@pytest.mark.parametrize(("name", "place", "source", "said"), NO_OUTPUT)
def test_an_output_that_would_do_harm_is_refused(
    tmp_path: Path, name: str, place: Any, source: str, said: str
) -> None:
    (tmp_path / "rows").mkdir()
    before = make(tmp_path / "rows" / "a.csv").read_bytes()
    path = place(tmp_path / name)
    rows = open_rows(tmp_path / source)
    others = [tmp_path / "other.csv"]
    for opened in (open_output(path, rows, apart=others), open_rejects(path, rows, apart=others)):
        with pytest.raises(DataError, match=said), opened:
            pass
    assert (tmp_path / "rows" / "a.csv").read_bytes() == before
    assert left_in(tmp_path / "rows") == {"a.csv"}


def stopped(path: Path, stop: type[BaseException]) -> None:
    """A run that breaks off after its first rows are written."""
    rows = open_rows(path.parent / "rows.csv")
    with open_output(path, rows) as output, open_rejects(path.parent / "refused.csv", rows) as rejects:
        output.write(next(rows.batches()), decision(3))
        rejects.write([Refusal(1, "fare", "too dear")])
        raise stop


@EVERY_FORMAT
@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError, MemoryError])
def test_nothing_is_left_where_the_end_is_not_reached(
    tmp_path: Path, suffix: str, stop: type[BaseException]
) -> None:
    make(tmp_path / "rows.csv")
    with pytest.raises(stop):
        stopped(tmp_path / f"out.{suffix}", stop)
    assert left_in(tmp_path) == {"rows.csv"}


@EVERY_FORMAT
def test_what_was_there_before_stays_until_the_end_is_reached(tmp_path: Path, suffix: str) -> None:
    rows = open_rows(make(tmp_path / "rows.csv"))
    out = tmp_path / f"out.{suffix}"
    out.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        stopped(out, KeyboardInterrupt)
    assert out.read_text() == "before"
    decide(rows, out)
    assert len(contents(out)) == 3


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """As if the disk were full after so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@EVERY_FORMAT
def test_a_full_disk_is_a_clear_error_and_leaves_nothing(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"fare": np.random.default_rng(1).random(20000)}), path)
    rows = open_rows(path)
    with files_no_larger_than(20000), pytest.raises(DataError, match="cannot be written: ") as caught:
        decide(rows, tmp_path / f"out.{suffix}")
    assert caught.value.problems[0].file.endswith(f"out.{suffix}")
    assert left_in(tmp_path) == {"rows.parquet"}


@EVERY_FORMAT
@FROM_EVERY_FORMAT
def test_a_column_named_like_a_decisions_needs_a_prefix(tmp_path: Path, source: str, suffix: str) -> None:
    path = make(tmp_path / f"rows.{source}", [{"fare": 1.0, "plan": "mine"}])
    rows = open_rows(path)
    with pytest.raises(DataError, match="the rows already have a column `plan`"):
        decide(rows, tmp_path / f"out.{suffix}")
    assert left_in(tmp_path) == {path.name}
    added = decision_schema("racl_")
    (table,) = rows.batches()
    with open_output(tmp_path / f"out.{suffix}", rows, added) as output:
        output.write(table, {f"racl_{name}": column for name, column in decision(1).items()})
    (row,) = contents(tmp_path / f"out.{suffix}")
    assert list(row) == ["fare", "plan", *added.names]
    assert (row["plan"], row["racl_plan"]) == ("mine", "keep")


@EVERY_FORMAT
def test_refused_rows_go_to_a_file_of_their_own(tmp_path: Path, suffix: str) -> None:
    rows = open_rows(make(tmp_path / "rows.csv"))
    refusals = [
        Refusal(0, "fare", 'not a "number", at all\nreally'),
        Refusal(7, "", "1 cell where the header has 2"),
    ]
    with open_rejects(tmp_path / f"refused.{suffix}", rows) as rejects:
        rejects.write(refusals[:1])
        rejects.write(iter(refusals[1:]))
        rejects.write([])
    written = contents(tmp_path / f"refused.{suffix}")
    assert [list(row) for row in written] == [["row", "column", "reason"]] * 2
    assert [(int(row["row"]), row["column"] or "", row["reason"]) for row in written] == [
        (refusal.row, refusal.column, refusal.reason) for refusal in refusals
    ]


@EVERY_FORMAT
def test_no_refused_rows_give_an_empty_file_with_its_columns(tmp_path: Path, suffix: str) -> None:
    rows = open_rows(make(tmp_path / "rows.csv"))
    with open_rejects(tmp_path / f"refused.{suffix}", rows):
        pass
    path = tmp_path / f"refused.{suffix}"
    if suffix == "parquet":
        assert pq.read_schema(path).names == ["row", "column", "reason"]
    else:
        assert path.read_text() == ("row,column,reason\n" if suffix == "csv" else "")


def test_an_output_through_a_link_is_written_where_the_link_points(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out.csv").symlink_to(tmp_path / "real" / "out.csv")
    decide(open_rows(make(tmp_path / "rows.csv")), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").is_symlink()
    assert len(contents(tmp_path / "real" / "out.csv")) == 3
