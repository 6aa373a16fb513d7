"""Expedia-schema: hotel rooms by the columns of hotel searches, made up from plain distributions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from racl.bench.tier import Columns, sets_of
from racl.domain.model import Domain
from racl.model import Model

FEATURES = ("price", "stars", "rating", "far", "breakfast", "view", "spare")
TASTES: Mapping[str, tuple[float, ...]] = {
    "europe": (-0.30, 0.30, 0.60, -0.15, 0.08, 0.10, 0.01),
    "america": (-0.40, 0.40, 0.50, -0.10, 0.04, 0.12, 0.02),
    "asia": (-0.22, 0.35, 0.70, -0.20, 0.04, 0.08, 0.01),
}
LEVEL: Mapping[str, float] = {"europe": 0.56, "america": 0.46, "asia": 0.70}  # middle of the thresholds
SIZES = (3, 4, 5)
ZERO_BUDGET = 0.12


def truth(domain: Domain) -> Model:
    """What guests like."""
    return Model.of(
        domain,
        {
            name: {"bias": 0.0, "weights": dict(zip(FEATURES, taste, strict=True))}
            for name, taste in TASTES.items()
        },
    )


def columns(n: int, rng: np.random.Generator) -> tuple[Columns, NDArray[np.intp]]:
    """n rooms in choice sets, each answering one search, and the sets."""
    sets = sets_of(n, SIZES, rng)
    search = searches(sets, rng)
    return rooms(search, rng) | search, sets


def searches(sets: NDArray[np.intp], rng: np.random.Generator) -> Columns:
    """Who searches for what, on every row of a set."""
    count = int(sets[-1]) + 1
    origin = rng.choice(list(TASTES), count, p=[0.4, 0.4, 0.2])
    budget = np.clip(rng.normal(75, 30, count), 0, None).round()
    level = np.array([LEVEL[str(one)] for one in origin])
    asked = {
        "posa_continent": origin,
        "budget": np.where(rng.random(count) < ZERO_BUDGET, 0.0, budget),
        "threshold": np.round(level + rng.uniform(-0.15, 0.15, count), 4),
        "srch_adults_cnt": rng.choice([1, 2, 3, 4], count, p=[0.2, 0.6, 0.1, 0.1]),
        "srch_children_cnt": rng.choice([0, 1, 2], count, p=[0.7, 0.15, 0.15]),
        "srch_rm_cnt": np.ones(count, np.int64),
        "is_package": rng.random(count) < 0.3,  # noqa: PLR2004
        "is_mobile": rng.random(count) < 0.25,  # noqa: PLR2004
        "orig_destination_distance": rng.lognormal(6.9, 1.1, count).round(),
        "by_car": rng.random(count) < 0.3,  # noqa: PLR2004
    }
    return {name: column[sets] for name, column in asked.items()}


def rooms(search: Columns, rng: np.random.Generator) -> Columns:
    """Rooms that more or less suit the search; more stars cost more."""
    n = len(search["budget"])
    people = search["srch_adults_cnt"] + search["srch_children_cnt"]
    stars = rng.choice([2, 3, 4, 5], n, p=[0.15, 0.4, 0.35, 0.1])
    return {
        "nightly": (rng.lognormal(4.0, 0.35, n) * (0.4 + 0.25 * stars)).round(2),
        "stars": stars,
        "guest_rating": np.clip(rng.normal(7.4, 1.4, n), 0, 10).round(1),
        "centre_km": rng.exponential(4.0, n).round(1),
        "beds": np.clip(people + rng.choice([-2, -1, 0, 1], n, p=[0.12, 0.28, 0.4, 0.2]), 1, 8),
        **{
            name: rng.random(n) < share
            for name, share in {"breakfast": 0.4, "cancellable": 0.5, "parking": 0.5, "view": 0.3}.items()
        },
    }
