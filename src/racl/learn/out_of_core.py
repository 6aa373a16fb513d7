"""Learning from files larger than memory: the rows are read twice, then kept on disk in the form that sums are made of.

The first reading counts rows and choice sets, so that the same ones are held out as in memory; the second one expands the
rows. What stays in memory are the held-out rows, of which there is a most, and a number for each choice set.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.decide import available, decide_table, refusals
from racl.domain.model import Domain
from racl.errors import DataError, Problem, Refusal, RowError
from racl.frames import Table, beside
from racl.frames.beside import labels, numbers
from racl.learn.asked import KNOWN, Recipe
from racl.learn.data import SMALL, Data, Held, anchor_data, latent_data
from racl.learn.guards import Levels, common_levels, own_levels
from racl.learn.history import SHOWN, History
from racl.learn.recipe import holds_out
from racl.learn.record import fingerprint, left_out
from racl.learn.sample import Logits, Sample
from racl.learn.sources import Sources, drawn
from racl.learn.spool import Part, Spool, put
from racl.model import Model
from racl.options import blank, expand_table, joined
from racl.scale.deciding import row_count
from racl.scale.rows import Rows

HINT = "take a part of the rows"
STRETCH = 1 << 16  # rows that are expanded at a time

Refuse = Callable[[Iterable[Refusal]], None]


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


def many(rows: Rows, recipe: Recipe) -> bool:
    """Whether rows are better kept on disk."""
    if recipe.learner == KNOWN or recipe.curves:
        return False
    count = row_count(rows)
    return rows.size > MANY_BYTES if count is None else count > MANY_ROWS


# the first reading -----------------------------------------------------------------------------------


@dataclass
class Counted:
    """What the first reading finds: how many rows, and which choice sets have rows that are not refused."""

    rows: int = 0
    kept: int = 0
    refusals: list[Refusal] = field(default_factory=list)  # the first of them
    refused_rows: list[NDArray[np.intp]] = field(default_factory=list)
    numbers: dict[object, int] | None = None  # of the choice sets, in the order in which they come up
    present: set[int] = field(default_factory=set)

    @property
    def refused(self) -> int:
        """How many rows were refused."""
        return self.rows - self.kept


def counted(model: Model, rows: Rows, history: History, refuse: Refuse | None, tell: Tell) -> Counted:
    """The rows and choice sets of files; refused rows are handed over, or raised where nobody takes them."""
    found = Counted(numbers=None if history.choice_set is None else {})
    for table in rows.batches():
        decisions = decide_table(model, table)
        found.rows += table.rows
        found.kept += len(decisions)
        found.refused_rows.append(np.flatnonzero(decisions.outputs.refused) + table.offset)
        if found.numbers is not None:
            numbered = set_numbers(table, history, found.numbers)
            found.present.update(np.unique(numbered[decisions.rows]).tolist())
        found.refusals += islice(refusals(decisions), SHOWN - len(found.refusals))
        if refuse is not None:
            refuse(refusals(decisions))
        tell(table.offset + table.rows, None)
    if found.refused and refuse is None:
        raise RowError(found.refusals, found.refused)
    return found


def set_numbers(table: Table, history: History, known: dict[object, int]) -> NDArray[np.intp]:
    """(n,) the number of each row's choice set."""
    entries = beside(table, history.choice_set, "choice_set")
    for at, value in enumerate(entries.values):
        if value is None:
            raise entries.problem(at, "null, and every row needs its choice set")
    try:
        return np.array([known.setdefault(value, len(known)) for value in entries.values], np.intp)
    except TypeError as error:
        raise entries.problem(0, "lists and tables cannot be compared", "give texts or numbers") from error


# the second reading ----------------------------------------------------------------------------------

Tell = Callable[[int, float | None], None]  # rows that are read, and the share of all


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

    @cached_property
    def ranks(self) -> NDArray[np.intp]:
        """The rank of each choice set among those that have rows."""
        seen = np.zeros(len(self.counted.numbers or ()), np.bool_)
        seen[list(self.counted.present)] = True
        return np.cumsum(seen) - 1

    def __call__(self, number: int, table: Table, first: int) -> Expanded:
        """Expand a table whose first row that is not refused has this number among such rows."""
        history, options = self.history, expand_table(self.model, table, threads=1)
        accepted = labels(beside(table, history.labels, "labels"))
        weight = np.ones(table.rows)
        if history.weight is not None:
            weight = numbers(beside(table, history.weight, "weight"), 0.0)
        kept = np.flatnonzero(~options.refused)
        if self.counted.numbers is None:
            ranks = first + np.arange(len(kept))
        else:
            ranks = self.ranks[set_numbers(table, history, self.counted.numbers)[kept]]
        sample = Sample(options.take(kept), accepted[kept], weight[kept], ranks)
        aside = self.aside[ranks]
        parts = [
            self.put(f"{kind}-{number}", held, aside, used)
            for kind, (held, used) in self.kinds(sample).items()
        ]
        held_out = sample.take(aside) if aside.any() else None
        why = Counter(left_out(sample, self.recipe))
        return Expanded(parts[0], parts[1], held_out, why, fingerprint(sample))

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
        refused = np.concatenate(expanding.counted.refused_rows)
        try:
            for number, table in enumerate(rows.batches(STRETCH)):
                first = table.offset - int(np.searchsorted(refused, table.offset))
                waiting.append(pool.submit(expanding, number, table, first))
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
    if recipe.learner == KNOWN or recipe.curves or history.shown is not None:
        what = "weights that are given, curves, and labels of one plan need all rows in memory"
        raise DataError([Problem("", what, HINT)])
    model = blank(domain, other=recipe.default_persona)
    threads = recipe.threads or available()
    found = counted(model, rows, history, refuse, tell)
    if not found.kept:
        what = "there is not a single row to learn from"
        raise DataError([Problem("", what, f"{found.rows:,} rows, {found.refused:,} refused")])
    sets = found.kept if found.numbers is None else len(found.present)
    share = recipe.share if holds_out(recipe, sets) else 0.0
    aside = drawn(sets, found.kept, share, recipe.seed)
    with TemporaryDirectory(prefix="racl-") as folder:
        expanding = Expanding(model, history, recipe, Path(folder), aside, found)
        yield gathered(domain, expanding, list(expanded(expanding, rows, threads, tell)), threads)


def gathered(domain: Domain, expanding: Expanding, parts: Sequence[Expanded], threads: int) -> Sources:
    """Sources of parts on disk."""
    found = expanding.counted
    kinds = {"latent": [part.latent for part in parts], "anchors": [part.anchors for part in parts]}
    training, whole = (
        OnDisk(kinds, len(domain.features), len(domain.personas) + 1, with_all, threads)
        for with_all in (False, True)
    )
    held_out = together([part.held_out for part in parts if part.held_out is not None])
    digest = hashlib.sha256("".join(part.digest for part in parts).encode()).hexdigest()
    why: Counter[str] = sum((part.left_out for part in parts), Counter())
    counts = {"given": found.rows, "refused": found.refused, "used": found.kept}
    if held_out is None:
        training = whole
    reasons = {**parts[0].left_out, **why}
    return Sources(
        domain, training, whole, held_out, rows=counts, fingerprint=f"sha256:{digest}", left_out=reasons
    )


def together(samples: Sequence[Sample]) -> Sample | None:
    """Samples one after the other."""
    if not samples:
        return None
    names = ("accepted", "weight", "choice_set")
    whole = {name: np.concatenate([getattr(one, name) for one in samples]) for name in names}
    return Sample(joined([one.options for one in samples]), **whole)
