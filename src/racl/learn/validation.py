"""Held-out rows beside what a fit that saw none of them says of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit

from racl.learn.asked import Recipe
from racl.learn.sample import Logits
from racl.learn.select import Chosen, held_against
from racl.learn.sources import Sources
from racl.metrics.trial import Trial
from racl.metrics.truth import truth_from_labels
from racl.options import Floats, Options


def validation(sources: Sources, recipe: Recipe, chosen: Chosen) -> Trial | None:
    """The decisions on the held-out rows, with probabilities where there are log odds; nothing where no row is held out."""
    sample = sources.held_out
    if sample is None or chosen.unseen is None or not len(sample):
        return None
    truth = sources.truth or truth_from_labels(sample.options, sample.accepted)
    found = held_against(sample, truth, chosen.unseen, recipe.floor)
    if chosen.fitted is None or chosen.unseen_logits is None:
        return found
    said = probabilities(sample.options, chosen.unseen_logits)
    return replace(found, judged=replace(found.judged, probability=said))


def probabilities(options: Options, logits: Logits) -> Floats:
    """(n,) of acceptance, by the state of the highest log odds; 0 where nothing is admissible."""
    row = options.row
    persona = options.persona[row]
    bar = options.threshold[row] + options.tradeoff * options.cost
    odds = np.einsum("ij,ij->i", options.features, logits.u[persona]) + logits.d[persona]
    odds -= logits.beta[persona] * bar
    top = np.full(len(options), -np.inf)
    some = np.flatnonzero(options.admissible)
    if len(some):
        top[some] = np.maximum.reduceat(odds, options.start[some])
    return np.asarray(expit(top), np.float64)
