"""Guards: how stable their choice is over splits, and how much the choice matters."""

from __future__ import annotations

from typing import Any

from racl.bench.models import VALIDATION, recipe_of
from racl.bench.protocol import Run
from racl.bench.sweeps import brief, on_test
from racl.learn.guards import GRID, NONE, Guard
from racl.learn.recipe import learn
from racl.learn.select import scored
from racl.metrics.judged import judged


def stability(run: Run, learner: str, seed: int) -> dict[str, Any]:
    """The guard chosen on one split, and what comes of it on the test rows."""
    recipe = recipe_of(run.tier, seed, {"learner": learner, "guard": "validated", "held_out": VALIDATION})
    found = learn(run.tier.domain, run.tier.train.sample, recipe, truth=run.tier.train.truth)
    guard = found.record["guard"]
    chosen = next(one for one in guard["grid"] if (one["A"], one["S"]) == (guard["A"], guard["S"]))
    test = brief(on_test(run.tier, judged(run.tier.test.options, found.weights)))
    return {
        "split": seed,
        "A": guard["A"],
        "S": guard["S"],
        "validation_fvr": chosen["FVR"]["value"],
        "validation_edr": chosen["EDR"]["value"],
        "test": test,
    }


def grid(run: Run, learner: str, seed: int) -> list[dict[str, Any]]:
    """Every guard of the grid, and none, on the test rows: one fit on all training rows, scaled by each."""
    recipe = recipe_of(run.tier, seed, {"learner": learner, "guard": "none", "held_out": 0})
    found = learn(run.tier.domain, run.tier.train.sample, recipe)
    return [one_guard(run, found, guard, recipe) for guard in (*GRID, NONE)]


def one_guard(run: Run, found: Any, guard: Guard, recipe: Any) -> dict[str, Any]:
    """The test figures of one guard, and how many personas' scores it acts on."""
    scaling, weights = scored(found.logits, found.sources.whole, guard, recipe)
    test = brief(on_test(run.tier, judged(run.tier.test.options, weights)))
    personas = scaling[: len(run.tier.domain.personas)]
    kinds = [str(one.scaling) for one in personas]
    spans = [one.score_span / one.threshold_span for one in personas if one.threshold_span > 0]
    return {
        "A": guard.cap,
        "S": guard.span,
        "scaling": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        "span_ratio": [min(spans, default=None), max(spans, default=None)],
        "test": test,
    }
