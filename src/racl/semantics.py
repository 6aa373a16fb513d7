"""The definition of a decision: one row, plain Python, to be read beside the paper.

INVARIANT: this module is never optimised. Every engine is tested against it, to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

import msgspec

from racl import elementary
from racl.domain.model import KEEP, Choose, Column, Domain, Repair, Type
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
from racl.values import Fault, Value, read_value

Row = Mapping[str, object]
State = Mapping[str, Value]  # a candidate in its context, every column that is read


class Credit(StrEnum):
    """Why a candidate was accepted or rejected; the first that holds."""

    ALREADY_GOOD = "accepted-already-good"
    REPAIRABLE_GOOD = "accepted-repairable-good"
    NON_REPAIRABLE = "rejected-non-repairable"
    OVER_BUDGET = "rejected-repairable-over-budget"
    FEASIBLE_SUBOPTIMAL = "rejected-feasible-suboptimal"
    REPAIRABLE_SUBOPTIMAL = "rejected-repairable-suboptimal"


@dataclass(frozen=True, slots=True)
class Preference:
    """f(x) = bias + w . g(x) of one persona; the weights in the order of the features."""

    bias: float
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Taste:
    """The preference of every persona, and the one that stands in for personas not declared."""

    personas: Mapping[str, Preference]
    default: Preference | None = None


class Decision(msgspec.Struct, frozen=True):
    """A verdict, its reason, and the plan to carry out, if any."""

    accepted: bool
    credit: Credit
    plan: str | None
    value: float | None
    margin: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Refused:
    """The column, repair or rule at fault, and why: such a row is never decided."""

    column: str
    reason: str


@dataclass(frozen=True, slots=True)
class End:
    """Where a sequence of repairs leads: its steps (numbers of repairs), the state reached and the cost so far."""

    steps: tuple[int, ...]
    state: State
    cost: float


@dataclass(frozen=True, slots=True)
class Option:
    """An admissible plan and what it is worth."""

    steps: tuple[int, ...]
    cost: float
    value: float


def decide(domain: Domain, taste: Taste, row: Row) -> Decision | Refused:
    """The decision on one row, or why the row is refused."""
    state = read_row(domain, taste, row)
    if isinstance(state, Refused):
        return state
    budget, threshold = number(domain.rule.budget, state), number(domain.rule.threshold, state)
    if not (math.isfinite(budget) and budget >= 0):
        return Refused("rule.budget", f"the budget is {budget!r}, not a finite number of at least 0")
    if not math.isfinite(threshold):
        return Refused("rule.threshold", f"the threshold is {threshold!r}, not a finite number")
    fault = first_step_fault(domain, state)
    if fault:
        return fault
    found = options(domain, preference_of(domain, taste, state), state, budget)
    return (
        found
        if isinstance(found, Refused)
        else verdict(domain, found[0], feasible=found[1], threshold=threshold)
    )


def read_row(domain: Domain, taste: Taste, row: Row) -> State | Refused:
    """The values of every column that some expression reads, or the first that is refused."""
    state: dict[str, Value] = {}
    for column in domain.columns_read:
        value = read_column(domain, taste, column, row.get(column.name))
        if isinstance(value, Fault):
            what = value.reason if column.name in row else value.reason.replace("null", "missing", 1)
            return Refused(column.name, what)
        state[column.name] = value
    return state


def read_column(domain: Domain, taste: Taste, column: Column, raw: object) -> Value | Fault:
    """A value as its column holds it; with a default preference, any text may be a persona."""
    value = read_value(column, raw)
    is_persona = column.name == domain.rule.persona
    return (
        raw if isinstance(value, Fault) and is_persona and taste.default and isinstance(raw, str) else value
    )


def preference_of(domain: Domain, taste: Taste, state: State) -> Preference:
    """The preference of the row's persona."""
    persona = domain.personas[0] if domain.rule.persona is None else str(state[domain.rule.persona])
    return taste.personas.get(persona) or _given(taste.default)


def _given(preference: Preference | None) -> Preference:
    if preference is None:
        raise AssertionError("a persona outside the declared values is refused when the row is read")
    return preference


