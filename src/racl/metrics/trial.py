"""Decisions beside the truth: what every figure is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.errors import DataError, Problem
from racl.metrics.by_row import ByRow
from racl.metrics.judged import Judged
from racl.metrics.truth import Truth
from racl.options import Floats, Truths

SHOWN = 10
ONE_CONTEXT = ("threshold", "budget", "persona")  # of all rows of a choice set


@dataclass(frozen=True, eq=False)
class Trial:
    """Decisions on n rows beside what is true of them, the choice sets that the rows form, and how much each counts."""

    judged: Judged
    truth: Truth
    sets: NDArray[np.intp]  # (n,) number of the choice set, from 0 without gaps
    grouped: bool  # whether there are choice sets; else each row is one of its own
    weight: Floats | None  # (n,) None where every row counts 1
    floor: float  # of the scale: worth of an option that is picked though nothing is admissible
    row: NDArray[np.intp]  # (n,) its number among all that came in

    def __len__(self) -> int:
        return len(self.truth)

    @cached_property
    def count(self) -> int:
        """How many choice sets there are."""
        return int(self.sets.max()) + 1 if len(self.sets) else 0

    @cached_property
    def weights(self) -> Floats:
        """(n,) how much each row counts."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def unit(self) -> str:
        """What a bootstrap draws."""
        return "choice set" if self.grouped else "row"

    def take(self, rows: NDArray[np.intp] | Truths) -> Trial:
        """Some of the rows, in the order given."""
        sets = np.unique(self.sets[rows], return_inverse=True)[1]
        weight = None if self.weight is None else self.weight[rows]
        judged, truth = self.judged.take(rows), self.truth.take(rows)
        return Trial(judged, truth, sets, self.grouped, weight, self.floor, self.row[rows])

    def by_set(self, *figures: NDArray[Any]) -> Floats:
        """(sets, k) the sums of figures (n,) over the rows of each choice set."""
        sums = [np.bincount(self.sets, figure, self.count) for figure in figures]
        return np.stack(sums, axis=1)


def trial(
    judged: Judged,
    truth: Truth,
    *,
    choice_set: NDArray[Any] | None = None,
    weight: Floats | None = None,
    floor: float = 0.0,
    row: NDArray[np.intp] | None = None,
) -> Trial:
    """A trial of these decisions; raises DataError where a choice set has rows of different contexts."""
    lengths = {len(one) for one in (judged, truth, choice_set, weight, row) if isinstance(one, SIZED)}
    if len(lengths) > 1:
        raise ValueError(f"decisions, truth and what goes with them have {sorted(lengths)} rows")
    order = np.arange(len(truth))
    sets = order if choice_set is None else np.unique(choice_set, return_inverse=True)[1]
    found = Trial(judged, truth, sets, choice_set is not None, weight, floor, order if row is None else row)
    _check_contexts(found)
    return found


SIZED = (ByRow, np.ndarray)


def _check_contexts(trial: Trial) -> None:
    """A choice set is presented in one context."""
    if not trial.grouped:
        return
    first = np.zeros(trial.count, np.intp)
    first[trial.sets[::-1]] = np.arange(len(trial))[::-1]
    leader = first[trial.sets]
    problems = []
    for name in ONE_CONTEXT:
        column = getattr(trial.truth, name)
        for row in np.flatnonzero(column != column[leader])[:SHOWN]:
            pair = f"rows {trial.row[leader[row]]} and {trial.row[row]}"
            shown = "" if name == "persona" else f", {column[leader[row]]:g} and {column[row]:g}"
            what = f"{pair} are of one choice set and differ in {name}{shown}"
            problems.append(Problem("choice_set", what, "a choice set is presented in one context"))
    if problems:
        raise DataError(problems[:SHOWN])
