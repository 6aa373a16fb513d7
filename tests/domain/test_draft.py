"""A drafted domain file has no fault, whatever the columns hold and are called."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from racl.domain.files import parse_domain
from racl.domain.model import Column, Type
from racl.draft import Seen, draft, observe
from racl.draft.observe import column_of
from racl.draft.write import domain_name, toml_text
from racl.errors import DataError
from racl.expr.nodes import RESERVED
from racl.frames import Table, read_frame

EXAMPLE = re.compile(r"^#(?=\S)", re.MULTILINE)


def drafted(frame: Any) -> str:
    return draft(observe([read_frame(frame)]), name="air", source="rows.csv")


def column(values: list[Any], name: str = "x") -> Column | str:
    (seen,) = observe([read_frame({name: values})])
    return column_of(seen)


def cells(texts: list[str | None], name: str = "x") -> Column | str:
    """The column that cells of text could be."""
    table = read_frame(pa.table({name: pa.array(texts, pa.string())}))
    (seen,) = observe([Table(table.kind, table.native, table.rows, table.names, table.find, text=True)])
    return column_of(seen)


# types

VALUES: list[tuple[list[Any], Column | str]] = [
    ([True, False], Column("x", Type.BOOLEAN)),
    ([1, 2], Column("x", Type.INTEGER, min=0.0)),
    ([1, -2], Column("x", Type.INTEGER)),
    ([0.5, 2], Column("x", Type.NUMBER, min=0.0)),
    ([0.5, float("nan")], Column("x", Type.NUMBER, min=0.0)),
    ([Decimal("0.50")], Column("x", Type.NUMBER, min=0.0)),
    ([None, 3], Column("x", Type.INTEGER, min=0.0)),
    (["AA", "UA", "AA"], Column("x", Type.CATEGORY, values=("AA", "UA"))),
    (["1", "2"], Column("x", Type.CATEGORY, values=("1", "2"))),
    ([None, None], "empty in all of these rows"),
    ([float("nan")], "holds no finite number"),
    ([2**53 + 1], "holds whole numbers past 2**53, which float64 does not hold exactly"),
    ([10**400], "holds whole numbers past 2**53, which float64 does not hold exactly"),
    ([1, "a"], "holds a whole number and text"),
    ([1, True], "holds a truth and a whole number"),
    ([datetime(2025, 1, 1, tzinfo=UTC)], "holds `datetime`, which no column of a domain does"),
    ([[1]], "holds `list`, which no column of a domain does"),
    ([b"a"], "holds `bytes`, which no column of a domain does"),
    ([f"text {number}" for number in range(51)], "more than 50 different texts, such as `text 0`"),
    (["a" * 101], "texts of more than 100 characters"),
    (["\ud800"], "holds half of a character pair"),
]


@pytest.mark.parametrize(("values", "expected"), VALUES)
def test_the_type_is_that_of_the_values(values: list[Any], expected: Column | str) -> None:
    assert column(values) == expected


CELLS: list[tuple[list[str | None], Column | str]] = [
    (["true", "FALSE", None], Column("x", Type.BOOLEAN)),
    (["1", "+2"], Column("x", Type.INTEGER, min=0.0)),
    (["1", "2.5", "1e3"], Column("x", Type.NUMBER, min=0.0)),
    (["1", "true"], Column("x", Type.CATEGORY, values=("1", "true"))),
    (["1", "NA"], Column("x", Type.CATEGORY, values=("1", "NA"))),
    (["", None], "empty in all of these rows"),
    ([*map(str, range(60)), "NA"], "more than 50 different texts, such as `NA`"),
]


@pytest.mark.parametrize(("texts", "expected"), CELLS)
def test_a_cell_of_text_is_what_it_says(texts: list[str | None], expected: Column | str) -> None:
    assert cells(texts) == expected


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("budget", [1, 2], Column("budget", Type.NUMBER, context=True, min=0.0)),
        ("Threshold", [1, 2], Column("Threshold", Type.NUMBER, context=True, min=0.0)),
        ("persona", ["a"], Column("persona", Type.CATEGORY, context=True, values=("a",))),
        ("persona", [1], "a persona is a category"),
        ("needs_bag", [True], Column("needs_bag", Type.BOOLEAN, context=True)),
        ("bags_needed", [1], Column("bags_needed", Type.INTEGER, context=True, min=0.0)),
        ("accepted", [True], "looks like an answer, which a domain does not hold"),
        ("min", [1], "a word of the expression language"),
        ("Flight No", [1], "not a name: letters, digits and `_`, not beginning with a digit"),
    ],
)
def test_a_name_says_what_a_column_is_for(name: str, values: list[Any], expected: Column | str) -> None:
    assert column(values, name) == expected


def test_a_name_that_stands_twice_is_left_out() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["x", "x", "y"])
    found = {seen.name: column_of(seen) for seen in observe([read_frame(table)])}
    assert found["x"] == "2 columns have this name"


def test_a_column_that_only_some_rows_have_is_empty_in_the_others() -> None:
    found = observe([read_frame([{"x": 1}]), read_frame([{"y": 1}]), read_frame([{"x": 1}])])
    assert [(seen.name, seen.rows, seen.empty) for seen in found] == [("x", 3, 1), ("y", 3, 2)]


def test_no_more_rows_are_looked_at_than_asked() -> None:
    found = observe(
        [read_frame({"x": [1, 2]}), read_frame({"x": [3, 4]}), read_frame({"x": ["a"]})], sample=3
    )
    assert [(seen.rows, seen.high) for seen in found] == [(3, 3.0)]


# the text

AIR = {
    "fare": [79.5, 320.0, None],
    "has_bag": [True, False, True],
    "bags": [0, 1, 2],
    "carrier": ["AA", "O'Hare", 'say "hi"\\'],
    "budget": [40.0, 0.0, 10.0],
    "threshold": [-1.0, 1.0, 5.0],
    "persona": ["a", "b", "a"],
    "needs_bag": [True, False, False],
    "bags_needed": [1, 1, 0],
    "max_fare": [100.0, 100.0, 400.0],
    "Flight No": [1, 2, 3],
}


def test_what_was_seen_stands_in_the_file() -> None:
    text = drafted(AIR)
    assert 'fare         = { type = "number", min = 0 }  # 79.5 to 320; 1 empty: give it a `default`' in text
    assert r"""carrier      = { type = "category", values = ["AA", "O'Hare", "say \"hi\"\\"] }""" in text
    assert "# Left out of this file:\n# Flight No: not a name" in text


def test_examples_are_guessed_from_the_names() -> None:
    text = drafted(AIR)
    assert '#bag         = "has_bag or not needs_bag"' in text
    assert '#bags        = "bags >= bags_needed"' in text
    assert '#fare        = "fare <= max_fare"' in text
    assert "#carrier_1   = \"carrier == 'AA'\"" in text


def test_a_draft_is_sound_and_so_are_its_examples() -> None:
    text = drafted(AIR)
    domain = parse_domain(text)
    assert [one.name for one in domain.requirements] == ["always"]
    assert [one.name for one in domain.features] == ["fare", "has_bag", "bags"]
    whole = parse_domain(EXAMPLE.sub("", text))
    assert [one.name for one in whole.requirements] == ["always", "bag", "bags", "fare"]
    assert [one.name for one in whole.repairs] == ["first_repair"]
    assert whole.rule == domain.rule


names = st.one_of(
    st.text(min_size=0, max_size=8),
    st.sampled_from(
        [*sorted(RESERVED), "budget", "threshold", "persona", "Persona", "needs_x", "has_x", "x", "x_1"]
    ),
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True),
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=6),
    st.binary(max_size=2),
    st.datetimes(),
)
columns = st.one_of(
    st.lists(scalars, min_size=1, max_size=4),
    st.lists(st.text(max_size=6), min_size=1, max_size=4),
    st.lists(st.floats(), min_size=1, max_size=4),
    st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=1, max_size=4),
)


@given(st.dictionaries(names, columns, min_size=1, max_size=6))
def test_any_columns_give_a_sound_draft_or_a_fault(found: dict[str, list[Any]]) -> None:
    rows = max(map(len, found.values()))
    frame = [
        {name: values[row] if row < len(values) else None for name, values in found.items()}
        for row in range(rows)
    ]
    try:
        text = drafted(frame)
    except DataError as fault:
        assert "[candidate]" in str(fault)  # noqa: PT017 - either outcome is right
        return
    domain = parse_domain(text)
    assert domain.candidate
    assert parse_domain(EXAMPLE.sub("", text)).columns[: len(domain.candidate)] == domain.candidate


@given(st.text(max_size=100))
def test_any_file_gives_a_name(stem: str) -> None:
    name = domain_name(stem)
    assert parse_domain(drafted({"fare": [1]}).replace('name = "air"', f'name = "{name}"')).name == name


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_written(value: str) -> None:
    import tomllib

    text = toml_text(value)
    assert tomllib.loads(f"x = {text}") == {"x": value}
    assert text.isprintable()


def test_more_columns_than_a_file_may_hold_are_a_fault() -> None:
    found = [
        Seen(f"column_{number:06}", rows=1, kinds=set(VALUES_OF_ONE), low=0, high=1)
        for number in range(20_000)
    ]
    with pytest.raises(DataError, match="so many columns make a domain file of more than 1 MiB"):
        draft(found, name="air", source="rows.csv")


VALUES_OF_ONE = observe([read_frame({"x": [1]})])[0].kinds
