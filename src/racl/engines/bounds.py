"""Between which numbers a term must lie, whatever the row: lets a check go that can never fail.

Rounding is monotone, so the ends of an interval computed in float64 bound what float64 will compute.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from racl.domain.model import Column, Type
from racl.program import Program, Step, Term
from racl.values import EXACT

MOST = 1.7976931348623157e308  # the largest finite float64
TAME = 1e300  # a bound on values under which nothing overflows


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`; unknown is wider still: it may be NaN or infinite."""

    low: float = -math.inf
    high: float = math.inf

    @property
    def finite(self) -> bool:
        """No value in it is NaN or infinite."""
        return self.low >= -MOST and self.high <= MOST

    @property
    def magnitude(self) -> float:
        """The largest absolute value in it."""
        return max(abs(self.low), abs(self.high))


UNKNOWN = Interval()


def _around(values: list[float]) -> Interval:
    """The interval of the ends computed, or unknown where one of them is not finite."""
    return Interval(min(values), max(values)) if all(map(math.isfinite, values)) else UNKNOWN


def _quotient(a: Interval, b: Interval) -> Interval:
    if b.low <= 0.0 <= b.high:
        return UNKNOWN
    return _around([x / y for x in (a.low, a.high) for y in (b.low, b.high)])


def _magnitudes(a: Interval) -> Interval:
    return Interval(0.0 if a.low <= 0.0 <= a.high else min(abs(a.low), abs(a.high)), a.magnitude)


def _exponential(a: Interval) -> Interval:
    return Interval(0.0, 1.1e304) if a.high <= 700.0 else UNKNOWN  # noqa: PLR2004 - exp(700) is 1.01e304


RULES: dict[str, Callable[..., Interval]] = {
    "neg": lambda a: Interval(-a.high, -a.low),
    "add": lambda a, b: _around([a.low + b.low, a.high + b.high]),
    "sub": lambda a, b: _around([a.low - b.high, a.high - b.low]),
    "mul": lambda a, b: _around([x * y for x in (a.low, a.high) for y in (b.low, b.high)]),
    "div": _quotient,
    "min": lambda a, b: Interval(min(a.low, b.low), min(a.high, b.high)),
    "max": lambda a, b: Interval(max(a.low, b.low), max(a.high, b.high)),
    "abs": _magnitudes,
    "floor": lambda a: Interval(float(math.floor(a.low)), float(math.floor(a.high))),
    "ceil": lambda a: Interval(float(math.ceil(a.low)), float(math.ceil(a.high))),
    "sqrt": lambda a: Interval(0.0, math.sqrt(a.high)) if a.low >= 0.0 else UNKNOWN,
    "log": lambda a: Interval(-750.0, 750.0) if a.low > 0.0 else UNKNOWN,
    "exp": _exponential,
}


def column_interval(column: Column) -> Interval:
    """What a column of a row that is not refused may hold."""
    widest = float(EXACT) if column.type is Type.INTEGER else MOST
    low, high = (
        (-widest if column.min is None else column.min),
        (widest if column.max is None else column.max),
    )
    return Interval(max(low, -widest), min(high, widest))


class Bounds:
    """The intervals of a program's terms, over rows that are not refused."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[Term, Interval] = {}

    def of(self, term: Term) -> Interval:
        """The interval of a term that is a number."""
        if term not in self.known:
            self.known[term] = self._of(self.program.terms.steps[term])
        return self.known[term]

    def _of(self, step: Step) -> Interval:
        match step.op:
            case "constant":
                return Interval(float(step.payload), float(step.payload))
            case "column":
                return column_interval(self.program.domain.column(str(step.payload)))
            case "as_number":
                return Interval(0.0, 1.0)
            case "choose":
                then, other = (self.of(argument) for argument in step.arguments[1:])
                return Interval(min(then.low, other.low), max(then.high, other.high))
            case _:
                arguments = [self.of(argument) for argument in step.arguments]
                return RULES[step.op](*arguments) if all(one.finite for one in arguments) else UNKNOWN


def tame(program: Program, weights: NDArray[np.float64]) -> bool:
    """No value can overflow, whatever the row, under these weights (personas, features + 1)."""
    bounds = Bounds(program)
    columns = zip(*(reach.features for reach in program.reaches), strict=True)
    reach = [1.0, *(max(bounds.of(feature).magnitude for feature in column) for column in columns)]
    dearest = max((bounds.of(effect.cost).magnitude for effect in program.effects), default=0.0)
    tradeoff = program.domain.rule.tradeoff
    with np.errstate(over="ignore", invalid="ignore"):
        most = np.abs(weights) @ np.array(reach) + (tradeoff * dearest if tradeoff else 0.0)
        return bool(np.all(most <= TAME))  # not of NaN: nothing, times what may be infinite
