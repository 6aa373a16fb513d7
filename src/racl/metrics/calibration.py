"""Whether probabilities mean what they say; the data of a reliability diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.metrics.intervals import effective, percentiles, resampled, wilson
from racl.metrics.rates import NO_ROWS, Rate, without
from racl.metrics.trial import Trial
from racl.options import Floats

BINS = 10
NO_PROBABILITY = "the model gives no probabilities"


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows of similar probability (or margin), and how many of them people accept."""

    low: float  # the least probability or margin in the bin
    high: float  # the greatest
    rows: int
    predicted: float  # the mean probability or margin
    accepted: float  # the share labelled accepted
    accepted_low: float  # its 95 % interval, by Wilson
    accepted_high: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Rows in bins of about equal size, by probability where there is one, else by margin; equal values stay together."""

    scale: str  # `probability` or `margin`
    bins: tuple[Bin, ...]
    left_out: int  # rows without a margin
    ece: Rate  # expected calibration error: the mean distance of predicted and accepted over the rows

    def to_dict(self) -> dict[str, Any]:
        """The bins as plain data, for a diagram."""
        columns = ("low", "high", "rows", "predicted", "accepted", "accepted_low", "accepted_high")
        bins = [{name: getattr(one, name) for name in columns} for one in self.bins]
        return {"scale": self.scale, "left_out": self.left_out, "ece": self.ece.to_dict(), "bins": bins}


def calibration(trial: Trial, *, seed: int, resamples: int) -> Calibration:
    """The calibration of the decisions against the labels."""
    probability = trial.judged.probability
    scale = trial.judged.margin if probability is None else probability
    rows = np.flatnonzero(~np.isnan(scale) & (trial.weights > 0))
    number = equal_bins(scale[rows], BINS)
    bins = tuple(_bin(trial, scale, rows[number == one]) for one in range(int(number.max(initial=-1)) + 1))
    if probability is None:
        error = without("ECE", NO_PROBABILITY)
    else:
        error = _ece(trial, probability, rows, number, seed=seed, resamples=resamples)
    name = "margin" if probability is None else "probability"
    return Calibration(name, bins, len(trial) - len(rows), error)


def equal_bins(values: Floats, bins: int) -> NDArray[np.intp]:
    """(n,) the number of each value's bin: as many values in each as can be with equal values in one."""
    _, level, count = np.unique(values, return_inverse=True, return_counts=True)
    below = np.cumsum(count) - count
    wanted = (
        (below + (count - 1) / 2) * bins // max(1, len(values))
    )  # the bin of the middle one of equal values
    return np.asarray(np.unique(wanted, return_inverse=True)[1][level])


def _bin(trial: Trial, scale: Floats, rows: NDArray[np.intp]) -> Bin:
    weight, inside = trial.weights[rows], scale[rows]
    accepted = float(np.average(trial.truth.labels[rows], weights=weight))
    predicted = float(np.average(inside, weights=weight))
    low, high = wilson(accepted, effective(weight))
    return Bin(float(inside.min()), float(inside.max()), len(rows), predicted, accepted, low, high)


def _ece(
    trial: Trial,
    probability: Floats,
    rows: NDArray[np.intp],
    number: NDArray[np.intp],
    *,
    seed: int,
    resamples: int,
) -> Rate:
    """The error with a bootstrap of whole choice sets, the bins staying as they are."""
    if not len(rows):
        return without("ECE", NO_ROWS)
    bins = int(number.max()) + 1
    weight = trial.weights[rows]
    sets = trial.sets[rows]
    gap = weight * (probability[rows] - trial.truth.labels[rows])
    gaps = np.bincount(sets * bins + number, gap, trial.count * bins).reshape(trial.count, bins)
    units = np.column_stack([gaps, np.bincount(sets, weight, trial.count)])
    value = float(_error(units.sum(axis=0)[None])[0])
    if not resamples:
        return Rate("ECE", value, len(rows), len(rows), None, None, "no interval asked for")
    low, high = percentiles(_error(resampled(units, seed=seed, resamples=resamples))) or (None, None)
    method = f"bootstrap by {trial.unit}, {resamples:,} resamples"
    return Rate("ECE", value, len(rows), len(rows), low, high, method)


def _error(sums: Floats) -> Floats:
    """(resamples,) from the sums of the gaps in each bin, and of the weights."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(sums[:, :-1]).sum(axis=1) / sums[:, -1])
