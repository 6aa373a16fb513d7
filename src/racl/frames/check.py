"""Whether a table has the columns that a domain reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from racl.domain.model import Column
from racl.errors import Problem, nearest, quoted
from racl.frames.table import Kind, Table


def check_columns(table: Table, needed: Sequence[Column]) -> tuple[Problem, ...]:
    """A problem for each column that is there twice, or neither there nor given a default.

    A default does not stand in for a column that is there in another case: that is a slip, not an absence.
    """
    if table.kind is Kind.ROWS and len(table.faults) == table.rows:
        return ()  # without a single row there are no names either
    return check_names(table.names, needed)


def check_names(names: Sequence[str], needed: Sequence[Column]) -> tuple[Problem, ...]:
    """The same, of the names of columns."""
    return tuple(problem for column in needed if (problem := _problem(names, column)))


def _problem(names: Sequence[str], column: Column) -> Problem | None:
    count = names.count(column.name)
    if count == 1:
        return None
    if count > 1:
        return Problem(column.name, f"{count} columns of this name", "which of them is meant cannot be told")
    miswritten = any(name.casefold() == column.name.casefold() for name in names)
    if column.default is not None and not miswritten:
        return None
    return Problem(column.name, "column missing", nearest(column.name, names))


def check_new_names(names: Iterable[str], new: Sequence[str]) -> tuple[Problem, ...]:
    """A problem for each column of the rows that is named like one of the decision's."""
    taken = set(names)
    hint = "give the decision's columns a prefix"
    return tuple(
        Problem(name, f"the rows already have a column {quoted(name)}", hint) for name in new if name in taken
    )
