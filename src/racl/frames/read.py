"""Frames to tables: pandas, Polars, anything with the Arrow interface, a dict of arrays, a list of rows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from racl.errors import DataError, Problem, quoted
from racl.frames.blocks import (
    ArraySource,
    ArrowSource,
    CategoricalSource,
    MaskedSource,
    ObjectSource,
    PolarsSource,
    RowsSource,
    Source,
)
from racl.frames.table import Kind, Table

MASKED = {"boolean", "Float32", "Float64"} | {f"{u}Int{bits}" for u in ("", "U") for bits in (8, 16, 32, 64)}
KINDS_TAKEN = "give a pandas or Polars frame, an Arrow table, a dict of arrays or a list of rows"


def read_frame(frame: object) -> Table:
    """The table of a frame; nothing is converted before it is read.

    >>> read_frame({"fare": [320.0, 80.0], "has_bag": [True, None]}).raw("fare", 1)
    80.0
    """
    for accepts, read in READERS:
        if accepts(frame):
            return read(frame)
    raise DataError([Problem("frame", f"{quoted(type(frame).__name__)} is no kind of frame", KINDS_TAKEN)])


def _is(module: str, *classes: str) -> Callable[[object], bool]:
    """A test for the classes of a library, which is not imported for it."""

    def test(frame: object) -> bool:
        library = sys.modules.get(module)
        kinds = tuple(getattr(library, name) for name in classes if hasattr(library, name))
        return isinstance(frame, kinds)

    return test


_is_pandas_series = _is("pandas", "Series", "Index")
_is_polars_series = _is("polars", "Series")


def _read_pandas(frame: Any) -> Table:
    labels = list(frame.columns)
    return Table(
        Kind.PANDAS,
        frame,
        len(frame),
        tuple(label for label in labels if isinstance(label, str)),
        lambda name: pandas_source(frame.iloc[:, labels.index(name)]),
    )


def _read_lazy(frame: Any) -> Table:
    return _read_polars(frame.collect())


def _read_polars(frame: Any) -> Table:
    return Table(
        Kind.POLARS, frame, frame.height, tuple(frame.columns), lambda name: polars_source(frame[name])
    )


def read_arrow(table: pa.Table, kind: Kind = Kind.ARROW, native: object = None) -> Table:
    """The table of an Arrow table."""
    names = list(table.column_names)
    return Table(
        kind,
        table if native is None else native,
        table.num_rows,
        tuple(names),
        lambda name: ArrowSource.of(table.column(names.index(name))),
    )


def _read_batch(batch: pa.RecordBatch) -> Table:
    return read_arrow(pa.Table.from_batches([batch]), Kind.BATCH, batch)


def _read_stream(frame: Any) -> Table:
    try:
        return read_arrow(pa.table(frame))
    except (TypeError, ValueError, pa.ArrowException) as fault:
        raise DataError([Problem("frame", f"not a table: {str(fault)[:200]}", KINDS_TAKEN)]) from fault


def _read_device_array(frame: Any) -> Table:
    try:
        return _read_batch(pa.record_batch(frame))
    except (TypeError, ValueError, pa.ArrowException) as fault:
        raise DataError([Problem("frame", f"not a record batch: {str(fault)[:200]}", KINDS_TAKEN)]) from fault


def _read_arrays(arrays: Mapping[Any, Any]) -> Table:
    problems: list[Problem] = []
    sources = {name: _array_source(name, array, problems) for name, array in arrays.items()}
    lengths = {name: len(arrays[name]) for name, source in sources.items() if source is not None}
    first, rows = next(iter(lengths.items()), ("", 0))
    problems.extend(
        Problem(str(name), f"{length} rows where {quoted(str(first))} has {rows}")
        for name, length in lengths.items()
        if length != rows
    )
    if problems:
        raise DataError(problems)
    held = {name: source for name, source in sources.items() if isinstance(name, str) and source is not None}
    return Table(Kind.ARRAYS, arrays, rows, tuple(held), lambda name: held[name])


def _array_source(name: object, array: Any, problems: list[Problem]) -> Source | None:
    if _is_pandas_series(array):
        return pandas_source(array)
    if _is_polars_series(array):
        return polars_source(array)
    if isinstance(array, pa.Array | pa.ChunkedArray):
        return ArrowSource.of(array)
    if isinstance(array, np.ma.MaskedArray) and array.ndim == 1:
        return ArrowSource.of(pa.array(array))
    if isinstance(array, np.ndarray) and array.ndim == 1:
        return ArraySource(array)
    if isinstance(array, list | tuple):
        return ArraySource(list(array))
    hint = "give every column as an array, a list or a series of one dimension"
    problems.append(Problem(str(name), f"{quoted(type(array).__name__)} is not a column", hint))
    return None


def _is_rows(frame: object) -> bool:
    return isinstance(frame, list | tuple)


def _read_rows(rows: Sequence[object]) -> Table:
    mappings = [row for row in rows if isinstance(row, Mapping)]
    problems = [
        Problem(f"row {number}", f"{quoted(type(row).__name__)} is not a row", "give each row as a dict")
        for number, row in enumerate(rows)
        if not isinstance(row, Mapping)
    ]
    if problems:
        raise DataError(problems[:10])
    return read_rows(mappings, rows)


def read_rows(rows: Sequence[Mapping[Any, object]], native: object = None) -> Table:
    """The table of a list of rows; its names are those of all rows together."""
    names = [name for name in dict.fromkeys(chain.from_iterable(rows)) if isinstance(name, str)]
    return Table(
        Kind.ROWS,
        rows if native is None else native,
        len(rows),
        tuple(names),
        lambda name: RowsSource(rows, name),
    )


def pandas_source(series: Any) -> Source:
    """Where a pandas series keeps its values."""
    pandas = sys.modules["pandas"]
    values, dtype = series.array, series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return CategoricalSource(values.codes, np.asarray(values.categories))
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return ArraySource(series.to_numpy(), nan_is_null=True)
    if getattr(dtype, "storage", "") == "pyarrow" or isinstance(dtype, pandas.ArrowDtype):
        return ArrowSource.of(pa.array(values), nan_is_null=True)
    masked = dtype.name in MASKED
    return MaskedSource(values) if masked else ObjectSource(values, pandas.isna)


def polars_source(series: Any) -> Source:
    """Where a Polars series keeps its values."""
    if str(series.dtype).startswith(("Object", "Int128", "UInt128")):
        return PolarsSource(series)
    return ArrowSource.of(pa.chunked_array(series))


def _has(method: str) -> Callable[[object], bool]:
    return lambda frame: hasattr(frame, method)


def _is_mapping(frame: object) -> bool:
    return isinstance(frame, Mapping)


READERS: Iterable[tuple[Callable[[object], bool], Callable[[Any], Table]]] = (
    (_is("pandas", "DataFrame"), _read_pandas),
    (_is("polars", "DataFrame"), _read_polars),
    (_is("polars", "LazyFrame"), _read_lazy),
    (_is("pyarrow", "Table"), read_arrow),
    (_is("pyarrow", "RecordBatch"), _read_batch),
    (_has("__arrow_c_stream__"), _read_stream),
    (_has("__arrow_c_array__"), _read_device_array),
    (_is_mapping, _read_arrays),
    (_is_rows, _read_rows),
)
