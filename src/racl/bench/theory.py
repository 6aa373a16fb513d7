"""Theory beside what is seen: learning curves against rows, features and repairs, and the false-veto gap."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2, sqrt
from typing import Any

import numpy as np

from racl.bench import altered
from racl.bench.protocol import Run
from racl.bench.tier import Noise, Rows, Tier, rows
from racl.domain.files import parse_domain
from racl.domain.model import Domain
from racl.learn.recipe import Recipe, learn
from racl.metrics.judged import judged
from racl.metrics.truth import truth_of
from racl.model import Model

TEST = 4000
NOISE = 0.5
REPEATS = 5
ROWS = (100, 200, 400, 800, 1600, 3200, 6400)
FEATURES = (2, 4, 8, 16, 32)
REPAIRS = (1, 2, 4, 8, 16, 32)
BASE_ROWS, BASE_FEATURES, BASE_REPAIRS = 1600, 8, 8
BUDGETS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)


@dataclass(frozen=True)
class World:
    """A linear task of some size: p features, K repairs of which each moves one of them."""

    features: int
    repairs: int

    @property
    def domain(self) -> Domain:
        """Its domain."""
        p, k = self.features, self.repairs
        candidate = ['ok = "boolean"', *(f'z{one} = "number"' for one in range(p))]
        candidate += [f'e{one} = "number"' for one in range(k)]
        features = [f'z{one} = "z{one}"' for one in range(p)]
        repairs = [
            f'[repairs.r{one}]\nsets = {{ ok = "true", z{one % p} = "z{one % p} + e{one}" }}\ncost = 1'
            for one in range(k)
        ]
        context = '[context]\nbudget = "number"\nthreshold = "number"'
        parts = ['racl = 1\nname = "theory"\n[candidate]', *candidate, context, '[requirements]\nok = "ok"']
        return parse_domain("\n".join([*parts, "[features]", *features, *repairs]))

    def truth(self, domain: Domain, rng: np.random.Generator) -> Model:
        """A direction of length 1."""
        direction = rng.standard_normal(self.features)
        weights = dict(
            zip((one.name for one in domain.features), direction / np.linalg.norm(direction), strict=True)
        )
        return Model.of(domain, {"all": {"bias": 0.0, "weights": weights}})

    def rows(self, domain: Domain, truth: Model, n: int, rng: np.random.Generator, noise: float) -> Rows:
        """n rows, half of them infeasible as they come, thresholds about what is to be had."""
        columns: dict[str, Any] = {f"z{one}": rng.standard_normal(n) for one in range(self.features)}
        columns |= {f"e{one}": rng.standard_normal(n) for one in range(self.repairs)}
        columns |= {"ok": rng.random(n) < 1 / 2, "budget": np.ones(n)}
        middle = sqrt(2 * log2(1 + self.repairs) / self.features) / 2
        columns["threshold"] = middle + rng.standard_normal(n)
        return rows(domain, truth, columns, np.arange(n), Noise(noise, rng))


def excess(world: World, n: int, seed: int) -> float:
    """How many more decisions than need be are wrong after learning from n rows."""
    rng = np.random.default_rng([seed, n, world.features, world.repairs])
    domain = world.domain
    truth = world.truth(domain, rng)
    train, test = (world.rows(domain, truth, count, rng, noise) for count, noise in ((n, NOISE), (TEST, 0.0)))
    learned = learn(domain, train.sample, Recipe(learner="latent", guard="none", held_out=0, seed=seed))
    said = judged(test.options, learned.weights)
    return float((said.accepted != test.truth.accepted).mean())


def shape(world: World, n: int) -> float:
    """The bound's shape: the root of p log K / n, with K the plans that there are."""
    return sqrt(world.features * log2(1 + world.repairs) / n)


def curve(against: str) -> list[dict[str, Any]]:
    """Excess errors against rows, features or repairs, all else fixed, beside the bound's shape."""
    sizes = {"rows": ROWS, "features": FEATURES, "repairs": REPAIRS}[against]
    found = []
    for size in sizes:
        n = size if against == "rows" else BASE_ROWS
        world = World(
            size if against == "features" else BASE_FEATURES, size if against == "repairs" else BASE_REPAIRS
        )
        seen = [excess(world, n, seed) for seed in range(REPEATS)]
        mean, spread = float(np.mean(seen)), float(np.std(seen, ddof=1) / sqrt(REPEATS))
        found.append({against: size, "excess": mean, "error": spread, "shape": shape(world, n)})
    return found


def curve_of(run: Run, against: str) -> list[dict[str, Any]]:
    """The curve, which is of no tier."""
    del run
    return curve(against)


def gap(run: Run) -> list[dict[str, Any]]:
    """The false-veto gap as budgets grow: how much of what is good needs a repair, all of which a terminal veto loses."""
    tier: Tier = run.tier
    known = altered.whatever_it_costs(tier.truth.domain, tier.test)
    found = []
    for factor in BUDGETS:
        options = altered.affordable(known, known.cost, factor * known.budget)
        truth = truth_of(options, tier.truth.weights)
        good, accepted = int(truth.repairable_good.sum()), int(truth.accepted.sum())
        found.append({"budget": factor, "repairable_good": good, "accepted": accepted, "rows": len(truth)})
    return found
