"""Where choices come from: a seed, or hypothesis; generators do not know which."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

HALVES = (
    0.0,
    1.0,
    2.0,
    0.5,
    -1.0,
    -2.0,
    3.0,
    4.0,
    0.25,
    -0.5,
    5.0,
    10.0,
    8.0,
    -4.0,
)  # sums of them are exact
TENTHS = (0.1, 0.3, 0.7, -0.1, 1.1, 2.14, 99.99, -7.3, 1 / 3, 1e-3)  # sums of them are not
EXTREMES = (-0.0, 5e-324, 1e-300, 1e16, 2.0**53, 1e300, -1e300, 1.7976931348623157e308)


class Chance(Protocol):
    """A source of choices."""

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high."""

    def pick(self, among: Sequence[T]) -> T:
        """One of several, the simplest standing first."""

    def likely(self, percent: int) -> bool:
        """True in so many cases of a hundred."""


@dataclass(frozen=True, slots=True)
class Seeded:
    """Choices by a seed: fast and repeatable."""

    random: random.Random

    @classmethod
    def of(cls, seed: int) -> Seeded:
        """The choices of a seed."""
        return cls(random.Random(seed))

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high."""
        return self.random.randint(low, high)

    def pick(self, among: Sequence[T]) -> T:
        """One of several."""
        return among[int(self.random.random() * len(among))]

    def likely(self, percent: int) -> bool:
        """True in so many cases of a hundred."""
        return self.random.random() * 100 < percent


@dataclass(frozen=True, slots=True)
class Drawn:
    """Choices by hypothesis: what fails becomes as simple as can be."""

    draw: st.DrawFn

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high."""
        return self.draw(st.integers(low, high))

    def pick(self, among: Sequence[T]) -> T:
        """One of several."""
        return among[self.draw(st.integers(0, len(among) - 1))]

    def likely(self, percent: int) -> bool:
        """True in so many cases of a hundred; false is simpler."""
        return self.draw(st.integers(0, 99)) >= 100 - percent


def number(chance: Chance) -> float:
    """A number: mostly small and dyadic, so that sums meet exactly; sometimes not; rarely at the edge of float64."""
    kind = chance.integer(0, 99)
    pool = HALVES if kind < 70 else TENTHS if kind < 97 else EXTREMES
    return chance.pick(pool)


def beside(chance: Chance, value: float) -> float:
    """The number itself, or one of its two neighbours."""
    kind = chance.integer(0, 9)
    if kind < 7:
        return value
    return math.nextafter(value, math.inf if kind == 8 else -math.inf)
