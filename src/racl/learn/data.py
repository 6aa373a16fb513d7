"""Rows of a fit, wherever they are kept: what a fit asks of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from racl.learn.sample import Sample
from racl.learn.standard import Moments, Standard, moments
from racl.learn.sums import Source, Stretch, in_memory, totals
from racl.options import NONE, Floats

SMALL = 300_000  # rows of the part that first guesses are made from


class Data(Protocol):
    """Rows that sums are made of: in memory, in files, on a cluster."""

    @property
    def smooth(self) -> bool:
        """Whether each row is known to have one state, so that its loss has no kinks."""

    def moments(self) -> Moments:
        """Sums and squares of the features of all states, and of the thresholds."""

    def counts(self) -> tuple[Floats, Floats]:
        """(G,) the weight of the rows of each group, and that of the accepted ones."""

    def source(self, standard: Standard, *, pooled: bool) -> Source:
        """The sums of all rows, for each persona or for all together."""

    def small(self) -> Held:
        """All rows, or a part of them spread evenly, in memory."""


@dataclass(frozen=True, eq=False)
class Held:
    """Rows in memory."""

    rows: Stretch
    groups: int  # personas and one more, for those that are not declared
    choice_set: NDArray[np.intp]  # (n,)
    threads: int | None = None
    compiling: bool = True  # whether the sums of many rows may be compiled

    @property
    def smooth(self) -> bool:
        """Whether each row has one state."""
        return len(self.rows.features) == len(self.rows)

    def moments(self) -> Moments:
        """Sums and squares of the features of all states, and of the thresholds."""
        rows = self.rows
        shift = np.append(rows.features[:1].sum(axis=0), rows.threshold[:1].sum())
        if (rows.weight == 1.0).all():
            return moments(rows.features, rows.threshold, shift, threads=self.threads)
        weight = np.repeat(rows.weight, np.diff(rows.start)), rows.weight
        return moments(rows.features, rows.threshold, shift, weight, threads=self.threads)

    def counts(self) -> tuple[Floats, Floats]:
        """(G,) the weight of the rows of each group, and that of the accepted ones."""
        return self._counts

    @cached_property
    def _counts(self) -> tuple[Floats, Floats]:
        rows = self.rows
        agreed = rows.weight * rows.accepted
        return totals(rows.group, rows.weight, self.groups), totals(rows.group, agreed, self.groups)

    def source(self, standard: Standard, *, pooled: bool) -> Source:
        """The sums of all rows, for each persona or for all together."""
        rows = self.rows.pooled() if pooled else self.rows
        return in_memory(rows, standard, threads=self.threads, compiling=self.compiling)

    def small(self) -> Held:
        """All rows, or a part of them spread evenly."""
        if len(self.rows) <= SMALL:
            return self
        return self.take(np.linspace(0, len(self.rows) - 1, SMALL).astype(np.intp))

    def take(self, rows: NDArray[np.intp]) -> Held:
        """Some of the rows."""
        return replace(self, rows=self.rows.take(rows), choice_set=self.choice_set[rows])

    def among(self, most: int, chance: np.random.Generator) -> Held:
        """The rows of so many of the groups, drawn by chance and numbered anew; all where there are no more."""
        present = np.unique(self.rows.group)
        if len(present) <= most:
            return self
        drawn = np.sort(chance.permutation(present)[:most])
        found = self.take(np.flatnonzero(np.isin(self.rows.group, drawn)))
        group = np.searchsorted(drawn, found.rows.group).astype(np.int64)
        return replace(found, rows=replace(found.rows, group=group), groups=most)


def two_classes(data: Data) -> bool:
    """Whether there are both accepted and rejected rows."""
    weight, accepted = (float(one.sum()) for one in data.counts())
    return 0.0 < accepted < weight


def anchor_data(sample: Sample, threads: int | None = None, *, zero_budget: bool = False) -> Held:
    """Candidates that are feasible as they came, each its own only state; perhaps only those without a budget."""
    options = sample.options
    anchor = (options.kept() != NONE) & (sample.weight > 0)
    rows = np.flatnonzero(anchor & (options.budget <= 0.0) if zero_budget else anchor)
    kept = Stretch(
        np.arange(len(rows) + 1, dtype=np.int64),
        options.features[options.kept()[rows]],
        np.zeros(len(rows)),
        options.threshold[rows],
        options.persona[rows].astype(np.int64),
        sample.accepted[rows].astype(np.uint8),
        sample.weight[rows],
    )
    return Held(kept, len(options.personas) + 1, sample.choice_set[rows], threads)


def latent_data(sample: Sample, threads: int | None = None) -> Held:
    """Rows with an admissible state, and all those states."""
    used = sample.options.admissible & (sample.weight > 0)
    sample = sample if used.all() else sample.take(used)
    options = sample.options
    states = Stretch(
        options.start.astype(np.int64),
        options.features,
        options.tradeoff * options.cost,
        options.threshold,
        options.persona.astype(np.int64),
        sample.accepted.astype(np.uint8),
        sample.weight,
    )
    return Held(states, len(options.personas) + 1, sample.choice_set, threads)
