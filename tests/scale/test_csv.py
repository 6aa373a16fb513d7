"""CSV is text; the domain says what the text of a cell is worth."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from racl.domain.model import Column, Type
from racl.errors import DataError
from racl.frames import Table, check_columns, read_arrow
from racl.scale import open_rows
from racl.scale.csv_files import csv_bytes, csv_head
from racl.values import Fault
from scale.files import CARRIER, FARE, NASTY_TEXTS, decide, native


def rows_of(path: Path, text: str | bytes) -> list[Table]:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(open_rows(path).batches())


def column_of(path: Path, *cells: str) -> Table:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["x", "y"], *([cell, "y"] for cell in cells)])
    (table,) = open_rows(path).batches()
    return table


NUMBERS = {
    "1": 1.0,
    "-1": -1.0,
    "+1": 1.0,
    "1.5": 1.5,
    ".5": 0.5,
    "5.": 5.0,
    "1e3": 1000.0,
    "1E-3": 0.001,
    "0.1": 0.1,
    "9007199254740993": 9007199254740992.0,
    "1e-400": 0.0,
    "123456789012345678901234567890": 123456789012345678901234567890.0,
    "2.2250738585072011e-308": 2.2250738585072011e-308,
}
NO_NUMBERS = [
    *[
        "nan",
        "NaN",
        "inf",
        "-inf",
        "Infinity",
        "1e400",
        "1,5",
        "0x10",
        "1_000",
        "٣",
        "true",
        "--1",
        "+-1",
        "++1",
        ".",
        "e5",
        "1e",
    ],
    " 1",
    "1 ",
]


@pytest.mark.parametrize(("cell", "value"), NUMBERS.items())
def test_a_number_is_the_float64_nearest_to_its_text(tmp_path: Path, cell: str, value: float) -> None:
    table = column_of(tmp_path / "rows.csv", cell)
    column = Column("x", Type.NUMBER)
    assert table.encode(column, {}, 0, 1).tolist() == [value]
    assert table.read(column, 0) == value


@pytest.mark.parametrize("cell", NO_NUMBERS)
def test_what_is_no_number_spoils_its_own_row_and_no_other(tmp_path: Path, cell: str) -> None:
    table = column_of(tmp_path / "rows.csv", "1", cell, "+2")
    column = Column("x", Type.NUMBER)
    before, spoilt, after = table.encode(column, {}, 0, 3).tolist()
    assert (before, after) == (1.0, 2.0)
    assert not math.isfinite(spoilt)
    assert isinstance(table.read(column, 1), Fault)


@given(
    text=st.one_of(
        st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,4})?", fullmatch=True), st.text()
    )
)
def test_every_text_is_the_number_that_the_definition_says(text: str) -> None:
    if "\x00" in text or any("\ud800" <= c <= "\udfff" for c in text):
        return
    table = replace(read_arrow(pa.table({"x": [text or None, "1"]})), text=True)
    column = Column("x", Type.NUMBER)
    value, code = table.read(column, 0), float(table.encode(column, {}, 0, 2)[0])
    assert not math.isfinite(code) if isinstance(value, Fault) else value == code


def test_truths_have_six_spellings_and_no_more(tmp_path: Path) -> None:
    cells = ("true", "True", "TRUE", "false", "False", "FALSE", "1", "0", "yes", "tRUE", " true", "")
    table = column_of(tmp_path / "rows.csv", *cells)
    column = Column("x", Type.BOOLEAN)
    assert table.encode(column, {}, 0, len(cells)).tolist() == [1, 1, 1, 0, 0, 0, 2, 2, 2, 2, 2, 2]
    assert table.encode(Column("x", Type.BOOLEAN, default=True), {}, 11, 12).tolist() == [1]


def test_a_category_is_the_exact_text(tmp_path: Path) -> None:
    cells = ("AA", "UA", "AA ", "aa", "", "ZZ")
    table = column_of(tmp_path / "rows.csv", *cells)
    column = Column("x", Type.CATEGORY, values=("AA", "UA"))
    assert table.encode(column, {"AA": 0, "UA": 1}, 0, 6, 2).tolist() == [0, 1, 2, 2, -1, 2]
    assert [isinstance(table.read(column, i), Fault) for i in range(6)] == [
        False,
        False,
        True,
        True,
        True,
        True,
    ]


def test_a_category_may_look_like_a_number_or_a_truth(tmp_path: Path) -> None:
    table = column_of(tmp_path / "rows.csv", "007", "true", "nan", "NULL")
    values = ("007", "true", "nan", "NULL")
    codes = {value: i for i, value in enumerate(values)}
    assert table.encode(Column("x", Type.CATEGORY, values=values), codes, 0, 4).tolist() == [0, 1, 2, 3]


def test_quotes_commas_and_line_ends_within_a_cell_are_its_own(tmp_path: Path) -> None:
    (table,) = rows_of(tmp_path / "rows.csv", 'fare,note\r\n1,"a ""b"", c\r\nd"\r\n2,\r\n')
    assert [table.raw("note", i) for i in range(2)] == ['a "b", c\r\nd', None]
    assert table.encode(FARE, {}, 0, 2).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_byte_order_mark_and_any_end_of_line_are_taken(tmp_path: Path, end: str) -> None:
    (table,) = rows_of(tmp_path / "rows.csv", f"\ufefffare,b{end}1,2{end}{end}3,4")
    assert table.names == ("fare", "b")
    assert table.encode(FARE, {}, 0, table.rows).tolist() == [1.0, 3.0]


def test_a_name_twice_in_the_header_is_found_before_the_first_row(tmp_path: Path) -> None:
    (table,) = rows_of(tmp_path / "rows.csv", "fare,b,fare\n1,2,3\n")
    assert check_columns(table, [FARE])[0].what == "2 columns of this name"
    assert native(table).column_names == ["fare", "b", "fare"]


def test_an_empty_line_is_a_null_where_there_is_one_column_and_nothing_elsewhere(tmp_path: Path) -> None:
    (one,) = rows_of(tmp_path / "one.csv", "fare\n1\n\n2\n")
    (two,) = rows_of(tmp_path / "two.csv", "fare,b\n1,x\n\n2,y\n")
    assert [one.raw("fare", i) for i in range(one.rows)] == ["1", None, "2"]
    assert [two.raw("fare", i) for i in range(two.rows)] == ["1", "2"]


def test_a_row_of_another_length_is_refused_in_its_place(tmp_path: Path) -> None:
    (table,) = rows_of(tmp_path / "rows.csv", "fare,carrier\n1,AA\n2\n3,UA\n4,UA,x\n\n5,AA\n6\n")
    assert [table.read(FARE, i) for i in (0, 2, 4)] == [1.0, 3.0, 5.0]
    assert table.faults == {
        1: "1 cell where the header has 2",
        3: "3 cells where the header has 2",
        5: "1 cell where the header has 2",
    }
    text = "fare,carrier\n" + "1\n" * 2
    (only,) = rows_of(tmp_path / "only.csv", text)
    assert only.rows == 2


def test_rows_of_another_length_keep_their_numbers_across_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("racl.scale.csv_files.BLOCK_BYTES", 64)
    bad = {0, 1, 57, 99, 150, 199}
    lines = [f"{i}" if i in bad else f"{i},AA" for i in range(200)]
    tables = rows_of(tmp_path / "rows.csv", "fare,carrier\n" + "\n".join(lines) + "\n")
    assert len(tables) > 2
    position = 0
    for table in tables:
        assert table.offset == position
        for i in range(table.rows):
            value = table.read(FARE, i)
            assert isinstance(value, Fault) == (position + i in bad)
            assert isinstance(value, Fault) or value == position + i
        position += table.rows
    assert position == 200


def test_a_row_that_is_none_is_refused_in_every_column_whatever_its_default(tmp_path: Path) -> None:
    (table,) = rows_of(tmp_path / "rows.csv", "fare,carrier\n1,AA\n2\n")
    assert table.faults == {1: "1 cell where the header has 2"}
    kinds = (
        (Column("fare", Type.NUMBER, default=1.0), "nan"),
        (Column("has_bag", Type.BOOLEAN, default=True), "2"),
        (Column("carrier", Type.CATEGORY, values=("AA",), default="AA"), "-1"),
    )
    for column, refused in kinds:
        assert str(table.encode(column, {"AA": 0}, 0, 2)[1]) == refused
        assert table.read(column, 1) == Fault("1 cell where the header has 2")


@pytest.mark.parametrize("line", [b"1,\xe4", b"1,\xe4,x", b"\xe4", b'1,"\xe4', b"1,x\xc3"])
def test_text_that_is_not_utf8_is_refused_even_in_a_row_that_is_none(tmp_path: Path, line: bytes) -> None:
    with pytest.raises(DataError, match="not UTF-8 text"):
        rows_of(tmp_path / "rows.csv", b"fare,carrier\n1,AA\n" + line)


def test_a_row_longer_than_a_block_is_said_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("racl.scale.csv_files.BLOCK_BYTES", 1 << 20)
    path = tmp_path / "rows.csv"
    path.write_text('a,b\n1,"' + "x\n" * (1 << 20) + '"\n')
    with pytest.raises(DataError, match="a row of more than 1 MiB"):
        list(open_rows(path).batches())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv")


CELLS = st.one_of(
    st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\x00")), st.sampled_from(NASTY_TEXTS)
)


@given(cells=st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_text_that_is_written_reads_back_but_for_the_empty_text(folder: Path, cells: list[Any]) -> None:
    path = folder / "rows.csv"
    columns = [pa.array([row[at] for row in cells], pa.string()) for at in (0, 1)]
    table = pa.table(columns, ["a", 'b,"'])
    path.write_bytes(csv_head(table.schema) + csv_bytes(table))
    back = [row for part in open_rows(path).batches() for row in native(part).to_pylist()]
    assert [(row["a"], row['b,"']) for row in back] == [(a or None, b or None) for a, b in cells]


@given(value=st.floats(allow_nan=False))
def test_a_number_that_is_written_reads_back_to_the_bit(folder: Path, value: float) -> None:
    path = folder / "rows.csv"
    path.write_bytes(b"fare\n" + csv_bytes(pa.table({"fare": [value]})))
    assert float(path.read_text().splitlines()[1]).hex() == value.hex()


def test_csv_to_csv_keeps_the_text_of_every_cell(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('fare,carrier,note\n+01.50,AA,"x ""y"""\n2,UA,=cmd()\n', newline="")
    out = decide(open_rows(path), tmp_path / "out.csv", typed=(FARE, CARRIER))
    lines = out.read_text().splitlines()
    assert lines[0] == "fare,carrier,note,accepted,credit,plan,value,margin,cost"
    assert lines[1] == '+01.50,AA,"x ""y""",true,accepted-already-good,keep,-0,-0,-0'
    assert lines[2] == "2,UA,=cmd(),false,rejected-non-repairable,,,,"


RECORDS = st.lists(st.lists(st.text('ab1",\n\r ', max_size=3), min_size=1, max_size=4), max_size=12)


@example(records=[[" "]], block=64, size=1)
@given(records=RECORDS, block=st.sampled_from([64, 100, 1 << 20]), size=st.sampled_from([1, 2, 5, 1000]))
def test_every_record_is_one_row_whatever_its_length(
    folder: Path, records: list[list[str]], block: int, size: int
) -> None:
    path = folder / "rows.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["fare", "carrier"], *records])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("racl.scale.csv_files.BLOCK_BYTES", block)
        tables = list(open_rows(path).batches(size))
    rows = [(table, at) for table in tables for at in range(table.rows)]
    assert [table.offset + at for table, at in rows] == list(range(len(records)))
    for (table, at), record in zip(rows, records, strict=True):
        assert (at in table.faults) == (len(record) != 2)
        if len(record) == 2:
            assert [table.raw(name, at) or "" for name in ("fare", "carrier")] == record
