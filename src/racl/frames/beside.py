"""What goes with the rows of a table: labels, choice sets, weights, groups; in a column of its own or given apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from racl.errors import DataError, Problem, nearest, quoted
from racl.frames.blocks import Block, Coded
from racl.frames.read import read_frame
from racl.frames.table import Table
from racl.values import DECIMAL, TRUTHS

SHOWN = 5
TEXT_TRUTHS = {**TRUTHS, "1": True, "0": False}


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """One entry a row, as plain Python has it; a null is `None`."""

    name: str
    values: list[object]
    row: NDArray[np.intp]  # the numbers of the rows
    text: bool = False  # cells of a format without types

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[np.intp]) -> Beside:
        """The entries of some of the rows."""
        return Beside(self.name, [self.values[row] for row in rows], self.row[rows], self.text)

    def problem(self, at: int, what: str, hint: str = "") -> DataError:
        """A fault of one entry."""
        return DataError([Problem(f"row {self.row[at]}: {self.name}", what, hint)])


def beside(table: Table, given: object, name: str) -> Beside:
    """The entries of the column that is named, or of an array, a list or a series with one for each row."""
    if isinstance(given, str):
        held, name = table, given
        _check_column(table, given)
    else:
        held = read_frame({name: given})
        if held.rows != table.rows:
            raise DataError([Problem(name, f"{held.rows:,} entries for {table.rows:,} rows")])
    blocks = held.source(name).blocks(0, held.rows)
    values = [None if _is_null(value) else value for value in chain.from_iterable(map(_plain, blocks))]
    if held.text:
        values = [None if value == "" else value for value in values]
    return Beside(name, values, table.offset + np.arange(table.rows), held.text)


def joined(parts: Sequence[Beside]) -> Beside:
    """The entries of several stretches of rows, one after the other."""
    values = list(chain.from_iterable(part.values for part in parts))
    return Beside(parts[0].name, values, np.concatenate([part.row for part in parts]), parts[0].text)


def _check_column(table: Table, name: str) -> None:
    count = table.names.count(name)
    if count == 0:
        raise DataError([Problem(name, "column missing", nearest(name, table.names))])
    if count > 1:
        raise DataError(
            [Problem(name, f"{count} columns of this name", "which of them is meant cannot be told")]
        )


def _plain(block: Block) -> list[object]:
    """The entries of a block as plain Python has them."""
    if isinstance(block, Coded):
        words = [*_plain(block.dictionary), None]
        return [words[index] for index in block.indices.tolist()]
    if isinstance(block, list):
        return block
    found: list[object] = block.to_pylist() if isinstance(block, pa.Array) else block.tolist()
    return found


def _is_null(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


# readings --------------------------------------------------------------------------------------------


def codes(found: Beside) -> tuple[NDArray[np.intp], list[object]]:
    """(n,) the number of each entry among the different ones, and these in the order in which they come up."""
    known: dict[object, int] = {}
    try:
        numbers = [known.setdefault(value, len(known)) for value in found.values]
    except TypeError as fault:
        raise DataError(
            [Problem(found.name, "lists and tables cannot be compared", "give texts or numbers")]
        ) from fault
    return np.array(numbers, np.intp), list(known)


def labels(found: Beside) -> NDArray[np.bool_]:
    """(n,) truths: booleans, 0 and 1, and in cells of text `true` and `false`; raises DataError for anything else."""
    numbers, known = codes(found)
    truths = [_truth(value, text=found.text) for value in known]
    if None not in truths:
        return np.array(truths, np.bool_)[numbers]
    first = int(np.argmax(np.isin(numbers, [n for n, truth in enumerate(truths) if truth is None])))
    if found.values[first] is None:
        raise found.problem(first, "null, and every row needs a label", "leave out rows without one")
    seen = ", ".join(quoted(value) for value in known[:SHOWN] if value is not None)
    more = " and more" if len(known) > SHOWN else ""
    what = f"{quoted(found.values[first])} is no label; the column holds {seen}{more}"
    raise found.problem(first, what, "labels are true and false, or 1 and 0")


def _truth(value: object, *, text: bool) -> bool | None:
    if text:
        return TEXT_TRUTHS.get(str(value)) if value is not None else None
    if isinstance(value, str | bytes) or value is None:
        return None
    return next((truth for truth in (False, True) if value == truth), None)


def numbers(found: Beside, low: float, high: float = math.inf) -> NDArray[np.float64]:
    """(n,) finite numbers from low to high; raises DataError for anything else."""
    values = np.array([_number(value, text=found.text) for value in found.values], np.float64)
    wrong = np.flatnonzero(~((values >= low) & (values <= high) & np.isfinite(values)))
    if len(wrong):
        first = int(wrong[0])
        between = f"of at least {low:g}" if math.isinf(high) else f"from {low:g} to {high:g}"
        shown = "null" if found.values[first] is None else quoted(found.values[first])
        raise found.problem(first, f"{shown} is not a number {between}")
    return values


def _number(value: object, *, text: bool) -> float:
    if text and isinstance(value, str):
        return float(value) if DECIMAL.fullmatch(value) else math.nan
    if isinstance(value, bool | np.bool_ | str | bytes) or not hasattr(value, "__float__"):
        return math.nan
    return float(value)


def as_numbers(found: Beside) -> NDArray[np.float64] | None:
    """(n,) the entries as numbers, NaN for null; nothing where some entry is no number."""
    values = np.array([_number(value, text=found.text) for value in found.values], np.float64)
    nulls = np.array([value is None for value in found.values], np.bool_)
    return None if (np.isnan(values) & ~nulls).any() else values
