"""What an explanation holds: everything that the decision on one row came from, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from typing import Any

import msgspec

from racl.semantics import Decision
from racl.values import Value


@dataclass(frozen=True, slots=True)
class Reading:
    """A column and the value read in it."""

    column: str
    value: Value
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression, what it read, and what came out."""

    text: str
    value: Value
    reads: tuple[Reading, ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A requirement on one state: what it read, and whether it holds."""

    requirement: str
    text: str
    reads: tuple[Reading, ...]
    holds: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A column that a repair sets, before and after."""

    column: str
    before: Value | None  # null where no expression reads the column
    after: Value
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a repair or a plan: its cost against the budget, its value against the threshold."""

    cost: float
    within_budget: bool
    over_by: float  # cost less budget; negative where something is left
    changes: tuple[Change, ...]
    feasible: bool
    failing: tuple[Check, ...]
    value: float | None  # null where it is not finite, as `fault` says
    fault: str
    margin: float | None
    reaches: bool
    admissible: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """One repair alone on the candidate as it came; no outcome where it does not apply."""

    repair: str
    label: str
    applies: Formula
    price: Formula | None
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class Step:
    """One repair of a plan, on the state that the ones before it left."""

    repair: str
    label: str
    applies: Formula
    price: Formula
    total: float  # cost so far
    changes: tuple[Change, ...]
    state: tuple[Reading, ...]  # after the step, every column that some repair may set
    failing: tuple[Check, ...]


class Role(StrEnum):
    """Why a plan is shown."""

    CHOSEN = "chosen"
    BEST = "best"
    RUNNER_UP = "runner-up"
    CHEAPEST_FEASIBLE = "cheapest-feasible"
    LARGER_BUDGET = "larger-budget"


@dataclass(frozen=True, slots=True)
class Route:
    """A plan of one or more repairs, step by step; what it changes is from the candidate as it came."""

    plan: str
    role: Role
    steps: tuple[Step, ...]
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Search:
    """How many sequences of repairs were tried, `keep` among them, and what became of them."""

    sequences: int
    feasible: int  # at whatever cost
    admissible: int
    uncounted: int  # feasible, but with a feature or value that is not finite
    always_failing: tuple[str, ...]  # requirements that fail after every one


@dataclass(frozen=True, slots=True)
class Term:
    """A feature, its weight, and what both contribute to the score."""

    feature: str
    text: str
    g: float
    weight: float
    product: float


@dataclass(frozen=True, slots=True)
class Worth:
    """How the value of a plan comes about: bias + terms = score, less trade-off * cost."""

    plan: str
    bias: float
    terms: tuple[Term, ...]
    score: float
    tradeoff: float
    cost: float
    value: float | None


@dataclass(frozen=True, slots=True)
class BudgetTurn:
    """The smallest value of `[rule].budget` with which the row is accepted, all else fixed.

    All else: an expression that reads the column `budget` elsewhere still reads what the row holds.
    """

    now: float
    accepted_from: float | None  # null where no budget will do, as `reason` says
    turns: bool  # whether some budget turns the decision
    plan: str | None  # with that budget
    value: float | None
    below: str | None  # with the next smaller float64: "rejected", or "refused"; null where there is none
    refused_from: float | None  # the smallest larger budget that brings a feature or value that is not finite
    refusal: str
    reason: str
    words: str


@dataclass(frozen=True, slots=True)
class ThresholdTurn:
    """The highest value of `[rule].threshold` with which the row is accepted, all else fixed."""

    now: float
    accepted_up_to: float | None  # null where nothing is admissible
    turns: bool
    plan: str | None
    cost: float | None
    above: str | None  # with the next larger float64
    reason: str
    words: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the decision on one row is what it is: data, and words by `str`."""

    domain: str
    decision: Decision
    reason: str  # why it was accepted or rejected
    choice: str  # why this plan, on acceptance
    persona: str
    preference: str  # whose: the persona's, or `default`
    budget: Formula
    threshold: Formula
    tradeoff: float
    choose: str
    steps: int
    requirements: tuple[Check, ...]
    repairs: tuple[Attempt, ...]  # `keep` first
    search: Search
    plans: tuple[Route, ...]  # those that matter, where a plan may take several steps
    values: tuple[Worth, ...]  # of `keep`, and of the plan that the reason speaks of
    turning_budget: BudgetTurn
    turning_threshold: ThresholdTurn

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON holds, the six of the decision at the top.

        An infinity or NaN is the text `inf`, `-inf` or `nan`.
        """
        found = {field.name: _plain(getattr(self, field.name)) for field in fields(self)}
        del found["decision"]
        return {"domain": self.domain, **msgspec.to_builtins(self.decision), **found}

    def __str__(self) -> str:
        from racl.explain.words import words

        return words(self)


def _plain(value: object) -> object:
    match value:
        case float():
            return value if math.isfinite(value) else str(value)
        case tuple():
            return [_plain(one) for one in value]
        case StrEnum():
            return value.value
        case _ if is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        case _:
            return value
