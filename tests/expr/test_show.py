"""Trees to text: as few brackets as will do, and always the same tree."""

from __future__ import annotations

import pytest

from racl.expr.nodes import Expression
from racl.expr.parse import parse
from racl.expr.show import number, show, text

SHOWN = [
    ("(a+b)*c", "(a + b) * c"),
    ("(a*b)+c", "a * b + c"),
    ("a-(b-c)", "a - (b - c)"),
    ("(a-b)-c", "a - b - c"),
    ("a/(b*c)", "a / (b * c)"),
    ("-(a+b)", "-(a + b)"),
    ("(-a)*b", "-a * b"),
    ("-(a*b)", "-(a * b)"),
    ("-(-a)", "--a"),
    ("(a<b)==(b<c)", "(a < b) == (b < c)"),
    ("not (a==b)", "not a == b"),
    ("(not a)==b", "(not a) == b"),
    ("not (a and b)", "not (a and b)"),
    ("(a and b) or c", "a and b or c"),
    ("a and (b or c)", "a and (b or c)"),
    ("(a and b) and c", "(a and b) and c"),
    ("a if b else (c if a else b)", "a if b else c if a else b"),
    ("(a if b else c) if a else b", "(a if b else c) if a else b"),
    ("a if (b if a else c) else b", "a if (b if a else c) else b"),
    ("(a if b else c)+1", "(a if b else c) + 1"),
    ("a in [1,2]", "a in (1, 2)"),
    ("a not in ('x',)", "a not in ('x',)"),
    ("(a in (1,)) == b", "(a in (1,)) == b"),
    ("a == (b in (1,))", "a == (b in (1,))"),
    ("max(a,(b if c else 1))", "max(a, b if c else 1)"),
    ("a in (-1, 2.50)", "a in (-1, 2.5)"),
    ('"O\'Hare" == a', "'O\\'Hare' == a"),
    ("True", "true"),
]


@pytest.mark.parametrize(("written", "shown"), SHOWN)
def test_a_tree_is_shown_as(written: str, shown: str) -> None:
    expression = parse(written)
    assert isinstance(expression, Expression)
    assert show(expression.node) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (-0.0, "-0.0"),
        (35.0, "35"),
        (-2.0, "-2"),
        (0.25, "0.25"),
        (0.1, "0.1"),
        (1e16, "1e+16"),
        (2.0**53 - 1, "9007199254740991"),
        (5e-324, "5e-324"),
    ],
)
def test_a_number_is_shown_in_the_fewest_digits(value: float, shown: str) -> None:
    assert number(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("AA", "'AA'"),
        ("O'Hare", r"'O\'Hare'"),
        ("a\\b", r"'a\\b'"),
        ("\n\t\x7f", r"'\x0a\x09\x7f'"),
        ("ä€💺", "'ä€💺'"),
        ("\u202e", r"'\u202e'"),
        ("\U000e0001", r"'\U000e0001'"),
    ],
)
def test_a_text_is_shown_on_one_line(value: str, shown: str) -> None:
    assert text(value) == shown
