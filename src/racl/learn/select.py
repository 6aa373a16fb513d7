"""Guards: which score is set against the thresholds, chosen and verified on rows that no fit has seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from racl.errors import DataError, Problem
from racl.learn.asked import KNOWN, Recipe
from racl.learn.certify import Certificate, added, certified
from racl.learn.data import two_classes
from racl.learn.guards import GRID, NONE, Guard, Scaled, scaled, weights_of
from racl.learn.known import known_weights
from racl.learn.learners import LEARNERS, Fitted, Settings, Tell
from racl.learn.sample import Logits, Sample
from racl.learn.sources import Rows, Sources
from racl.metrics import rates
from racl.metrics.judged import judged
from racl.metrics.ranking import auroc
from racl.metrics.rates import Rate
from racl.metrics.regret import edr
from racl.metrics.trial import Trial, trial
from racl.metrics.truth import Truth, truth_from_labels
from racl.options import Floats


@dataclass(frozen=True, slots=True)
class Tried:
    """A guard of the grid and its figures on the validation rows."""

    guard: Guard
    figures: tuple[Rate, ...]  # in the order in which they decide


@dataclass(frozen=True, eq=False)
class Chosen:
    """A score and the guard that it has, and what was found on the way."""

    logits: Logits
    fitted: Fitted | None  # none where weights were given
    guard: Guard
    scaling: tuple[Scaled, ...]
    weights: Floats  # (personas + 1, p + 1)
    unseen: Floats | None  # the weights of a fit that saw none of the held-out rows
    unseen_logits: Logits | None = None  # of that fit
    grid: tuple[Tried, ...] = ()
    certificate: Certificate | None = None


# fits ------------------------------------------------------------------------------------------------


def fitted(
    rows: Rows, sources: Sources, recipe: Recipe, tell: Tell | None, before: Fitted | None = None
) -> tuple[Logits, Fitted | None]:
    """What the learner of a recipe makes of rows; a refit keeps the pull that was chosen before."""
    if recipe.learner == KNOWN:
        weights = known_weights(sources.domain, recipe)
        return Logits(weights[:, 1:], weights[:, 0], np.ones(len(weights))), None
    shape = sources.shape
    settings = Settings(
        lower=shape.lower if shape else None,
        upper=shape.upper if shape else None,
        extra=shape.extra if shape else None,
        ridge=recipe.ridge,
        pull=recipe.pull if before is None else before.pull,
        seed=recipe.seed,
        threads=recipe.threads,
        tell=tell,
    )
    found = LEARNERS[recipe.learner](rows, settings)
    return found.logits, found if before is None else replace(found, pulls=before.pulls)


def scored(logits: Logits, rows: Rows, guard: Guard, recipe: Recipe) -> tuple[tuple[Scaled, ...], Floats]:
    """How log odds become a score under a guard, and its weights."""
    scaling = scaled(logits, rows.levels, guard, fallback=recipe.fallback)
    return scaling, weights_of(logits, scaling)


# guards ----------------------------------------------------------------------------------------------


def as_given(sources: Sources, recipe: Recipe, tell: Tell | None, guard: Guard) -> Chosen:
    """One guard, fitted on all rows; the held-out ones are judged by a fit without them."""
    unseen, before, found = None, None, None
    if sources.held_out is not None and (recipe.learner == KNOWN or _learnable(sources, recipe)):
        before, found = fitted(sources.training, sources, recipe, tell)
        unseen = scored(before, sources.training, guard, recipe)[1]
    logits, found = fitted(sources.whole, sources, recipe, tell, found)
    scaling, weights = scored(logits, sources.whole, guard, recipe)
    return Chosen(logits, found, guard, scaling, weights, unseen, before)


def _learnable(sources: Sources, recipe: Recipe) -> bool:
    """Whether the rows that are not held out have both labels: else all are needed for the fit."""
    rows = sources.training
    return two_classes(rows.anchors() if recipe.learner == "anchors" else rows.latent())


def without(sources: Sources, recipe: Recipe, tell: Tell | None) -> Chosen:
    """No guard: scores by affine scaling alone."""
    return as_given(sources, recipe, tell, NONE)


def fixed(sources: Sources, recipe: Recipe, tell: Tell | None) -> Chosen:
    """The guard of the recipe."""
    return as_given(sources, recipe, tell, Guard(recipe.cap, recipe.span))


def validated(sources: Sources, recipe: Recipe, tell: Tell | None) -> Chosen:
    """The guard of the grid that does best on validation rows, and the score refitted on all rows under it."""
    held_out = unseen_rows(sources, recipe)
    before, found = fitted(sources.training, sources, recipe, tell)
    truth = sources.truth or truth_from_labels(held_out.options, held_out.accepted)
    tried, weights = [], []
    for guard in GRID:
        weights.append(scored(before, sources.training, guard, recipe)[1])
        tried.append(Tried(guard, order_of(held_out, truth, weights[-1], recipe.floor)))
    best = min(range(len(GRID)), key=lambda place: rank_of(tried[place].figures))
    logits, found = fitted(sources.whole, sources, recipe, tell, found)
    scaling, final = scored(logits, sources.whole, GRID[best], recipe)
    return Chosen(logits, found, GRID[best], scaling, final, weights[best], before, tuple(tried))


def certify(sources: Sources, recipe: Recipe, tell: Tell | None) -> Chosen:
    """A margin on the score of the training rows that bounds the false vetoes; nothing is refitted."""
    held_out = unseen_rows(sources, recipe)
    logits, found = fitted(sources.training, sources, recipe, tell)
    scaling, weights = scored(logits, sources.training, NONE, recipe)
    certificate = certified(held_out, weights, alpha=recipe.alpha, delta=recipe.delta, seed=recipe.seed)
    weights = added(weights, certificate.margin)
    return Chosen(logits, found, NONE, scaling, weights, weights, logits, (), certificate)


GUARDS: Mapping[str, Callable[[Sources, Recipe, Tell | None], Chosen]] = {
    "none": without,
    "fixed": fixed,
    "validated": validated,
    "certified": certify,
}


def unseen_rows(sources: Sources, recipe: Recipe) -> Sample:
    """The held-out rows, which this guard cannot do without."""
    if sources.held_out is not None and len(sources.held_out):
        return sources.held_out
    count = sources.rows.get("used", 0)
    what = f"no row of {count:,} is held out, and the guard `{recipe.guard}` is chosen on such rows"
    raise DataError([Problem("rows", what, "give more rows (or choice sets), or hold out a larger share")])


# what decides ----------------------------------------------------------------------------------------


def held_against(sample: Sample, truth: Truth, weights: Floats, floor: float) -> Trial:
    """What weights decide on rows beside the truth; choice sets matter only to regret, which needs a truth model."""
    sets = None if truth.value is None else sample.choice_set
    counted = None if (sample.weight == 1.0).all() else sample.weight
    return trial(judged(sample.options, weights), truth, choice_set=sets, weight=counted, floor=floor)


def order_of(sample: Sample, truth: Truth, weights: Floats, floor: float) -> tuple[Rate, ...]:
    """The figures that decide between guards: false vetoes, then regret or else false accepts, then ranking."""
    found = held_against(sample, truth, weights, floor)
    second = rates.far(found) if truth.value is None else edr(found, seed=0, resamples=0)
    return rates.fvr(found), second, auroc(found)


def rank_of(figures: tuple[Rate, ...]) -> tuple[float, ...]:
    """The less the better; what has no value decides nothing."""
    fvr, second, ranking = (0.0 if one.value is None else one.value for one in figures)
    return fvr, second, -ranking
