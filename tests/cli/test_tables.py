"""Aligned columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from racl.cli.tables import NOTHING, aligned

words = st.lists(st.text("abc,", min_size=1, max_size=12), min_size=1, max_size=6).map(" ".join)
tables = st.integers(1, 4).flatmap(
    lambda columns: st.lists(st.tuples(*[words] * columns), min_size=2, max_size=6)
)


@given(tables, st.integers(1, 80))
def test_no_word_is_lost_or_cut_and_what_can_fit_fits(rows: list[tuple[str, ...]], width: int) -> None:
    text = aligned(rows, width)
    assert sorted(text.split()) == sorted(word for row in rows for cell in row for word in cell.split())
    first = max(len(row[0]) for row in rows)
    longest = [
        max(len(word) for row in rows for word in row[column].split()) for column in range(1, len(rows[0]))
    ]
    least = first + sum(longest) + 2 * len(longest)
    assert max(map(len, text.splitlines())) <= max(width, least)


def test_figures_end_on_one_line() -> None:
    assert aligned([("credit", "rows"), ("good", "7"), ("bad", "1,000")], 80, right=[1]).splitlines() == [
        "credit   rows",
        "good        7",
        "bad     1,000",
    ]


def test_a_column_that_says_nothing_is_left_out() -> None:
    assert (
        aligned([("repair", "features", "later"), ("add", "x", NOTHING)], 80) == "repair  features\nadd     x"
    )
