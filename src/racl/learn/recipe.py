"""Learning as a whole: a recipe and rows in, a model that remembers how it was learned out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.domain.model import Domain
from racl.errors import DataError, Problem
from racl.learn.asked import KNOWN, Recipe, RecipeError
from racl.learn.cross import chosen_shape
from racl.learn.curves import curves_of
from racl.learn.guards import Scaling, one_threshold
from racl.learn.history import Gathered, History, gathered, truth_on
from racl.learn.learners import Fitted, Tell
from racl.learn.record import fingerprint, record_of
from racl.learn.sample import Logits, Sample
from racl.learn.select import GUARDS, Chosen
from racl.learn.sources import InMemory, Sources, split
from racl.metrics.truth import Truth, truth_of
from racl.model import Model
from racl.options import Floats
from racl.semantics import Preference, Taste

__all__ = ["History", "Learned", "Recipe", "RecipeError", "learn", "learn_from"]

Parts = tuple[NDArray[np.intp], NDArray[np.intp]]

FEWEST = 10  # choice sets below which no figures are measured on rows held out for nothing else


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned: a model, and all that is known of how it came about."""

    model: Model
    weights: Floats  # (personas + 1, p + 1): bias and weights, last those of personas not declared
    record: dict[str, Any]  # as it stands under `fit` in the model's file
    logits: Logits
    fitted: Fitted | None  # none where weights were given
    chosen: Chosen
    sources: Sources


def learn(
    domain: Domain,
    rows: History | Sample,
    recipe: Recipe | None = None,
    truth: Model | Truth | None = None,
    tell: Tell | None = None,
) -> Learned:
    """A model of a domain from what became of rows; with a truth, the validated guard is chosen by regret, too."""
    recipe = recipe or Recipe()
    if isinstance(rows, History):
        found = gathered(domain, rows, other=recipe.default_persona, threads=recipe.threads)
        if isinstance(truth, Model):
            truth = truth_on(truth, rows, found.kept)
    else:
        found = Gathered(rows, (), len(rows), np.arange(len(rows)))
        if isinstance(truth, Model):
            truth = truth_of(rows.options, truth.weights, rows.accepted)
    return learn_from(sources_of(domain, found, recipe, truth), recipe, tell)


def sources_of(domain: Domain, found: Gathered, recipe: Recipe, truth: Truth | None) -> Sources:
    """Rows in memory, parted into those to fit on and those held out; shapes are chosen by the former alone."""
    sample, parts = found.sample, parted(found.sample, recipe)
    counts = {"given": found.given, "refused": len(found.refusals), "used": len(sample)}
    mark = fingerprint(sample)
    training = sample if parts is None else sample.take(parts[0])
    curves = curves_of(recipe.curves)
    shape = None if curves is None else chosen_shape(domain, training, recipe, curves)
    if shape is not None:
        domain, sample = shape.domain, shape(sample)
        training = sample if parts is None else sample.take(parts[0])
    zero_budget = recipe.anchors_from == "zero-budget"
    whole = InMemory(sample, zero_budget, recipe.threads)
    if recipe.learner == KNOWN:  # nothing is fitted: no row has been seen
        _, judging = split(sample, share_of(recipe, len(sample)), recipe.seed)
        judged = None if truth is None else truth.take(judging)
        return Sources(domain, whole, whole, sample.take(judging), judged, counts, mark)
    if parts is None:
        return Sources(domain, whole, whole, None, None, counts, mark, shape)
    fitted = InMemory(training, zero_budget, recipe.threads)
    judged = None if truth is None else truth.take(parts[1])
    return Sources(domain, fitted, whole, sample.take(parts[1]), judged, counts, mark, shape)


def parted(sample: Sample, recipe: Recipe) -> Parts | None:
    """Rows to fit on and rows held out; nothing where all are fitted on."""
    if recipe.learner == KNOWN or not holds_out(recipe, len(np.unique(sample.choice_set))):
        return None
    return split(sample, recipe.share, recipe.seed)


def share_of(recipe: Recipe, sets: int) -> float:
    """Which share of so many choice sets is held out: all, as far as they fit, where nothing is fitted."""
    if recipe.learner == KNOWN:
        return 1.0
    return recipe.share if holds_out(recipe, sets) else 0.0


def holds_out(recipe: Recipe, sets: int) -> bool:
    """Whether any of so many choice sets are held out."""
    return recipe.share > 0 and (recipe.guard not in ("none", "fixed") or sets >= FEWEST)


def learn_from(sources: Sources, recipe: Recipe, tell: Tell | None = None) -> Learned:
    """The same from rows wherever they are kept: each step of the fit one pass of sums, the held-out rows in memory."""
    chosen = GUARDS[recipe.guard](sources, recipe, tell)
    weights = chosen.weights
    if not np.isfinite(weights).all():
        what = "the weights are not finite: features or thresholds differ by too many orders of magnitude"
        raise DataError([Problem("weights", what, "bring the features to one scale")])
    if sources.domain.rule.tradeoff and any(one.scaling is Scaling.LEVEL for one in chosen.scaling):
        raise DataError([one_threshold(chosen.scaling[0].shift)])
    record = record_of(sources, recipe, chosen)
    model = Model(sources.domain, taste_of(sources.domain, weights, other=recipe.default_persona), record)
    return Learned(model, weights, record, chosen.logits, chosen.fitted, chosen, sources)


def taste_of(domain: Domain, weights: Floats, *, other: bool) -> Taste:
    """Weights as a model has them."""
    rows = [Preference(float(row[0]), tuple(map(float, row[1:]))) for row in weights]
    return Taste(dict(zip(domain.personas, rows, strict=False)), rows[-1] if other else None)
