"""From log odds to a score that may be compared with thresholds: affine scaling, and the guard (A, S) of the paper.

All that a guard reads are levels: where the log odds and the thresholds of feasible rows lie, for each persona. They
add up over stretches of rows, so that one pass finds them wherever the rows are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from racl.errors import DataError, Problem
from racl.learn.sample import Logits
from racl.learn.sums import Stretch
from racl.options import Floats

CAPS = (5.0, 10.0, 20.0, 50.0)  # A in the paper
SPANS = (5.0, 10.0, 20.0)  # S in the paper


class Scaling(StrEnum):
    """How log odds became a score."""

    AFFINE = "affine"  # (u . g + d) / beta
    NORMALISED = "normalised"  # the fallback, where beta is too small to divide by
    GUARDED = "guarded"  # pressed into twice the span of the thresholds
    LEVEL = "level"  # log odds set upon the one threshold there is


@dataclass(frozen=True, slots=True)
class Guard:
    """The cap A on 1 / beta and the cap S on the span of scores in spans of thresholds; infinite for no guard."""

    cap: float = np.inf
    span: float = np.inf


GRID = tuple(Guard(cap, span) for cap in CAPS for span in SPANS)
FIXED = Guard(50.0, 20.0)
NONE = Guard()


@dataclass(frozen=True, slots=True)
class Level:
    """Where numbers lie."""

    low: float
    high: float
    mean: float
    deviation: float

    @property
    def span(self) -> float:
        """From the least to the greatest."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """Between the least and the greatest."""
        return (self.low + self.high) / 2.0


@dataclass(frozen=True, eq=False)
class Levels:
    """Of the anchors of H groups, where their log odds and their thresholds lie: two columns each."""

    count: Floats  # (H,) rows
    low: Floats  # (H, 2)
    high: Floats
    mean: Floats
    square: Floats  # (H, 2) sums of squared deviations from the mean

    def __add__(self, other: Levels) -> Levels:
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros(len(count)), where=count > 0)[:, None]
        away = other.mean - self.mean
        return Levels(
            count,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.mean + share * away,
            self.square + other.square + away * away * share * self.count[:, None],
        )

    @property
    def varied(self) -> NDArray[np.bool_]:
        """(H,) groups whose thresholds differ."""
        return (self.count > 0) & (self.high[:, 1] > self.low[:, 1])

    def of(self, group: int) -> tuple[Level, Level]:
        """The log odds and the thresholds of a group."""
        deviation = np.sqrt(self.square[group] / self.count[group])
        columns = zip(self.low[group], self.high[group], self.mean[group], deviation, strict=True)
        odds, threshold = (Level(*map(float, column)) for column in columns)
        return odds, threshold

    def put(self, groups: NDArray[np.intp], other: Levels) -> Levels:
        """The same, some groups replaced."""
        found = {one.name: getattr(self, one.name).copy() for one in fields(self)}
        for name, array in found.items():
            array[groups] = getattr(other, name)
        return Levels(**found)


def own_levels(anchors: Stretch, logits: Logits) -> Levels:
    """The levels of each persona's anchors under its own coefficients."""
    group, groups = anchors.group, len(logits.d)
    odds = np.einsum("ij,ij->i", anchors.features, logits.u[group]) + logits.d[group]
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(groups + 1))
    pair = np.column_stack([odds, anchors.threshold])[order]
    some = np.flatnonzero(np.diff(bounds))
    found = no_levels(groups)
    if len(some):
        parts = [_levels(pair[bounds[one] : bounds[one + 1]]) for one in some]
        found = found.put(some, _stacked(parts))
    return found


def common_levels(anchors: Stretch, logits: Logits) -> Levels:
    """The levels of all anchors under the coefficients of each group."""
    if not len(anchors):
        return no_levels(len(logits.d))
    pairs = (
        np.column_stack([anchors.features @ u + d, anchors.threshold])
        for u, d in zip(logits.u, logits.d, strict=True)
    )
    return _stacked([_levels(pair) for pair in pairs])


def no_levels(groups: int) -> Levels:
    """Those of no rows at all."""
    shape = (groups, 2)
    return Levels(
        np.zeros(groups), np.full(shape, np.inf), np.full(shape, -np.inf), np.zeros(shape), np.zeros(shape)
    )


def _levels(pair: Floats) -> Levels:
    mean = pair.mean(axis=0)
    square = ((pair - mean) ** 2).sum(axis=0)
    found = (np.array(float(len(pair))), pair.min(axis=0), pair.max(axis=0), mean, square)
    return Levels(*(np.asarray(one)[None] for one in found))


def _stacked(parts: list[Levels]) -> Levels:
    return Levels(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Levels)))


