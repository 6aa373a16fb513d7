"""Learning from files larger than memory: the rows are read twice, then kept on disk in the form that sums are made of.

The first reading counts rows and choice sets, so that the same ones are held out as in memory; the second one expands the
rows. Shapes want a reading more, of the rows by which they are chosen. What stays in memory are the held-out rows, of which
there is a most, and a number for each choice set.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.domain.model import Domain
from racl.frames import Table
from racl.learn.asked import KNOWN, Recipe
from racl.learn.counted import Counted, Refuse, Tell, counted, sample_of
from racl.learn.cross import shape_by, some_of
from racl.learn.curves import Curves, Shape, check_names, curves_of
from racl.learn.data import SMALL, Data, Held, anchor_data, latent_data
from racl.learn.guards import Levels, common_levels, own_levels
from racl.learn.history import History
from racl.learn.recipe import share_of
from racl.learn.record import fingerprint, left_out
from racl.learn.sample import Logits, Sample
from racl.learn.sources import Sources, drawn
from racl.learn.spool import Part, Spool, put
from racl.model import Model
from racl.options import blank, joined
from racl.scale.deciding import row_count
from racl.scale.rows import Rows
from racl.threads import available

STRETCH = 1 << 16  # rows that are expanded at a time


@dataclass(frozen=True, eq=False)
class OnDisk:
    """Rows in a spool, as learning asks for them."""

    parts: Mapping[str, Sequence[Part]]  # of the latent rows and of the anchors
    features: int
    groups: int
    whole: bool
    threads: int | None

    def latent(self) -> Data:
        """Rows with an admissible state, and all those states."""
        return self._latent

    def anchors(self) -> Data:
        """Candidates that are feasible as they came."""
        return self._anchors

    @cached_property
    def _latent(self) -> Data:
        return self._data("latent")

    @cached_property
    def _anchors(self) -> Data:
        return self._data("anchors")

    def _data(self, kind: str) -> Data:
        spool = Spool(self.parts[kind], self.features, self.groups, self.whole, self.threads)
        return spool if len(spool) > SMALL else spool.small()

    def levels(self, logits: Logits, *, own: bool) -> Levels:
        """Where the log odds and the thresholds of the anchors lie."""
        make = own_levels if own else common_levels
        if isinstance(self._anchors, Held):
            return make(self._anchors.rows, logits)
        spool = Spool(self.parts["anchors"], self.features, self.groups, self.whole, self.threads)
        found: Levels = reduce(Levels.__add__, spool.each(lambda held: make(held.rows, logits)))
        return found


MANY_ROWS = 2_000_000
MANY_BYTES = 1 << 28  # of text


def many(rows: Rows) -> bool:
    """Whether rows are better kept on disk."""
    count = row_count(rows)
    return rows.size > MANY_BYTES if count is None else count > MANY_ROWS


# the second reading ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Expanded:
    """What becomes of a table: parts on disk, and the rows that are held out."""

    latent: Part
    anchors: Part
    held_out: Sample | None
    left_out: Counter[str]
    digest: str


@dataclass(frozen=True, eq=False)
class Expanding:
    """How tables are expanded."""

    model: Model
    history: History
    recipe: Recipe
    folder: Path
    aside: NDArray[np.bool_]  # by the rank of the choice set
    counted: Counted
    shape: Shape | None

    def __call__(self, number: int, table: Table) -> Expanded:
        """Expand a table."""
        sample, kept = sample_of(self.model, self.history, table)
        ranks = self.counted.sets_of(table, self.history, kept)
        sample = replace(sample, choice_set=ranks)
        digest, why = fingerprint(sample), Counter(left_out(sample, self.recipe))
        if self.shape is not None:
            sample = self.shape(sample)
        aside = self.aside[ranks]
        parts = [
            self.put(f"{kind}-{number}", held, aside, used)
            for kind, (held, used) in self.kinds(sample).items()
        ]
        held_out = sample.take(aside) if aside.any() else None
        return Expanded(parts[0], parts[1], held_out, why, digest)

    def kinds(self, sample: Sample) -> dict[str, tuple[Held, NDArray[np.intp]]]:
        """The rows that each learner looks at, and which they are."""
        numbered = replace(sample, choice_set=np.arange(len(sample)))
        latent = latent_data(numbered)
        if self.recipe.learner == "anchors":
            latent = latent.take(np.zeros(0, np.intp))
        anchors = anchor_data(numbered, zero_budget=self.recipe.anchors_from == "zero-budget")
        return {
            name: (replace(held, choice_set=sample.choice_set[held.choice_set]), held.choice_set)
            for name, held in (("latent", latent), ("anchors", anchors))
        }

    def put(self, name: str, held: Held, aside: NDArray[np.bool_], used: NDArray[np.intp]) -> Part:
        """Some rows on disk."""
        return put(self.folder / f"{name}.part", held.rows, held.choice_set, aside[used])


def expanded(expanding: Expanding, rows: Rows, threads: int, tell: Tell) -> Iterator[Expanded]:
    """Every table expanded, a few at a time, in order."""
    with ThreadPoolExecutor(threads) as pool:
        waiting: list[Any] = []
        try:
            for number, table in enumerate(rows.batches(STRETCH)):
                waiting.append(pool.submit(expanding, number, table))
                if len(waiting) > threads:
                    yield waiting.pop(0).result()
                done = table.offset + table.rows
                tell(done, done / max(1, expanding.counted.rows))
            while waiting:
                yield waiting.pop(0).result()
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def sources_of_files(
    domain: Domain,
    rows: Rows,
    history: History,
    recipe: Recipe,
    *,
    refuse: Refuse | None = None,
    tell: Tell = lambda *_: None,
) -> Iterator[Sources]:
    """All that a model is learned from, kept in a temporary folder while it is learned from."""
    model = blank(domain, other=recipe.default_persona)
    threads = recipe.threads or available()
    found = counted(model, rows, history, recipe, refuse, tell)
    aside = drawn(found.sets, found.kept, share_of(recipe, found.sets), recipe.seed)
    curves = curves_of(recipe.curves)
    shape = None if curves is None else shape_of_files(model, rows, history, recipe, curves, found, aside)
    with TemporaryDirectory(prefix="racl-") as folder:
        expanding = Expanding(model, history, recipe, Path(folder), aside, found, shape)
        yield gathered(domain, expanding, list(expanded(expanding, rows, threads, tell)), threads)


def shape_of_files(
    model: Model,
    rows: Rows,
    history: History,
    recipe: Recipe,
    curves: Curves,
    found: Counted,
    aside: NDArray[np.bool_],
) -> Shape:
    """The shape that rows which are not held out ask for, by a reading of its own."""
    check_names(model.domain, curves)
    by_set = np.where(aside, 0, found.rows_by_set())
    sets = np.flatnonzero(by_set)
    asked = np.zeros(len(by_set), np.bool_)
    asked[sets] = some_of(sets, int(by_set.sum()), recipe.seed)
    parts = []
    for table in rows.batches(STRETCH):
        sample, kept = sample_of(model, history, table)
        sample = replace(sample, choice_set=found.sets_of(table, history, kept))
        used = sample.options.admissible & (sample.weight > 0) & asked[sample.choice_set]
        parts.append(sample.take(np.flatnonzero(used)))
    some = together(parts)
    if some is None:
        raise AssertionError("there are rows")
    return shape_by(model.domain, some, recipe, curves)


def gathered(domain: Domain, expanding: Expanding, parts: Sequence[Expanded], threads: int) -> Sources:
    """Sources of parts on disk."""
    found, shape = expanding.counted, expanding.shape
    domain = domain if shape is None else shape.domain
    kinds = {"latent": [part.latent for part in parts], "anchors": [part.anchors for part in parts]}
    training, whole = (
        OnDisk(kinds, len(domain.features), len(domain.personas) + 1, with_all, threads)
        for with_all in (False, True)
    )
    held_out = together([part.held_out for part in parts if part.held_out is not None])
    digest = hashlib.sha256("".join(part.digest for part in parts).encode()).hexdigest()
    why: Counter[str] = sum((part.left_out for part in parts), Counter())
    counts = {"given": found.rows, "refused": found.refused, "used": found.kept}
    if held_out is None or expanding.recipe.learner == KNOWN:  # where nothing is fitted, no row has been seen
        training = whole
    return Sources(
        domain,
        training,
        whole,
        held_out,
        rows=counts,
        fingerprint=f"sha256:{digest}",
        shape=shape,
        left_out={**parts[0].left_out, **why},
    )


def together(samples: Sequence[Sample]) -> Sample | None:
    """Samples one after the other."""
    if not samples:
        return None
    names = ("accepted", "weight", "choice_set")
    whole = {name: np.concatenate([getattr(one, name) for one in samples]) for name in names}
    return Sample(joined([one.options for one in samples]), **whole)
