"""What a model says of n rows, in the one form that metrics read: racl's own models and every baseline alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from racl import options as table
from racl.engines.outputs import CREDIT_NUMBER
from racl.metrics.by_row import ByRow
from racl.options import Floats, Options, Truths
from racl.semantics import Credit

STRUCTURE, PREFERENCE = 0, 1  # buckets of a rejection: structure or cost, preference
UNKNOWN = -1  # of a model that gives no credits


@dataclass(frozen=True, eq=False)
class Judged(ByRow):
    """Decisions on n rows, and what else metrics ask of whoever decided."""

    accepted: Truths  # (n,)
    value: Floats  # (n,) on the scale of the model, by which it picks among the options of a choice set; NaN for none
    margin: Floats  # (n,) by which rows are ranked; NaN for none
    bucket: NDArray[
        np.int8
    ]  # (n,) of the rejection as if the row were rejected: STRUCTURE, PREFERENCE or UNKNOWN
    best: NDArray[np.object_] | None  # (n,) name of the best plan, accepted or not; None where there is none
    plan: NDArray[np.object_] | None  # (n,) name of the plan returned; None on rejection
    credit: NDArray[np.int8] | None  # (n,) number of the credit in `CREDITS`
    probability: Floats | None = (
        None  # (n,) of acceptance, as whoever decided says it; None where nothing is said
    )

    def __len__(self) -> int:
        return len(self.accepted)


def judged(options: Options, weights: Floats) -> Judged:
    """What weights (personas + 1, p + 1) decide on the rows of a table of options, to the bit as the engines do."""
    return judged_states(options, table.values(options, weights))


def judged_states(options: Options, values: Floats) -> Judged:
    """What is decided on the rows of a table of options whose states have these values (m,)."""
    top, about = table.best(options, values), table.chosen(options, values)
    value = table.at(values, about, nothing=np.nan)
    accepted = table.at(values, top, nothing=-np.inf) >= options.threshold
    some = top >= 0
    return Judged(
        accepted,
        table.at(values, top, nothing=np.nan),
        value - options.threshold,
        np.where(some, PREFERENCE, STRUCTURE).astype(np.int8),
        _names(options, top),
        _names(options, np.where(accepted, about, table.NONE)),
        credits_of(
            options, accepted=accepted, some=some, keep=table.at(values, options.kept(), nothing=-np.inf)
        ),
    )


def _names(options: Options, states: NDArray[np.intp]) -> NDArray[np.object_]:
    return table.plan_names(options.program, table.at(options.plan, states, nothing=table.NONE))


def credits_of(options: Options, *, accepted: Truths, some: Truths, keep: Floats) -> NDArray[np.int8]:
    """(n,) the number of each row's credit; `keep` is the value of the candidate as it came, -inf where not feasible."""
    number = CREDIT_NUMBER
    good = np.where(keep >= options.threshold, number[Credit.ALREADY_GOOD], number[Credit.REPAIRABLE_GOOD])
    vetoed = np.where(options.repairable, number[Credit.OVER_BUDGET], number[Credit.NON_REPAIRABLE])
    suboptimal = np.where(
        options.feasible, number[Credit.FEASIBLE_SUBOPTIMAL], number[Credit.REPAIRABLE_SUBOPTIMAL]
    )
    return np.where(accepted, good, np.where(some, suboptimal, vetoed)).astype(np.int8)
