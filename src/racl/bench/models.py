"""The models of the benchmark: the paper's eight, and racl's own with what they can do beyond."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from racl.bench.tier import Rows, Tier
from racl.bench.tiers import TIERS
from racl.learn.baselines import BASELINES
from racl.learn.certify import DELTA, eligible, units_needed
from racl.learn.recipe import Learned, Recipe, learn
from racl.metrics.judged import Judged, judged
from racl.metrics.truth import Truth
from racl.options import Options

VALIDATION = 0.1  # of the training rows: 5,000 of 50,000
CERTIFICATION = 0.4  # likewise, for a bound on few false vetoes
ALPHAS = (0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5)  # the first that the rows are enough for
SURE = 0.9  # of the rows expected to count, so many are counted on

Judge = Callable[[Rows], Judged]


@dataclass(frozen=True)
class Fit:
    """A model that has learned: who decides, and what is to be remembered of how."""

    judge: Judge
    record: Mapping[str, Any]


Learner = Callable[[Tier, Rows, int], Fit]  # from training rows and a seed


@dataclass(frozen=True)
class Entry:
    """A model of the benchmark."""

    label: str
    learner: Learner
    search: bool  # whether it searches repairs
    credit_labels: str = "no"
    ours: bool = False  # whether the paper has it not
    seeded: bool = True  # whether a seed makes any difference


def baseline(name: str) -> Learner:
    """One of the baselines; the credit head alone is told true credits."""

    def fit(tier: Tier, train: Rows, seed: int) -> Fit:
        credit = train.truth.credit if name == "black-box-credit" else None
        judge = BASELINES[name](train.sample, credit=credit, truth=tier.truth, seed=seed)
        return Fit(lambda rows: judge(rows.options), {})

    return fit


def oracle(tier: Tier, train: Rows, seed: int) -> Fit:
    """Whoever knows the truth, and sees what the truth looks at."""
    del train, seed
    return Fit(lambda rows: judged(rows.known, tier.truth.weights), {})


def racl(**settings: Any) -> Learner:
    """Racl by a recipe; a guard is validated against the truth of the rows held out, certified against their labels."""

    def fit(tier: Tier, train: Rows, seed: int) -> Fit:
        recipe = recipe_of(tier, seed, settings)
        learned = learn(tier.domain, train.sample, recipe, truth=truth_for(recipe, train))
        return Fit(lambda rows: judged(shaped(learned, rows.options), learned.weights), remembered(learned))

    return fit


def shaped(learned: Learned, options: Options) -> Options:
    """The options as the model sees them: with curves, it looks at more features."""
    shape = learned.sources.shape
    return options if shape is None else shape.options(options)


def certified(**settings: Any) -> Learner:
    """Racl with a certified guard, at the strictest level that the training rows are enough for."""

    def fit(tier: Tier, train: Rows, seed: int) -> Fit:
        share = settings.get("held_out", CERTIFICATION)
        more = {"guard": "certified", "alpha": strictest(tier, train, share), "held_out": share}
        return racl(**{**more, **settings})(tier, train, seed)

    return fit


def strictest(tier: Tier, train: Rows, share: float) -> float:
    """The tier's level, or the next one that so many held-out choice sets, one row of each, can be expected to certify."""
    weight = 1.0 / np.bincount(train.choice_set)[train.choice_set]
    units = SURE * share * float(weight[eligible(train.sample)].sum())
    levels = [alpha for alpha in ALPHAS if alpha >= TIERS[tier.name].alpha]
    return next((alpha for alpha in levels if units_needed(alpha, DELTA) <= units), levels[-1])


def recipe_of(tier: Tier, seed: int, settings: Mapping[str, Any]) -> Recipe:
    """The recipe for a tier: anchors from contexts without a budget where the tier has them."""
    return Recipe(**{"seed": seed, "anchors_from": TIERS[tier.name].anchors, "floor": tier.floor, **settings})


def truth_for(recipe: Recipe, train: Rows) -> Truth | None:
    """The truth that a guard is chosen by; a certified one is told labels alone."""
    return train.truth if recipe.guard == "validated" else None


def remembered(learned: Learned) -> dict[str, Any]:
    """What the tables show of how a model was learned."""
    record = learned.record
    return {name: record[name] for name in ("guard", "rows", "split", "fit", "notes")}


MODELS: Mapping[str, Entry] = {
    "no-repair": Entry("HASSLE-style NoRepair", baseline("no-repair"), search=False),
    "soft-penalty": Entry("SoftPenalty", baseline("soft-penalty"), search=False),
    "black-box": Entry("BlackBox", baseline("black-box"), search=False),
    "black-box-repair": Entry("BlackBox+RepairSearch", baseline("black-box-repair"), search=True),
    "black-box-credit": Entry(
        "BlackBox+CreditHead", baseline("black-box-credit"), search=False, credit_labels="yes"
    ),
    "anchors-fixed": Entry("RACL-Full", racl(learner="anchors", guard="fixed"), search=True),
    "anchors-validated": Entry(
        "RACL-ValidatedGuard", racl(learner="anchors", guard="validated", held_out=VALIDATION), search=True
    ),
    "oracle": Entry("Oracle-RACL", oracle, search=True, credit_labels="n/a", seeded=False),
    "latent-validated": Entry(
        "latent, validated",
        racl(learner="latent", guard="validated", held_out=VALIDATION),
        search=True,
        ours=True,
    ),
    "latent-certified": Entry(
        "latent, certified",
        certified(learner="latent"),
        search=True,
        ours=True,
    ),
    "latent-curves-certified": Entry(
        "latent, curves, certified",
        certified(learner="latent", curves=True),
        search=True,
        ours=True,
    ),
}
