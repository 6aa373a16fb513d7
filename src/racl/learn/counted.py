"""The first reading of files that are learned from: which rows and choice sets there are, so that they part as in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from racl.decide import decide_table, refusals
from racl.errors import DataError, Problem, Refusal, RowError
from racl.frames import Table, beside
from racl.frames.beside import labels, numbers
from racl.learn.asked import Recipe
from racl.learn.history import SHOWN, History
from racl.learn.sample import Sample
from racl.learn.shown import as_shown, known_rows, nothing_known
from racl.model import Model
from racl.options import Truths, expand_table
from racl.scale.rows import Rows

Refuse = Callable[[Iterable[Refusal]], None]
Tell = Callable[[int, float | None], None]  # rows that are read, and the share of all


@dataclass
class Counted:
    """What the first reading finds: how many rows, and which choice sets have rows that can be learned from."""

    rows: int = 0
    refused: int = 0
    kept: int = 0
    refusals: list[Refusal] = field(default_factory=list)  # the first of them
    starts: list[int] = field(default_factory=list)  # the first row of each table
    before: list[int] = field(default_factory=list)  # how many rows are kept before it
    bits: list[NDArray[np.uint8]] = field(default_factory=list)  # which of its rows are
    numbers: dict[object, int] | None = None  # of the choice sets, in the order in which they come up
    present: set[int] = field(default_factory=set)
    teaching: list[NDArray[np.integer]] = field(
        default_factory=list
    )  # how many rows of each set shapes are chosen by

    @property
    def sets(self) -> int:
        """How many choice sets can be learned from."""
        return self.kept if self.numbers is None else len(self.present)

    @cached_property
    def ranks(self) -> NDArray[np.intp]:
        """The rank of each choice set among those that have rows."""
        seen = np.zeros(len(self.numbers or ()), np.bool_)
        seen[list(self.present)] = True
        return np.cumsum(seen) - 1

    def add(self, table: Table, kept: NDArray[np.intp]) -> None:
        """Count the rows of a table, of which some can be learned from."""
        self.starts.append(table.offset)
        self.before.append(self.kept)
        mask = np.zeros(table.rows, np.bool_)
        mask[kept] = True
        self.bits.append(np.packbits(mask))
        self.rows += table.rows
        self.kept += len(kept)

    def first(self, row: int) -> int:
        """How many rows that can be learned from stand before one."""
        at = bisect_right(self.starts, row) - 1
        bits = np.unpackbits(self.bits[at])[: row - self.starts[at]]
        return self.before[at] + int(np.count_nonzero(bits))

    def sets_of(self, table: Table, history: History, kept: NDArray[np.intp]) -> NDArray[np.intp]:
        """(kept,) the rank of the choice set of each row that can be learned from."""
        if self.numbers is None:
            return np.asarray(self.first(table.offset) + np.arange(len(kept)), np.intp)
        return np.asarray(self.ranks[set_numbers(table, history, self.numbers)[kept]], np.intp)

    def rows_by_set(self) -> NDArray[np.integer]:
        """(sets,) how many rows of each choice set shapes may be chosen by, by rank."""
        if self.numbers is None:
            return np.concatenate(self.teaching)
        total = np.zeros(len(self.numbers), np.intp)
        for one in self.teaching:
            total[: len(one)] += one
        return total[np.unique(np.fromiter(self.present, np.intp, len(self.present)))]


def counted(
    model: Model, rows: Rows, history: History, recipe: Recipe, refuse: Refuse | None, tell: Tell
) -> Counted:
    """The rows and choice sets of files; refused rows are handed over, or raised where nobody takes them."""
    found = Counted(numbers=None if history.choice_set is None else {})
    for table in rows.batches():
        decisions = decide_table(model, table)
        kept = kept_rows(table, history, decisions.outputs.refused)
        found.add(table, kept)
        found.refused += table.rows - len(decisions)
        numbered = None
        if found.numbers is not None:
            numbered = set_numbers(table, history, found.numbers)[kept]
            found.present.update(np.unique(numbered).tolist())
        if recipe.curves:
            found.teaching.append(teaching(sample_of(model, history, table)[0], numbered))
        found.refusals += islice(refusals(decisions), SHOWN - len(found.refusals))
        if refuse is not None:
            refuse(refusals(decisions))
        tell(table.offset + table.rows, None)
    if found.refused and refuse is None:
        raise RowError(found.refusals, found.refused)
    if not found.kept:
        if history.shown is not None and found.rows > found.refused:
            raise nothing_known()
        what = "there is not a single row to learn from"
        raise DataError([Problem("", what, f"{found.rows:,} rows, {found.refused:,} refused")])
    return found


def teaching(sample: Sample, numbered: NDArray[np.intp] | None) -> NDArray[np.integer]:
    """How many rows with an admissible state each choice set has, or each row by itself."""
    used = sample.options.admissible & (sample.weight > 0)
    return used.astype(np.int8) if numbered is None else np.bincount(numbered[used])


def kept_rows(table: Table, history: History, refused: Truths) -> NDArray[np.intp]:
    """Rows that are not refused, and of which it is known what came of them."""
    keep = ~refused
    if history.shown is not None:
        shown, told = beside(table, history.shown, "shown"), beside(table, history.labels, "labels")
        keep &= known_rows(shown, told)
    return np.flatnonzero(keep)


def sample_of(model: Model, history: History, table: Table) -> tuple[Sample, NDArray[np.intp]]:
    """The rows of a table that can be learned from, each its own choice set, and their numbers in the table."""
    options = expand_table(model, table, threads=1)
    kept = kept_rows(table, history, options.refused)
    told = beside(table, history.labels, "labels")
    weight = np.ones(table.rows)
    if history.weight is not None:
        weight = numbers(beside(table, history.weight, "weight"), 0.0)
    if history.shown is None:
        accepted = labels(told)[kept]
    else:
        accepted = labels(told.take(kept))
        options = as_shown(options, beside(table, history.shown, "shown"))
    return Sample(options.take(kept), accepted, weight[kept], np.arange(len(kept))), kept


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
