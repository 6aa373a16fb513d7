"""Every admissible state of every row, through NumPy columns: what learning is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from racl.engines.arrays import Array, Floats, State, Truths, Walk, personas_of, start
from racl.engines.outputs import plan_number
from racl.program import Program


@dataclass(frozen=True, slots=True)
class Gathered:
    """The admissible states of n rows, m in all: the rows one after the other, in a row `keep` before all."""

    row: NDArray[np.intp]  # (m,)
    plan: NDArray[np.int64]  # (m,) number of the plan
    cost: Floats  # (m,)
    features: Floats  # (m, p)
    given: Floats  # (n, p) features of the candidate as it came
    violated: Truths  # (n, requirements) of the candidate as it came
    repairable: Truths  # (n,) some sequence of repairs, or none, makes it feasible at whatever cost
    persona: NDArray[np.intp]  # (n,)
    budget: Floats  # (n,)
    threshold: Floats  # (n,)
    refused: Truths  # (n,)


@dataclass(frozen=True, slots=True)
class Reached:
    """One plan's admissible ends."""

    steps: tuple[int, ...]
    rows: NDArray[np.intp]
    cost: Floats
    features: Floats


@dataclass
class Gather(Walk):
    """Keeps each admissible end with its features."""

    found: list[Reached] = field(default_factory=list)

    def __post_init__(self) -> None:
        n, reach = len(self.ok), self.program.keep
        self.repairable = np.zeros(n, np.bool_)
        self.given = np.zeros((n, len(reach.features)))
        self.violated = np.zeros((n, len(reach.requirements)), np.bool_)

    def judge(self, state: State, rows: NDArray[np.intp], cost: Floats, steps: tuple[int, ...]) -> None:
        """A state as an end: feasible, admissible, and its features."""
        reach = self.program.keep
        if not steps:
            for number, requirement in enumerate(reach.requirements):
                self.violated[:, number] = ~state.full(requirement)
            self.given = features(state)
        feasible = state.all_of(reach.requirements)
        affordable = cost <= self.budget[rows]
        self.repairable[rows[feasible & ~affordable]] = True
        admissible = np.flatnonzero(feasible & affordable)
        if not len(admissible):
            return
        values = features(state)[admissible]
        sound = np.isfinite(values).all(axis=1)
        if len(steps) <= 1:
            self.ok[rows[admissible[~sound]]] = False
        taken = admissible[sound]
        self.repairable[rows[taken]] = True
        self.found.append(Reached(steps, rows[taken], cost[taken], values[sound]))


def features(state: State) -> Floats:
    """(rows, p): the features of a state."""
    table = np.empty((state.rows, len(state.program.keep.features)))
    for number, feature in enumerate(state.program.keep.features):
        table[:, number] = state.of(feature)
    return table


def gather(program: Program, columns: Mapping[str, Array], n: int) -> Gathered:
    """The admissible states of encoded columns."""
    with np.errstate(all="ignore"):
        state, ok, plain = start(program, columns, n)
        budget = state.full(program.budget)
        walk = Gather(program, budget, ok)
        walk.visit(state, np.arange(n), np.zeros(n), ())
        found = sorted(walk.found, key=lambda end: (len(end.steps), end.steps))
        plans = [np.full(len(end.rows), plan_number(program, end.steps)) for end in found]
        row = joined([end.rows for end in found], np.intp)
        order = np.flatnonzero(ok[row])
        order = order[np.argsort(row[order], kind="stable")]
        return Gathered(
            row[order],
            joined(plans, np.int64)[order],
            joined([end.cost for end in found], np.float64)[order],
            np.concatenate([np.empty((0, walk.given.shape[1])), *(end.features for end in found)])[order],
            walk.given,
            walk.violated,
            walk.repairable,
            personas_of(program, plain, n),
            np.array(budget) + 0.0,
            np.array(state.full(program.threshold)),
            ~ok,
        )


def joined(parts: list[Array], dtype: type) -> Array:
    """Arrays one after the other."""
    return np.concatenate([np.empty(0, dtype), *parts])
