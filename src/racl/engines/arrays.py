"""Whole columns through NumPy, with nothing compiled: for small inputs, and where there is no compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl import elementary
from racl.domain.model import Choose, Column, Type
from racl.engines.bounds import MOST, column_interval
from racl.engines.outputs import CREDIT_NUMBER, Outputs, plan_number
from racl.program import OTHER, Effect, Program, Term
from racl.semantics import Credit

Array = NDArray[Any]
Truths = NDArray[np.bool_]
Floats = NDArray[np.float64]


def _each(function: Callable[[float], float]) -> Callable[[Floats], Floats]:
    """A scalar routine over an array: the one home of `log` and `exp` serves here too."""
    vectorised = np.frompyfunc(function, 1, 1)
    return lambda array: np.asarray(vectorised(array), dtype=np.float64)


def _where(test: Any, then: Any, other: Any) -> Array:
    return np.asarray(np.where(test, then, other))


OPERATIONS: dict[str, Callable[..., Array]] = {
    "neg": np.negative,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "same": np.equal,
    "differ": np.not_equal,
    "not": np.logical_not,
    "and": np.logical_and,
    "or": np.logical_or,
    "choose": _where,
    "as_number": lambda a: _where(a, 1.0, 0.0),
    "min": lambda a, b: _where(np.less(b, a), b, a),
    "max": lambda a, b: _where(np.greater(b, a), b, a),
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "sqrt": np.sqrt,
    "log": _each(elementary.log),
    "exp": _each(elementary.exp),
}


class State:
    """The terms of one state, computed when they are asked for and remembered."""

    def __init__(self, program: Program, columns: Mapping[str, Array], rows: int) -> None:
        self.program = program
        self.columns = columns
        self.rows = rows
        self.known: dict[Term, Array] = {term: columns[name] for name, term in program.columns.items()}

    def of(self, term: Term) -> Array:
        """The values of a term: an array, or one value where it is constant."""
        if term not in self.known:
            step = self.program.terms.steps[term]
            if step.op in ("constant", "truth", "code"):
                self.known[term] = np.asarray(step.payload)
            else:
                self.known[term] = OPERATIONS[step.op](*(self.of(argument) for argument in step.arguments))
        return self.known[term]

    def full(self, term: Term) -> Array:
        """The values of a term, one for each row."""
        return np.broadcast_to(self.of(term), (self.rows,))

    def all_of(self, terms: tuple[Term, ...]) -> Truths:
        """Where all of these hold."""
        held = np.ones(self.rows, np.bool_)
        for term in terms:
            held &= self.of(term)
        return held

    def after(self, effect: Effect, rows: NDArray[np.intp]) -> State:
        """What the repair makes of some of the rows."""
        changed = {name: self.full(term)[rows] for name, term in effect.sets.items()}
        kept = {name: array[rows] for name, array in self.columns.items() if name not in changed}
        return State(self.program, kept | changed, len(rows))


@dataclass
class Walk:
    """Visits every state that a plan reaches, whatever its cost; what is made of a state is up to `judge`."""

    program: Program
    budget: Floats
    ok: Truths

    def judge(self, state: State, rows: NDArray[np.intp], cost: Floats, steps: tuple[int, ...]) -> None:
        """What is made of a state as an end, which these rows reach at this cost."""
        raise NotImplementedError

    def visit(self, state: State, rows: NDArray[np.intp], cost: Floats, steps: tuple[int, ...]) -> None:
        """Judge the state as an end, then try every further repair on it."""
        self.judge(state, rows, cost, steps)
        if len(steps) == self.program.domain.rule.steps:
            return
        for number, effect in enumerate(self.program.effects, start=1):
            if number not in steps:
                self.step(state, rows, cost, (*steps, number), effect)

    def step(
        self, state: State, rows: NDArray[np.intp], cost: Floats, steps: tuple[int, ...], effect: Effect
    ) -> None:
        """One more repair, on the rows where it is available."""
        applies = state.full(effect.applies)
        price = cost + state.full(effect.cost)
        sound = (state.full(effect.cost) >= 0) & np.isfinite(state.full(effect.cost))
        for term in effect.finite:
            sound &= np.isfinite(state.full(term))
        if len(steps) == 1:
            self.ok[rows[applies & ~sound]] = False
        available = np.flatnonzero(applies & sound)
        if len(available):
            self.visit(state.after(effect, available), rows[available], price[available], steps)


@dataclass
class Search(Walk):
    """The best plan of every row so far, and the cheapest that reaches the threshold."""

    threshold: Floats
    weights: Floats  # (n, features + 1) of each row's persona

    def __post_init__(self) -> None:
        n = len(self.ok)
        self.keep_feasible, self.feasible = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self.keep_value = np.full(n, -np.inf)
        self.best, self.cheapest = Chosen(n), Chosen(n)

    def judge(self, state: State, rows: NDArray[np.intp], cost: Floats, steps: tuple[int, ...]) -> None:
        """A state as an end: feasible, admissible, and better than what is known."""
        feasible = state.all_of(self.program.keep.requirements)
        affordable = cost <= self.budget[rows]
        value = self.value(state, rows, cost)
        sound = np.isfinite(value)
        if len(steps) <= 1:
            self.ok[rows[feasible & affordable & ~sound]] = False
        self.feasible[rows] |= feasible & (~affordable | sound)
        if not steps:
            self.keep_feasible, self.keep_value = feasible, value
        admissible = feasible & affordable & sound
        self.best.better(rows, admissible, value, cost, self.number(steps), cheapest=False)
        reaching = admissible & (value >= self.threshold[rows])
        self.cheapest.better(rows, reaching, value, cost, self.number(steps), cheapest=True)

    def number(self, steps: tuple[int, ...]) -> tuple[int, int]:
        """How many steps, and the number of the plan."""
        return len(steps), plan_number(self.program, steps)

    def value(self, state: State, rows: NDArray[np.intp], cost: Floats) -> Floats:
        """bias + w1 * g1 + ..., in that order, less the trade-off."""
        weights = self.weights[rows]
        total = weights[:, 0]
        for position, feature in enumerate(self.program.keep.features, start=1):
            total = total + weights[:, position] * state.of(feature)
        tradeoff = self.program.domain.rule.tradeoff
        return total - tradeoff * cost if tradeoff else total


class Chosen:
    """The plan chosen so far for each of n rows."""

    def __init__(self, n: int) -> None:
        self.value, self.cost = np.full(n, -np.inf), np.full(n, np.inf)
        self.plan, self.steps = np.full(n, -1, np.int64), np.zeros(n, np.int64)

    def better(
        self,
        rows: NDArray[np.intp],
        among: Truths,
        value: Floats,
        cost: Floats,
        plan: tuple[int, int],
        *,
        cheapest: bool,
    ) -> None:
        """Take the plan where it beats what is there; visits come in the order that breaks ties of equal length."""
        known_value, known_cost = self.value[rows], self.cost[rows]
        wins = (value > known_value) | ((value == known_value) & (plan[0] < self.steps[rows]))
        if cheapest:
            wins = (cost < known_cost) | ((cost == known_cost) & wins)
        wins &= among
        taken = rows[wins]
        self.value[taken], self.cost[taken] = value[wins], cost[wins]
        self.steps[taken], self.plan[taken] = plan


def decide(program: Program, columns: Mapping[str, Array], weights: Floats, out: Outputs) -> None:
    """Fill the outputs from encoded columns and the weights (personas, features + 1)."""
    n = len(out.refused)
    with np.errstate(all="ignore"):
        state, ok, plain = start(program, columns, n)
        budget, threshold = state.full(program.budget), state.full(program.threshold)
        search = Search(program, budget, ok, threshold, weights_of(program, plain, weights, n))
        search.visit(state, np.arange(n), np.zeros(n), ())
        write(program, search, out)


def start(
    program: Program, columns: Mapping[str, Array], n: int
) -> tuple[State, Truths, Mapping[str, Array]]:
    """The candidates as they came, which rows are not refused so far, and the columns as expressions read them."""
    ok = np.ones(n, np.bool_)
    plain = {name: check_column(program.domain.column(name), columns[name], ok) for name in program.columns}
    state = State(program, plain, n)
    budget, threshold = state.full(program.budget), state.full(program.threshold)
    ok &= (budget >= 0) & np.isfinite(budget) & np.isfinite(threshold)
    return state, ok, plain


def check_column(column: Column, array: Array, ok: Truths) -> Array:
    """Mark the rows that the column refuses; the array that expressions read."""
    match column.type:
        case Type.BOOLEAN:
            ok &= array <= 1
            return np.asarray(array == 1)
        case Type.CATEGORY:
            ok &= array >= 0
        case _:
            within = column_interval(column)
            ok &= (array >= within.low) & (array <= within.high)
            if column.type is Type.INTEGER:
                ok &= array == np.floor(array)
    return array


def weights_of(program: Program, columns: Mapping[str, Array], weights: Floats, n: int) -> Floats:
    """The weights of each row's persona."""
    if program.domain.rule.persona is None:
        return np.broadcast_to(weights[0], (n, weights.shape[1]))
    return weights[personas_of(program, columns, n)]


