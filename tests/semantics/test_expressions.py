"""What an expression is worth: by cases, and against Python itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from racl import elementary
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
)
from racl.expr.parse import parse
from racl.semantics import evaluate
from racl.values import Value
from strategies.drawn import SORTS, trees

INF, NAN = math.inf, math.nan
STATE: dict[str, Value] = {
    "x": 2.5,
    "zero": 0.0,
    "minus": -0.0,
    "big": 1e308,
    "yes": True,
    "no": False,
    "aa": "AA",
}

CASES: list[tuple[str, Value]] = [
    ("1 / zero", INF),
    ("-1 / zero", -INF),
    ("1 / minus", -INF),
    ("-1 / minus", INF),
    ("zero / zero", NAN),
    ("(zero / zero) / 0", NAN),
    ("(1 / zero) / 0", INF),
    ("big * 10", INF),
    ("big * 10 - big * 10", NAN),
    ("1 / (big * 10)", 0.0),
    ("0.1 + 0.2", 0.30000000000000004),
    ("0.1 + 0.2 + 0.3", 0.6000000000000001),
    ("0.1 + (0.2 + 0.3)", 0.6),
    ("1e16 + 1 + 1", 1e16),
    ("x * x", 6.25),
    ("--x", 2.5),
    ("-yes", -1.0),
    ("yes + yes", 2.0),
    ("-zero", -0.0),
    ("0 - zero", 0.0),
    ("yes == 1", True),
    ("no == zero", True),
    ("yes < x", True),
    ("no < yes", True),
    ("zero == minus", True),
    ("0 / 0 == 0 / 0", False),
    ("0 / 0 != 0 / 0", True),
    ("0 / 0 < 1", False),
    ("0 / 0 >= 1", False),
    ("not 0 / 0 < 1", True),
    ("0 / 0 in (1, 2)", False),
    ("0 / 0 not in (1, 2)", True),
    ("x in (1, 2.5)", True),
    ("yes in (1, 0)", True),
    ("zero in (-0.0, 7)", True),
    ("aa in ('UA', 'AA')", True),
    ("aa not in ('UA',)", True),
    ("aa == 'AA'", True),
    ("aa != 'AA'", False),
    ("yes and no", False),
    ("yes or no", True),
    ("no or no or yes", True),
    ("1 if yes else 1 / zero", 1.0),
    ("'b' if no else aa", "AA"),
    ("yes if no else 2", 2.0),
    ("min(1, 0 / 0)", 1.0),
    ("min(0 / 0, 1)", NAN),
    ("max(0 / 0, 1)", NAN),
    ("max(1, 0 / 0, 2)", 2.0),
    ("min(3, 1, 2)", 1.0),
    ("max(3)", 3.0),
    ("min(zero, minus)", 0.0),
    ("min(minus, zero)", -0.0),
    ("max(minus, zero)", -0.0),
    ("max(yes, 0)", 1.0),
    ("clip(x, 0, 1)", 1.0),
    ("clip(x, 3, 4)", 3.0),
    ("clip(x, 4, 3)", 3.0),
    ("clip(0 / 0, 1, 2)", NAN),
    ("clip(x, 0 / 0, 2)", 2.0),
    ("abs(-x)", 2.5),
    ("abs(minus)", 0.0),
    ("abs(-1 / zero)", INF),
    ("floor(-x)", -3.0),
    ("ceil(-x)", -2.0),
    ("ceil(-0.5)", -0.0),
    ("floor(1 / zero)", INF),
    ("ceil(0 / 0)", NAN),
    ("sqrt(6.25)", 2.5),
    ("sqrt(-1)", NAN),
    ("sqrt(minus)", -0.0),
    ("log(1)", 0.0),
    ("log(zero)", -INF),
    ("log(minus)", -INF),
    ("log(-1)", NAN),
    ("log(1 / zero)", INF),
    ("exp(zero)", 1.0),
    ("exp(-1 / zero)", 0.0),
    ("exp(1000)", INF),
    ("exp(0 / 0)", NAN),
]


def same(a: Value, b: Value) -> bool:
    """Equal, zeros by their sign too, NaN as NaN."""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


@pytest.mark.parametrize(("text", "wanted"), CASES, ids=[text for text, _ in CASES])
def test_an_expression_is_worth(text: str, wanted: Value) -> None:
    expression = parse(text)
    assert isinstance(expression, Expression)
    found = evaluate(expression.node, STATE)
    assert same(found, wanted), found


def python(node: Node) -> str:
    """The same computation in Python's own words; division, which raises there, through a function."""
    match node:
        case Number() | Truth() | Text():
            return repr(node.value)
        case Name():
            return node.name
        case Unary():
            return f"({node.op} {python(node.operand)})"
        case Binary(op="/"):
            return f"divide({python(node.left)}, {python(node.right)})"
        case Binary():
            return f"({python(node.left)} {node.op} {python(node.right)})"
        case Logic():
            return "(" + f" {node.op} ".join(map(python, node.operands)) + ")"
        case Choice():
            return f"({python(node.then)} if {python(node.test)} else {python(node.other)})"
        case Member():
            literals = ", ".join(map(python, node.literals))
            return f"({python(node.item)} {'not in' if node.negated else 'in'} ({literals},))"
        case Call():
            arguments = ", ".join(map(python, node.arguments))
            return (
                f"{node.function}(({arguments},))"
                if node.function in ("min", "max")
                else f"{node.function}({arguments})"
            )


def divide(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def whole(function: object) -> object:
    """`math.floor` and `math.ceil` as float64 has them."""
    assert callable(function)
    return lambda a: math.copysign(float(function(a)), a) if math.isfinite(a) else a


def known() -> dict[str, object]:
    return {
        "divide": divide, "floor": whole(math.floor), "ceil": whole(math.ceil),
        "clip": lambda x, low, high: min(max(x, low), high),
        "sqrt": lambda a: math.sqrt(a) if a >= 0 else NAN, "log": elementary.log, "exp": elementary.exp,
    }  # fmt: skip


NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, -0.0, 1e300, 0.1]) | st.floats(
    allow_nan=False, allow_infinity=False
)


@given(
    trees(),
    NUMBERS,
    NUMBERS,
    st.booleans(),
    st.sampled_from(["AA", "UA", "O'Hare"]),
    st.sampled_from(["UA", "DL", "ä\n€"]),
)
def test_an_expression_is_worth_what_python_makes_of_it(
    node: Node, fare: float, stops: float, has_bag: bool, carrier: str, home: str
) -> None:
    values = (fare, stops, has_bag, carrier, home)
    state: dict[str, Value] = dict(zip(SORTS, values, strict=True))
    wanted = eval(python(node), known() | state)  # noqa: S307 - text of a tree that this test drew
    found = evaluate(node, state)
    assert found == wanted or (found != found and wanted != wanted)  # noqa: PLR0124 - NaN
