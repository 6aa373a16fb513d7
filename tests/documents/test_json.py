from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from racl.documents import dotted, read_json

MODEL = """\
{"racl_model": 1,
 "domain": {"name": "air", "candidate": {
    "fare": {"type": "number", "values": ["a",
       "b", {"c": null}]}}},
 "a\\u0062": 1.5
}
"""


def said(text: str) -> list[str]:
    """What is wrong with a text, a line for each problem, without hints and carets."""
    return [f"{problem.line}: {problem.where}: {problem.what}" for problem in read_json(text).problems]


def test_a_sound_file_equals_what_python_reads() -> None:
    document = read_json(MODEL)
    assert not document.problems
    assert document.value == json.loads(MODEL)


def test_every_key_path_has_its_line() -> None:
    lines = {dotted(path): line for path, line in read_json(MODEL).lines.items()}
    assert lines == {
        "racl_model": 1,
        "domain": 2,
        "domain.name": 2,
        "domain.candidate": 2,
        "domain.candidate.fare": 3,
        "domain.candidate.fare.type": 3,
        "domain.candidate.fare.values": 3,
        "domain.candidate.fare.values.0": 3,
        "domain.candidate.fare.values.1": 4,
        "domain.candidate.fare.values.2": 4,
        "domain.candidate.fare.values.2.c": 4,
        "ab": 5,
    }


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


FAULTS = [
    (
        '{"a": 1,\n"b": {"c": 1, "c": 2,\n"c": 3}}',
        ["2: b.c: given twice, first in line 2", "3: b.c: given twice, first in line 2"],
    ),
    ('{"a": 1, "\\u0061": 2}', ["1: a: given twice, first in line 1"]),
    ('[{"a": 1, "a": 2}]', ["1: : a list or a single value", "1: 0.a: given twice, first in line 1"]),
    (
        '{"a": NaN, "b": [0, -Infinity],\n"c": {"d": Infinity}}',
        [
            "1: a: `NaN` is not a finite number",
            "1: b.1: `-Infinity` is not a finite number",
            "2: c.d: `Infinity` is not a finite number",
        ],
    ),
    (
        '{"a": 1e400, "b": -1e999}',
        ["1: a: `1e400` is larger than any float64", "1: b: `-1e999` is larger than any float64"],
    ),
    ('{"a": ' + "9" * 309 + "}", [f"1: a: `{'9' * 60}…` is larger than any float64"]),
    ('{"a": ' + "9" * 5000 + "}", [f"1: a: `{'9' * 60}…` is larger than any float64"]),
    (
        '{"a": "\\ud800", "\\udfff": ["x\\uDC00"]}',
        [
            "1: a: text with half of a character pair",
            '1: "\udfff": a name with half of a character pair',
            '1: "\udfff".0: text with half of a character pair',
        ],
    ),
    ('{"a": "\ud800"}', ["1: a: text with half of a character pair"]),
    (nested(65), ["1: : brackets nested more than 64 deep"]),
    ("[" * 100_000, ["1: : brackets nested more than 64 deep"]),
    ("", ["1: : a value is expected in column 1"]),
    (" \n", ["2: : a value is expected in column 1"]),
    ("nan", ["1: : a value is expected in column 1"]),
    ("1", ["1: : a list or a single value"]),
    ('{"a": 1}\n {', ["2: : more follows after the end in column 2"]),
    ('{"a": 1\n"b": 2}', ["2: : `,` or a closing bracket is expected in column 1"]),
    ('{"a" 1}', ["1: : `:` is expected after the name in column 6"]),
    ("{'a': 1}", ["1: : a name in double quotes is expected in column 2"]),
    ('{"a": "b', ["1: : text that is not closed in column 7"]),
    ('{"a": "b\n"}', ["1: : a control character in a text in column 9"]),
    ('{"a": "1\\q"}', ["1: : a backslash that means nothing in column 9"]),
    (
        '{"a": NaN, "b": 1, "b": 2 x',
        [
            "1: a: `NaN` is not a finite number",
            "1: b: given twice, first in line 1",
            "1: : `,` or a closing bracket is expected in column 27",
        ],
    ),
]


@pytest.mark.parametrize(("text", "problems"), FAULTS)
def test_a_fault_is_named_with_its_line_and_key_path(text: str, problems: list[str]) -> None:
    assert said(text) == problems


SOUND = [
    nested(64),
    '{"a": "\\ud83d\\ude00", "é": "😀"}',
    '{"a": ' + "1" * 309 + "}",
    '{"a": 9007199254740993, "b": -0.0, "c": 1e-400}',
    '{"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 1}]}',
    '{"": {"": 1}}',
    '{"NaN": "NaN, Infinity 1e400"}',
]


@pytest.mark.parametrize("text", SOUND)
def test_what_is_no_fault_is_read_as_python_reads_it(text: str) -> None:
    document = read_json(text)
    assert not document.problems
    assert document.value == json.loads(text)


def test_the_caret_stands_below_the_fault() -> None:
    (problem,) = read_json('{"a": 1,\n "b" 2}', "m.json").problems
    assert str(problem).split("\n") == [
        "m.json:2: `:` is expected after the name in column 6",
        '     "b" 2}',
        "         ^",
    ]


def test_after_a_hundred_problems_the_rest_is_counted() -> None:
    problems = read_json('{"a": [' + ", ".join(["NaN"] * 250) + "]}", "m.json").problems
    assert len(problems) == 101
    assert str(problems[-1]) == "m.json: and 150 more"


def finite(token: str) -> float:
    if not math.isfinite(float(token)):
        raise ValueError(token)
    return float(token) if set(token) & set(".eE") else int(token)


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def agrees(text: str) -> None:
    """The reader has problems exactly where a strict reading with Python's own does."""
    document = read_json(text)
    try:
        expected = json.loads(
            text, parse_constant=finite, parse_float=finite, parse_int=finite, object_pairs_hook=once
        )
        json.dumps(expected, ensure_ascii=False).encode()
    except ValueError:
        assert document.problems
        return
    if isinstance(expected, dict):
        assert not document.problems
        assert repr(document.value) == repr(expected)
        assert len(document.lines) == count(expected)
    else:
        assert document.problems


def count(value: object) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(1 + count(part) for part in parts)


PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        " ",
        "\n",
        '"a"',
        '"b"',
        '"a": ',
        '"b": ',
        "1",
        "-",
        "1.5",
        "1e400",
        "NaN",
        "true",
        "null",
        "-Infinity",
        '"',
        "\\",
        '"\\ud800"',
        '"\\ud83d\\ude00"',
        "é",
        "0",
        "e",
        '{"a": 1}',
        "[1, 2]",
        "\x00",
        "\t",
    ]
)


@example('{"a": {"Infinity": 1}}')
@given(st.lists(PIECES, max_size=20).map("".join))
def test_a_text_of_json_pieces_is_refused_or_read_as_python_reads_it(text: str) -> None:
    agrees(text)
    agrees('{"x": [' + text + "]}")


@given(st.integers(0, len(MODEL)), st.integers(0, len(MODEL)), PIECES)
def test_a_file_cut_or_written_over_anywhere_is_refused_or_read_as_python_reads_it(
    start: int, stop: int, piece: str
) -> None:
    agrees(MODEL[:start] + piece + MODEL[stop:])


LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), st.sampled_from([None, 1]), st.booleans())
def test_what_is_written_is_read_back(value: dict[str, object], indent: int | None, ascii_only: bool) -> None:
    agrees(json.dumps(value, indent=indent, ensure_ascii=ascii_only))
