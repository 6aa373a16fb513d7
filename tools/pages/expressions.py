"""The expression language: its tables, with results worked out by the definition."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tools.pages.markdown import code, codes, table

from racl.expr.nodes import ARITHMETIC, EQUALITY, FUNCTIONS, KEYWORDS, ORDER, Expression
from racl.expr.parse import OPERATORS, REFUSED, parse
from racl.semantics import evaluate
from racl.values import Value

SYMBOLS = {
    "+": ("plus", ["fare + 35"]),
    "-": ("minus, and the sign before a number", ["fare - 35", "-1.5"]),
    "*": ("times", ["0.25 * fare"]),
    "/": ("divided by; by zero it is an infinity or NaN", ["7 / 2", "1 / 0", "0 / 0"]),
    "==": ("equal: two numbers or booleans, or two categories", ["carrier == 'AA'", "true == 1"]),
    "!=": ("not equal; NaN is not equal to anything", ["carrier != 'AA'", "0 / 0 != 0 / 0"]),
    "<": ("less", ["1 < 2"]),
    "<=": ("at most", ["2 <= 2", "0 / 0 <= 1"]),
    ">": ("greater", ["1 > 2"]),
    ">=": ("at least", ["2 >= 2"]),
}
WORDS = {
    ("and",): ("both hold", ["true and false"]),
    ("or",): ("at least one holds", ["true or false"]),
    ("not",): ("it does not hold", ["not true"]),
    ("if", "else"): ("the first or the last, by the boolean between", ["1 if stops == 0 else 2"]),
    ("in",): ("one of a tuple or list of literals", ["carrier in ('AA', 'UA')", "3 not in [1, 2]"]),
    ("true", "false", "True", "False"): ("the two booleans", ["true", "False"]),
}
CALLS = {
    "min": ("the least: the first argument unless a later one is strictly less", ["min(3, 1, 2)"]),
    "max": ("the greatest, likewise", ["max(3, 1, 2)", "max(0 / 0, 1)"]),
    "abs": ("without its sign", ["abs(-2)"]),
    "floor": ("the largest whole number not above; keeps the sign of zero", ["floor(2.7)", "floor(-0.5)"]),
    "ceil": ("the smallest whole number not below; keeps the sign of zero", ["ceil(2.1)", "ceil(-0.5)"]),
    "sqrt": ("the square root; NaN of a negative number", ["sqrt(9)", "sqrt(-1)"]),
    "log": ("the natural logarithm; NaN of a negative number", ["log(1)", "log(0)"]),
    "exp": ("the exponential", ["exp(0)", "exp(1000)"]),
    "clip": ("`clip(x, low, high)` is `min(max(x, low), high)`", ["clip(12, 0, 10)"]),
}
STATE: dict[str, Value] = {"fare": 320.0, "stops": 1.0, "carrier": "UA"}
NOT_PART = " is not part of the language"


def operators() -> str:
    """Every operator and word."""
    if {*ARITHMETIC, *EQUALITY, *ORDER} != {*SYMBOLS}:
        raise AssertionError("an operator has no words, or words have no operator")
    if {word for words in WORDS for word in words} != KEYWORDS:
        raise AssertionError("a keyword has no words")
    rows = [[code(symbol), means, _worked_out(examples)] for symbol, (means, examples) in SYMBOLS.items()]
    rows += [[codes(words), means, _worked_out(examples)] for words, (means, examples) in WORDS.items()]
    return table(["", "means", "for example"], rows)


def functions() -> str:
    """Every function."""
    rows = []
    for name, (fewest, most) in FUNCTIONS.items():
        means, examples = CALLS[name]
        rows.append(
            [code(name), str(fewest) if fewest == most else "1 or more", means, _worked_out(examples)]
        )
    return table(["", "arguments", "means", "for example"], rows)


def foreign() -> str:
    """What Python has and the language has not."""
    return table(["not in the language", "instead"], _foreign())


def _foreign() -> Iterator[list[str]]:
    for what, hint in [*OPERATORS.values(), *REFUSED.values()]:
        yield [what.replace(NOT_PART, ""), hint]


def _worked_out(examples: list[str]) -> str:
    return "; ".join(f"{code(text)} is {_result(text)}" for text in examples)


def _result(text: str) -> str:
    """What an expression gives, by the definition."""
    found = parse(text)
    if not isinstance(found, Expression):
        raise TypeError(f"{text} cannot be read")
    match evaluate(found.node, STATE):
        case bool() as truth:
            return str(truth).lower()
        case float() as number if math.isfinite(number):
            return "-0.0" if str(number) == "-0.0" else repr(number).removesuffix(".0")
        case float() as number:
            return {"inf": "infinity", "-inf": "-infinity"}.get(str(number), "NaN")
        case other:
            return repr(other)
