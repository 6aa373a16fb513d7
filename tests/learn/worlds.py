"""A small market with a linear truth: rows whose labels are what their best admissible repair is worth."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from racl import Domain, Model
from racl.domain.files import parse_domain
from racl.learn.data import latent_data
from racl.learn.history import History
from racl.learn.sample import Sample
from racl.options import expand

PERSONAS = ("ann", "bob", "cid")
TASTES = ((0.3, -1.2, 0.8, 0.5), (0.1, -0.6, 1.1, 0.2), (0.2, -0.9, 0.4, 1.0))  # bias; price, bag, quiet

TEXT = """
racl = 1
name = "market"

[candidate]
price = "number"
bag   = "boolean"
quiet = "number"

[context]
persona   = {{ type = "category", values = {personas} }}
budget    = {{ type = "number", min = 0 }}
threshold = "number"
needs_bag = "boolean"

[requirements]
bag = "bag or not needs_bag"

[features]
price = "price"
bag   = "bag"
quiet = "quiet"

[repairs.add_bag]
applies = "not bag"
sets    = {{ bag = "true", price = "price + 0.1" }}
cost    = 0.1

[repairs.hush]
sets = {{ quiet = "quiet + 0.5", price = "price + 0.2" }}
cost = 0.2

[repairs.both]
applies = "not bag"
sets    = {{ bag = "true", quiet = "quiet + 0.5", price = "price + 0.3" }}
cost    = 0.3

[rule]
tradeoff = {tradeoff}
"""


def market(personas: tuple[str, ...] = PERSONAS, tradeoff: float = 0.0) -> Domain:
    return parse_domain(TEXT.format(personas=json.dumps(list(personas)), tradeoff=tradeoff))


def truth(tastes: tuple[tuple[float, ...], ...] = TASTES, personas: tuple[str, ...] = PERSONAS) -> Model:
    names = ("price", "bag", "quiet")
    given = {
        persona: {"bias": taste[0], "weights": dict(zip(names, taste[1:], strict=True))}
        for persona, taste in zip(personas, tastes, strict=True)
    }
    return Model.of(market(personas), given)


def rows(n: int, seed: int = 0, personas: tuple[str, ...] = PERSONAS, **fixed: Any) -> dict[str, Any]:
    chance = np.random.default_rng(seed)
    drawn = {
        "price": chance.uniform(0.0, 2.0, n),
        "bag": chance.random(n) < 0.4,
        "quiet": chance.uniform(0.0, 1.0, n),
        "persona": np.array(personas)[chance.integers(len(personas), size=n)],
        "budget": chance.choice([0.0, 0.1, 0.2, 0.4], n),
        "threshold": chance.uniform(-1.0, 0.8, n),
        "needs_bag": chance.random(n) < 0.5,
    }
    return {name: np.full(n, fixed[name]) if name in fixed else drawn[name] for name in drawn}


def labels(frame: dict[str, Any], model: Model, noise: float = 0.05, seed: int = 1) -> np.ndarray[Any, Any]:
    """Whether the best repair reaches the threshold, judged with logistic noise of that scale."""
    margin = np.nan_to_num(model.decide(frame).margin, nan=-np.inf)
    shaken = np.random.default_rng(seed).logistic(0.0, 1.0, len(margin)) * noise
    return np.asarray(margin + shaken >= 0)


def history(n: int, seed: int = 0, noise: float = 0.05, **fixed: Any) -> History:
    frame = rows(n, seed, **fixed)
    return History(frame, labels(frame, truth(), noise, seed + 1))


def sample(n: int, seed: int = 0, noise: float = 0.05, **fixed: Any) -> Sample:
    found = history(n, seed, noise, **fixed)
    options = expand(market(), found.frame)
    said = np.asarray(found.labels, np.bool_)
    return Sample(options, said, np.ones(len(said)), np.arange(len(said)))


__all__ = ["PERSONAS", "TASTES", "history", "labels", "latent_data", "market", "rows", "sample", "truth"]
