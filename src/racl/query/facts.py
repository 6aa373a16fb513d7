"""What can be told of a term before any row is seen: whether it may be NaN, infinite or -0.0."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from racl.engines.bounds import Bounds, Interval
from racl.model import Model
from racl.program import Program, Step, Term


def weights_in_use(model: Model) -> NDArray[np.float64]:
    """The rows of the weights that some row of data is judged by."""
    if model.domain.rule.persona is None:
        return model.weights[:1]
    return model.weights if model.taste.default is not None else model.weights[:-1]


class Facts:
    """The facts of a program's terms, over rows that are not refused; `keeps_sign` where ABS(-0.0) is -0.0."""

    def __init__(self, model: Model, program: Program, *, keeps_sign: bool = False) -> None:
        self.terms, self.keeps_sign = program.terms, keeps_sign
        self.bounds = Bounds(program)
        weights = weights_in_use(model)
        for position in range(weights.shape[1]):
            term = self.terms.add("weight", payload=position)
            column = weights[:, position]
            self.bounds.known[term] = Interval(float(column.min()), float(column.max()))
        self._nan: dict[Term, bool] = {}
        self._negative_zero: dict[Term, bool] = {}

    def finite(self, term: Term) -> bool:
        """The term is a finite number in every row."""
        return self.bounds.of(term).finite

    def may_be_nan(self, term: Term) -> bool:
        """The term is NaN in some row, as far as can be told."""
        if term not in self._nan:
            self._nan[term] = not self.finite(term) and self._nan_of(self.terms.steps[term])
        return self._nan[term]

    def _nan_of(self, step: Step) -> bool:
        numbers = step.arguments[1:] if step.op == "choose" else step.arguments
        if any(self.may_be_nan(argument) for argument in numbers):
            return True
        wild = [not self.finite(argument) for argument in numbers]
        match step.op:
            case "constant":
                return math.isnan(float(step.payload))
            case "add" | "sub":
                return all(wild)
            case "mul":
                return any(wild)
            case "div":
                return all(wild) or self.may_be_zero(step.arguments[1])
            case "sqrt" | "log":
                return any(wild) or self.bounds.of(step.arguments[0]).low < 0
            case _:
                return False

    def may_be_zero(self, term: Term) -> bool:
        """The term is 0 in some row, as far as can be told."""
        within = self.bounds.of(term)
        return not within.finite or within.low <= 0.0 <= within.high

    def may_be_negative_zero(self, term: Term) -> bool:
        """The term is -0.0 in some row, as far as can be told."""
        if term not in self._negative_zero:
            found = self.may_be_zero(term) and self._negative_zero_of(self.terms.steps[term])
            self._negative_zero[term] = found
        return self._negative_zero[term]

    def _negative_zero_of(self, step: Step) -> bool:
        def some(arguments: tuple[Term, ...]) -> list[bool]:
            return [self.may_be_negative_zero(argument) for argument in arguments]

        match step.op:
            case "constant":
                return math.copysign(1.0, float(step.payload)) < 0
            case "column":
                return True
            case "abs":
                return self.keeps_sign and some(step.arguments)[0]
            case "as_number" | "exp" | "log" | "weight":
                return False
            case "add":
                return all(some(step.arguments))
            case "sub" | "floor" | "sqrt":
                return some(step.arguments)[0]
            case "choose":
                return any(some(step.arguments[1:]))
            case "min" | "max":
                return any(some(step.arguments))
            case "mul":
                return any(some(step.arguments)) or not self._all_positive(step.arguments)
            case _:
                return True

    def _all_positive(self, arguments: tuple[Term, ...]) -> bool:
        return all(
            self.bounds.of(argument).finite and self.bounds.of(argument).low >= 0 for argument in arguments
        )
