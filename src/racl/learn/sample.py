"""Rows to learn from, and what a learner makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from racl.options import Floats, Options, Truths


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows to learn from: what may become of each, whether it was accepted, how much it counts, its choice set."""

    options: Options
    accepted: Truths  # (n,)
    weight: Floats  # (n,)
    choice_set: NDArray[
        np.intp
    ]  # (n,) rows of one number belong together; each row its own where there are no sets

    def __len__(self) -> int:
        return len(self.accepted)

    def take(self, rows: NDArray[np.intp] | Truths) -> Sample:
        """Some of the rows, in the order given."""
        return Sample(self.options.take(rows), self.accepted[rows], self.weight[rows], self.choice_set[rows])


@dataclass(frozen=True, eq=False)
class Logits:
    """What was learned: a row is accepted with log odds u . g + d - beta * (threshold + tradeoff * cost).

    One entry a persona in the order of declaration, and last the pooled one, for personas that are not declared.
    """

    u: Floats  # (personas + 1, p)
    d: Floats  # (personas + 1,)
    beta: Floats  # (personas + 1,)

    def of(self, group: int) -> Floats:
        """(p + 2,) u, d and beta of one group."""
        return np.concatenate([self.u[group], [self.d[group], self.beta[group]]])


class Learner(Protocol):
    """From rows to what is preferred."""

    def __call__(self, sample: Sample) -> Logits:
        """What people prefer, from rows."""
