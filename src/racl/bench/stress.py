"""Stress: costs that are not what they seem, repairs that the menu lacks, settings left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from racl.bench import altered
from racl.bench.cells import mark_of
from racl.bench.models import MODELS, VALIDATION, Fit, certified, racl
from racl.bench.protocol import Run
from racl.bench.sweeps import brief, mean_of, on_test
from racl.bench.tier import Rows
from racl.errors import DataError
from racl.metrics.compare import paired
from racl.metrics.judged import Judged
from racl.metrics.truth import truth_of
from racl.options import Options

COST_NOISES = (0.0, 0.05, 0.1, 0.2, 0.4)
MISSING = (0, 1, 2, 4, 6)
MENUS = 3  # menus drawn of each size
STRESSED = ("anchors-validated", "latent-certified", "black-box-repair")


def seen(rows: Rows, options: Options) -> Rows:
    """The rows, as a model sees them through other options."""
    return replace(rows, options=options)


def taught(run: Run, model: str, options: Options) -> Rows:
    """The training rows as a model sees them; a label model looks at candidates as they came, whatever the menu."""
    return run.tier.train if model == "black-box-repair" else seen(run.tier.train, options)


def judged_on(run: Run, fit: Fit, options: Options) -> dict[str, Any]:
    """The figures of a model that sees the test rows through other options."""
    return brief(on_test(run.tier, fit.judge(seen(run.tier.test, options))))


def cost_noise(run: Run, model: str, seed: int) -> list[dict[str, Any]]:
    """Costs that are off by a factor, in training and in test, for those who search repairs; budgets gate by them."""
    train, test = (
        altered.whatever_it_costs(run.tier.domain, rows) for rows in (run.tier.train, run.tier.test)
    )
    found = []
    for noise in COST_NOISES:
        rng = np.random.default_rng([seed, round(1000 * noise)])
        given, asked = (
            altered.affordable(one, one.cost * np.exp(noise * rng.standard_normal(len(one.cost))), one.budget)
            for one in (train, test)
        )
        fit = MODELS[model].learner(run.tier, taught(run, model, given), seed)
        found.append({"noise": noise, **judged_on(run, fit, asked)})
    return found


def missing(run: Run, model: str, seed: int) -> list[dict[str, Any]]:
    """Menus from which repairs are gone, for the model; the truth has them all. The mean over several menus."""
    repairs = len(run.tier.domain.repairs)
    rng = np.random.default_rng(seed)
    found = []
    for count in (one for one in MISSING if one < repairs):
        every = list(combinations(range(1, repairs + 1), count))
        menus = [every[place] for place in rng.permutation(len(every))[:MENUS]]
        each = []
        for gone in menus:
            given, asked = (
                altered.of_states(rows.options, ~np.isin(rows.options.plan, gone))
                for rows in (run.tier.train, run.tier.test)
            )
            try:
                fit = MODELS[model].learner(run.tier, taught(run, model, given), seed)
            except (
                DataError
            ):  # what is left of the menu mends too little to learn or to certify anything from
                continue
            each.append(judged_on(run, fit, asked))
        if each:
            found.append({"missing": count, "menus": len(each), **mean_of(each)})
    return found


# settings left out -----------------------------------------------------------------------------------

CERTIFIED = {"guard": "certified"}
ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    "anchors, no guard": {"learner": "anchors", "guard": "none", "held_out": 0},
    "anchors, fixed guard": {"learner": "anchors", "guard": "fixed"},
    "anchors, validated": {"learner": "anchors", "guard": "validated", "held_out": VALIDATION},
    "anchors, certified": {"learner": "anchors", **CERTIFIED},
    "latent, no guard": {"learner": "latent", "guard": "none", "held_out": 0},
    "latent, validated": {"learner": "latent", "guard": "validated", "held_out": VALIDATION},
    "latent, certified": {"learner": "latent", **CERTIFIED},
    "latent, certified, no pooling": {"learner": "latent", **CERTIFIED, "pull": 0.0},
    "latent, certified, one pooled model": {"learner": "latent", **CERTIFIED, "pull": float("inf")},
}
CURVED: Mapping[str, Mapping[str, Any]] = {
    f"latent, {shape}certified at {alpha:g}": {
        "learner": "latent",
        "guard": "certified",
        "alpha": alpha,
        "curves": bool(shape),
    }
    for shape in ("", "curves, ")
    for alpha in (0.0025, 0.005, 0.01, 0.03)
}
ANCHORS: Mapping[str, Mapping[str, Any]] = {
    f"anchors from {kind} rows, {guard} guard": {"learner": "anchors", "guard": guard, "anchors_from": kind}
    for kind in ("zero-budget", "feasible")
    for guard in ("none", "fixed")
}


def ablation(run: Run, settings: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The figures of racl with some settings."""
    said, record = decided(run, settings, seed)
    return {**brief(on_test(run.tier, said)), "fit": record["fit"]}


def decided(run: Run, settings: Mapping[str, Any], seed: int) -> tuple[Judged, Mapping[str, Any]]:
    """What racl with some settings decides on the test rows, and how it was learned."""

    def make_it() -> tuple[Judged, Mapping[str, Any]]:
        make = certified if settings["guard"] == "certified" else racl
        fit = make(**settings)(run.tier, run.tier.train, seed)
        return fit.judge(run.tier.test), fit.record

    return run.store.decided(f"settings-{mark_of(sorted(settings.items()))}-{seed}", make_it)


def against(run: Run, first: str, second: str, seed: int) -> dict[str, Any]:
    """How two settings differ on the same test rows, each figure with a paired interval."""
    one, other = (decided(run, ABLATIONS[name], seed)[0] for name in (first, second))
    test, resamples = run.tier.test, run.asked.resamples
    return paired(one, other, test.truth, choice_set=test.choice_set, resamples=resamples).to_dict()


def menus(run: Run, seed: int) -> list[dict[str, Any]]:
    """Menus of the first few repairs, for the truth and for everybody: how the number of repairs matters."""
    tier = run.tier
    found = []
    for count in range(len(tier.domain.repairs) + 1):
        train, test = (limited(rows, tier.truth.weights, count) for rows in (tier.train, tier.test))
        made = replace(tier, train=train, test=test)
        entry: dict[str, Any] = {"repairs": count, "repairable_good": int(test.truth.repairable_good.sum())}
        if entry["repairable_good"]:
            fit = racl(learner="latent", guard="none", held_out=0)(made, train, seed)
            entry |= brief(on_test(made, fit.judge(test)))
        found.append(entry)
    return found


def limited(rows: Rows, weights: Any, count: int) -> Rows:
    """The rows where nobody has more than the first few repairs; labels follow."""
    options, known = (altered.of_states(one, one.plan <= count) for one in (rows.options, rows.known))
    truth = truth_of(known, weights)
    return replace(rows, options=options, known=known, labels=truth.accepted, truth=truth)
