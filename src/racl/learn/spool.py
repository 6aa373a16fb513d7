"""Rows of a fit on disk: read once from where they come, then a stretch at a time for every pass of sums.

Columns are kept in the narrowest form that gives back the same numbers; what is in memory is a stretch for each thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from racl.learn.data import SMALL, Held
from racl.learn.standard import Moments, Standard, moments
from racl.learn.sums import COMPILE_AT, Source, Stretch, added, compiled_pass, plain
from racl.options import Floats
from racl.scale.paths import reading, writing
from racl.threads import available

Truths = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows in a file."""

    path: Path
    rows: int  # that are not held out
    held_out: int
    states: int

    def count(self, *, whole: bool) -> int:
        """How many rows, with or without those held out."""
        return self.rows + self.held_out if whole else self.rows


def narrow(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in as few bytes as hold them."""
    for type_ in (np.int8, np.int16, np.int32) if values.dtype.kind in "iu" else (np.int8, np.float32):
        with np.errstate(all="ignore"):
            less = values.astype(type_)
        if np.array_equal(less, values):
            return less
    return values


def put(path: Path, rows: Stretch, choice_set: NDArray[np.intp], aside: Truths) -> Part:
    """Rows into a file."""
    count = np.diff(rows.start)
    columns = [*rows.features.T, rows.charge]
    by_row = [count, rows.threshold, rows.group, rows.accepted, rows.weight, choice_set]
    with writing(path), path.open("wb") as file:
        for array in (aside, *map(narrow, by_row), *map(narrow, columns)):
            np.save(file, np.ascontiguousarray(array), allow_pickle=False)
    held_out = int(np.count_nonzero(aside))
    return Part(path, len(rows) - held_out, held_out, len(rows.features))


def got(part: Part, features: int, *, whole: bool) -> Held:
    """The rows of a file, with or without those held out."""
    with reading(part.path), part.path.open("rb") as file:
        aside = _load(file)
        by_row = [_load(file) for _ in range(6)]
        kept = None if whole or not part.held_out else ~aside
        states = None if kept is None else np.repeat(kept, by_row[0])
        count, threshold, group, accepted, weight, sets = (
            array if kept is None else array[kept] for array in by_row
        )
        start = np.concatenate([[0], np.cumsum(count, dtype=np.int64)])
        table = np.empty((start[-1], features))
        for number in range(features):
            table[:, number] = _picked(_load(file), states)
        charge = _picked(_load(file), states).astype(np.float64)
    rows = Stretch(
        start,
        table,
        charge,
        threshold.astype(np.float64),
        group.astype(np.int64),
        accepted.astype(np.uint8),
        weight.astype(np.float64),
    )
    return Held(rows, 0, sets.astype(np.intp))


def _load(file: BinaryIO) -> NDArray[Any]:
    found: NDArray[Any] = np.load(file, allow_pickle=False)
    return found


def _picked(array: NDArray[Any], rows: Truths | None) -> NDArray[Any]:
    return array if rows is None else array[rows]


@dataclass(frozen=True, eq=False)
class Spool:
    """Rows on disk: what sums are made of."""

    parts: Sequence[Part]
    features: int
    groups: int
    whole: bool  # with the rows that are held out
    threads: int | None = None

    def __len__(self) -> int:
        return sum(part.count(whole=self.whole) for part in self.parts)

    @property
    def smooth(self) -> bool:
        """Whether each row has one state."""
        return all(part.states == part.rows + part.held_out for part in self.parts)

    def got(self, part: Part) -> Held:
        """The rows of a part."""
        return replace(got(part, self.features, whole=self.whole), groups=self.groups)

    def each(self, make: Callable[[Held], Any]) -> Iterator[Any]:
        """What is made of each part, in their order; one in memory for each thread."""
        parts = [part for part in self.parts if part.count(whole=self.whole)]
        with ThreadPoolExecutor(self.threads or available()) as pool:
            yield from pool.map(lambda part: make(self.got(part)), parts)

    def moments(self) -> Moments:
        """Sums and squares of the features of all states, and of the thresholds."""
        first = next(part for part in self.parts if part.count(whole=self.whole))
        rows = self.got(first).rows
        shift = np.append(rows.features[:1].sum(axis=0), rows.threshold[:1].sum())
        found: Moments = reduce(Moments.__add__, self.each(partial(_moments, shift)))
        return found

    def counts(self) -> tuple[Floats, Floats]:
        """(G,) the weight of the rows of each group, and that of the accepted ones."""
        return self._counts

    @cached_property
    def _counts(self) -> tuple[Floats, Floats]:
        weight, accepted = np.zeros(self.groups), np.zeros(self.groups)
        for one, agreed in self.each(Held.counts):
            weight, accepted = weight + one, accepted + agreed
        return weight, accepted

    def source(self, standard: Standard, *, pooled: bool) -> Source:
        """The sums of all rows, for each persona or for all together."""
        states = sum(part.states for part in self.parts)
        run = compiled_pass(self.features) if states * self.features >= COMPILE_AT else plain

        def sums(phi: Floats) -> Any:
            def of(held: Held) -> Any:
                return run(held.rows.pooled() if pooled else held.rows, phi, standard)

            return added(self.each(of), phi)

        return sums

    def small(self) -> Held:
        """A part of the rows, spread evenly."""
        count = len(self)
        return self.some(np.linspace(0, count - 1, min(SMALL, count)).astype(np.intp))

    def some(self, rows: NDArray[np.intp]) -> Held:
        """Rows by their numbers, which rise."""
        found, first = [], 0
        for part in self.parts:
            count = part.count(whole=self.whole)
            low, high = np.searchsorted(rows, (first, first + count))
            if high > low:
                found.append(self.got(part).take(rows[low:high] - first))
            first += count
        return joined(found, self.groups, self.threads)


def _moments(shift: Floats, held: Held) -> Moments:
    rows = held.rows
    weight = np.repeat(rows.weight, np.diff(rows.start)), rows.weight
    return moments(rows.features, rows.threshold, shift, weight)


def joined(parts: Sequence[Held], groups: int, threads: int | None) -> Held:
    """Rows in memory one after the other."""
    count = np.concatenate([np.diff(part.rows.start) for part in parts])
    start = np.concatenate([[0], np.cumsum(count, dtype=np.int64)])
    names = ("features", "charge", "threshold", "group", "accepted", "weight")
    whole = {name: np.concatenate([getattr(part.rows, name) for part in parts]) for name in names}
    sets = np.concatenate([part.choice_set for part in parts])
    return Held(Stretch(start, **whole), groups, sets, threads)
