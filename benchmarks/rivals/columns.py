"""The airline rule in NumPy, by hand: whole columns, or block by block so that they stay in the cache."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from typing import Any

import numpy as np
from answers import NO_PLAN, Answers, empty
from numpy.typing import NDArray

Rows = Mapping[str, NDArray[Any]]
State = dict[str, Any]  # the columns that a repair has changed, or all of them

B6, WN = 2, 5  # carriers
BASIC, MAIN, PREMIUM = 0, 1, 2  # cabins
STUDENT = 5
BLOCK = 16384


def menu(x: Rows) -> Iterator[tuple[Any, Any, State]]:
    """For `keep` and each repair: where it applies, what it costs, what it sets."""
    fare, stops, cabin, carrier = x["fare"], x["stops"], x["cabin"], x["carrier"]
    bag_fee = np.where(carrier == WN, 30.0, 40.0)
    yield True, 0.0, {}
    yield ~x["has_bag"], bag_fee + 5 * stops, {"has_bag": True, "fare": fare + bag_fee}
    yield ~x["refundable"] & (cabin != BASIC), 0.25 * fare, {"refundable": True, "fare": fare * 1.125}
    late = {"layover": x["layover"] + 60, "duration": x["duration"] + 1}
    yield (stops > 0) & (x["layover"] < 45), 25.0, late
    by_day = {"departs": np.clip(x["departs"], 7.0, 21.0), "fare": fare + 20}
    yield (x["departs"] < 7) | (x["departs"] > 21), 20 + 0.0625 * fare, by_day
    direct = {"stops": 0.0, "layover": 0.0, "fare": fare * 1.125 + 15}
    direct["duration"] = np.maximum(1.0, x["duration"] - 1.5 * stops)
    yield (stops > 0) & (carrier != B6), 30 + 0.25 * fare, direct
    yield cabin == BASIC, 45 + 0.125 * fare, {"cabin": MAIN, "has_bag": True, "fare": fare + 45}
    better = {"cabin": PREMIUM, "has_bag": True, "refundable": True, "fare": fare * 1.25}
    yield (cabin <= MAIN) & (carrier != WN), 60 + 0.375 * fare, better
    flexible = {"has_bag": True, "refundable": True, "fare": fare + 25}
    yield ~x["has_bag"] | ~x["refundable"], 25 + 0.1875 * fare, flexible


def requirements(x: Rows) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each requirement: the candidate's columns that it reads, and where it holds."""
    yield ("has_bag",), lambda s: s["has_bag"] | ~x["needs_bag"]
    yield ("refundable",), lambda s: s["refundable"] | ~x["needs_refund"]
    yield ("stops", "layover"), lambda s: (s["stops"] == 0) | (s["layover"] >= 45)
    yield ("stops",), lambda s: (s["stops"] <= 1) | (x["persona"] == STUDENT)
    yield ("departs",), lambda s: (s["departs"] >= 5) & (s["departs"] <= 23)
    yield ("cabin",), lambda s: (s["cabin"] != BASIC) | ((x["persona"] != 0) & (x["persona"] != 2))


FEATURES = (
    ("fare", lambda s: s["fare"] / 400),
    ("duration", lambda s: s["duration"] / 6),
    ("stops", lambda s: s["stops"]),
    ("stops", lambda s: s["stops"] == 0),
    ("layover", lambda s: np.minimum(s["layover"], 240) / 60),
    ("departs", lambda s: s["departs"] < 8),
    ("departs", lambda s: s["departs"] > 20),
    ("has_bag", lambda s: s["has_bag"]),
    ("refundable", lambda s: s["refundable"]),
    ("cabin", lambda s: s["cabin"] >= PREMIUM),
    ("carrier", lambda s: (s["carrier"] == B6) | (s["carrier"] == WN)),
    ("carrier", lambda s: s["carrier"] <= 1),
)


def decide(rows: Rows, weights: NDArray[np.float64]) -> Answers:
    """All six outputs; a requirement or a term that a repair leaves alone is worked out once."""
    w = weights.T.take(rows["persona"], axis=1)  # (1 + features, n)
    held = [(reads, test, test(rows)) for reads, test in requirements(rows)]
    terms = [w[1 + at] * feature(rows) for at, (_, feature) in enumerate(FEATURES)]
    best = Best(rows)
    for code, (applies, cost, sets) in enumerate(menu(rows)):
        after = {**rows, **sets}
        feasible = applies & np.True_
        for reads, test, before in held:
            feasible = feasible & (before if sets.keys().isdisjoint(reads) else test(after))
        value = w[0]
        for at, (reads, feature) in enumerate(FEATURES):
            value = value + (w[1 + at] * feature(after) if reads in sets else terms[at])
        best.offer(code, feasible, cost, value)
    return best.answers()


class Best:
    """The best admissible repair so far, row by row."""

    def __init__(self, rows: Rows) -> None:
        n = len(rows["fare"])
        self.budget, self.threshold = rows["budget"], rows["threshold"]
        self.value, self.cost = np.full(n, -np.inf), np.full(n, np.nan)
        self.plan = np.full(n, NO_PLAN, np.uint8)
        self.repairable = np.zeros(n, np.bool_)

    def offer(self, code: int, feasible: Any, cost: Any, value: Any) -> None:
        """One more repair, declared after those before it."""
        if code == 0:
            self.kept = feasible, feasible & (value >= self.threshold)
        self.repairable |= feasible
        better = feasible & (cost <= self.budget) & (value > self.value)
        np.copyto(self.value, value, where=better)
        np.copyto(self.cost, cost, where=better)
        np.copyto(self.plan, np.uint8(code), where=better)

    def answers(self) -> Answers:
        """The decisions."""
        nothing = self.plan == NO_PLAN
        accepted = ~nothing & (self.value >= self.threshold)
        value = np.where(nothing, np.nan, self.value)
        credit = np.where(self.kept[0], np.uint8(4), np.uint8(5))
        np.copyto(credit, np.uint8(3), where=nothing)
        np.copyto(credit, np.uint8(2), where=~self.repairable)
        np.copyto(credit, np.where(self.kept[1], np.uint8(0), np.uint8(1)), where=accepted)
        plan = np.where(accepted, self.plan, np.uint8(NO_PLAN))
        return Answers(accepted, credit, plan, value, value - self.threshold, self.cost)


def decide_blocks(rows: Rows, weights: NDArray[np.float64], *, pool: Executor | None = None) -> Answers:
    """The same, a few thousand rows at a time; on every thread of the pool if there is one."""
    n = len(rows["fare"])
    out = empty(n)

    def block(start: int) -> None:
        part = slice(start, start + BLOCK)
        found = decide({name: column[part] for name, column in rows.items()}, weights)
        for name in Answers.__dataclass_fields__:
            getattr(out, name)[part] = getattr(found, name)

    list((pool.map if pool else map)(block, range(0, n, BLOCK)))
    return out