def personas_of(program: Program, columns: Mapping[str, Array], n: int) -> NDArray[np.intp]:
    """The number of each row's persona, one past the last for any that is not declared; 0 in a refused row."""
    persona = program.domain.rule.persona
    if persona is None:
        return np.zeros(n, np.intp)
    known = columns[persona].astype(np.intp)
    return np.where((known >= 0) & (known <= program.terms.codes[OTHER]), known, 0)


def write(program: Program, search: Search, out: Outputs) -> None:
    """The verdict of every row."""
    best = search.best
    some = best.plan >= 0
    accepted = some & (best.value >= search.threshold)
    chosen = search.cheapest if program.domain.rule.choose is Choose.CHEAPEST else best
    value, cost = (np.where(accepted, getattr(chosen, one), getattr(best, one)) for one in ("value", "cost"))
    margin = value - search.threshold
    ok = search.ok & ~(some & ~(np.abs(margin) <= MOST))
    credit = credits_of(search, accepted=accepted, some=some)
    good, taken = ok & some, ok & accepted
    out.refused[:], out.accepted[:] = ~ok, taken
    out.credit[:] = np.where(ok, credit, -1)
    out.plan[:] = np.where(taken, chosen.plan, -1)
    for array, values in ((out.value, value), (out.margin, margin), (out.cost, cost)):
        array[:] = np.where(good, values, np.nan)


def credits_of(search: Search, *, accepted: Truths, some: Truths) -> Array:
    """The number of the credit of every row."""
    number = CREDIT_NUMBER
    already = search.keep_feasible & (search.keep_value >= search.threshold)
    suboptimal = np.where(
        search.keep_feasible, number[Credit.FEASIBLE_SUBOPTIMAL], number[Credit.REPAIRABLE_SUBOPTIMAL]
    )
    vetoed = np.where(search.feasible, number[Credit.OVER_BUDGET], number[Credit.NON_REPAIRABLE])
    good = np.where(already, number[Credit.ALREADY_GOOD], number[Credit.REPAIRABLE_GOOD])
    return np.where(accepted, good, np.where(some, suboptimal, vetoed))
