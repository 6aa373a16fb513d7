"""Tickets whose acceptance is known: a domain, rows in choice sets, the truth, and what people say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from racl.domain.files import parse_domain
from racl.learn.sample import Sample
from racl.metrics.truth import Truth, truth_of
from racl.model import Model
from racl.options import Floats, expand

DOMAIN = """\
racl = 1
name = "tickets"

[candidate]
fare       = { type = "number", min = 0 }
stops      = { type = "integer", min = 0, max = 2 }
has_bag    = "boolean"
refundable = "boolean"

[context]
persona      = { type = "category", values = ["business", "leisure"] }
budget       = { type = "number", min = 0 }
threshold    = "number"
needs_bag    = "boolean"
needs_refund = "boolean"

[requirements]
bag    = "has_bag or not needs_bag"
refund = "refundable or not needs_refund"

[features]
price   = "fare / 100"
nonstop = "stops == 0"
bag     = "has_bag"

[repairs.add_bag]
applies = "not has_bag"
sets    = { has_bag = "true", fare = "fare + 35" }
cost    = "35"

[repairs.make_refundable]
applies = "not refundable"
sets    = { refundable = "true", fare = "fare * 1.1" }
cost    = "0.25 * fare"
"""
TASTES = {
    "business": {"bias": 4.0, "weights": {"price": -1.0, "nonstop": 1.5, "bag": 0.5}},
    "leisure": {"bias": 5.0, "weights": {"price": -2.0, "nonstop": 0.5, "bag": 0.0}},
}
TOGETHER = 4  # rows of one choice set


@dataclass(frozen=True, eq=False)
class World:
    """Rows to learn from, and what is true of them."""

    sample: Sample
    model: Model
    truth: Truth

    @property
    def credit(self) -> NDArray[np.int8]:
        """(n,) true credits."""
        assert self.truth.credit is not None
        return self.truth.credit

    @property
    def value(self) -> Floats:
        """(n,) true values."""
        assert self.truth.value is not None
        return self.truth.value


@lru_cache(maxsize=4)
def world(seed: int = 0, n: int = 6000, noise: float = 0.02) -> World:
    """A world of n rows; of their labels this share is turned about."""
    domain = parse_domain(DOMAIN)
    model = Model.of(domain, TASTES)
    rng = np.random.default_rng(seed)
    options = expand(domain, columns(rng, n))
    truth = truth_of(options, model.weights)
    labels = truth.accepted ^ (rng.random(n) < noise)
    return World(Sample(options, labels, np.ones(n), np.arange(n) // TOGETHER), model, truth)


def columns(rng: np.random.Generator, n: int) -> dict[str, NDArray[np.generic]]:
    """Rows as they come, those of a choice set in one context."""
    sets = -(-n // TOGETHER)

    def shared(values: NDArray[np.generic]) -> NDArray[np.generic]:
        return np.repeat(values, TOGETHER)[:n]

    return {
        "fare": np.round(rng.uniform(80, 500, n), 2),
        "stops": rng.integers(0, 3, n),
        "has_bag": rng.random(n) < 0.4,
        "refundable": rng.random(n) < 0.3,
        "persona": shared(np.array(["business", "leisure"])[rng.integers(0, 2, sets)]),
        "budget": shared(np.round(rng.uniform(0, 120, sets), 2)),
        "threshold": shared(np.round(rng.uniform(-2, 3, sets), 2)),
        "needs_bag": shared(rng.random(sets) < 0.6),
        "needs_refund": shared(rng.random(sets) < 0.3),
    }
