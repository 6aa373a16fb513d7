"""The tiers of air tickets: tickets of some source, put into choice sets, with extras, requests and a truth put in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.bench.tickets import Tickets
from racl.bench.tier import Columns, sets_of

Floats = NDArray[np.float64]
Share = Mapping[str, float]

SIZES = (2, 3, 4, 5)  # candidates of a choice set


@dataclass(frozen=True)
class Request:
    """How one kind of traveller asks: thresholds evenly within a band, and how much they would add."""

    share: float
    level: float  # middle of the thresholds
    budget: float  # mean of the budgets, USD


@dataclass(frozen=True)
class Injection:
    """What the survey lacks: how often an extra is there, how often it is asked for."""

    requests: Mapping[str, Request]
    has: Share = field(
        default_factory=lambda: {
            "bag": 0.35,
            "seat": 0.35,
            "refundable": 0.3,
            "legroom": 0.35,
            "right_date": 0.93,
        }
    )
    needs: Share = field(default_factory=lambda: {"bag": 0.7, "seat": 0.7, "refund": 0.7})
    short_connection: float = 0.2  # of the tickets with a connection
    band: float = 0.15  # width of the thresholds of one kind of traveller with the same needs
    choosier: float = 0.1  # by how much the threshold rises with each need less
    budget_spread: float = 0.35  # of the budgets, in parts of their mean
    zero_budget: float = 0.0  # share of the requests that can pay for nothing


def injected(
    tickets: Tickets, injection: Injection, rng: np.random.Generator
) -> tuple[Columns, NDArray[np.intp]]:
    """The columns of the tickets as candidates in choice sets, and the sets; tickets of a set fly about as far."""
    sets = sets_of(len(tickets), SIZES, rng)
    near = np.lexsort((rng.random(len(tickets)), tickets.distance, tickets.round_trip))
    shuffled = rng.permutation(int(sets[-1]) + 1)[sets]  # sets in any order, rows of a set together
    order = near[np.argsort(shuffled, kind="stable")]
    sets = np.unique(np.sort(shuffled), return_inverse=True)[1]
    tickets = tickets.take(order)
    return extras(tickets, injection, rng) | requests(sets, injection, rng), sets


def extras(tickets: Tickets, injection: Injection, rng: np.random.Generator) -> Columns:
    """The tickets with what the survey does not tell."""
    n = len(tickets)
    connecting = tickets.coupons > np.where(tickets.round_trip, 2, 1)
    short = rng.random(n) < injection.short_connection
    minutes = np.where(short, rng.integers(20, 45, n), rng.integers(45, 180, n))
    held = {name: rng.random(n) < share for name, share in injection.has.items()}
    return {
        "fare": tickets.fare,
        "distance": tickets.distance,
        "coupons": tickets.coupons,
        "round_trip": tickets.round_trip,
        "online": tickets.online,
        "carrier": tickets.carrier,
        **held,
        "connection": np.where(connecting, minutes, 0).astype(np.float64),
    }


def requests(sets: NDArray[np.intp], injection: Injection, rng: np.random.Generator) -> Columns:
    """The requests, one for each choice set, on every row of the set."""
    count = int(sets[-1]) + 1
    names = list(injection.requests)
    each = list(injection.requests.values())
    share = np.array([one.share for one in each])
    kind = rng.choice(len(names), count, p=share / share.sum())
    level, mean = (np.array([getattr(one, name) for one in each])[kind] for name in ("level", "budget"))
    budget = np.clip(rng.normal(mean, injection.budget_spread * mean), 20, None)
    budget = np.where(rng.random(count) < injection.zero_budget, 0.0, np.round(budget))
    asked: dict[str, NDArray[Any]] = {
        "persona": np.array(names)[kind],
        "budget": budget,
    }
    asked |= {f"needs_{name}": rng.random(count) < share for name, share in injection.needs.items()}
    spared = len(injection.needs) - sum(asked[f"needs_{name}"].astype(int) for name in injection.needs)
    threshold = level + injection.choosier * spared + injection.band * (rng.random(count) - 0.5)
    asked["threshold"] = np.round(threshold, 4)
    return {name: column[sets] for name, column in asked.items()}
