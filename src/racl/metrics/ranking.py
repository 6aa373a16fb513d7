"""AUROC: how well margins rank the rows that people accept above those that they reject."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from racl.metrics.intervals import TAIL, Interval, Z
from racl.metrics.rates import Rate, without
from racl.metrics.trial import Trial
from racl.options import Floats, Truths


@dataclass(frozen=True, eq=False)
class Ranks:
    """Rows by the level of their score, equal scores sharing one; no score is the lowest level of all."""

    level: NDArray[np.intp]  # (n,)
    levels: int
    positive: Truths  # (n,)

    def sums(self, weight: Floats) -> tuple[Floats, Floats]:
        """(levels,) the weight of the positive and of the negative rows on each level."""
        up = np.bincount(self.level, np.where(self.positive, weight, 0.0), self.levels)
        down = np.bincount(self.level, np.where(self.positive, 0.0, weight), self.levels)
        return np.asarray(up, np.float64), np.asarray(down, np.float64)

    def auroc(self, weight: Floats) -> float:
        """The share of pairs of a positive and a negative row that are ranked right, ties counting half."""
        up, down = self.sums(weight)
        pairs = up.sum() * down.sum()
        return float(up @ (np.cumsum(down) - down / 2) / pairs) if pairs else float("nan")


def ranks(score: Floats, positive: Truths) -> Ranks:
    """The levels of scores; NaN is no score."""
    known, level = np.unique(np.where(np.isnan(score), -np.inf, score), return_inverse=True)
    return Ranks(level, len(known), positive)


def auroc(trial: Trial) -> Rate:
    """The AUROC of the margin against the labels."""
    name, labels, weight = "AUROC", trial.truth.labels, trial.weights
    counted = weight > 0
    count, of = int((labels & counted).sum()), int(counted.sum())
    if count in (0, of):
        return without(name, "needs rows of both labels", of)
    found = ranks(trial.judged.margin, labels)
    value = found.auroc(weight)
    few = min(count, of - count)
    if value in (0.0, 1.0) or few == 1:
        low, high = disjoint_pairs(value, few)
        return Rate(name, value, count, of, low, high, "Clopper-Pearson on disjoint pairs")
    low, high = logit_interval(value, delong(found, value, weight))
    return Rate(name, value, count, of, low, high, "DeLong, on log odds")


def delong(found: Ranks, value: float, weight: Floats) -> float:
    """DeLong's variance of an AUROC: that of the placements of either class among the other."""
    up, down = found.sums(weight)
    squares_up, squares_down = found.sums(weight * weight)
    many = int((found.positive & (weight > 0)).sum())
    few = int((weight > 0).sum()) - many
    below = (np.cumsum(down) - down / 2) / down.sum()
    above = 1 - (np.cumsum(up) - up / 2) / up.sum()
    first = squares_up @ (below - value) ** 2 / up.sum() ** 2 * many / (many - 1)
    second = squares_down @ (above - value) ** 2 / down.sum() ** 2 * few / (few - 1)
    return float(first + second)


def logit_interval(value: float, variance: float) -> Interval:
    """An interval of a share strictly between 0 and 1 that stays there."""
    middle, half = log(value / (1 - value)), Z * sqrt(variance) / (value * (1 - value))
    low, high = (1 / (1 + exp(-min(max(end, -700.0), 700.0))) for end in (middle - half, middle + half))
    return low, high


def disjoint_pairs(value: float, pairs: int) -> Interval:
    """Where no variance can be estimated: that many pairs share no row, so they are independent trials.

    With one pair, or an AUROC that is neither 0 nor 1, nothing more is known than that it lies between them.
    """
    bound = TAIL ** (1 / pairs)
    return (bound if value == 1 else 0.0), (1 - bound if value == 0 else 1.0)
