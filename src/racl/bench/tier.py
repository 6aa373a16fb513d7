"""What a tier is: rows to learn from and to judge on, and what is true of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from racl.domain.files import parse_domain
from racl.domain.model import Domain
from racl.learn.sample import Sample
from racl.metrics.truth import Truth, truth_of
from racl.model import Model
from racl.options import Floats, Options, Truths, expand

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a tier: as they come, expanded, labelled, and what is true of them."""

    frame: pa.Table
    choice_set: NDArray[np.intp]  # (n,)
    options: Options
    labels: Truths  # (n,)
    truth: Truth
    known: Options  # the rows as the truth sees them: the same where it looks at the same features

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def sample(self) -> Sample:
        """The rows to learn from; each counts the same."""
        return Sample(self.options, self.labels, np.ones(len(self)), self.choice_set)


@dataclass(frozen=True, eq=False)
class Tier:
    """A domain, a truth, and rows drawn from a seed."""

    name: str
    label: str
    domain: Domain
    truth: Model
    train: Rows
    test: Rows
    floor: float = 0.0  # of the scale of values


def domain_file(name: str) -> str:
    """The text of a tier's domain file."""
    return files("racl.bench").joinpath("domains", f"{name}.toml").read_text("utf-8")


def load(name: str) -> Domain:
    """The domain of a tier."""
    return parse_domain(domain_file(name), f"{name}.toml")


def rows(
    domain: Domain,
    truth: Model,
    columns: Mapping[str, NDArray[Any]],
    choice_set: NDArray[np.intp],
    noise: Noise,
) -> Rows:
    """Rows of these columns, with labels of the truth under some noise."""
    frame = pa.table({name: pa.array(one) for name, one in columns.items()})
    options = expand(domain, frame)
    known = options if truth.domain == domain else expand(truth.domain, frame)
    found = truth_of(known, truth.weights)
    labels = noise.labels(found)
    return Rows(frame, choice_set, options, labels, truth_of(known, truth.weights, labels), known)


@dataclass(frozen=True, eq=False)
class Noise:
    """What people add to the value when they judge: logistic, so that it matters near the threshold only."""

    spread: float = 0.0
    rng: np.random.Generator | None = None

    def labels(self, truth: Truth) -> Truths:
        """(n,) who accepts."""
        if self.rng is None or not self.spread:
            return truth.accepted
        value: Floats = np.full(len(truth), np.nan) if truth.value is None else truth.value
        felt = np.nan_to_num(value, nan=-np.inf) + self.rng.logistic(0, self.spread, len(truth))
        return np.asarray(felt >= truth.threshold)


EXACT = Noise()


def sets_of(n: int, sizes: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.intp]:
    """(n,) the choice set of each row: sets of these sizes, as often one as the other."""
    drawn = rng.choice(np.array(sizes), n // min(sizes) + 1)
    return np.repeat(np.arange(len(drawn)), drawn)[:n]
