"""What goes in comes out as the same kind of frame, its own columns first and untouched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from racl.frames import read_frame, with_columns

CREDIT = ["accepted-already-good", "rejected-non-repairable"]


def decided(rows: int) -> dict[str, Any]:
    return {
        "accepted": pa.array([i % 2 == 0 for i in range(rows)]),
        "credit": pa.DictionaryArray.from_arrays(pa.array([i % 2 for i in range(rows)], pa.int8()), CREDIT),
        "plan": pa.DictionaryArray.from_arrays(
            pa.array([None if i % 2 else 0 for i in range(rows)], pa.int16()), ["keep"]
        ),
        "value": pa.array([None if i % 2 else 0.5 for i in range(rows)], pa.float64()),
    }


KEEP = np.array([True, False, True])


def test_pandas_keeps_its_index_and_its_dtypes() -> None:
    frame = pd.DataFrame(
        {"fare": np.array([1, 2, 3], np.int8), "tag": pd.Categorical(["a", "b", "a"]), 5: [1, 2, 3]},
        index=pd.Index([30, 10, 10], name="id"),
    )
    before = frame.copy()
    result: Any = with_columns(read_frame(frame), decided(2), KEEP)
    assert list(result.columns) == ["fare", "tag", 5, "accepted", "credit", "plan", "value"]
    assert result.index.tolist() == [30, 10]
    assert result.index.name == "id"
    pd.testing.assert_frame_equal(result[["fare", "tag", 5]], frame[[True, False, True]])
    assert result["accepted"].dtype == bool
    assert result["credit"].tolist() == CREDIT
    assert result["credit"].dtype == "category"
    assert result["plan"].isna().tolist() == [False, True]
    assert result["value"].dtype == np.float64
    assert np.isnan(result["value"].iloc[1])
    pd.testing.assert_frame_equal(frame, before)


def test_pandas_with_columns_twice_or_on_two_levels_keeps_them() -> None:
    twice: Any = with_columns(read_frame(pd.DataFrame([[1, 2]], columns=["a", "a"])), decided(1))
    assert list(twice.columns) == ["a", "a", "accepted", "credit", "plan", "value"]
    levels = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    stacked: Any = with_columns(read_frame(levels), decided(1))
    assert stacked.columns[1:3].tolist() == [("a", "y"), ("accepted", "")]


def test_polars_comes_back_as_polars() -> None:
    frame = pl.DataFrame({"fare": [1.0, 2.0, 3.0], "tags": [["a"], [], None]})
    result: Any = with_columns(read_frame(frame), decided(2), KEEP)
    assert result.columns == ["fare", "tags", "accepted", "credit", "plan", "value"]
    assert result.drop("accepted", "credit", "plan", "value").equals(frame.filter(pl.Series(KEEP)))
    assert result["credit"].cast(pl.String).to_list() == CREDIT
    assert result["plan"].cast(pl.String).to_list() == ["keep", None]
    assert result["value"].to_list() == [0.5, None]


def test_arrow_keeps_its_types_and_its_metadata() -> None:
    schema = pa.schema(
        [pa.field("fare", pa.float32(), metadata={"unit": "USD"})], metadata={"made": "by hand"}
    )
    table = pa.table({"fare": pa.array([1, 2, 3], pa.float32())}, schema=schema)
    for frame in (table, table.to_batches()[0]):
        result: Any = with_columns(read_frame(frame), decided(2), KEEP)
        assert isinstance(result, type(frame))
        assert result.schema.names == ["fare", "accepted", "credit", "plan", "value"]
        assert result.schema.field("fare").equals(schema.field("fare"), check_metadata=True)
        assert result.schema.metadata == {b"made": b"by hand"}
        assert result.to_pydict()["plan"] == ["keep", None]
        assert result.to_pydict()["fare"] == [1.0, 3.0]


def test_arrow_drops_rows_of_columns_that_keep_runs() -> None:
    runs = pc.run_end_encode(pa.array([1, 1, 3]))
    table = pa.table({"fare": runs})
    for frame in (table, table.to_batches()[0], {"fare": runs}):
        result: Any = with_columns(read_frame(frame), decided(2), KEEP)
        assert pa.array(result["fare"].to_pylist()) == pa.array([1, 3])
    whole: Any = with_columns(read_frame(table), decided(3))
    assert whole["fare"].type == runs.type


def test_a_dict_of_arrays_gets_arrays() -> None:
    arrays = {
        "fare": np.array([1.0, 2.0, 3.0]),
        "list": [1, 2, 3],
        "tuple": (1, 2, 3),
        "arrow": pa.array([1, 2, 3]),
        "polars": pl.Series([1, 2, 3]),
        "pandas": pd.Series([1, 2, 3]),
    }
    result: Any = with_columns(read_frame(arrays), decided(2), KEEP)
    assert list(result) == [*arrays, "accepted", "credit", "plan", "value"]
    assert all(type(result[name]) is type(array) for name, array in arrays.items())
    assert all(list(result[name]) in ([1, 3], [pa.scalar(1), pa.scalar(3)]) for name in arrays)
    assert result["accepted"].dtype == np.bool_
    assert result["plan"].tolist() == ["keep", None]
    assert result["value"][0] == 0.5
    assert np.isnan(result["value"][1])
    assert list(arrays) == ["fare", "list", "tuple", "arrow", "polars", "pandas"]


def test_rows_get_the_decision_after_their_own_keys() -> None:
    rows = [{"fare": 1.0}, {"fare": 2.0}, {"fare": 3.0, "x": None}]
    result: Any = with_columns(read_frame(rows), decided(2), KEEP)
    assert result[0] == {"fare": 1.0, "accepted": True, "credit": CREDIT[0], "plan": "keep", "value": 0.5}
    assert list(result[1]) == ["fare", "x", "accepted", "credit", "plan", "value"]
    assert result[1]["plan"] is None
    assert result[1]["value"] is None
    assert rows[0] == {"fare": 1.0}


@pytest.mark.parametrize("keep", [None, np.zeros(0, bool)])
@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"fare": np.zeros(0)}),
        pl.DataFrame({"fare": np.zeros(0)}),
        pa.table({"fare": np.zeros(0)}),
        pa.record_batch({"fare": np.zeros(0)}),
        {"fare": np.zeros(0)},
        [],
    ],
    ids=lambda x: type(x).__name__,
)
def test_no_rows_give_the_full_schema(frame: Any, keep: Any) -> None:
    result: Any = with_columns(read_frame(frame), decided(0), keep)
    assert len(result) == (5 if isinstance(frame, dict) else 0) or result.num_rows == 0


@pytest.mark.parametrize(
    "frame", [{"fare": [1.0, 2.0]}, pa.table({"fare": [1.0, 2.0]}), pd.DataFrame({"fare": [1.0, 2.0]})]
)
def test_columns_in_chunks_with_dictionaries_of_their_own_are_one_column(frame: Any) -> None:
    pieces = [pa.array(["keep"]).dictionary_encode(), pa.array(["add_bag"]).dictionary_encode()]
    result: Any = with_columns(read_frame(frame), {"plan": pa.chunked_array(pieces)})
    plan = result["plan"]
    assert (plan.to_pylist() if hasattr(plan, "to_pylist") else list(plan)) == ["keep", "add_bag"]