@dataclass(frozen=True, slots=True)
class Scaled:
    """What became of one persona's log odds: score = factor * (u . g + d) + shift."""

    scaling: Scaling
    beta: float
    score_span: float  # R in the paper
    threshold_span: float  # T in the paper
    factor: float
    shift: float
    own: bool  # set against the persona's own anchors, not against those of all


Fallback = Callable[[Level, Level], tuple[float, float]]


def by_spread(odds: Level, threshold: Level) -> tuple[float, float]:
    """Log odds brought to the mean and the deviation of the thresholds."""
    factor = threshold.deviation / odds.deviation if odds.deviation > 0 else 0.0
    return factor, threshold.mean - factor * odds.mean


def by_span(odds: Level, threshold: Level) -> tuple[float, float]:
    """Log odds brought to the smallest and the largest threshold."""
    factor = threshold.span / odds.span if odds.span > 0 else 0.0
    return factor, threshold.low - factor * odds.low


def by_odds(odds: Level, threshold: Level) -> tuple[float, float]:
    """Log odds set about the mean threshold: even odds there."""
    factor = 2.0 * threshold.span / odds.span if odds.span > 0 else 0.0
    return factor, threshold.mean


FALLBACKS: Mapping[str, Fallback] = {"spread": by_spread, "span": by_span, "odds": by_odds}


def scaled(
    logits: Logits, levels: Callable[..., Levels], guard: Guard, *, fallback: str = "spread"
) -> tuple[Scaled, ...]:
    """How each persona's log odds become a score under a guard.

    `levels(logits, own=True)` are those of each persona's own anchors; a persona without any whose thresholds differ is
    set against the anchors of all, `levels(logits, own=False)`.
    """
    if guard == NONE and (logits.beta > 0).all():
        return tuple(_affine(float(beta)) for beta in logits.beta)
    found = levels(logits, own=True)
    other = np.flatnonzero(~found.varied)
    if len(other):
        found = found.put(other, _of_all(logits, other, levels))
    if not found.count.all():
        what, hint = "no row is feasible as it came", "scores are set against such rows"
        raise DataError([Problem("rows", what, hint)])
    own = np.isin(np.arange(len(logits.d)), other, invert=True)
    return tuple(
        _scaled(float(logits.beta[group]), *found.of(group), guard, FALLBACKS[fallback], own=bool(own[group]))
        for group in range(len(logits.d))
    )


def _of_all(logits: Logits, groups: NDArray[np.intp], levels: Callable[..., Levels]) -> Levels:
    """The levels of all anchors under the coefficients of some groups, many of which have the same."""
    whole = np.column_stack([logits.u, logits.d, logits.beta])[groups]
    unique, place = np.unique(whole, axis=0, return_inverse=True)
    found = levels(Logits(unique[:, :-2], unique[:, -2], unique[:, -1]), own=False)
    return Levels(*(getattr(found, one.name)[place.ravel()] for one in fields(Levels)))


def _affine(beta: float) -> Scaled:
    return Scaled(Scaling.AFFINE, beta, np.nan, np.nan, 1.0 / beta, 0.0, own=True)


def _scaled(
    beta: float, odds: Level, threshold: Level, guard: Guard, fallback: Fallback, *, own: bool
) -> Scaled:
    width = threshold.span
    if width <= 0:
        if guard == NONE:
            return Scaled(Scaling.LEVEL, beta, odds.span, width, 1.0, threshold.low, own)
        raise DataError([one_threshold(threshold.low)])
    if beta > 0 and beta >= 1.0 / guard.cap:
        scaling, factor, shift = Scaling.AFFINE, 1.0 / beta, 0.0
    else:
        scaling, (factor, shift) = Scaling.NORMALISED, fallback(odds, threshold)
    score_span = abs(factor) * odds.span
    if score_span > guard.span * width:
        ratio = 2.0 * width / score_span
        shift = ratio * (shift - (factor * odds.middle + shift)) + threshold.middle
        scaling, factor = Scaling.GUARDED, ratio * factor
    return Scaled(scaling, beta, score_span, width, factor, shift, own)


def one_threshold(threshold: float) -> Problem:
    """What is wrong where all thresholds are the same."""
    what = f"every threshold is {threshold:g}: what a unit of it is worth cannot be learned"
    hint = "learn from rows whose thresholds differ, or with the guard `none` or `certified` for this one threshold"
    return Problem("threshold", what, hint)


def weights_of(logits: Logits, scaling: Iterable[Scaled]) -> Floats:
    """(personas + 1, p + 1): bias and weights of the score of each persona."""
    one = tuple(scaling)
    factor, shift = (np.array([getattr(each, name) for each in one]) for name in ("factor", "shift"))
    return np.column_stack([factor * logits.d + shift, factor[:, None] * logits.u])
