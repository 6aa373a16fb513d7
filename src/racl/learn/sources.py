"""Rows of a fit and of its guard, wherever they are kept: what learning asks of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from racl.domain.model import Domain
from racl.learn.curves import Shape
from racl.learn.data import Data, Held, anchor_data, latent_data
from racl.learn.guards import Levels, common_levels, own_levels
from racl.learn.sample import Logits, Sample
from racl.metrics.truth import Truth


class Rows(Protocol):
    """Rows to learn from: in memory, in files, on a cluster."""

    def latent(self) -> Data:
        """Rows with an admissible state, and all those states."""

    def anchors(self) -> Data:
        """Candidates that are feasible as they came."""

    def levels(self, logits: Logits, *, own: bool) -> Levels:
        """Where the log odds and the thresholds of the anchors lie, in one pass.

        With `own`, each persona's anchors under its own coefficients, in the order of the coefficients; else all anchors
        under each of the coefficients.
        """


@dataclass(frozen=True, eq=False)
class InMemory:
    """Rows in memory."""

    sample: Sample
    zero_budget: bool = False  # whether only rows without a budget are anchors
    threads: int | None = None

    def latent(self) -> Held:
        """Rows with an admissible state, and all those states."""
        return latent_data(self.sample, self.threads)

    def anchors(self) -> Held:
        """Candidates that are feasible as they came."""
        return anchor_data(self.sample, self.threads, zero_budget=self.zero_budget)

    def levels(self, logits: Logits, *, own: bool) -> Levels:
        """Where the log odds and the thresholds of the anchors lie."""
        rows = self.anchors().rows
        return own_levels(rows, logits) if own else common_levels(rows, logits)


@dataclass(frozen=True, eq=False)
class Sources:
    """All that a model is learned from.

    `training` is what the first fit sees, `held_out` is in memory and never among it, `whole` is both together.
    """

    domain: Domain
    training: Rows
    whole: Rows
    held_out: Sample | None  # none where nothing is held out
    truth: Truth | None = None  # of the held-out rows, where a truth model is given
    rows: Mapping[str, int] = field(default_factory=dict)  # how many were given, refused, held out ...
    fingerprint: str = ""  # of all rows
    shape: Shape | None = None  # of `domain`, where its features were extended
    left_out: Mapping[str, int] = field(default_factory=dict)  # why rows teach nothing, of rows on disk


MOST_HELD_OUT = 200_000  # rows, about: more would tell no more, and they are held in memory


def split(sample: Sample, share: float, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to fit on and rows held out: about a share of the choice sets, drawn whole."""
    sets, number = np.unique(sample.choice_set, return_inverse=True)
    held_out = drawn(len(sets), len(sample), share, seed)[number]
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def drawn(sets: int, rows: int, share: float, seed: int) -> NDArray[np.bool_]:
    """(sets,) which choice sets are held out: a share of them, or fewer where these would have too many rows."""
    count = min(round(share * sets), -(-MOST_HELD_OUT * sets // max(1, rows)))
    aside = np.zeros(sets, np.bool_)
    order = np.arange(sets, dtype=np.min_scalar_type(sets))  # as narrow as can be: there may be many millions
    np.random.default_rng(seed).shuffle(order)
    aside[order[:count]] = True
    return aside
