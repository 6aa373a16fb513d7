"""How a baseline is made and asked, and what it is told of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from racl.learn.sample import Sample
from racl.metrics.judged import PREFERENCE, STRUCTURE, Judged
from racl.model import Model
from racl.options import Floats, Options


class Judge(Protocol):
    """Whoever decides on the rows of a table of options."""

    def __call__(self, options: Options, /) -> Judged:
        """What is decided."""


class Make(Protocol):
    """From rows to a judge."""

    def __call__(
        self,
        sample: Sample,
        *,
        credit: NDArray[np.int8] | None = None,
        truth: Model | None = None,
        seed: int = 0,
    ) -> Judge:
        """A judge learned from rows; true credits (n,) and the truth are for those that are told of them."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What every learned baseline is told of n candidates: their features, what they violate, their context."""

    features: Floats  # (n, p)
    violated: Floats  # (n, requirements) 0 or 1
    budget: Floats  # (n,)
    threshold: Floats  # (n,)
    persona: NDArray[np.intp]  # (n,)

    def columns(self) -> Floats:
        """(n, p + requirements + 4): all of it side by side, with the number of violations; the persona comes last."""
        count = self.violated.sum(axis=1)
        return np.column_stack(
            [self.features, self.violated, count, self.budget, self.threshold, self.persona]
        )


def as_they_came(options: Options) -> Seen:
    """The candidates as they came."""
    violated = options.violated.astype(np.float64)
    return Seen(options.given, violated, options.budget, options.threshold, options.persona)


def repaired(options: Options) -> Seen:
    """Every admissible state as a candidate of its own; what its cost takes off its value raises the threshold."""
    row = options.row
    threshold = options.threshold[row] + options.tradeoff * options.cost
    violated = np.zeros((len(row), options.violated.shape[1]))
    return Seen(options.features, violated, options.budget[row], threshold, options.persona[row])


def without_search(options: Options, odds: Floats) -> Judged:
    """Decisions by log odds (n,), NaN for a sure rejection; infeasible is called structural, and there are no plans."""
    odds = np.where(options.refused, np.nan, odds)
    return Judged(
        accepted=odds >= 0,
        value=odds,  # the rows of a choice set share their context, so log odds rank them
        margin=odds,
        bucket=np.where(options.feasible, PREFERENCE, STRUCTURE).astype(np.int8),
        best=None,
        plan=None,
        credit=None,
        probability=probability(odds),
    )


def probability(odds: Floats) -> Floats:
    """Of acceptance; 0 for a sure rejection."""
    return np.asarray(np.where(np.isnan(odds), 0.0, expit(odds)), np.float64)
