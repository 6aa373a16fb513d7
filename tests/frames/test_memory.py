"""Columns are read a stretch at a time: no whole column is copied, and any thread may ask for any stretch."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from racl.domain.model import Column, Type
from racl.frames import read_frame, with_columns

ROWS, STEP = 1_000_000, 10_000
LARGEST = 900_000  # bytes: less than the narrowest whole column, of one byte a row
WORDS = [f"word {i}" for i in range(6)]
RNG = np.random.default_rng(7)
FLOATS = RNG.random(ROWS)
INDEX = RNG.integers(0, 6, ROWS)
TEXTS = pa.array(WORDS).take(pa.array(INDEX))
NULLS = RNG.random(ROWS) < 0.1

NUMBERS = {
    "float64": FLOATS,
    "float32": FLOATS.astype(np.float32),
    "int8": INDEX.astype(np.int8),
    "int64": INDEX,
    "arrow": pa.array(FLOATS),
    "arrow with nulls": pa.array(FLOATS, mask=NULLS),
    "arrow decimal": pa.array(INDEX).cast(pa.decimal128(21, 2)),
    "polars": pl.Series(FLOATS),
    "pandas": pd.Series(FLOATS),
    "pandas with masks": pd.Series(pd.array(INDEX, "Int64")).mask(pd.Series(NULLS)),
    "pandas of arrow": pd.Series(FLOATS, dtype=pd.ArrowDtype(pa.float64())),
}
CATEGORIES = {
    "arrow": TEXTS,
    "arrow views": TEXTS.cast(pa.string_view()),
    "arrow dictionary": TEXTS.dictionary_encode(),
    "polars": pl.Series(TEXTS),
    "polars categorical": pl.Series(TEXTS).cast(pl.Categorical),
    "polars enum": pl.Series(TEXTS).cast(pl.Enum(WORDS)),
    "pandas": pd.Series(TEXTS.to_pylist(), dtype="str"),
    "pandas categorical": pd.Series(pd.Categorical.from_codes(INDEX, pd.Index(WORDS))),
    "pandas objects": pd.Series(np.array(WORDS, object)[INDEX], dtype=object),
    "numpy": np.array(WORDS)[INDEX],
}
NUMBER = Column("x", Type.NUMBER, default=0.5)
CATEGORY = Column("x", Type.CATEGORY, values=tuple(WORDS))
CODES = {word: 5 - i for i, word in enumerate(WORDS)}
CASES: list[Any] = [pytest.param(NUMBER, values, id=f"number of {name}") for name, values in NUMBERS.items()]
CASES += [pytest.param(CATEGORY, values, id=f"category of {name}") for name, values in CATEGORIES.items()]


def peak_of_reading(column: Column, values: Any) -> int:
    """The bytes that Python, NumPy and Arrow take at most while a column is read stretch by stretch."""
    pool = pa.proxy_memory_pool(pa.default_memory_pool())
    before = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        table = read_frame({"x": values})
        for start in range(0, ROWS, STEP):
            table.encode(column, CODES, start, start + STEP)
        return tracemalloc.get_traced_memory()[1] + int(pool.max_memory())
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)


@pytest.mark.parametrize(("column", "values"), CASES)
def test_reading_a_column_takes_the_memory_of_a_stretch(column: Column, values: Any) -> None:
    assert peak_of_reading(column, values) < LARGEST


@pytest.mark.parametrize(("column", "values"), CASES)
def test_threads_read_what_one_thread_reads(column: Column, values: Any) -> None:
    rows = 100_000
    whole = read_frame({"x": values}).encode(column, CODES, 0, rows)
    table = read_frame({"x": values})
    with ThreadPoolExecutor(4) as pool:
        parts = list(
            pool.map(lambda start: table.encode(column, CODES, start, start + 997), range(0, rows, 997))
        )
    np.testing.assert_array_equal(np.concatenate(parts)[:rows], whole)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_giving_a_frame_back_does_not_copy_its_columns(kind: Any) -> None:
    frame = kind({"x": FLOATS})
    result: Any = with_columns(read_frame(frame), {"accepted": pa.array(NULLS)})
    column = Column("x", Type.NUMBER)
    before, after = (read_frame(native).encode(column, {}, 0, ROWS) for native in (frame, result))
    assert np.shares_memory(before, after)
