"""Files of rows come in as tables, or are refused with a reason that helps."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from racl.errors import DataError
from racl.frames import check_columns
from racl.scale import Format, open_rows
from scale.files import CODES, COLUMNS, FARE, FORMATS, ROWS, make

EVERY_FORMAT = pytest.mark.parametrize("suffix", FORMATS)


@EVERY_FORMAT
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_rows_come_in_order_and_at_most_so_many_at_a_time(tmp_path: Path, suffix: str, size: int) -> None:
    rows = open_rows(make(tmp_path / f"rows.{suffix}"))
    tables = list(rows.batches(size))
    assert rows.format is Format(suffix)
    assert all(table.rows <= size for table in tables)
    assert [table.offset for table in tables] == list(range(0, 3, size))
    assert [table.read(FARE, i) for table in tables for i in range(table.rows)] == [320.0, 0.1, 1e20]


@EVERY_FORMAT
def test_every_format_gives_the_same_columns(tmp_path: Path, suffix: str) -> None:
    (table,) = open_rows(make(tmp_path / f"rows.{suffix}")).batches()
    fare, stops, bag, carrier = (table.encode(column, CODES, 0, 3) for column in COLUMNS)
    assert fare.tolist() == [320.0, 0.1, 1e20]
    assert stops[:2].tolist() == [1.0, 0.0]
    assert math.isnan(stops[2])
    assert bag.tolist() == [1, 0, 2]
    assert carrier.tolist() == [0, 1, -1]
    assert check_columns(table, COLUMNS) == ()


@EVERY_FORMAT
def test_a_folder_is_its_files_by_name(tmp_path: Path, suffix: str) -> None:
    for name, row in (("b", 1), ("a", 0), ("c", 2)):
        make(tmp_path / f"{name}.{suffix}", ROWS[row : row + 1] if row < 2 else ROWS[:1])
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / f".a.{suffix}.crc").touch()
    tables = list(open_rows(tmp_path).batches())
    assert [table.raw("note", 0) for table in tables] == ["plain", 'a "b", c', "plain"]
    assert [table.offset for table in tables] == [0, 1, 2]


@EVERY_FORMAT
def test_a_file_without_rows_is_one_table_without_rows(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.table({"fare": pa.array([], pa.float64())}), path)
    else:
        path.write_text("fare" if suffix == "csv" else "")
    (table,) = open_rows(path).batches()
    assert table.rows == 0
    assert table.encode(FARE, {}, 0, 0).tolist() == []
    assert check_columns(table, [FARE]) == ()


def rubbish(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def cut_parquet(path: Path) -> Path:
    data = make(path).read_bytes()
    return rubbish(path, data[: len(data) // 2])


def spoilt_parquet(path: Path) -> Path:
    data = bytearray(make(path).read_bytes())
    data[4:60] = b"\xff" * 56
    return rubbish(path, bytes(data))


def folder(path: Path, *names: str) -> Path:
    path.mkdir()
    for name in names:
        make(path / name)
    return path


def mixed_folder(path: Path) -> Path:
    folder(path, "a.parquet")
    pq.write_table(pa.table({"fare": [1], "stops": [1]}), path / "b.parquet")
    return path


def mixed_headers(path: Path) -> Path:
    path.mkdir()
    (path / "a.csv").write_text("fare,stops\n1,2\n")
    (path / "b.csv").write_text("fare\n1\n")
    return path


def nested_folder(path: Path) -> Path:
    folder(path, "a.csv")
    (path / "more").mkdir()
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


BAD: list[tuple[str, Callable[[Path], Path], str]] = [
    ("missing.csv", lambda p: p, "no such file"),
    ("rows.txt", make, "unknown suffix `.txt` (one of .parquet, .csv, .jsonl, .ndjson; text"),
    ("rows.parquett", make, "unknown suffix `.parquett` (did you mean `.parquet`?)"),
    ("rows", lambda p: rubbish(p, b"x"), "unknown suffix `` (one of"),
    ("pipe.csv", pipe, "not a regular file"),
    ("empty.parquet", lambda p: rubbish(p, b""), "cannot be read: Parquet file size is 0 bytes"),
    ("magic.parquet", lambda p: rubbish(p, b"fare,stops\n" * 100), "Parquet magic bytes not found"),
    ("cut.parquet", cut_parquet, "Parquet magic bytes not found"),
    ("spoilt.parquet", spoilt_parquet, "cannot be read: "),
    ("empty.csv", lambda p: rubbish(p, b""), "empty (the first line names the columns)"),
    ("blank.csv", lambda p: rubbish(p, b"\n\r\n\n"), "empty (the first line names the columns)"),
    ("wide.csv", lambda p: rubbish(p, "fare\n1\n".encode("utf-16")), "not UTF-8 text (save it as UTF-8)"),
    ("latin.csv", lambda p: rubbish(p, b"a,b\n1,\xe4\n"), "not UTF-8 text (save it as UTF-8)"),
    ("latin_header.csv", lambda p: rubbish(p, b"a,\xe4\n1,2\n"), "not UTF-8 text (save it as UTF-8)"),
    (
        "open.csv",
        lambda p: rubbish(p, b'a,b\n1,"x\n2,y\n3,z\n'),
        "a quote is opened in the last rows and never closed",
    ),
    (
        "open_row.csv",
        lambda p: rubbish(p, b'a,b\n1,x\n"2\n3,z\n'),
        "a quote is opened in the last rows and never closed",
    ),
    ("open_header.csv", lambda p: rubbish(p, b'a,"b\n' + b"1,2\n" * 99999), "the first line cannot be read"),
    ("none", folder, "a folder without rows"),
    ("mixed", lambda p: folder(p, "a.csv", "b.jsonl"), "another format than `a.csv`"),
    ("other", lambda p: folder(p, "a.csv", "readme.md"), "unknown suffix `.md`"),
    (
        "types",
        mixed_folder,
        "other columns than `a.parquet`: `fare` of type int64 instead of `fare` of type double",
    ),
    ("headers", mixed_headers, "other columns than `a.csv`: 1 of them where 2 are expected"),
    (
        "nested",
        nested_folder,
        "not a regular file (a folder of rows holds files, or folders named `column=value`)",
    ),
]


@pytest.mark.parametrize(("name", "prepare", "said"), BAD, ids=[name for name, _, _ in BAD])
def test_what_cannot_be_read_is_refused_with_a_reason(
    tmp_path: Path, name: str, prepare: Callable[[Path], Path], said: str
) -> None:
    path = prepare(tmp_path / name)
    with pytest.raises(DataError) as caught:
        list(open_rows(path).batches())
    (problem,) = caught.value.problems
    assert problem.file.startswith(str(path))
    assert said in str(problem)
    assert "\n" not in str(problem)


def test_the_name_of_a_file_that_is_not_there_is_guessed(tmp_path: Path) -> None:
    make(tmp_path / "flights.csv")
    with pytest.raises(DataError, match=r"no such file \(did you mean `flights.csv`\?\)"):
        open_rows(tmp_path / "fligths.csv")


@EVERY_FORMAT
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, suffix: str) -> None:
    path = make(tmp_path / f"rows.{suffix}")
    batches = open_rows(path).batches(1)
    next(batches)
    with path.open("ab") as file:
        file.write(b" ")
    with pytest.raises(DataError, match="changed while it was read"):
        list(batches)


def test_the_suffix_may_stand_in_capitals_and_ndjson_is_json_lines(tmp_path: Path) -> None:
    rubbish(tmp_path / "rows.CSV", b"fare\n1\n")
    rubbish(tmp_path / "rows.ndjson", b'{"fare": 1}\n')
    for name in ("rows.CSV", "rows.ndjson"):
        (table,) = open_rows(tmp_path / name).batches()
        assert table.read(FARE, 0) == 1.0


def test_a_parquet_file_with_a_column_twice_is_found_out_before_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table([[1.0], [2.0]], ["fare", "fare"]), path)
    (table,) = open_rows(path).batches()
    (problem,) = check_columns(table, [FARE])
    assert problem.what == "2 columns of this name"


def test_a_fault_of_the_one_who_reads_is_not_the_files(tmp_path: Path) -> None:
    def consume(batches: Any) -> None:
        for _ in batches:
            raise OSError("mine")

    with pytest.raises(OSError, match="mine"):
        consume(open_rows(make(tmp_path / "rows.csv")).batches())
