"""Tables back to the kind of frame that came in, with the decision's columns after its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from racl.frames.arrow import Values, truths
from racl.frames.table import Kind, Table

Columns = Mapping[str, pa.Array | pa.ChunkedArray]
Keep = NDArray[np.bool_]


def with_columns(table: Table, columns: Columns, keep: Keep | None = None) -> object:
    """The frame that came in, its own columns first and as they were; `keep` drops the rows refused.

    The columns have one value for each row that stays.
    """
    whole = {name: _combined(column) for name, column in columns.items()}
    return WRITERS[table.kind](table.native, whole, keep)


def _combined(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if not isinstance(column, pa.ChunkedArray):
        return column
    whole = column.unify_dictionaries().combine_chunks()
    return whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole


def _to_pandas(frame: Any, columns: Mapping[str, pa.Array], keep: Keep | None) -> object:
    result = frame.copy(deep=False) if keep is None else frame.loc[keep].copy(deep=False)
    rest = ("",) * (frame.columns.nlevels - 1)
    for name, column in columns.items():
        result[(name, *rest) if rest else name] = _pandas_values(column)
    return result


def _pandas_values(column: pa.Array) -> Any:
    if not isinstance(column, pa.DictionaryArray):
        return numpy_values(column)
    codes = column.indices.fill_null(-1).to_numpy()
    return sys.modules["pandas"].Categorical.from_codes(codes, column.dictionary.to_pylist())


def numpy_values(column: pa.Array) -> Values:
    """Arrow to NumPy: null is NaN among numbers and `None` in text."""
    if isinstance(column, pa.DictionaryArray):
        return _texts(column)
    if pa.types.is_boolean(column.type) and not column.null_count:
        return np.asarray(column.to_numpy(zero_copy_only=False))
    values = column.to_numpy(zero_copy_only=False)
    return np.asarray(values)


def _texts(column: pa.DictionaryArray) -> Values:
    table = np.array([*column.dictionary.to_pylist(), None], object)
    return np.asarray(table[column.indices.fill_null(len(table) - 1).to_numpy()])


def _to_polars(frame: Any, columns: Mapping[str, pa.Array], keep: Keep | None) -> object:
    polars = sys.modules["polars"]
    own = frame if keep is None else frame.filter(polars.Series(keep))
    return own.with_columns([polars.Series(name, column) for name, column in columns.items()])


def _decoded(frame: Any) -> Any:
    """The frame with values in place of runs, which Arrow cannot filter."""
    for number, field in enumerate(frame.schema):
        if pt.is_run_end_encoded(field.type):
            frame = frame.set_column(number, field.name, pc.run_end_decode(frame.column(number)))
    return frame


def _to_arrow(frame: pa.Table, columns: Mapping[str, pa.Array], keep: Keep | None) -> pa.Table:
    result = frame if keep is None else _decoded(frame).filter(truths(keep))
    for name, column in columns.items():
        result = result.append_column(name, column)
    return result


def _to_batch(frame: pa.RecordBatch, columns: Mapping[str, pa.Array], keep: Keep | None) -> pa.RecordBatch:
    own = frame if keep is None else _decoded(frame).filter(truths(keep))
    fields = [*own.schema, *(pa.field(name, column.type) for name, column in columns.items())]
    schema = pa.schema(fields, own.schema.metadata)
    return pa.RecordBatch.from_arrays([*own.columns, *columns.values()], schema=schema)


def _to_arrays(frame: Mapping[Any, Any], columns: Mapping[str, pa.Array], keep: Keep | None) -> object:
    own = dict(frame) if keep is None else {name: _kept(array, keep) for name, array in frame.items()}
    return own | {name: numpy_values(column) for name, column in columns.items()}


def _kept(array: Any, keep: Keep) -> Any:
    if isinstance(array, list | tuple):
        return type(array)(value for value, kept in zip(array, keep, strict=True) if kept)
    if isinstance(array, pa.Array | pa.ChunkedArray):
        plain = pc.run_end_decode(array) if pt.is_run_end_encoded(array.type) else array
        return plain.filter(truths(keep))
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(array, polars.Series):
        return array.filter(polars.Series(keep))
    return array[keep]


def _to_rows(frame: Any, columns: Mapping[str, pa.Array], keep: Keep | None) -> object:
    own = frame if keep is None else [row for row, kept in zip(frame, keep, strict=True) if kept]
    new = pa.table(list(columns.values()), list(columns)).to_pylist()
    return [{**row, **decision} for row, decision in zip(own, new, strict=True)]


WRITERS: Mapping[Kind, Callable[[Any, Mapping[str, pa.Array], Keep | None], object]] = {
    Kind.PANDAS: _to_pandas,
    Kind.POLARS: _to_polars,
    Kind.ARROW: _to_arrow,
    Kind.BATCH: _to_batch,
    Kind.ARRAYS: _to_arrays,
    Kind.ROWS: _to_rows,
}
