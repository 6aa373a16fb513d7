"""What counts as a frame, and what is said of anything else."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from racl.domain.model import Column, Type
from racl.errors import DataError
from racl.frames import Kind, check_columns, check_new_names, read_frame

FARE = Column("fare", Type.NUMBER)
BAG = Column("has_bag", Type.BOOLEAN, default=False)
TABLE = pa.table({"fare": [320.0, 80.0], "carrier": ["AA", None]})


class Stream:
    """Something that only has Arrow's stream interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


class Batch:
    """Something that only has Arrow's array interface."""

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return TABLE.to_batches()[0].__arrow_c_array__(requested_schema)


FRAMES = [
    (Kind.PANDAS, TABLE.to_pandas()),
    (Kind.POLARS, pl.DataFrame(TABLE)),
    (Kind.POLARS, pl.LazyFrame(TABLE.to_pydict())),
    (Kind.ARROW, TABLE),
    (Kind.ARROW, Stream()),
    (Kind.ARROW, pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches())),
    (Kind.BATCH, TABLE.to_batches()[0]),
    (Kind.BATCH, Batch()),
    (Kind.ARRAYS, TABLE.to_pydict()),
    (Kind.ARRAYS, {"fare": np.array([320.0, 80.0]), "carrier": pl.Series(["AA", None])}),
    (Kind.ARRAYS, {"fare": pd.Series([320.0, 80.0], index=[7, 7]), "carrier": ("AA", None)}),
    (Kind.ARRAYS, {"fare": pd.Index([320.0, 80.0]), "carrier": TABLE["carrier"]}),
    (Kind.ROWS, TABLE.to_pylist()),
    (Kind.ROWS, tuple(TABLE.to_pylist())),
]


@pytest.mark.parametrize(("kind", "frame"), FRAMES)
def test_every_kind_of_frame_is_read(kind: Kind, frame: object) -> None:
    table = read_frame(frame)
    assert table.kind is kind
    assert (table.rows, table.names) == (2, ("fare", "carrier"))
    assert [table.raw("fare", i) for i in range(2)] == [320.0, 80.0]
    assert [table.raw("carrier", i) for i in range(2)] == ["AA", None]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        pytest.param(5, "`int` is no kind of frame", id="number"),
        pytest.param("fare", "`str` is no kind of frame", id="text"),
        pytest.param(np.zeros((2, 2)), "`ndarray` is no kind of frame", id="matrix"),
        pytest.param(pl.Series([1.0]), "not a table", id="series"),
        pytest.param({"fare": 5.0}, "fare: `float` is not a column", id="scalar"),
        pytest.param({"fare": "ab"}, "fare: `str` is not a column", id="text-as-column"),
        pytest.param({"fare": np.zeros((2, 1))}, "fare: `ndarray` is not a column", id="two-dimensions"),
        pytest.param({"fare": np.float64(1)}, "fare: `float64` is not a column", id="numpy-scalar"),
        pytest.param({"fare": [1.0], "stops": [1, 2]}, "stops: 2 rows where `fare` has 1", id="lengths"),
        pytest.param([{"fare": 1.0}, 5], "row 1: `int` is not a row", id="no-row"),
    ],
)
def test_what_is_no_frame_is_said_to_be_none(frame: object, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_frame(frame)


def test_every_column_that_is_none_is_named_in_one_go() -> None:
    with pytest.raises(DataError) as caught:
        read_frame({"fare": 5.0, "stops": 1, "layover": [2.0]})
    assert [problem.where for problem in caught.value.problems] == ["fare", "stops"]


@pytest.mark.parametrize(
    ("frame", "needed", "said"),
    [
        pytest.param({"fare": [1.0]}, FARE, (), id="there"),
        pytest.param({"fares": [1.0]}, FARE, ("fare: column missing (did you mean `fares`?)",), id="near"),
        pytest.param({"Fare": [1.0]}, FARE, ("fare: column missing (did you mean `Fare`?)",), id="case"),
        pytest.param({"z": [1.0]}, FARE, ("fare: column missing",), id="far"),
        pytest.param({"z": [1.0]}, BAG, (), id="default"),
        pytest.param(
            {"HAS_BAG": [True]},
            BAG,
            ("has_bag: column missing (did you mean `HAS_BAG`?)",),
            id="default-in-case",
        ),
        pytest.param(
            pd.DataFrame([[1.0, 2.0]], columns=["fare", "fare"]),
            FARE,
            ("fare: 2 columns of this name (which of them is meant cannot be told)",),
            id="twice-in-pandas",
        ),
        pytest.param(
            pa.table([[1.0], [2.0]], ["fare", "fare"]),
            FARE,
            ("fare: 2 columns of this name (which of them is meant cannot be told)",),
            id="twice-in-arrow",
        ),
        pytest.param([], FARE, (), id="no-rows-no-names"),
        pytest.param(
            pa.table({"a": pa.array([], pa.int8())}), FARE, ("fare: column missing",), id="empty-table"
        ),
    ],
)
def test_columns_are_checked_before_the_first_row(
    frame: object, needed: Column, said: tuple[str, ...]
) -> None:
    assert tuple(map(str, check_columns(read_frame(frame), [needed]))) == said


def test_a_column_named_like_a_decisions_is_found() -> None:
    (problem,) = check_new_names(("fare", "plan"), ("accepted", "plan"))
    assert (
        str(problem) == "plan: the rows already have a column `plan` (give the decision's columns a prefix)"
    )


def test_labels_that_are_no_text_are_passed_over() -> None:
    frame: Any = pd.DataFrame({5: [1.0], "fare": [2.0], ("a", "b"): [3.0]})
    table = read_frame(frame)
    assert table.names == ("fare",)
    assert table.raw("fare", 0) == 2.0
    rows: Any = [{5: 1.0, "fare": 2.0}]
    assert read_frame(rows).names == ("fare",)


def test_a_key_missing_in_one_row_is_a_null_there() -> None:
    table = read_frame([{"fare": 1.0}, {"stops": 1}])
    assert table.names == ("fare", "stops")
    assert table.raw("fare", 1) is None


def test_reading_a_dict_imports_neither_pandas_nor_polars() -> None:
    code = (
        "import sys; from racl.frames import read_frame; read_frame({'x': [1.0]});"
        "sys.exit(any(name in sys.modules for name in ('pandas', 'polars', 'numba')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


DATES = pd.Series(pd.DatetimeIndex(["2026-01-01", "NaT"]))
ONE_NULL = [
    pd.Series([1.0, np.nan]),
    DATES,
    DATES.dt.tz_localize("UTC"),
    DATES - DATES.iloc[0],
    DATES.dt.to_period("D"),
    pd.Series([1, pd.NA], dtype="Int8"),
    pd.Series([True, None], dtype="boolean"),
    pd.Series(["a", None]),
    pd.Series(["a", None], dtype="string[python]"),
    pd.Series(["a", None], dtype="category"),
    pd.Series([1.5, None], dtype=pd.ArrowDtype(pa.float64())),
    pd.Series([1.0, np.nan], dtype=pd.SparseDtype("float64")),
    *(pd.Series([0, null], dtype=object) for null in (None, np.nan, pd.NA, pd.NaT, np.float32("nan"))),
]


@pytest.mark.parametrize("values", ONE_NULL, ids=lambda values: str(values.dtype))
def test_every_null_of_pandas_is_none(values: Any) -> None:
    table = read_frame(pd.DataFrame({"x": values}))
    assert table.raw("x", 0) is not None
    assert table.raw("x", 1) is None
    assert table.encode(Column("x", Type.BOOLEAN, default=True), {}, 1, 2).tolist() == [1]
