"""Fitting where the rows are: each step one pass over a cluster, whose sums are added up here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, Literal, Protocol

import numpy as np
import pyarrow as pa

from racl.domain.model import Domain
from racl.errors import DataError, Problem
from racl.frames import read_arrow
from racl.learn.asked import KNOWN, Recipe, RecipeError
from racl.learn.cross import chosen_shape
from racl.learn.curves import Shape, curves_of
from racl.learn.data import SMALL, Held
from racl.learn.guards import Levels, no_levels
from racl.learn.history import History, gathered
from racl.learn.learners import Tell
from racl.learn.marks import LANES, fingerprint_of
from racl.learn.recipe import Learned, learn_from
from racl.learn.sample import Logits, Sample
from racl.learn.sources import MOST_HELD_OUT, Sources
from racl.learn.spread import FOUND, Asked, Columns, Part, States, asking, held
from racl.learn.standard import Moments, Standard
from racl.learn.sums import Source, Sums
from racl.options import Floats


class Cluster(Protocol):
    """Rows in parts, on several machines."""

    def over(self, work: Callable[[Any], pa.Table], *, rows: bool = False) -> Iterable[pa.Table]:
        """What a function of Arrow tables gives for each part: numbers in one column, or some of its rows."""


def learn_on(
    cluster: Cluster,
    domain: Domain,
    columns: Columns,
    recipe: Recipe | None = None,
    *,
    refused: Literal["raise", "collect"] = "raise",
    tell: Tell | None = None,
) -> Learned:
    """A model of a domain from rows on a cluster: the weights that the same rows give in memory."""
    recipe = recipe or Recipe()
    problems = list(_problems(recipe, columns))
    if problems:
        raise RecipeError(problems)
    asked = Asked(
        domain=text_of(domain),
        columns=columns,
        seed=recipe.seed,
        refused=refused,
        other=recipe.default_persona,
        zero_budget=recipe.anchors_from == "zero-budget",
    )
    whole = Spread(cluster, domain, asked)
    used, mark = whole.tally()
    if not used:
        raise DataError([Problem("rows", "there is not a single row to learn from")])
    share = min(recipe.share, MOST_HELD_OUT / used)
    training = replace(whole, asked=replace(asked, part="training", share=share)) if share else whole
    shape = _shape(training, recipe)
    if shape is not None:
        same = training is whole
        whole = whole.read_as(shape.domain)
        training = whole if same else training.read_as(shape.domain)
    held_out = training.rows("held out") if share else None
    sources = Sources(whole.domain, training, whole, held_out, None, {"used": used}, mark, shape)
    return learn_from(sources, recipe, tell)


def text_of(domain: Domain) -> str:
    """A domain as JSON."""
    return json.dumps(domain.document, default=dict)


def _shape(training: Spread, recipe: Recipe) -> Shape | None:
    """The shape of the features, chosen by the rows to fit on, or so many of them as come to the driver."""
    curves = curves_of(recipe.curves)
    if curves is None:
        return None
    some = min(1.0, SMALL / max(1, training.count()))
    return chosen_shape(training.domain, training.rows(training.asked.part, some), recipe, curves)


def _problems(recipe: Recipe, columns: Columns) -> Iterable[Problem]:
    if recipe.share and not (columns.choice_set or columns.key):
        what = "nothing tells rows apart, and some of them are to be held out"
        yield Problem("key", what, "name a column that names each row, or choice sets")
    if recipe.learner == KNOWN:
        yield Problem("learner", "given weights need no cluster", "use `racl.learn`")


@dataclass(frozen=True)
class Spread:
    """Rows on a cluster, as learning sees them."""

    cluster: Cluster
    domain: Domain
    asked: Asked

    def read_as(self, domain: Domain) -> Spread:
        """The same rows as another domain reads them."""
        return replace(self, domain=domain, asked=replace(self.asked, domain=text_of(domain)))

    def latent(self) -> SpreadData:
        """Rows with an admissible state, and all those states."""
        return SpreadData(self, "latent")

    def anchors(self) -> SpreadData:
        """Candidates that are feasible as they came."""
        return SpreadData(self, "anchors")

    @property
    def groups(self) -> int:
        """Personas, and one more for those that are not declared."""
        return len(self.domain.personas) + 1

    @property
    def features(self) -> int:
        """How many features there are."""
        return len(self.domain.features)

    def found(self, shapes: Iterable[tuple[int, ...]], asked: Asked) -> Iterable[list[Floats]]:
        """What every part answers, as arrays of these shapes."""
        sizes = [(shape, int(np.prod(shape))) for shape in shapes]
        for table in self.cluster.over(asking(asked)):
            for one in table.column(FOUND).to_pylist():
                numbers, at, arrays = np.frombuffer(one, np.float64), 0, []
                for shape, size in sizes:
                    arrays.append(numbers[at : at + size].reshape(shape))
                    at += size
                yield arrays

    def added(self, shapes: list[tuple[int, ...]], asked: Asked) -> list[Floats]:
        """What all parts come to together."""
        total = [np.zeros(shape) for shape in shapes]
        for arrays in self.found(shapes, asked):
            total = [one + other for one, other in zip(total, arrays, strict=True)]
        return total

    def count(self) -> int:
        """How many rows can be learned from."""
        return int(self.added([(1,)], replace(self.asked, what="count"))[0][0])

    def tally(self) -> tuple[int, str]:
        """The same, and the fingerprint of the rows, whatever their order and their parts."""
        count, *halves = self.added([(1,)] * (1 + 2 * len(LANES)), replace(self.asked, what="tally"))
        return int(count[0]), fingerprint_of([float(half[0]) for half in halves])

    def rows(self, part: Part, some: float = 1.0) -> Sample:
        """The rows of a part in memory, or a share of them, in the order of their keys."""
        asked = replace(self.asked, what="rows", part=part, some=some)
        table = pa.concat_tables(self.cluster.over(asking(asked), rows=True))
        columns = self.asked.columns
        if columns.key is not None:
            table = table.sort_by(columns.key)
        history = History(
            read_arrow(table), columns.labels, columns.choice_set, columns.weight, refused=self.asked.refused
        )
        return gathered(self.domain, history, other=self.asked.other).sample

    def levels(self, logits: Logits, *, own: bool) -> Levels:
        """Where the log odds and the thresholds of the anchors lie, in one pass."""
        numbers = {"u": logits.u.tolist(), "d": logits.d.tolist(), "beta": logits.beta.tolist()}
        asked = replace(self.asked, what="levels", pooled=not own, numbers=numbers)
        shapes = [(len(logits.d),), *(((len(logits.d), 2),) * 4)]
        parts = (Levels(*arrays) for arrays in self.found(shapes, asked))
        return reduce(Levels.__add__, parts, no_levels(len(logits.d)))


@dataclass(frozen=True)
class SpreadData:
    """The states of rows on a cluster."""

    rows: Spread
    states: States

    @property
    def smooth(self) -> bool:
        """Whether each row is known to have one state: of rows that are elsewhere it is not."""
        return False

    def asked(self, what: str, **more: Any) -> Asked:
        """A question about these states."""
        return replace(self.rows.asked, states=self.states, what=what, **more)

    def moments(self) -> Moments:
        """Sums and squares of the features of all states, and of the thresholds."""
        first = self.small().rows
        shift = np.append(first.features[:1].sum(axis=0), first.threshold[:1].sum())
        shapes: list[tuple[int, ...]] = [(self.rows.features + 1,)] * 3
        asked = self.asked("moments", numbers={"shift": shift.tolist()})
        count, total, square = self.rows.added(shapes, asked)
        return Moments(count, total, square, shift)

    def counts(self) -> tuple[Floats, Floats]:
        """(G,) the weight of the rows of each group, and that of the accepted ones."""
        return self._counts

    @cached_property
    def _counts(self) -> tuple[Floats, Floats]:
        weight, accepted = self.rows.added([(self.rows.groups,)] * 2, self.asked("counts"))
        return weight, accepted

    def source(self, standard: Standard, *, pooled: bool) -> Source:
        """The sums of all rows, for each persona or for all together."""
        scale = {"center": standard.center.tolist(), "scale": standard.scale.tolist()}

        def sums(phi: Floats) -> Sums:
            groups, q = phi.shape
            asked = self.asked("sums", pooled=pooled, numbers={**scale, "phi": phi.tolist()})
            return Sums(*self.rows.added([(groups,), (groups, q), (groups, q, q)], asked))

        return sums

    def small(self) -> Held:
        """All rows, or about so many as first guesses are made from, in memory."""
        return self._small

    @cached_property
    def _small(self) -> Held:
        part = self.rows.asked.part
        some = min(1.0, SMALL / self.rows.count())
        return held(self.asked("rows"), self.rows.rows(part, some))
