"""A line of JSON is read strictly, refused by itself where it is no row, and kept as it was written."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from racl.domain.model import Column, Type
from racl.frames import check_columns
from racl.scale import open_rows
from racl.scale.jsonl_files import DECODER, LINE_BYTES, jsonl_bytes, lines_table, read_line
from racl.values import Fault
from scale.files import FARE, decide

REFUSED = [
    (b"nope", "a value is expected"),
    (b"[1]", "not a JSON object"),
    (b"5", "not a JSON object"),
    (b"null", "not a JSON object"),
    (b'"fare"', "not a JSON object"),
    (b'{"fare": 1', ""),
    (b'{"fare": 1} {"fare": 2}', "more follows after the end"),
    (b'{"fare": 1, "fare": 1}', "fare: given twice"),
    (b'{"fare": 1, "\\u0066are": 2}', "fare: given twice"),
    (b'{"note": "a", "fare": 1, "note": "b"}', "note: given twice"),
    (b'{"a": {"b": 1, "b": 2}}', "a.b: given twice"),
    (b'{"fare": NaN}', "`NaN` is not a finite number"),
    (b'{"fare": -Infinity}', "`-Infinity` is not a finite number"),
    (b'{"fare": 01}', ""),
    (b"{'fare': 1}", "a name in double quotes is expected"),
    (b'{"fare": 1,}', ""),
    (b'{"note": "a\x01b"}', "control character"),
    (b'{"note": "\xff"}', "not UTF-8 text"),
    (b'{"note": "\\ud800"}', ""),
    (b'{"note": "\xed\xa0\x80"}', "not UTF-8 text"),
    (b"\xff\xfe{\x00}\x00", "not UTF-8 text"),
    (b"[" * 100_000, ""),
    (b'{"a":' * 100_000, ""),
    (b'{"fare": ' + b"9" * 5000 + b"}", ""),
    (b'{"note": "' + b"x" * LINE_BYTES + b'"}', "a line of more than 16 MiB"),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[repr(line[:30]) for line, _ in REFUSED])
def test_a_line_that_is_no_row_is_refused_with_its_reason(line: bytes, said: str) -> None:
    table = lines_table((b'{"fare": 1}', line, b'{"fare": 3}'))
    assert list(table.faults) == [1]
    assert said in table.faults[1]
    assert table.faults[1]
    assert "\n" not in table.faults[1]
    first, spoilt, last = table.encode(FARE, {}, 0, 3).tolist()
    assert (first, last) == (1.0, 3.0)
    assert math.isnan(spoilt)


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=6,
)
PAIRS = st.lists(st.tuples(st.sampled_from(["a", "b", "c", "é", '"']), JSON), max_size=4)


@given(pairs=PAIRS, spaced=st.booleans(), ascii_only=st.booleans())
@example(pairs=[("a", 2**64 + 1)], spaced=True, ascii_only=True)
@example(pairs=[("a", -(2**63) - 1)], spaced=True, ascii_only=True)
@example(pairs=[("a", 1), ("a", 1)], spaced=True, ascii_only=True)
@example(pairs=[("a", "b"), ("a", "c")], spaced=True, ascii_only=True)
def test_a_line_reads_as_python_reads_it(
    pairs: list[tuple[str, Any]], *, spaced: bool, ascii_only: bool
) -> None:
    comma, colon = (" , ", " : ") if spaced else (",", ":")
    texts = [json.dumps(value, ensure_ascii=ascii_only) for _, value in pairs]
    names = [json.dumps(name, ensure_ascii=ascii_only) for name, _ in pairs]
    line = "{" + comma.join(name + colon + text for name, text in zip(names, texts, strict=True)) + "}"
    read = read_line(line.encode(errors="surrogatepass"))
    if isinstance(read, Fault):
        twice = len({name for name, _ in pairs}) < len(pairs)
        assert twice or any("\\ud" in text or has_half(text) for text in texts)
    else:
        assert repr(read) == repr(DECODER.decode(line))


def has_half(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


@given(number=st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True))
@example(number="-0")
@example(number="1e400")
@example(number="9007199254740993.0")
def test_a_number_reads_as_python_reads_it(number: str) -> None:
    line = f'{{"a": {number}}}'
    assert repr(read_line(line.encode())) == repr(json.loads(line))


def test_blank_lines_are_no_rows_and_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"fare": 1}\r\n\r\n  \n\t{"fare": 2} \n{"fare": 3}')
    (table,) = open_rows(path).batches()
    assert table.encode(FARE, {}, 0, table.rows).tolist() == [1.0, 2.0, 3.0]
    assert table.lines == (b'{"fare": 1}', b'\t{"fare": 2} ', b'{"fare": 3}')


def test_a_line_without_end_is_refused_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("racl.scale.jsonl_files.LINE_BYTES", 64)
    path = tmp_path / "rows.jsonl"
    for length in (54, 55, 56, 64, 65, 128, 129, 130, 1000):
        path.write_text('{"note": "' + "x" * length + '"}\n{"fare": 2}\n')
        (table,) = open_rows(path).batches()
        assert table.rows == 2
        assert list(table.faults) == ([0] if length + 12 > 64 else [])
        assert table.read(FARE, 1) == 2.0


def test_a_key_that_only_some_rows_have_is_null_in_the_others() -> None:
    table = lines_table((b'{"fare": 1}', b'{"stops": 2}'))
    assert table.names == ("fare", "stops")
    assert isinstance(table.read(FARE, 1), Fault)
    assert table.read(Column("fare", Type.NUMBER, default=5.0), 1) == 5.0


def test_a_key_that_rows_had_before_is_null_where_a_whole_batch_leaves_it_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"fare": 1}\n{"stops": 2}\n')
    first, second = open_rows(path).batches(1)
    assert (first.names, second.names) == (("fare",), ("fare", "stops"))
    assert check_columns(second, [FARE]) == ()
    assert isinstance(second.read(FARE, 0), Fault)


def test_nothing_is_said_of_columns_where_no_line_is_a_row() -> None:
    assert check_columns(lines_table((b"nope", b"[]")), [FARE]) == ()
    assert check_columns(lines_table((b"nope", b"{}")), [FARE])[0].what == "column missing"


LINES = [
    '{"fare": 1.50,"note":"\\u00e4 \\/"}',
    ' { "fare" : 2e0 , "x" : [ 1, {"y": null} ] } ',
    "{}",
    "{ }",
    '{"a": "}"}',
]


def test_json_lines_to_json_lines_keeps_every_byte_of_the_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(LINES), newline="")
    out = decide(open_rows(path), tmp_path / "out.jsonl", size=2)
    yes = '"accepted": true, "credit": "accepted-already-good", "plan": "keep", "value": -0.0, "margin": -0.0, "cost": -0.0}'
    no = '"accepted": false, "credit": "rejected-non-repairable", "plan": null, "value": null, "margin": null, "cost": null}'
    assert out.read_text().splitlines() == [
        '{"fare": 1.50,"note":"\\u00e4 \\/", ' + yes,
        ' { "fare" : 2e0 , "x" : [ 1, {"y": null} ] , ' + no,
        "{" + yes,
        "{ " + no,
        '{"a": "}", ' + yes,
    ]
    for line in out.read_text().splitlines():
        assert json.loads(line)["credit"]


NUMBERS = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
TEXTS = st.one_of(st.none(), st.text(st.characters(codec="utf-8")))


@given(
    rows=st.lists(
        st.tuples(NUMBERS, TEXTS, st.integers(-(2**63), 2**63 - 1), st.none() | st.booleans()), max_size=5
    )
)
def test_what_is_written_reads_back_to_the_bit(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any]
) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "rows.jsonl"
    kinds = (pa.float64(), pa.string(), pa.int64(), pa.bool_())
    columns = [pa.array([row[at] for row in rows], kind) for at, kind in enumerate(kinds)]
    table = pa.table(columns, ["number", 'text "', "whole", "truth"])
    path.write_bytes(jsonl_bytes(table))
    back = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    assert repr(back) == repr(table.to_pylist())


def test_the_types_of_json_lines_are_found_by_reading_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows: list[dict[str, Any]] = [
        {"n": 1, "i": 1, "b": True, "t": "x", "mix": 1, "none": None, "list": [1], "big": 2**70},
        {"n": 0.5, "i": None, "b": None, "t": None, "mix": "x", "list": None, "late": 2**53 + 1},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "no row\n")
    assert {field.name: str(field.type) for field in open_rows(path).schema} == {
        "n": "double",
        "i": "int64",
        "b": "bool",
        "t": "string",
        "mix": "string",
        "none": "null",
        "list": "string",
        "big": "string",
        "late": "int64",
    }
