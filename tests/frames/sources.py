"""Columns of every kind that the libraries know, drawn at random."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from racl.frames import Table, read_arrow, read_frame

WORDS = ("AA", "UA", "WN", "", "AA ", "ZZ", "ä€", "true")
EDGES = (2**53, 2**53 + 1, -(2**53) - 1, 2**60, 2**63 - 1, -(2**63), 0, 1, 5)
FLOATS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.5, 1e300, float("nan"), float("inf"), -float("inf"), 5e-324]), st.floats()
)
SMALL = st.integers(-100, 100)
WIDE = st.one_of(st.sampled_from(EDGES), st.integers(-(2**63), 2**63 - 1))
TEXTS = st.sampled_from(WORDS)
NOON = dt.datetime(2026, 1, 1, 12, 0)  # noqa: DTZ001  the point is a time without a zone too

ARROW_TYPES: tuple[tuple[Any, Any], ...] = (
    (pa.float64(), FLOATS),
    (pa.float32(), st.floats(width=32)),
    (pa.float16(), st.floats(width=16).map(np.float16)),
    (pa.int8(), SMALL),
    (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    (pa.int64(), WIDE),
    (pa.uint8(), st.integers(0, 255)),
    (
        pa.uint64(),
        st.one_of(st.sampled_from([2**63, 2**64 - 1, 2**53 + 1, 2**64 - 2**11]), st.integers(0, 2**64 - 1)),
    ),
    (pa.bool_(), st.booleans()),
    (pa.string(), TEXTS),
    (pa.large_string(), TEXTS),
    (pa.string_view(), TEXTS),
    (pa.dictionary(pa.int8(), pa.string()), TEXTS),
    (pa.dictionary(pa.int64(), pa.large_string()), TEXTS),
    (pa.dictionary(pa.uint16(), pa.string()), TEXTS),
    (pa.dictionary(pa.int32(), pa.float64()), st.sampled_from([1.5, 2.5, -0.0])),
    (pa.dictionary(pa.int32(), pa.int64()), st.sampled_from([1, 2**53 + 1])),
    (pa.decimal32(9, 2), st.decimals(-(10**6), 10**6, places=2)),
    (pa.decimal64(18, 3), st.decimals(-(10**14), 10**14, places=3)),
    (pa.decimal128(38, 10), st.decimals(-(10**27), 10**27, places=10)),
    (pa.decimal128(38, 30), st.decimals(-(10**7), 10**7, places=30)),
    (pa.decimal256(60, 5), st.decimals(-(10**40), 10**40, places=5)),
    (pa.decimal128(5, -3), st.integers(-9999, 9999).map(lambda n: Decimal(n).scaleb(3))),
    (pa.timestamp("us"), st.just(NOON)),
    (pa.timestamp("ns"), st.just(NOON)),
    (pa.duration("s"), st.just(dt.timedelta(seconds=5))),
    (pa.date32(), st.just(NOON.date())),
    (pa.time64("us"), st.just(NOON.time())),
    (pa.binary(), st.binary(max_size=3)),
    (pa.binary(2), st.binary(min_size=2, max_size=2)),
    (pa.list_(pa.float64()), st.lists(st.just(1.0), max_size=2)),
    (pa.struct([("x", pa.int8())]), st.just({"x": 1})),
    (pa.map_(pa.string(), pa.int8()), st.just([("x", 1)])),
    (pa.null(), st.none()),
)

OBJECTS = st.one_of(
    st.none(),
    FLOATS,
    st.booleans(),
    WIDE,
    st.integers(-(10**400), 10**400),
    TEXTS,
    st.sampled_from(
        [
            Decimal("0.1"),
            Decimal("NaN"),
            Decimal("Infinity"),
            Decimal("1e400"),
            b"AA",
            NOON,
            1j,
            [1.0],
            {"a": 1},
            np.float32(0.1),
            np.float16(2.5),
            np.float64(1.5),
            np.int8(3),
            np.uint64(2**64 - 1),
            np.bool_(True),
            np.str_("AA"),
            np.datetime64("2026-01-01", "ns"),
            np.timedelta64(5, "ns"),
            np.longdouble(1.5),
            "\ud800",
            object(),
        ]
    ),
)


@st.composite
def arrow_columns(draw: st.DrawFn) -> pa.ChunkedArray:
    """A column of one of Arrow's types, in chunks, each chunk a slice of something longer."""
    type_, values = draw(st.sampled_from(ARROW_TYPES))
    nullable = st.one_of(st.none(), values, values)
    chunks = draw(st.lists(st.lists(nullable, max_size=6), max_size=3))
    before, after = draw(st.integers(0, 9)), draw(st.integers(0, 3))
    padded = [[None] * before + chunk + [None] * after for chunk in chunks]
    arrays = [
        pa.array(values, type_).slice(before, len(chunk))
        for values, chunk in zip(padded, chunks, strict=True)
    ]
    return pa.chunked_array(arrays, type_)


def arrow_table(column: pa.ChunkedArray) -> Table:
    return read_arrow(pa.table({"x": column}))


def of_dict(column: pa.ChunkedArray) -> Table:
    return read_frame({"x": column})


def of_polars(column: pa.ChunkedArray) -> Table:
    return read_frame(pl.DataFrame({"x": pl.Series("x", column)}))


def of_pandas(column: pa.ChunkedArray) -> Table:
    return read_frame(pa.table({"x": column}).to_pandas())


def of_pandas_with_arrow(column: pa.ChunkedArray) -> Table:
    return read_frame(pa.table({"x": column}).to_pandas(types_mapper=pd.ArrowDtype))


def of_pandas_with_masks(column: pa.ChunkedArray) -> Table:
    return read_frame(pd.DataFrame({"x": pa.table({"x": column}).to_pandas()["x"].convert_dtypes()}))


def of_numpy(column: pa.ChunkedArray) -> Table:
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    return read_frame({"x": plain.to_numpy()})


def of_rows(column: pa.ChunkedArray) -> Table:
    return read_frame([{"x": value} for value in column.to_pylist()])


FORMS: tuple[Callable[[pa.ChunkedArray], Table], ...] = (
    arrow_table,
    of_dict,
    of_polars,
    of_pandas,
    of_pandas_with_arrow,
    of_pandas_with_masks,
    of_numpy,
    of_rows,
)
POLARS_REFUSES = ("decimal256", "map<", "fixed_size_binary", "decimal128(5, -3)", "decimal32", "decimal64")
