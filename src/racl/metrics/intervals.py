"""95 % intervals of shares and of means over units, and the exact test of discordant pairs."""

from __future__ import annotations

from math import sqrt

import numpy as np

from racl.options import Floats

Z = 1.959963984540054  # of a normal, 2.5 % lie above it
TAIL = 0.025
RESAMPLES = 1000
DRAWN = 1 << 16  # units times resamples that are counted at once

Interval = tuple[float, float]


def wilson(share: float, of: float) -> Interval:
    """Wilson's score interval of a share of so many, which need not be whole where rows are weighted.

    >>> low, high = wilson(10 / 4039, 4039)
    >>> round(low, 4), round(high, 4)
    (0.0013, 0.0046)
    """
    spread = Z * Z / of
    middle = share + spread / 2
    half = Z * sqrt(share * (1 - share) / of + spread / (4 * of))
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return (0.0 if share <= 0 else max(0.0, low)), (1.0 if share >= 1 else min(1.0, high))


def effective(weight: Floats) -> float:
    """How many rows of equal weight tell as much as these (Kish)."""
    squares = float(np.square(weight).sum())
    return float(weight.sum()) ** 2 / squares if squares else 0.0


def resampled(units: Floats, *, seed: int, resamples: int) -> Floats:
    """(resamples, k) sums of the figures (n, k) of n units, drawn n at a time with replacement.

    Units whose figures are all 0 add nothing: how many of the others are drawn is binomial, and only they are.
    """
    generator = np.random.default_rng(seed)
    some = units[units.any(axis=1)]
    sums = np.zeros((resamples, units.shape[1]))
    if not len(some):
        return sums
    drawn = generator.binomial(len(units), len(some) / len(units), size=resamples)
    step = max(1, DRAWN // len(some))
    for start in range(0, resamples, step):
        counts = _counts(drawn[start : start + step], len(some), generator)
        sums[start : start + step] = counts @ some
    return sums


def _counts(drawn: np.typing.NDArray[np.int64], units: int, generator: np.random.Generator) -> Floats:
    """(resamples, units) how often each unit is drawn."""
    at = generator.integers(units, size=int(drawn.sum()))
    at += np.repeat(np.arange(len(drawn)) * units, drawn)
    return np.bincount(at, minlength=len(drawn) * units).reshape(len(drawn), units).astype(np.float64)


def percentiles(samples: Floats) -> Interval | None:
    """Where the middle 95 % of resampled figures lie; nothing where none of them could be computed."""
    known = samples[~np.isnan(samples)]
    if not len(known):
        return None
    low, high = np.quantile(known, [TAIL, 1 - TAIL])
    return float(low), float(high)


def sign_probability(samples: Floats) -> float | None:
    """Two-sided p of a difference from how many of its resampled values lie on either side of 0."""
    known = samples[~np.isnan(samples)]
    if not len(known):
        return None
    least = min(int((known <= 0).sum()), int((known >= 0).sum()))
    return min(1.0, 2 * (least + 1) / (len(known) + 1))


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p of McNemar's test: discordant pairs fall to either side like a fair coin.

    >>> round(mcnemar(1, 8), 9)
    0.0390625
    >>> mcnemar(4, 4)
    1.0
    """
    from scipy.stats import binom

    return min(1.0, 2.0 * float(binom.cdf(min(only_first, only_second), only_first + only_second, 0.5)))
