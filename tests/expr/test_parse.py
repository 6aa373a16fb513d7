"""Text to tree: what is read, how tightly it binds, and where a fault is pointed out."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racl.expr.nodes import (
    Binary,
    Call,
    Choice,
    Expression,
    Logic,
    Member,
    Name,
    Node,
    Number,
    Text,
    Truth,
    Unary,
    children,
    names,
    walk,
)
from racl.expr.parse import parse
from racl.expr.show import show
from racl.expr.types import sort_of
from strategies.chance import Chance
from strategies.drawn import SORTS, chances, trees
from strategies.expressions import written

A, B, C = Name("a"), Name("b"), Name("c")
ONE, TWO = Number(1.0), Number(2.0)


def tree(text: str) -> Node:
    """The tree of a text without faults."""
    found = parse(text)
    assert isinstance(found, Expression), found
    assert found.text == text
    return found.node


TREES: list[tuple[str, Node]] = [
    ("1", ONE),
    (" 1.5e3 ", Number(1500.0)),
    (".5", Number(0.5)),
    ("5.", Number(5.0)),
    ("1E-2", Number(0.01)),
    ("9007199254740993", Number(2.0**53)),
    ("0.1", Number(0.1)),
    ("true", Truth(True)),
    ("True", Truth(True)),
    ("false", Truth(False)),
    ("False", Truth(False)),
    ("'AA'", Text("AA")),
    ('"O\'Hare"', Text("O'Hare")),
    (r"'a\'b\\c\n\x41\u00e4'", Text("a'b\\c\nAä")),
    ("a", A),
    ("(((a)))", A),
    ("-a", Unary("-", A)),
    ("-1", Unary("-", ONE)),
    ("- -1", Unary("-", Unary("-", ONE))),
    ("not a", Unary("not", A)),
    ("not not a", Unary("not", Unary("not", A))),
    ("a + b * c", Binary("+", A, Binary("*", B, C))),
    ("a * b + c", Binary("+", Binary("*", A, B), C)),
    ("a - b - c", Binary("-", Binary("-", A, B), C)),
    ("a - (b - c)", Binary("-", A, Binary("-", B, C))),
    ("a / b / c", Binary("/", Binary("/", A, B), C)),
    ("a / b * c", Binary("*", Binary("/", A, B), C)),
    ("-a * b", Binary("*", Unary("-", A), B)),
    ("-a + b", Binary("+", Unary("-", A), B)),
    ("a * -b", Binary("*", A, Unary("-", B))),
    ("a + 1 < b", Binary("<", Binary("+", A, ONE), B)),
    ("not a == b", Unary("not", Binary("==", A, B))),
    ("(not a) == b", Binary("==", Unary("not", A), B)),
    ("a and b and c", Logic("and", (A, B, C))),
    ("(a and b) and c", Logic("and", (Logic("and", (A, B)), C))),
    ("a and (b and c)", Logic("and", (A, Logic("and", (B, C))))),
    ("a or b and c", Logic("or", (A, Logic("and", (B, C))))),
    ("(a or b) and c", Logic("and", (Logic("or", (A, B)), C))),
    ("not a and b", Logic("and", (Unary("not", A), B))),
    ("a if b else c", Choice(test=B, then=A, other=C)),
    ("a if b else 1 if c else 2", Choice(test=B, then=A, other=Choice(test=C, then=ONE, other=TWO))),
    ("a or b if c else b", Choice(test=C, then=Logic("or", (A, B)), other=B)),
    ("a if b or c else b and c", Choice(test=Logic("or", (B, C)), then=A, other=Logic("and", (B, C)))),
    ("a in (1,)", Member(A, (ONE,))),
    ("a in (1, 2)", Member(A, (ONE, TWO))),
    ("a in [1, 2,]", Member(A, (ONE, TWO))),
    ("a not in ('x', \"y\")", Member(A, (Text("x"), Text("y")), negated=True)),
    ("a in (-1, - 2.5)", Member(A, (Number(-1.0), Number(-2.5)))),
    ("a in (true, False)", Member(A, (Truth(True), Truth(False)))),
    ("a + 1 in (2,)", Member(Binary("+", A, ONE), (TWO,))),
    ("not a in (1,)", Unary("not", Member(A, (ONE,)))),
    ("min(a)", Call("min", (A,))),
    ("max(a, b, c,)", Call("max", (A, B, C))),
    ("clip ( a , 1 , 2 )", Call("clip", (A, ONE, TWO))),
    ("abs(a) + floor(b)", Binary("+", Call("abs", (A,)), Call("floor", (B,)))),
    ("a\n+\t1\r\n", Binary("+", A, ONE)),
    ("class", Name("class")),
    ("as + is", Binary("+", Name("as"), Name("is"))),
    ("None == lambda", Binary("==", Name("None"), Name("lambda"))),
    ("a == 'class is as'", Binary("==", A, Text("class is as"))),
]


@pytest.mark.parametrize(("text", "wanted"), TREES, ids=[text for text, _ in TREES])
def test_a_text_is_read_as(text: str, wanted: Node) -> None:
    assert tree(text) == wanted


FAULTS = [  # the text, what the caret points at, what is wrong
    ("", "", "the expression is empty"),
    (" \t\n", " ", "the expression is empty"),
    ("a +", "", "the expression ends too early"),
    ("a b", "b", "invalid syntax"),
    ("a = 1", "=", "invalid syntax"),
    ("(a", "(", "'(' was never closed"),
    ("a)", ")", "unmatched ')'"),
    ("a ** 2", "a ** 2", "`**` is not part of the language"),
    ("1 + a % 2", "a % 2", "`%` is not part of the language"),
    ("a // 2", "a // 2", "`//` is not part of the language"),
    ("+a", "+a", "a sign `+` is not part of the language"),
    ("b + ~a", "~a", "`~` is not part of the language"),
    ("a & b", "a & b", "`&` is not part of the language"),
    ("a | b", "a | b", "`|` is not part of the language"),
    ("a ^ b", "a ^ b", "`^` is not part of the language"),
    ("a << 1", "a << 1", "`<<` is not part of the language"),
    ("a >> 1", "a >> 1", "`>>` is not part of the language"),
    ("a @ b", "a @ b", "`@` is not part of the language"),
    ("a < b < c", "a < b < c", "a chained comparison"),
    ("a in b", "b", "a tuple or a list of literals must follow `in`"),
    ("a in ()", "()", "nothing is in an empty list"),
    ("a in (1, b)", "b", "only literals may stand in the list after `in`"),
    ("a in (1, (2,))", "(2,)", "a tuple stands only after `in`"),
    ("(a, b)", "(a, b)", "a tuple stands only after `in`"),
    ("1 + [a]", "[a]", "a list stands only after `in`"),
    ("{a}", "{a}", "a set is not part of the language"),
    ("{a: 1}", "{a: 1}", "a dictionary is not part of the language"),
    ("a.b", "a.b", "an attribute (`.`) is not part of the language"),
    ("a[0]", "a[0]", "an index (`[...]`) is not part of the language"),
    ("(a := 1)", "a := 1", "`:=` is not part of the language"),
    ("sqroot(a)", "sqroot", "unknown function `sqroot`"),
    ("sqrt()", "sqrt()", "`sqrt` takes 1 arguments, not 0"),
    ("sqrt(a, b)", "sqrt(a, b)", "`sqrt` takes 1 arguments, not 2"),
    ("clip(a, 1)", "clip(a, 1)", "`clip` takes 3 arguments, not 2"),
    ("min()", "min()", "`min` takes at least 1 arguments, not 0"),
    ("max(a, key=b)", "max(a, key=b)", "`max` takes no named arguments"),
    ("max(*a)", "*a", "`*` before a name is not part of the language"),
    ("a(1)", "a", "unknown function `a`"),
    ("(a)(1)", "a", "unknown function `a`"),
    ("'x'(1)", "'x'(1)", "only the functions of the language can be called"),
    ("0x10", "0x10", "`0x10` is not a decimal number"),
    ("1_000", "1_000", "`1_000` is not a decimal number"),
    ("12abc", "12abc", "`12abc` is not a decimal number"),
    ("1.2.3", "1.2.3", "`1.2.3` is not a decimal number"),
    ("1e400", "1e400", "the number is too large for float64"),
    ("2j", "2j", "`2j` is not a decimal number"),
    ("r'a'", "'a'", "a text literal takes no prefix"),
    ("'a' 'b'", "'b'", "two text literals side by side"),
    ("'a", "'", "a text literal that does not end"),
    ('a == "x', '"', "a text literal that does not end"),
    ("a # b", "#", "`#` is not part of the language"),
    ("a; b", ";", "`;` is not part of the language"),
    ("a \\ b", "\\", "`\\` is not part of the language"),
    ("'\\ud800'", "'\\ud800'", "a lone surrogate in a text literal"),
    ("a && b", "&", "invalid syntax"),
    ("...", "...", "this literal is not part of the language"),
    ("ä + 1", "ä", "the character U+00E4 outside of a text literal"),
    ("'ä' == a.b", "a.b", "an attribute (`.`) is not part of the language"),
    ("'💺' == a.b + 1", "a.b", "an attribute (`.`) is not part of the language"),
    ("a\n + a.b", "a.b", "an attribute (`.`) is not part of the language"),
    ("  a.b  ", "a.b", "an attribute (`.`) is not part of the language"),
]


@pytest.mark.parametrize(("text", "caret", "what"), FAULTS, ids=[repr(text) for text, _, _ in FAULTS])
def test_a_fault_is_pointed_out_at_its_place(text: str, caret: str, what: str) -> None:
    problems = parse(text)
    assert isinstance(problems, tuple)
    first = problems[0]
    assert first.what == what
    assert first.span is not None
    assert first.text[slice(*first.span)] == caret


def test_every_fault_of_an_expression_is_found_in_one_run() -> None:
    problems = parse("a ** 2 + b.c + sqroot(1) + (d < e < f) + a[1]")
    assert isinstance(problems, tuple)
    assert [problem.what.split(" (")[0] for problem in problems] == [
        "`**` is not part of the language",
        "an attribute",
        "unknown function `sqroot`",
        "a chained comparison",
        "an index",
    ]


def test_spans_cover_what_was_written_without_its_brackets() -> None:
    text = "  (has_bag) and 'ä💺' == carrier or min( fare , 2) > 1"
    spans = [text[slice(*node.span)] for node in walk(tree(text))]
    assert spans == [
        "(has_bag) and 'ä💺' == carrier or min( fare , 2) > 1",
        "(has_bag) and 'ä💺' == carrier",
        "has_bag",
        "'ä💺' == carrier",
        "'ä💺'",
        "carrier",
        "min( fare , 2) > 1",
        "min( fare , 2)",
        "fare",
        "2",
        "1",
    ]


@given(trees(), chances())
def test_whatever_brackets_spaces_and_quotes_a_user_writes_the_tree_is_the_same(
    node: Node, chance: Chance
) -> None:
    assert tree(written(node, chance)) == node


@given(trees())
def test_printing_then_parsing_is_the_identity(node: Node) -> None:
    text = show(node)
    assert tree(text) == node
    assert show(tree(text)) == text


@given(trees())
def test_every_node_of_a_parsed_tree_has_a_span_within_that_of_its_parent(node: Node) -> None:
    def nested(parent: Node) -> bool:
        inside = (
            parent.span[0] <= child.span[0] < child.span[1] <= parent.span[1] for child in children(parent)
        )
        return all(inside) and all(map(nested, children(parent)))

    text = show(node)
    parsed = tree(text)
    assert nested(parsed)
    for one in walk(parsed):
        if isinstance(one, Name):
            assert text[slice(*one.span)] == one.name


@given(trees())
def test_trees_that_are_drawn_have_no_type_faults_and_read_only_known_columns(node: Node) -> None:
    assert sort_of(Expression(node), SORTS)[1] == ()
    assert names(node) <= SORTS.keys()


@given(st.text(max_size=40) | st.text("ab1.'\"()[]{}+-*/<>=!,: \\\nnotandrifelsin", max_size=60))
def test_any_text_is_an_expression_or_has_faults_within_it(text: str) -> None:
    found = parse(text)
    if isinstance(found, Expression):
        assert tree(show(found.node)) == found.node
        return
    assert found
    for problem in found:
        assert problem.span is not None
        assert 0 <= problem.span[0] <= len(problem.text)
        assert problem.line_text().isprintable()
        assert len(problem.caret().split("\n")) == 2


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=0.0))
def test_a_number_reads_back_as_it_was(value: float) -> None:
    found = tree(show(Number(value)))
    assert isinstance(found, Number)
    assert math.copysign(1.0, found.value) == 1.0
    assert found.value == value


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_a_text_reads_back_as_it_was(value: str) -> None:
    assert tree(show(Text(value))) == Text(value)
