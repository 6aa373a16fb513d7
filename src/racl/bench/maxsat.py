"""Synthetic-MAXSAT: assignments with hard and weighted soft clauses, repaired by flipping one variable."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from racl.bench.tier import Columns
from racl.domain.model import Domain
from racl.model import Model
from racl.options import Floats, Truths, at, best, expand, values

VARIABLES, HARD = 8, 4
WEIGHTS = (2.3, 4.1, 1.7, 5.3, 3.1, 6.7, 1.3, 4.7, 2.9, 5.9, 3.7, 7.1)  # of the soft clauses
CANDIDATES = 4  # in a choice set
TRIES = 6  # draws for a row whose best two plans are too close to be told apart
APART = 0.15
ZERO_BUDGET = 0.04


def truth(domain: Domain) -> Model:
    """The weights of the soft clauses."""
    names = [feature.name for feature in domain.features]
    return Model.of(domain, {"all": {"bias": 0.0, "weights": dict(zip(names, WEIGHTS, strict=True))}})


def columns(truth: Model, n: int, rng: np.random.Generator) -> tuple[Columns, NDArray[np.intp]]:
    """n assignments in sets of four, in a context each, and the sets."""
    sets = np.arange(n) // CANDIDATES
    context = requests(sets, rng)
    drawn = [assignments(n, rng) for _ in range(TRIES)]
    chosen = np.full(n, TRIES - 1)
    for number in reversed(range(TRIES)):
        chosen[told_apart(truth, drawn[number] | context)] = number
    picked = {name: np.stack([one[name] for one in drawn])[chosen, np.arange(n)] for name in drawn[0]}
    return picked | context, sets


def assignments(n: int, rng: np.random.Generator) -> Columns:
    """Variables, each true half the time."""
    return {f"x{number}": rng.random(n) < 1 / 2 for number in range(1, VARIABLES + 1)}


def requests(sets: NDArray[np.intp], rng: np.random.Generator) -> Columns:
    """Which hard clauses are in force, what flips may cost, and how good is good enough."""
    count = int(sets[-1]) + 1
    budget = np.where(rng.random(count) < ZERO_BUDGET, 0.0, rng.integers(3, 5, count).astype(np.float64))
    asked = {
        "budget": budget,
        "threshold": np.round(rng.uniform(42.5, 49.5, count), 2),
        **{f"asks_{number}": rng.random(count) < 0.95 for number in range(1, HARD + 1)},  # noqa: PLR2004
    }
    return {name: column[sets] for name, column in asked.items()}


def told_apart(truth: Model, columns: Columns) -> Truths:
    """(n,) rows whose best admissible plan is clearly better than the second best."""
    options = expand(truth.domain, columns)
    worth = values(options, truth.weights)
    first = best(options, worth)
    rest = worth.copy()
    rest[first[first >= 0]] = -np.inf
    second = best(options, rest)
    gap: Floats = at(worth, first, nothing=np.inf) - at(worth, second, nothing=-np.inf)
    return np.asarray(gap >= APART)
