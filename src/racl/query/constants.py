"""Terms that are known before any row is seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from racl import elementary
from racl.program import Step, Term, Terms

Known = float | bool
FOLDS: Mapping[str, Callable[..., Known]] = {
    "neg": lambda a: -a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": elementary.divide,
    "min": elementary.smaller,
    "max": elementary.larger,
    "abs": abs,
    "floor": elementary.floor,
    "ceil": elementary.ceil,
    "sqrt": elementary.sqrt,
    "log": elementary.log,
    "exp": elementary.exp,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "finite": math.isfinite,
    "as_number": float,
    "not": lambda a: not a,
}


def known(terms: Terms, weights: Mapping[Term, float]) -> dict[Term, Known]:
    """The value of every term that no row can change, computed as the definition does; of weights, as given."""
    found: dict[Term, Known] = {**weights}
    for term, step in enumerate(terms.steps):
        value = found.get(term, _value(step, found))
        if value is not None:
            found[term] = value
    return found


def _value(step: Step, found: Mapping[Term, Known]) -> Known | None:
    arguments = [found.get(argument) for argument in step.arguments]
    match step.op:
        case "constant":
            return float(step.payload)
        case "truth":
            return bool(step.payload)
        case "and" | "or":
            ends = step.op == "or"
            return (
                ends if ends in [one for one in arguments if one is not None] else _same(arguments, not ends)
            )
        case "choose" if arguments[0] is not None:
            return arguments[1 if arguments[0] else 2]
        case _ if step.op in FOLDS and None not in arguments:
            return FOLDS[step.op](*arguments)
        case _:
            return None


def _same(arguments: list[Known | None], value: bool) -> bool | None:  # noqa: FBT001 - a truth of a table
    return value if all(one is value for one in arguments) else None
