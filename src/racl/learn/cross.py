"""Cross-validation of shapes: how many knots, and how strong a penalty on bends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from racl.domain.model import Domain
from racl.learn.asked import Recipe
from racl.learn.curves import Curves, Shape, check_names, folds_of, shaped, terms_of
from racl.learn.data import Held, anchor_data, latent_data, two_classes
from racl.learn.learners import ROUGHLY, Settings, Task
from racl.learn.sample import Sample
from racl.learn.standard import standard_of

ROWS = 12_000  # that shapes are chosen by

Tried = tuple[int, float, float]


def chosen_shape(domain: Domain, sample: Sample, recipe: Recipe, curves: Curves) -> Shape:
    """The shape under which held-out rows lose least, judged by the pooled fit; of equals the simplest."""
    check_names(domain, curves)
    return shape_by(domain, part_of(sample, recipe.seed), recipe, curves)


def shape_by(domain: Domain, some: Sample, recipe: Recipe, curves: Curves) -> Shape:
    """The same, by rows that are few enough."""
    features = some.options.features
    best: tuple[float, Shape] | None = None
    tried: list[Tried] = []
    terms_before = None
    for knots in sorted(curves.knots):
        terms = terms_of(domain, features, curves, knots)
        if terms == terms_before:
            continue
        terms_before, shape = terms, shaped(domain, terms)
        bends = any(term.bend for term in terms)
        penalties = sorted(curves.penalties, reverse=True) if bends else [0.0]
        for penalty, loss in zip(penalties, losses(shape, some, recipe, curves, penalties), strict=True):
            tried.append((knots, penalty, loss))
            if best is None or loss < best[0]:
                best = loss, replace(shape, penalty=penalty)
    if best is None:
        return shaped(domain, terms_of(domain, features, replace(curves, products=()), 0))
    return replace(best[1], tried=tuple(tried))


def part_of(sample: Sample, seed: int) -> Sample:
    """Rows with an admissible state, so many that a choice of shapes is quick; choice sets stay whole."""
    used = np.flatnonzero(sample.options.admissible & (sample.weight > 0))
    return sample.take(used[some_of(sample.choice_set[used], len(used), seed)])


def some_of(choice_set: NDArray[np.intp], rows: int, seed: int) -> NDArray[np.bool_]:
    """(n,) choice sets by which shapes are chosen, where there are so many rows in all of them."""
    if rows <= ROWS:
        return np.ones(len(choice_set), np.bool_)
    return np.asarray(folds_of(choice_set, -(-rows // ROWS), seed) == 0)


def losses(
    shape: Shape, sample: Sample, recipe: Recipe, curves: Curves, penalties: list[float]
) -> list[float]:
    """The loss of a held-out row under each penalty."""
    extended = shape(sample)
    if recipe.learner == "anchors":
        data = anchor_data(extended, 1, zero_budget=recipe.anchors_from == "zero-budget")
    else:
        data = latent_data(extended, 1)
    data = replace(data, compiling=False)
    fold = folds_of(data.choice_set, curves.folds, recipe.seed)
    total, count = np.zeros(len(penalties)), 0.0
    for number in range(curves.folds):
        kept, judged = (data.take(np.flatnonzero(one)) for one in (fold != number, fold == number))
        if two_classes(kept) and len(judged.rows):
            total += fold_losses(shape, kept, judged, recipe, penalties)
            count += float(judged.rows.weight.sum())
    return [float(one / count) if count else float("inf") for one in total]


def fold_losses(
    shape: Shape, kept: Held, judged: Held, recipe: Recipe, penalties: list[float]
) -> list[float]:
    """The loss of the rows of a fold under each penalty, each fit started from the one before."""
    standard = standard_of(kept.moments())
    phi = np.zeros((1, len(shape.terms) + 2))
    found = []
    for penalty in penalties:
        one = replace(shape, penalty=penalty)
        settings = Settings(ridge=recipe.ridge, lower=one.lower, upper=one.upper, extra=one.extra)
        task = Task(standard, settings, kept.counts()[0])
        phi = task.pooled(kept, phi, tolerance=ROUGHLY).phi
        found.append(float(judged.source(standard, pooled=True)(phi).loss.sum()))
    return found
