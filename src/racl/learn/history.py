"""From a frame and what became of its rows to a sample to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from racl.decide import refusal
from racl.domain.model import Domain
from racl.errors import DataError, Problem, Refusal, RowError
from racl.frames import Beside, Table, beside, read_frame
from racl.frames.beside import codes, joined, labels, numbers
from racl.learn.sample import Sample
from racl.learn.shown import as_shown, known_outcomes
from racl.metrics.truth import Truth, truth_of
from racl.model import Model
from racl.options import Options, blank, expand_table
from racl.options import joined as joined_options

SHOWN = 10


@dataclass(frozen=True, eq=False)
class History:
    """Rows and what became of them: columns of the frame by name, or entries given apart, one a row."""

    frame: object  # of whatever kind, or a table that was read from files
    labels: object
    choice_set: object = None
    weight: object = None
    refused: Literal["raise", "collect"] = "raise"
    shown: object = None  # the plan that each label concerns; null where nothing was shown


@dataclass(frozen=True, eq=False)
class Gathered:
    """The rows of a history that can be learned from, and those that were refused."""

    sample: Sample
    refusals: tuple[Refusal, ...]
    given: int
    kept: NDArray[np.intp]  # the numbers of the rows of the sample


@dataclass(frozen=True, eq=False)
class Piece:
    """A stretch of the rows of a history."""

    options: Options
    beside: Mapping[str, Beside]
    refusals: tuple[Refusal, ...]  # all of them, or the first ten where any is a fault


def gathered(
    domain: Domain, history: History, *, other: bool = False, threads: int | None = None
) -> Gathered:
    """The sample of a history; `other` where a persona need not be a declared one."""
    return gathered_from(domain, [table_of(history.frame)], history, other=other, threads=threads)


def gathered_from(
    domain: Domain,
    tables: Iterable[Table],
    history: History,
    *,
    other: bool = False,
    threads: int | None = None,
) -> Gathered:
    """The same of rows that come a table at a time, whose columns the history names."""
    if history.refused not in ("raise", "collect"):
        raise ValueError(f"refused is {history.refused!r}; it may be 'raise' or 'collect'")
    model = blank(domain, other=other)
    pieces = [_piece(model, table, history, threads) for table in tables]
    options = joined_options([piece.options for piece in pieces])
    refusals = tuple(refusal for piece in pieces for refusal in piece.refusals)
    if refusals and history.refused == "raise":
        raise RowError(refusals[:SHOWN], int(options.refused.sum()))
    given = {what: joined([piece.beside[what] for piece in pieces]) for what in pieces[0].beside}
    rows = len(options)
    sets = _sets(codes(given["choice_set"])) if "choice_set" in given else np.arange(rows)
    weight = numbers(given["weight"], 0.0) if "weight" in given else np.ones(rows)
    if "shown" in given:
        kept = np.flatnonzero(known_outcomes(given["shown"], given["labels"]) & ~options.refused)
        agreed = labels(given["labels"].take(kept))
        seen = as_shown(options, given["shown"]).take(kept)
        return Gathered(Sample(seen, agreed, weight[kept], sets[kept]), refusals, rows, kept)
    sample = Sample(options, labels(given["labels"]), weight, sets)
    kept = np.flatnonzero(~options.refused)
    return Gathered(sample if len(kept) == rows else sample.take(kept), refusals, rows, kept)


def _piece(model: Model, table: Table, history: History, threads: int | None) -> Piece:
    options = expand_table(model, table, threads=threads)
    names = ("labels", "choice_set", "weight", "shown")
    asked = {name: getattr(history, name) for name in names}
    given = {what: beside(table, one, what) for what, one in asked.items() if one is not None}
    rows = np.flatnonzero(options.refused)
    shown = rows if history.refused == "collect" else rows[:SHOWN]
    return Piece(options, given, tuple(refusal(model, table, int(row)) for row in shown))


def table_of(frame: object) -> Table:
    """A frame of whatever kind as a table."""
    return frame if isinstance(frame, Table) else read_frame(frame)


def _sets(found: tuple[NDArray[np.intp], list[object]]) -> NDArray[np.intp]:
    number, known = found
    if None in known:
        row = int(np.argmax(number == known.index(None)))
        raise DataError([Problem(f"row {row}: choice_set", "null, and every row needs its choice set")])
    return number


def truth_on(model: Model, history: History, kept: NDArray[np.intp]) -> Truth:
    """What a truth model says of the rows of a history that are learned from."""
    table = table_of(history.frame)
    other = model.taste.default is not None
    options = expand_table(blank(model.domain, other=other), table).take(kept)
    if options.refused.any():
        row = int(kept[np.argmax(options.refused)])
        found = refusal(blank(model.domain, other=other), table, row)
        raise RowError([Refusal(row, found.column, f"{found.reason} (by the truth model)")])
    return truth_of(options, model.weights, labels(beside(table, history.labels, "labels"))[kept])
