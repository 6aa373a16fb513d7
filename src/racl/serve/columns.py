"""Many rows of a request as columns, for the kernel; whatever is not plain is left to the closure, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from racl.decide import decide_table
from racl.domain.model import Column, Type
from racl.engines.outputs import CREDITS, plan_name
from racl.frames import read_frame
from racl.model import Model
from racl.semantics import Decision
from racl.serve.deciding import Found, closely, decide_rows, declared

MANY = 256  # rows from which columns pay
Columns = Mapping[str, Sequence[Any]]
TYPES = {
    Type.NUMBER: pa.float64(),
    Type.INTEGER: pa.float64(),
    Type.BOOLEAN: pa.bool_(),
    Type.CATEGORY: pa.string(),
}


def ready(model: Model) -> bool:
    """Whether the kernel is compiled."""
    return callable(vars(model).get("_kernel"))  # looked at, not asked for: that would compile it


def decide_many(model: Model, rows: Sequence[Any]) -> list[Found]:
    """The decision on each row, or why it is refused, in the order of the rows: as `decide_rows`, but sooner."""
    columns = columns_of(model, rows)
    table = None if columns is None else table_of(model, columns, len(rows))
    if table is None:
        return decide_rows(model, rows)
    outputs = decide_table(model, read_frame(table), engine="kernel", threads=1).outputs
    plans = plan_names(model, outputs.plan.tolist())
    figures = map(figures_of, (outputs.value, outputs.margin, outputs.cost))
    credits_ = map(CREDITS.__getitem__, outputs.credit.tolist())
    found: list[Found] = list(map(Decision, outputs.accepted.tolist(), credits_, plans, *figures))
    for number in np.flatnonzero(outputs.refused).tolist():
        found[number] = closely(model, rows[number], number)
    return found


def figures_of(array: NDArray[np.float64]) -> list[float | None]:
    """The figures of decisions, None where there is none."""
    found: list[float | None] = array.tolist()
    for number in np.flatnonzero(np.isnan(array)).tolist():
        found[number] = None
    return found


def plan_names(model: Model, numbers: Sequence[int]) -> list[str | None]:
    """The names of plans by their numbers, each worked out once."""
    names = {number: None if number < 0 else plan_name(model.program, number) for number in set(numbers)}
    return [names[number] for number in numbers]


def columns_of(model: Model, rows: Sequence[Any]) -> Columns | None:
    """The values of the columns that are read; nothing where a row is no object, or has a column that is not declared."""
    if set(map(type, rows)) != {dict}:
        return None
    names, known = tuple(rows[0]), declared(model.domain)
    if list(map(tuple, rows)).count(names) == len(rows):  # as rows of one sender mostly are
        return (
            dict(zip(names, zip(*map(dict.values, rows), strict=True), strict=True))
            if known.issuperset(names)
            else None
        )
    if not all(map(known.issuperset, rows)):
        return None
    return {column.name: [row.get(column.name) for row in rows] for column in model.domain.columns_read}


def table_of(model: Model, columns: Columns, count: int) -> pa.Table | None:
    """The columns as Arrow has them; nothing where a value is of another type than its column's."""
    found = {column.name: pa.nulls(count) for column in model.domain.columns_read}
    given = [column for column in model.domain.columns_read if column.name in columns]
    try:
        return pa.table(
            {**found, **{column.name: array_of(column, columns[column.name]) for column in given}}
        )
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def array_of(column: Column, values: Sequence[Any]) -> pa.Array:
    """The values of a column; raises TypeError for truths among numbers, which Arrow would take for 0 and 1."""
    if column.type in (Type.NUMBER, Type.INTEGER) and bool in set(map(type, values)):
        raise TypeError
    return pa.array(values, TYPES[column.type])
