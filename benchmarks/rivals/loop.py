"""The airline rule as a Python loop, written the way a careful programmer would write it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from airline.rows import Columns, values
from answers import NO_PLAN, Answers

Weights = dict[str, list[float]]
Option = tuple[int, float, tuple[Any, ...]]  # the code of a repair, its cost, the candidate after it

NAN = float("nan")


def menu(x: tuple[Any, ...]) -> Iterator[Option]:
    """`keep` and the repairs that apply: each with its cost and the candidate after it."""
    fare, stops, layover, hours, departs, bag, flexible, carrier, cabin = x
    yield 0, 0.0, x
    if not bag:
        fee = 30 if carrier == "WN" else 40
        yield 1, fee + 5 * stops, (fare + fee, stops, layover, hours, departs, True, flexible, carrier, cabin)
    if not flexible and cabin != "basic":
        yield 2, 0.25 * fare, (fare * 1.125, stops, layover, hours, departs, bag, True, carrier, cabin)
    if stops > 0 and layover < 45:
        yield 3, 25.0, (fare, stops, layover + 60, hours + 1, departs, bag, flexible, carrier, cabin)
    if departs < 7 or departs > 21:
        moved = min(max(departs, 7.0), 21.0)
        after = (fare + 20, stops, layover, hours, moved, bag, flexible, carrier, cabin)
        yield 4, 20 + 0.0625 * fare, after
    if stops > 0 and carrier != "B6":
        shorter = max(1.0, hours - 1.5 * stops)
        after = (fare * 1.125 + 15, 0.0, 0.0, shorter, departs, bag, flexible, carrier, cabin)
        yield 5, 30 + 0.25 * fare, after
    if cabin == "basic":
        after = (fare + 45, stops, layover, hours, departs, True, flexible, carrier, "main")
        yield 6, 45 + 0.125 * fare, after
    if cabin in ("basic", "main") and carrier != "WN":
        after = (fare * 1.25, stops, layover, hours, departs, True, True, carrier, "premium")
        yield 7, 60 + 0.375 * fare, after
    if not bag or not flexible:
        after = (fare + 25, stops, layover, hours, departs, True, True, carrier, cabin)
        yield 8, 25 + 0.1875 * fare, after


def feasible(x: tuple[Any, ...], persona: str, needs_bag: bool, needs_refund: bool) -> bool:  # noqa: FBT001
    """Whether every requirement holds."""
    _, stops, layover, _, departs, has_bag, refundable, _, cabin = x
    return (
        (has_bag or not needs_bag)
        and (refundable or not needs_refund)
        and (stops == 0 or layover >= 45)
        and (stops <= 1 or persona == "student")
        and 5 <= departs <= 23
        and (cabin != "basic" or persona not in ("business", "family"))
    )


def score(x: tuple[Any, ...], w: list[float]) -> float:
    """The weighted features, added in their order."""
    fare, stops, layover, duration, departs, has_bag, refundable, carrier, cabin = x
    return (
        w[0]
        + w[1] * (fare / 400)
        + w[2] * (duration / 6)
        + w[3] * stops
        + w[4] * (stops == 0)
        + w[5] * (min(layover, 240) / 60)
        + w[6] * (departs < 8)
        + w[7] * (departs > 20)
        + w[8] * has_bag
        + w[9] * refundable
        + w[10] * (cabin in ("premium", "business"))
        + w[11] * (carrier in ("B6", "WN"))
        + w[12] * (carrier in ("AA", "AS"))
    )


def decide_row(row: tuple[Any, ...], weights: Weights) -> tuple[bool, int, int, float, float, float]:
    """One row's six outputs."""
    x, (persona, budget, threshold, needs_bag, needs_refund) = row[:9], row[9:]
    w = weights[persona]
    repairable = kept = False
    best, value, cost = NO_PLAN, float("-inf"), NAN
    good = False
    for code, price, after in menu(x):
        if not feasible(after, persona, needs_bag, needs_refund):
            continue
        repairable = True
        if price <= budget and (found := score(after, w)) > value:
            best, value, cost = code, found, price
        if code == 0:
            kept, good = True, value >= threshold
    if best == NO_PLAN:
        return False, 3 if repairable else 2, NO_PLAN, NAN, NAN, NAN
    if value >= threshold:
        return True, 0 if good else 1, best, value, value - threshold, cost
    return False, 4 if kept else 5, NO_PLAN, value, value - threshold, cost


def listed(rows: Columns) -> list[list[Any]]:
    """The columns as Python lists, categories as text."""
    named = values()
    return [
        [named[name][code] for code in column.tolist()] if name in named else column.tolist()
        for name, column in rows.items()
    ]


def decide(columns: list[list[Any]], weights: Weights) -> list[tuple[bool, int, int, float, float, float]]:
    """Row after row."""
    return [decide_row(row, weights) for row in zip(*columns, strict=True)]


def answers(found: list[tuple[bool, int, int, float, float, float]]) -> Answers:
    """The rows' outputs as plain arrays."""
    kinds = (np.bool_, np.uint8, np.uint8, np.float64, np.float64, np.float64)
    columns = zip(*found, strict=True)
    return Answers(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))
