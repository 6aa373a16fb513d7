"""Regret of decisions over choice sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from racl.errors import DataError, Problem
from racl.metrics.intervals import percentiles, resampled
from racl.metrics.rates import NO_ROWS, NO_TRUTH, Rate, without
from racl.metrics.trial import Trial
from racl.options import Floats

OUTSIDE = -1  # nothing is picked


@dataclass(frozen=True, eq=False)
class Regrets:
    """What the options that are picked are worth beside what could have been had, by choice set."""

    picked: NDArray[np.intp]  # (sets,) row of the option, or OUTSIDE
    had: Floats  # (sets,) V_M
    possible: Floats  # (sets,) V*

    @property
    def regret(self) -> Floats:
        """(sets,) V* - V_M."""
        return self.possible - self.had


def regrets(trial: Trial, true_value: Floats) -> Regrets:
    """The regret of each choice set, given the true best admissible value of each row, NaN for none."""
    outside = np.empty(trial.count)
    outside[trial.sets] = trial.truth.threshold
    possible = outside.copy()
    np.fmax.at(possible, trial.sets, true_value)
    at = picks(trial)
    worth = np.where(np.isnan(true_value), trial.floor, true_value)
    had = np.where(at == OUTSIDE, outside, np.append(worth, np.nan)[at])
    _check_floor(trial, at, true_value, possible)
    return Regrets(at, had, possible)


def picks(trial: Trial) -> NDArray[np.intp]:
    """(sets,) the accepted row of the highest value, of equals the first; OUTSIDE where none is accepted."""
    accepted = np.flatnonzero(trial.judged.accepted)
    sets, value = trial.sets[accepted], trial.judged.value[accepted]
    level = np.where(np.isnan(value), -np.inf, value)
    order = np.lexsort((accepted, -level, sets))
    first = np.ones(len(order), np.bool_)
    first[1:] = sets[order][1:] != sets[order][:-1]
    found = np.full(trial.count, OUTSIDE)
    found[sets[order[first]]] = accepted[order[first]]
    return found


def _check_floor(trial: Trial, at: NDArray[np.intp], true_value: Floats, possible: Floats) -> None:
    """A floor above what could have been had would make a regret negative."""
    nothing = (at != OUTSIDE) & np.append(np.isnan(true_value), False)[at]
    wrong = np.flatnonzero(nothing & (possible < trial.floor))
    if len(wrong):
        row = trial.row[at[wrong[0]]]
        what = f"{trial.floor:g} is above the {possible[wrong[0]]:g} that the choice set of row {row} offers"
        raise DataError([Problem("floor", what, "declare the lowest value of the scale")])


def edr(trial: Trial, *, seed: int, resamples: int) -> Rate:
    """Expected decision regret: the mean over choice sets, with a bootstrap of whole sets."""
    name = "EDR"
    if trial.truth.value is None:
        return without(name, NO_TRUTH)
    regret = regrets(trial, trial.truth.value).regret
    weight, total = set_weights(trial), trial.count
    if weight is not None:
        total = int((weight > 0).sum())
    if not total:
        return without(name, NO_ROWS)
    value = float(np.average(regret, weights=weight))
    interval = None
    if resamples:
        interval = percentiles(mean_resamples(regret, weight, seed=seed, resamples=resamples))
    low, high = interval or (None, None)
    method = f"bootstrap by {trial.unit}, {resamples:,} resamples" if resamples else "no interval asked for"
    return Rate(name, value, int((regret > 0).sum()), trial.count, low, high, method)


def set_weights(trial: Trial) -> Floats | None:
    """(sets,) how much each choice set counts: the mean of its rows' weights; nothing where all count 1."""
    if trial.weight is None:
        return None
    sums = trial.by_set(trial.weight, np.ones(len(trial)))
    return np.asarray(sums[:, 0] / sums[:, 1])


def mean_resamples(figure: Floats, weight: Floats | None, *, seed: int, resamples: int) -> Floats:
    """(resamples,) the mean of a figure (sets,) over sets drawn with replacement."""
    if weight is None:
        sums = resampled(figure[:, None], seed=seed, resamples=resamples)
        return np.asarray(sums[:, 0] / len(figure))
    sums = resampled(np.stack([weight * figure, weight], axis=1), seed=seed, resamples=resamples)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])