# repairs ---------------------------------------------------------------------------------------------


def first_step_fault(domain: Domain, state: State) -> Refused | None:
    """The fault of the first repair that applies and cannot be priced or carried out."""
    for repair in domain.repairs:
        if truth(repair.applies, state):
            after = apply(domain, repair, state)
            if isinstance(after, Refused):
                return after
    return None


def apply(domain: Domain, repair: Repair, state: State) -> tuple[State, float] | Refused:
    """The state after the repair, and its cost; both read the state before it."""
    cost = number(repair.cost, state)
    if not (math.isfinite(cost) and cost >= 0):
        return Refused(
            f"repairs.{repair.name}.cost", f"the cost is {cost!r}, not a finite number of at least 0"
        )
    after = dict(state)
    for name, expression in repair.sets:
        value = evaluate(expression.node, state)
        if domain.column(name).type in (Type.NUMBER, Type.INTEGER):
            value = float(value)
            if not math.isfinite(value):
                return Refused(
                    f"repairs.{repair.name}.sets.{name}", f"the repair sets {value!r}, not a finite number"
                )
        after[name] = value
    return after, cost


def ends(domain: Domain, start: End) -> Iterator[End]:
    """The start and every end of up to `steps` different repairs, each on the state that the ones before it left."""
    yield start
    if len(start.steps) == domain.rule.steps:
        return
    for number_, repair in enumerate(domain.repairs, start=1):
        if number_ not in start.steps and truth(repair.applies, start.state):
            after = apply(domain, repair, start.state)
            if not isinstance(
                after, Refused
            ):  # of a first step none is left here; later ones are not available
                yield from ends(domain, End((*start.steps, number_), after[0], start.cost + after[1]))


def feasible(domain: Domain, state: State) -> bool:
    """Every requirement holds."""
    return all(truth(requirement.holds, state) for requirement in domain.requirements)


def score(domain: Domain, preference: Preference, state: State) -> float | Refused:
    """bias + w1 * g1 + ... + wp * gp, added in that order; a bias of -0.0 is 0."""
    total = 0.0 + preference.bias
    for feature, weight in zip(domain.features, preference.weights, strict=True):
        g = number(feature.value, state)
        if not math.isfinite(g):
            return Refused(f"features.{feature.name}", f"the feature is {g!r}, not a finite number")
        total = total + weight * g
    return total


def value_of(domain: Domain, preference: Preference, end: End) -> float | Refused:
    """The score, less the cost times the trade-off."""
    value = score(domain, preference, end.state)
    if isinstance(value, Refused):
        return value
    if domain.rule.tradeoff != 0:
        value = value - domain.rule.tradeoff * end.cost
    return (
        value
        if math.isfinite(value)
        else Refused("value", f"the value of {plan(domain, end.steps)} is {value!r}")
    )


def options(
    domain: Domain, preference: Preference, state: State, budget: float
) -> tuple[list[Option], bool] | Refused:
    """The admissible options, and whether some sequence is feasible at whatever cost."""
    admissible: list[Option] = []
    some_feasible = False
    for end in ends(domain, End((), state, 0.0)):
        if not feasible(domain, end.state):
            continue
        if end.cost > budget:
            some_feasible = True
            continue
        value = value_of(domain, preference, end)
        if not isinstance(value, Refused):
            some_feasible = True
            admissible.append(Option(end.steps, end.cost, value))
        elif len(end.steps) <= 1:
            return value
    return admissible, some_feasible


# the verdict -----------------------------------------------------------------------------------------


