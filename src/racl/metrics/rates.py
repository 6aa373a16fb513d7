"""Shares of rows: false vetoes, false accepts, credit and plans, each with its count and interval."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from racl.metrics.intervals import effective, wilson
from racl.metrics.judged import UNKNOWN
from racl.metrics.trial import Trial
from racl.options import Truths

NO_ROWS = "there are no such rows"
NO_TRUTH = "needs a truth model"


@dataclass(frozen=True, slots=True)
class Rate:
    """A figure with its count and its 95 % interval; without a value, `method` says why there is none."""

    name: str
    value: float | None
    count: (
        int  # rows that hit: false vetoes, right plans, accepted labels ...; of EDR, choice sets with regret
    )
    of: int  # rows, or choice sets, that the figure is about
    low: float | None
    high: float | None
    method: str  # how the interval was found

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name} - ({self.method})"
        between = "" if self.low is None else f", {self.low:.4f} to {self.high:.4f}"
        return f"{self.name} {self.value:.4f} ({self.count:,} of {self.of:,}{between})"

    def to_dict(self) -> dict[str, Any]:
        """The figure as plain data."""
        return asdict(self)


def without(name: str, why: str, of: int = 0) -> Rate:
    """A figure that has no value here."""
    return Rate(name, None, 0, of, None, None, why)


def share(name: str, trial: Trial, hit: Truths, among: Truths) -> Rate:
    """The share of hits among some of the rows; weighted, where rows have weights, the counts still being rows."""
    count, of = int((hit & among).sum()), int(among.sum())
    if trial.weight is None:
        return _share(name, count, of, count / of if of else math.nan, of)
    weight = trial.weight[among]
    total = float(weight.sum())
    value = float(trial.weight[hit & among].sum()) / total if total else math.nan
    return _share(name, count, of, value, effective(weight))


def _share(name: str, count: int, of: int, value: float, rows: float) -> Rate:
    if math.isnan(value):
        return without(name, NO_ROWS, of)
    low, high = wilson(value, rows)
    return Rate(name, value, count, of, low, high, "Wilson")


def fvr(trial: Trial) -> Rate:
    """The false veto rate: of the repairable-good rows, those that are rejected."""
    return share("FVR", trial, ~trial.judged.accepted, trial.truth.repairable_good)


def far(trial: Trial) -> Rate:
    """The false accept rate: of the truly rejected rows, those that are accepted."""
    return share("FAR", trial, trial.judged.accepted, ~trial.truth.accepted)


def credit(trial: Trial) -> Rate:
    """Credit accuracy: of the truly rejected rows, those whose bucket is right, taken as if each were rejected."""
    if len(trial) and (trial.judged.bucket == UNKNOWN).all():
        return without("CreditAcc", "the model gives no credits")
    right = trial.judged.bucket == trial.truth.bucket
    return share("CreditAcc", trial, right, ~trial.truth.accepted)


def credit_end_to_end(trial: Trial) -> Rate:
    """Of all rows, those whose credit, one of six, is right."""
    name = "CreditAcc end to end"
    if trial.truth.credit is None:
        return without(name, NO_TRUTH)
    if trial.judged.credit is None:
        return without(name, "the model gives no credits")
    right = trial.judged.credit == trial.truth.credit
    return share(name, trial, right, trial.truth.credit >= 0)


def plan(trial: Trial) -> Rate:
    """Plan accuracy: of the repairable-good rows, those whose best plan is right, accepted or not."""
    return _plans("PlanAcc", trial, trial.judged.best, trial.truth.best)


def plan_end_to_end(trial: Trial) -> Rate:
    """Of the repairable-good rows, those for which the right plan is returned."""
    return _plans("PlanAcc end to end", trial, trial.judged.plan, trial.truth.plan)


def _plans(name: str, trial: Trial, said: Any, true: Any) -> Rate:
    if true is None:
        return without(name, NO_TRUTH)
    if said is None:
        return without(name, "the model gives no plans")
    return share(name, trial, said == true, trial.truth.repairable_good)
