"""Many rows of a request as columns, for the kernel; whatever is not plain is left to the closure, row by row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from racl.decide import decide_table
from racl.domain.model import Column, Type
from racl.engines.outputs import CREDITS
from racl.frames import read_frame
from racl.model import Model
from racl.semantics import Decision
from racl.serve.deciding import Found, closely, decide_rows, declared

MANY = 256  # rows from which columns pay
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
    known = declared(model.domain)
    table = None
    if all(row.__class__ is dict and known.issuperset(row) for row in rows):
        table = table_of(model, rows)
    if table is None:
        return decide_rows(model, rows)
    outputs = decide_table(model, read_frame(table), engine="kernel", threads=1).outputs
    plans = plan_names(model, outputs.plan.tolist())
    figures = (
        [None if math.isnan(one) else one for one in array.tolist()]
        for array in (outputs.value, outputs.margin, outputs.cost)
    )
    credits_ = [CREDITS[number] for number in outputs.credit.tolist()]
    found: list[Found] = list(map(Decision, outputs.accepted.tolist(), credits_, plans, *figures))
    for number in np.flatnonzero(outputs.refused).tolist():
        found[number] = closely(model, rows[number], number)
    return found


def plan_names(model: Model, numbers: Sequence[int]) -> list[str | None]:
    """The names of plans by their numbers, each worked out once."""
    from racl.engines.outputs import plan_name

    names = {number: None if number < 0 else plan_name(model.program, number) for number in set(numbers)}
    return [names[number] for number in numbers]


def table_of(model: Model, rows: Sequence[dict[str, Any]]) -> pa.Table | None:
    """The columns that are read; nothing where a value is of another type than its column's."""
    try:
        return pa.table(
            {
                column.name: array_of(column, [row.get(column.name) for row in rows])
                for column in model.domain.columns_read
            }
        )
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def array_of(column: Column, values: list[Any]) -> pa.Array:
    """The values of a column; raises TypeError for truths among numbers, which Arrow would take for 0 and 1."""
    if column.type in (Type.NUMBER, Type.INTEGER) and bool in set(map(type, values)):
        raise TypeError
    return pa.array(values, TYPES[column.type])