def verdict(
    domain: Domain, admissible: list[Option], *, feasible: bool, threshold: float
) -> Decision | Refused:
    """Accept if and only if the best admissible value reaches the threshold; then the plan and the credit."""
    if not admissible:
        credit = Credit.OVER_BUDGET if feasible else Credit.NON_REPAIRABLE
        return Decision(accepted=False, credit=credit, plan=None, value=None, margin=None, cost=None)
    keep = next((option for option in admissible if not option.steps), None)
    chosen = min(admissible, key=lambda option: (-option.value, len(option.steps), option.steps))
    accepted = chosen.value >= threshold
    if accepted and domain.rule.choose is Choose.CHEAPEST:
        reaching = [option for option in admissible if option.value >= threshold]
        chosen = min(
            reaching, key=lambda option: (option.cost, -option.value, len(option.steps), option.steps)
        )
    margin = chosen.value - threshold
    if not math.isfinite(margin):
        return Refused("margin", f"the margin is {margin!r}, not a finite number")
    already = keep is not None and keep.value >= threshold
    name = plan(domain, chosen.steps) if accepted else None
    return Decision(
        accepted, credit_of(accepted, already, keep is not None), name, chosen.value, margin, chosen.cost
    )


def credit_of(accepted: bool, already: bool, keep_feasible: bool) -> Credit:  # noqa: FBT001 - three truths of one table
    """The credit of a row with an admissible repair; `keep`, where feasible, is always admissible."""
    if accepted:
        return Credit.ALREADY_GOOD if already else Credit.REPAIRABLE_GOOD
    return Credit.FEASIBLE_SUBOPTIMAL if keep_feasible else Credit.REPAIRABLE_SUBOPTIMAL


def plan(domain: Domain, steps: tuple[int, ...]) -> str:
    """The name of a plan: its repairs joined by ` + `, or `keep`."""
    return " + ".join(domain.repairs[step - 1].name for step in steps) or KEEP


# expressions -----------------------------------------------------------------------------------------


def truth(expression: Expression, state: State) -> bool:
    """The value of a boolean expression."""
    return bool(evaluate(expression.node, state))


def number(expression: Expression, state: State) -> float:
    """The value of an expression of numbers; a boolean counts 0 or 1."""
    return float(evaluate(expression.node, state))


def evaluate(node: Node, state: State) -> Value:
    """The value of an expression over a state: IEEE float64, as written, left to right."""
    match node:
        case Number() | Truth() | Text():
            return node.value
        case Name():
            return state[node.name]
        case Unary():
            operand = evaluate(node.operand, state)
            return not operand if node.op == "not" else -float(operand)
        case Binary():
            return OPERATORS[node.op](evaluate(node.left, state), evaluate(node.right, state))
        case Logic():
            together = all if node.op == "and" else any
            return together([bool(evaluate(operand, state)) for operand in node.operands])
        case Choice():
            return evaluate(node.then if evaluate(node.test, state) else node.other, state)
        case Member():
            item = evaluate(node.item, state)
            return any(item == literal.value for literal in node.literals) is not node.negated
        case Call():
            return call(node.function, [float(evaluate(argument, state)) for argument in node.arguments])
        case _:
            assert_never(node)


def _ordered(compare: Callable[[float, float], bool]) -> Callable[[Value, Value], Value]:
    return lambda a, b: compare(float(a), float(b))


OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda a, b: float(a) + float(b),
    "-": lambda a, b: float(a) - float(b),
    "*": lambda a, b: float(a) * float(b),
    "/": lambda a, b: elementary.divide(float(a), float(b)),
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": _ordered(lambda a, b: a < b),
    "<=": _ordered(lambda a, b: a <= b),
    ">": _ordered(lambda a, b: a > b),
    ">=": _ordered(lambda a, b: a >= b),
}


def call(function: str, arguments: list[float]) -> float:
    """A function of the language."""
    match function:
        case "min":
            return _fold(elementary.smaller, arguments)
        case "max":
            return _fold(elementary.larger, arguments)
        case "clip":
            x, low, high = arguments
            return elementary.smaller(elementary.larger(x, low), high)
        case _:
            return FUNCTIONS[function](arguments[0])


def _fold(pick: Callable[[float, float], float], arguments: list[float]) -> float:
    first, *rest = arguments
    for argument in rest:
        first = pick(first, argument)
    return first


FUNCTIONS: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "floor": elementary.floor,
    "ceil": elementary.ceil,
    "sqrt": elementary.sqrt,
    "log": elementary.log,
    "exp": elementary.exp,
}
