"""From decisions and the truth to all figures; racl's own models and every baseline are measured by this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.engines.outputs import CREDITS
from racl.metrics import rates
from racl.metrics.calibration import Calibration, calibration
from racl.metrics.intervals import RESAMPLES
from racl.metrics.judged import PREFERENCE, STRUCTURE, UNKNOWN, Judged
from racl.metrics.ranking import auroc
from racl.metrics.regret import edr
from racl.metrics.report import Bucket, Figures, Group, Metrics
from racl.metrics.trial import Trial, trial
from racl.metrics.truth import Truth
from racl.options import Floats, Truths


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which group of a column each row is in."""

    code: NDArray[np.intp]  # (n,)
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chance:
    """How intervals are drawn."""

    seed: int = 0
    resamples: int = RESAMPLES  # 0 for no interval where it takes a bootstrap


def measure(
    judged: Judged,
    truth: Truth,
    *,
    choice_set: NDArray[Any] | None = None,
    weight: Floats | None = None,
    floor: float = 0.0,
    by: Mapping[str, Grouping] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Metrics:
    """All figures of decisions on n rows.

    Rows of one choice set have the same entry in `choice_set`; without it each row is a choice set of its own.
    """
    whole = trial(judged, truth, choice_set=choice_set, weight=weight, floor=floor)
    return measured(whole, by or {}, Chance(seed, resamples))


def measured(trial: Trial, by: Mapping[str, Grouping], chance: Chance) -> Metrics:
    """All figures of a trial."""
    found, bins = figures(trial, chance)
    return Metrics(
        found,
        counts(trial),
        buckets(trial),
        confusion(trial),
        bins,
        {name: tuple(_groups(trial, grouping, chance)) for name, grouping in by.items()},
    )


def figures(trial: Trial, chance: Chance) -> tuple[Figures, Calibration]:
    """The figures of some rows, and their calibration."""
    bins = calibration(trial, seed=chance.seed, resamples=chance.resamples)
    found = Figures(
        fvr=rates.fvr(trial),
        far=rates.far(trial),
        credit=rates.credit(trial),
        credit_end_to_end=rates.credit_end_to_end(trial),
        plan=rates.plan(trial),
        plan_end_to_end=rates.plan_end_to_end(trial),
        auroc=auroc(trial),
        edr=edr(trial, seed=chance.seed, resamples=chance.resamples),
        ece=bins.ece,
    )
    return found, bins


def _groups(trial: Trial, grouping: Grouping, chance: Chance) -> list[Group]:
    """The figures of each group; regret only where no choice set has rows of several groups."""
    parted = _parts_sets(trial, grouping.code)
    order = np.argsort(grouping.code, kind="stable")
    bounds = np.searchsorted(grouping.code[order], np.arange(len(grouping.names) + 1))
    groups = []
    for number, name in enumerate(grouping.names):
        part = trial.take(order[bounds[number] : bounds[number + 1]])
        found, bins = figures(part, chance)
        if parted:
            found = replace(found, edr=rates.without("EDR", "choice sets have rows of several groups"))
        groups.append(Group(name, len(part), found, bins))
    return groups


def _parts_sets(trial: Trial, code: NDArray[np.intp]) -> bool:
    pairs = len(np.unique(trial.sets * (int(code.max(initial=0)) + 1) + code))
    return pairs > trial.count


def counts(trial: Trial) -> dict[str, int]:
    """How many rows of each kind there are."""
    truth = trial.truth
    return {
        "rows": len(trial),
        "refused": 0,
        "choice_sets": trial.count if trial.grouped else 0,
        "feasible": int(truth.feasible.sum()),
        "admissible": int(truth.admissible.sum()),
        "truly_accepted": int(truth.accepted.sum()),
        "repairable_good": int(truth.repairable_good.sum()),
        "labelled_accepted": int(truth.labels.sum()),
        "labelled_accepted_without_admissible_repair": int((truth.labels & ~truth.admissible).sum()),
        "accepted_by_the_model": int(trial.judged.accepted.sum()),
    }


def buckets(trial: Trial) -> tuple[Bucket, ...]:
    """The four outcomes that rows truly have, as the paper counts them."""
    truth = trial.truth
    good = truth.repairable_good
    rejections = {
        "rejected: structure or cost": ~truth.accepted & (truth.bucket == STRUCTURE),
        "rejected: preference": ~truth.accepted & (truth.bucket == PREFERENCE),
    }
    acceptances = {"repairable-good": good, "accepted otherwise": truth.accepted & ~good}
    silent = bool(len(trial)) and bool((trial.judged.bucket == UNKNOWN).all())
    right = trial.judged.bucket == truth.bucket
    found = []
    for name, among in rejections.items():
        credit = rates.share("bucket", trial, right, among)
        found.append(
            _bucket(
                trial,
                name,
                among,
                rates.without("bucket", "the model gives no credits") if silent else credit,
            )
        )
    accepted = rates.without("bucket", "accepted rows have none")
    return (*found, *(_bucket(trial, name, among, accepted) for name, among in acceptances.items()))


def _bucket(trial: Trial, name: str, among: Truths, right: rates.Rate) -> Bucket:
    accepted = rates.share("accepted", trial, trial.judged.accepted, among)
    return Bucket(name, int(among.sum()), accepted, right)


def confusion(trial: Trial) -> tuple[tuple[int, ...], ...] | None:
    """(6, 6) rows by their true credit and by the model's; nothing where one of them is not known."""
    true, said = trial.truth.credit, trial.judged.credit
    if true is None or said is None:
        return None
    known = (true >= 0) & (said >= 0)
    pairs = true[known].astype(np.intp) * len(CREDITS) + said[known]
    table = np.bincount(pairs, minlength=len(CREDITS) ** 2).reshape(len(CREDITS), len(CREDITS))
    return tuple(tuple(int(cell) for cell in row) for row in table)
