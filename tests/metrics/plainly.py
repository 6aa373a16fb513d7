"""Every figure as its definition says it, row by row in plain Python, and cases on which ties and gaps abound."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from racl.metrics.judged import PREFERENCE, STRUCTURE, Judged
from racl.metrics.truth import Truth

PLANS = ("keep", "add_bag", "upgrade", "add_bag + upgrade")
FLOOR = -9.0


@dataclass(frozen=True)
class Row:
    """One row: what is true, what the model says, what people said."""

    set: int
    threshold: float
    weight: float
    feasible: bool
    value: float | None  # true best
    best: str | None
    credit: int
    label: bool
    said_accepted: bool
    said_value: float | None
    said_best: str | None
    said_credit: int
    said_bucket: int
    probability: float

    @property
    def accepted(self) -> bool:
        return self.value is not None and self.value >= self.threshold

    @property
    def good(self) -> bool:
        return not self.feasible and self.accepted

    @property
    def said_margin(self) -> float | None:
        return None if self.said_value is None else self.said_value - self.threshold


def cases(seed: int, *, weighted: bool = False) -> list[Row]:
    """Rows of small whole numbers; now and then none is repairable-good, or all labels are the same."""
    chance = random.Random(seed)
    sets = [(number, float(chance.randint(-1, 2))) for number in range(chance.randint(1, 12))]
    admissible, feasible = chance.choice((0, 50, 90, 100)), chance.choice((0, 50, 100))
    rows = [
        _row(chance, chance.choice(sets), admissible, feasible, weighted=weighted)
        for _ in range(chance.randint(1, 60))
    ]
    known = {number: place for place, number in enumerate(sorted({row.set for row in rows}))}
    return [Row(**{**vars(row), "set": known[row.set]}) for row in rows]


def _row(
    chance: random.Random, at: tuple[int, float], admissible: int, feasible: int, *, weighted: bool
) -> Row:
    def likely(percent: int) -> bool:
        return chance.random() * 100 < percent

    value = float(chance.randint(-3, 3)) if likely(admissible) else None
    said = float(chance.randint(-3, 3)) if likely(80) else None
    return Row(
        *at,
        weight=float(chance.randint(1, 3)) if weighted else 1.0,
        feasible=value is not None and likely(feasible),
        value=value,
        best=None if value is None else chance.choice(PLANS),
        credit=chance.randrange(6),
        label=likely(40),
        said_accepted=likely(50),
        said_value=said,
        said_best=None if said is None else chance.choice(PLANS),
        said_credit=chance.randrange(6),
        said_bucket=chance.choice((STRUCTURE, PREFERENCE)),
        probability=chance.randint(0, 8) / 8,
    )


def column(rows: list[Row], of: Callable[[Row], Any], dtype: Any = None) -> np.ndarray[Any, Any]:
    """What the rows hold; `None` is NaN among numbers."""
    return np.array([of(row) for row in rows], dtype)


def truth(rows: list[Row]) -> Truth:
    """What is true of the rows."""
    best = column(rows, lambda row: row.best, object)
    return Truth(
        column(rows, lambda row: row.accepted, bool),
        column(rows, lambda row: row.label, bool),
        column(rows, lambda row: row.feasible, bool),
        column(rows, lambda row: row.value is not None, bool),
        column(rows, lambda row: row.threshold, float),
        np.zeros(len(rows)),
        np.zeros(len(rows), np.intp),
        column(rows, lambda row: row.value, float),
        best,
        column(rows, lambda row: row.best if row.accepted else None, object),
        column(rows, lambda row: row.credit, np.int8),
    )


def judged(rows: list[Row]) -> Judged:
    """What the model says of the rows."""
    best = column(rows, lambda row: row.said_best, object)
    accepted = column(rows, lambda row: row.said_accepted, bool)
    return Judged(
        accepted,
        column(rows, lambda row: row.said_value, float),
        column(rows, lambda row: row.said_margin, float),
        column(rows, lambda row: row.said_bucket, np.int8),
        best,
        column(rows, lambda row: row.said_best if row.said_accepted else None, object),
        column(rows, lambda row: row.said_credit, np.int8),
        column(rows, lambda row: row.probability, float),
    )


# definitions


def share(rows: Iterable[Row], hit: Callable[[Row], bool]) -> tuple[float | None, int, int]:
    """Value, count and number."""
    among = list(rows)
    hits = [row for row in among if hit(row)]
    total = sum(row.weight for row in among)
    return (sum(row.weight for row in hits) / total if total else None), len(hits), len(among)


def shares(rows: list[Row]) -> dict[str, tuple[float | None, int, int]]:
    """Every share, by the name that `Figures` has for it."""
    good = [row for row in rows if row.good]
    bad = [row for row in rows if not row.accepted]
    return {
        "fvr": share(good, lambda row: not row.said_accepted),
        "far": share(bad, lambda row: row.said_accepted),
        "credit": share(bad, lambda row: row.said_bucket == (STRUCTURE if row.value is None else PREFERENCE)),
        "credit_end_to_end": share(rows, lambda row: row.said_credit == row.credit),
        "plan": share(good, lambda row: row.said_best == row.best),
        "plan_end_to_end": share(good, lambda row: row.said_accepted and row.said_best == row.best),
    }


def auroc(rows: list[Row]) -> float | None:
    """Pair by pair."""
    right = total = 0.0
    for one in (row for row in rows if row.label):
        for other in (row for row in rows if not row.label):
            pair = one.weight * other.weight
            a, b = (float("-inf") if row.said_margin is None else row.said_margin for row in (one, other))
            total += pair
            right += pair * (1.0 if a > b else 0.5 if a == b else 0.0)
    return right / total if total else None


def regret(rows: list[Row], number: int) -> float:
    """Of one choice set."""
    options = [row for row in rows if row.set == number]
    threshold = options[0].threshold
    possible = max([threshold, *(row.value for row in options if row.value is not None)])
    picked = None
    for row in options:
        level = float("-inf") if row.said_value is None else row.said_value
        if row.said_accepted and (picked is None or level > picked[0]):
            picked = (level, row)
    if picked is None:
        return possible - threshold
    return possible - (FLOOR if picked[1].value is None else picked[1].value)


def edr(rows: list[Row]) -> float:
    """Over all choice sets, each counting as much as its rows do on average."""
    total = weights = 0.0
    for number in {row.set for row in rows}:
        own = [row.weight for row in rows if row.set == number]
        weight = sum(own) / len(own)
        total += weight * regret(rows, number)
        weights += weight
    return total / weights
