"""From log odds to a score that may be compared with thresholds: affine scaling, and the guard (A, S) of the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from racl.errors import DataError, Problem
from racl.learn.sample import Logits
from racl.options import Floats, Options

CAPS = (5.0, 10.0, 20.0, 50.0)  # A in the paper
SPANS = (5.0, 10.0, 20.0)  # S in the paper


class Scaling(StrEnum):
    """How log odds became a score."""

    AFFINE = "affine"  # (u . g + d) / beta
    NORMALISED = "normalised"  # the fallback, where beta is too small to divide by
    GUARDED = "guarded"  # pressed into twice the span of the thresholds


@dataclass(frozen=True, slots=True)
class Guard:
    """The cap A on 1 / beta and the cap S on the span of scores in spans of thresholds; infinite for no guard."""

    cap: float = np.inf
    span: float = np.inf


GRID = tuple(Guard(cap, span) for cap in CAPS for span in SPANS)
FIXED = Guard(50.0, 20.0)
NONE = Guard()


@dataclass(frozen=True, eq=False)
class Anchors:
    """What scores are set against: the features and thresholds of the feasible rows of each persona."""

    features: Floats  # (a, p)
    threshold: Floats  # (a,)
    persona: NDArray[np.intp]  # (a,)

    def of(self, persona: int) -> tuple[Floats, Floats]:
        """The anchors of one persona; of all where it has none whose thresholds differ."""
        own = self.persona == persona
        if own.any() and np.ptp(self.threshold[own]) > 0:
            return self.features[own], self.threshold[own]
        return self.features, self.threshold


def anchors_of(options: Options) -> Anchors:
    """The anchors of a table of options."""
    rows = np.flatnonzero(options.feasible)
    return Anchors(options.features[options.kept()[rows]], options.threshold[rows], options.persona[rows])


@dataclass(frozen=True, slots=True)
class Scaled:
    """What became of one persona's log odds: score = factor * (u . g + d) + shift."""

    scaling: Scaling
    beta: float
    score_span: float  # R in the paper
    threshold_span: float  # T in the paper
    factor: float
    shift: float


Fallback = Callable[[Floats, Floats], tuple[float, float]]


def by_spread(odds: Floats, threshold: Floats) -> tuple[float, float]:
    """Log odds brought to the mean and the deviation of the thresholds."""
    spread = float(odds.std())
    factor = float(threshold.std()) / spread if spread > 0 else 0.0
    return factor, float(threshold.mean()) - factor * float(odds.mean())


def by_span(odds: Floats, threshold: Floats) -> tuple[float, float]:
    """Log odds brought to the smallest and the largest threshold."""
    span = float(np.ptp(odds))
    factor = float(np.ptp(threshold)) / span if span > 0 else 0.0
    return factor, float(threshold.min()) - factor * float(odds.min())


def by_odds(odds: Floats, threshold: Floats) -> tuple[float, float]:
    """Log odds set about the mean threshold: even odds there."""
    spread = float(np.ptp(odds))
    factor = 2.0 * float(np.ptp(threshold)) / spread if spread > 0 else 0.0
    return factor, float(threshold.mean())


FALLBACKS: Mapping[str, Fallback] = {"spread": by_spread, "span": by_span, "odds": by_odds}


def scaled(logits: Logits, anchors: Anchors, guard: Guard, *, fallback: str = "spread") -> tuple[Scaled, ...]:
    """How each persona's log odds become a score under a guard."""
    if not len(anchors.threshold):
        raise DataError(
            [Problem("rows", "no row is feasible as it came", "a guard sets scores against such rows")]
        )
    return tuple(
        _scaled(logits, persona, *anchors.of(persona), guard, FALLBACKS[fallback])
        for persona in range(len(logits.d))
    )


def _scaled(
    logits: Logits, persona: int, features: Floats, threshold: Floats, guard: Guard, fallback: Fallback
) -> Scaled:
    odds = features @ logits.u[persona] + logits.d[persona]
    beta, width = float(logits.beta[persona]), float(np.ptp(threshold))
    if width <= 0:
        raise DataError([one_threshold(float(threshold[0]))])
    if beta > 0 and beta >= 1.0 / guard.cap:
        scaling, factor, shift = Scaling.AFFINE, 1.0 / beta, 0.0
    else:
        scaling, (factor, shift) = Scaling.NORMALISED, fallback(odds, threshold)
    score_span = abs(factor) * float(np.ptp(odds))
    if score_span > guard.span * width:
        middle = factor * (float(odds.max()) + float(odds.min())) / 2.0 + shift
        ratio = 2.0 * width / score_span
        centre = (float(threshold.max()) + float(threshold.min())) / 2.0
        scaling, factor, shift = Scaling.GUARDED, ratio * factor, ratio * (shift - middle) + centre
    return Scaled(scaling, beta, score_span, width, factor, shift)


def one_threshold(threshold: float) -> Problem:
    """What is wrong where all thresholds are the same."""
    what = f"every threshold is {threshold:g}: what a unit of it is worth cannot be learned"
    return Problem(
        "threshold",
        what,
        "learn from rows whose thresholds differ; a guard would accept all that is feasible",
    )


def weights_of(logits: Logits, scaling: Iterable[Scaled]) -> Floats:
    """(personas + 1, p + 1): bias and weights of the score of each persona."""
    factor, shift = (np.array([getattr(one, name) for one in scaling]) for name in ("factor", "shift"))
    return np.column_stack([factor * logits.d + shift, factor[:, None] * logits.u])
