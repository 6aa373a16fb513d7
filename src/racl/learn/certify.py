"""A margin on the score that bounds the false veto rate, whatever the distribution: exact binomial bounds on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from racl.errors import DataError, Problem
from racl.learn.sample import Sample
from racl.options import Floats, at, best, values

ALPHA, DELTA = 0.01, 0.05


@dataclass(frozen=True, slots=True)
class Certificate:
    """With confidence 1 - delta at most alpha of the false vetoes that labels show remain, at this margin."""

    margin: float
    alpha: float
    delta: float
    units: int  # independent rows that are infeasible, have an admissible repair and were accepted
    misses: int
    bound: float  # upper confidence bound on the false veto rate
    held_out: int  # choice sets set aside, each giving one row


def certified(
    sample: Sample, weights: Floats, *, alpha: float = ALPHA, delta: float = DELTA, seed: int = 0
) -> Certificate:
    """The smallest margin that keeps the false veto rate of held-out rows below alpha, with confidence 1 - delta."""
    rows = one_of_each(sample.choice_set, np.random.default_rng(seed))
    drawn = sample.take(rows)
    short = shortfalls(drawn, weights)
    allowed = most_misses(len(short), alpha, delta)
    if allowed is None:
        raise DataError([too_few(len(short), len(rows), alpha, delta)])
    margin = max(0.0, float(short[allowed])) if allowed < len(short) else 0.0
    more = np.spacing(max(1.0, margin, float(np.abs(weights).max())))
    while (
        missed := misses(drawn, added(weights, margin))
    ) > allowed:  # sums are rounded anew with it in the bias
        margin, more = margin + float(more), 2 * more
    return Certificate(
        margin, alpha, delta, len(short), missed, upper_bound(missed, len(short), delta), len(rows)
    )


def one_of_each(choice_set: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """One row of each choice set, each as likely as any other of the set."""
    order = rng.permutation(len(choice_set))
    _, first = np.unique(choice_set[order], return_index=True)
    return np.sort(order[first])


def eligible(sample: Sample) -> NDArray[np.bool_]:
    """Rows that are infeasible, have an admissible repair and were accepted: what a false veto would lose."""
    options = sample.options
    return ~options.feasible & options.admissible & sample.accepted & (sample.weight > 0)


def shortfalls(sample: Sample, weights: Floats) -> Floats:
    """How far below the threshold the value of each eligible row is, the furthest first; negative above it."""
    states = values(sample.options, weights)
    value = at(states, best(sample.options, states), nothing=-np.inf)
    return np.sort((sample.options.threshold - value)[eligible(sample)])[::-1]


def misses(sample: Sample, weights: Floats) -> int:
    """How many eligible rows the weights reject."""
    states = values(sample.options, weights)
    value = at(states, best(sample.options, states), nothing=-np.inf)
    return int(np.count_nonzero((value < sample.options.threshold) & eligible(sample)))


def added(weights: Floats, margin: float) -> Floats:
    """Weights whose score is higher by the margin."""
    raised = weights.copy()
    raised[:, 0] += margin
    return raised


def upper_bound(count: int, of: int, delta: float) -> float:
    """One-sided Clopper-Pearson: the share that so few would be this unlikely under."""
    from scipy.special import betaincinv

    return 1.0 if count >= of else float(betaincinv(count + 1, of - count, 1 - delta))


def most_misses(units: int, alpha: float, delta: float) -> int | None:
    """The most misses among so many units with an upper bound of at most alpha; none where even 0 is too many."""
    from scipy.special import bdtr, bdtrik

    # the bound of k misses is at most alpha just where so few have a chance of at most delta under alpha
    if units == 0 or bdtr(0, units, alpha) > delta:
        return None
    most = max(0, int(bdtrik(delta, units, alpha)))
    while bdtr(most, units, alpha) > delta:
        most -= 1
    while bdtr(most + 1, units, alpha) <= delta:
        most += 1
    return most


def units_needed(alpha: float, delta: float) -> int:
    """The fewest units of which, with no miss, the bound is at most alpha.

    >>> units_needed(0.01, 0.05)
    299
    """
    units = max(1, int(np.floor(np.log(delta) / np.log1p(-alpha))))
    while (1 - alpha) ** units > delta:
        units += 1
    return units


def too_few(units: int, sets: int, alpha: float, delta: float) -> Problem:
    """What is wrong where not even a rule without a miss could be certified."""
    needed = units_needed(alpha, delta)
    what = (
        f"{units:,} of {sets:,} held-out rows (one of each choice set) are infeasible, repairable and accepted;"
        f" alpha {alpha:g} at confidence {1 - delta:g} needs {needed:,}"
    )
    share = units / sets if sets else 0.0
    wanted = f", about {int(np.ceil(needed / share)):,} rows" if share else ""
    hint = f"hold out more{wanted} (`held_out`, `--hold-out`), or raise alpha"
    return Problem("certified", what, hint)
