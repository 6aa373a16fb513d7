"""Cells of text as values of the types that the domain gives them, for formats that have types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from racl.domain.model import Column, Type
from racl.frames import Table

TYPES = {
    Type.NUMBER: pa.float64(),
    Type.INTEGER: pa.int64(),
    Type.BOOLEAN: pa.bool_(),
    Type.CATEGORY: pa.string(),
}


def typed_schema(schema: pa.Schema, columns: Sequence[Column]) -> pa.Schema:
    """The schema with the types of these columns."""
    types = {column.name: TYPES[column.type] for column in columns}
    return pa.schema([pa.field(field.name, types.get(field.name, field.type)) for field in schema])


def typed_rows(table: Table, columns: Sequence[Column]) -> pa.Table:
    """The rows with the values of these columns, which must be readable wherever the cells are not empty."""
    native: pa.Table = table.native
    for column in columns:
        if column.name in table.names and column.type is not Type.CATEGORY:
            at = native.column_names.index(column.name)
            native = native.set_column(at, column.name, _values(table, column, native.column(at)))
    return native


def _values(table: Table, column: Column, cells: pa.ChunkedArray) -> pa.Array:
    encoded = table.encode(replace(column, default=None), {}, 0, table.rows)
    nulls = cells.is_null().to_numpy()
    with np.errstate(invalid="ignore"):  # what stands under a null, or in a row that is refused
        values = encoded == 1 if column.type is Type.BOOLEAN else encoded
        whole = values.astype(np.int64) if column.type is Type.INTEGER else values
    return pa.array(whole, TYPES[column.type], mask=nulls)
