"""Every way to hold a column gives what the plain definition of one value gives."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frames.sources import FORMS, OBJECTS, POLARS_REFUSES, arrow_columns, of_polars
from racl.domain.model import Column, Type
from racl.frames import REFUSED_BOOLEAN, REFUSED_CATEGORY, Table, code_dtype, read_frame
from racl.values import Fault

CODES = {"WN": 0, "AA": 1, "elsewhere": 2, "UA": 3}
OTHER = 9
COLUMNS = (
    Column("x", Type.NUMBER),
    Column("x", Type.NUMBER, default=7.5),
    Column("x", Type.NUMBER, default=-0.0),
    Column("x", Type.INTEGER, default=3.0),
    Column("x", Type.BOOLEAN),
    Column("x", Type.BOOLEAN, default=True),
    Column("x", Type.BOOLEAN, default=False),
    Column("x", Type.CATEGORY, values=("AA", "UA", "WN")),
    Column("x", Type.CATEGORY, values=("UA", "AA"), default="UA"),
)
ANY_COLUMN = st.sampled_from(COLUMNS)


def same_bits(left: float, right: float) -> bool:
    return struct.pack("<d", left) == struct.pack("<d", right)


def number_agrees(table: Table, column: Column, row: int, code: float) -> bool:
    value = table.read(Column("x", Type.NUMBER, default=column.default), row)
    return not math.isfinite(code) if isinstance(value, Fault) else same_bits(float(value), code)


def boolean_agrees(table: Table, column: Column, row: int, code: float) -> bool:
    value = table.read(column, row)
    return code == (REFUSED_BOOLEAN if isinstance(value, Fault) else value)


def category_agrees(table: Table, column: Column, row: int, code: float) -> bool:
    value = table.read(column, row)
    if isinstance(value, str):
        return code == CODES[value]
    return code == (OTHER if isinstance(table.raw("x", row), str) else REFUSED_CATEGORY)


AGREES: dict[Type, Callable[[Table, Column, int, float], bool]] = {
    Type.NUMBER: number_agrees,
    Type.INTEGER: number_agrees,
    Type.BOOLEAN: boolean_agrees,
    Type.CATEGORY: category_agrees,
}


def agrees_throughout(table: Table, column: Column, start: int, stop: int) -> bool:
    codes = table.encode(column, CODES, start, stop, OTHER)
    assert len(codes) == stop - start
    assert codes.dtype == {Type.BOOLEAN: np.uint8, Type.CATEGORY: np.int8}.get(column.type, np.float64)
    agrees = AGREES[column.type]
    return all(agrees(table, column, start + i, code) for i, code in enumerate(codes.tolist()))


@pytest.mark.parametrize("form", FORMS)
@given(column=ANY_COLUMN, data=st.data())
def test_a_typed_column_encodes_as_it_reads(form: Any, column: Column, data: st.DataObject) -> None:
    source = data.draw(arrow_columns())
    if form is of_polars and str(source.type).startswith(POLARS_REFUSES):
        return
    table = form(source)
    start = data.draw(st.integers(0, table.rows))
    stop = data.draw(st.integers(start, table.rows))
    assert agrees_throughout(table, column, start, stop)
    assert agrees_throughout(table, column, 0, table.rows)


def objects_of_list(values: list[object]) -> Table:
    return read_frame({"x": values})


def objects_of_numpy(values: list[object]) -> Table:
    array = np.empty(len(values), object)
    array[:] = values
    return read_frame({"x": array})


def objects_of_pandas(values: list[object]) -> Table:
    return read_frame(pd.DataFrame({"x": pd.Series(values, dtype=object)}))


def objects_of_polars(values: list[object]) -> Table:
    return read_frame(pl.DataFrame({"x": pl.Series("x", values, dtype=pl.Object)}))


def objects_of_rows(values: list[object]) -> Table:
    return read_frame([{"x": value} for value in values])


OBJECT_FORMS = (objects_of_list, objects_of_numpy, objects_of_pandas, objects_of_polars, objects_of_rows)


@pytest.mark.parametrize("form", OBJECT_FORMS)
@given(column=ANY_COLUMN, values=st.lists(OBJECTS, max_size=8))
def test_a_column_of_mixed_objects_encodes_as_it_reads(
    form: Any, column: Column, values: list[object]
) -> None:
    table = form(values)
    assert agrees_throughout(table, column, 0, table.rows)


def as_number(values: Any, **choices: Any) -> list[float]:
    column = Column("x", Type.NUMBER, **choices)
    table = read_frame({"x": values})
    return [float(v) for v in table.encode(column, {}, 0, table.rows)]


def test_a_float64_column_is_read_where_it_lies() -> None:
    values = np.arange(10.0)
    arrow = pa.chunked_array([pa.array(values[:5]), pa.array(values[5:])])
    frame = pd.DataFrame({"x": values})
    held = ((values, {"x": values}), (frame["x"].to_numpy(), frame), (values, pa.table({"x": arrow})))
    for memory, native in held:
        part = read_frame(native).encode(Column("x", Type.NUMBER), {}, 1, 4)
        assert np.shares_memory(part, memory)
        assert part.tolist() == [1.0, 2.0, 3.0]


def test_a_polars_float64_column_is_read_where_it_lies() -> None:
    series = pl.Series("x", np.arange(10.0))
    part = read_frame(pl.DataFrame([series])).encode(Column("x", Type.NUMBER), {}, 2, 9)
    assert np.shares_memory(part, series.to_numpy())


def test_a_float64_view_is_taken_as_well_where_the_column_has_a_default_but_no_nulls() -> None:
    values = np.arange(5.0)
    column = Column("x", Type.NUMBER, default=1.0)
    assert np.shares_memory(read_frame({"x": values}).encode(column, {}, 0, 5), values)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(np.array([2**53, 2**53 + 1], np.int64), id="int64"),
        pytest.param(np.array([2**53, 2**63 + 1], np.uint64), id="uint64"),
        pytest.param([2**53, 2**53 + 1], id="objects"),
        pytest.param(pa.array([2**53, -(2**53) - 1]), id="arrow"),
        pytest.param(pl.Series([2**53, 2**70 + 1], dtype=pl.Int128), id="polars-int128"),
        pytest.param(pd.array([2**53, 2**53 + 1], "Int64").to_numpy(), id="pandas-masked"),
    ],
)
def test_an_integer_that_float64_cannot_hold_is_refused(values: Any) -> None:
    exact, inexact = as_number(values)
    assert exact == 2.0**53
    assert math.isnan(inexact)


def test_the_ends_of_int64_and_uint64_are_told_apart_from_their_neighbours() -> None:
    assert as_number(np.array([-(2**63), -(2**63) + 1]))[0] == -(2.0**63)
    assert math.isnan(as_number(np.array([2**63 - 1]))[0])
    assert as_number(np.array([2**63], np.uint64)) == [2.0**63]
    assert math.isnan(as_number(np.array([2**64 - 1], np.uint64))[0])


def test_a_number_does_not_stand_for_a_truth_nor_a_truth_for_a_number() -> None:
    table = read_frame({"x": np.array([0, 1]), "y": np.array([False, True])})
    assert table.encode(Column("x", Type.BOOLEAN), {}, 0, 2).tolist() == [2, 2]
    assert np.isnan(table.encode(Column("y", Type.NUMBER), {}, 0, 2)).all()


def test_nan_is_null_in_pandas_and_a_wrong_number_elsewhere() -> None:
    column = Column("x", Type.NUMBER, default=4.0)
    values = np.array([1.0, np.nan])
    assert read_frame(pd.DataFrame({"x": values})).encode(column, {}, 0, 2).tolist() == [1.0, 4.0]
    assert math.isnan(read_frame({"x": values}).encode(column, {}, 0, 2)[1])
    assert math.isnan(read_frame(pa.table({"x": values})).encode(column, {}, 0, 2)[1])


def test_an_inexact_integer_in_pandas_is_no_null() -> None:
    table = read_frame(pd.DataFrame({"x": pd.array([2**53 + 1, None], "Int64")}))
    refused, default = table.encode(Column("x", Type.NUMBER, default=4.0), {}, 0, 2).tolist()
    assert math.isnan(refused)
    assert default == 4.0


def test_a_column_that_is_not_there_is_its_default() -> None:
    table = read_frame({"x": [1.0, 2.0]})
    assert table.encode(Column("y", Type.NUMBER, default=4.0), {}, 0, 2).tolist() == [4.0, 4.0]
    assert table.encode(Column("y", Type.BOOLEAN, default=True), {}, 0, 2).tolist() == [1, 1]
    assert table.raw("y", 0) is None


def test_a_text_with_a_space_after_it_is_another_text() -> None:
    column = Column("x", Type.CATEGORY, values=("AA",))
    for values in (["AA", "AA "], pa.array(["AA", "AA "]), pl.Series(["AA", "AA "], dtype=pl.Categorical)):
        assert read_frame({"x": values}).encode(column, {"AA": 5}, 0, 2, 6).tolist() == [5, 6]


def test_codes_of_other_columns_do_not_leak_into_this_one() -> None:
    column = Column("x", Type.CATEGORY, values=("AA",))
    assert read_frame({"x": ["AA", "UA"]}).encode(column, {"UA": 0, "AA": 1}, 0, 2).tolist() == [1, -1]


def test_the_codes_take_the_narrowest_integers_that_leave_room_for_one_more() -> None:
    sizes = [(0, np.int8), (127, np.int8), (128, np.int16), (32767, np.int16), (32768, np.int32)]
    for size, kind in sizes:
        assert code_dtype({str(i): i for i in range(size)}) == kind


def test_a_dictionary_is_looked_up_once_however_often_it_is_read() -> None:
    words = pa.array([f"w{i}" for i in range(1000)])
    column = Column("x", Type.CATEGORY, values=("w1",))
    table = read_frame(pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([1, 2, 999]), words)}))
    codes = {"w1": 0}
    first = table.encode(column, codes, 0, 1)
    encoder = table.encoders["x"]
    (known,) = encoder.tables.values()
    assert table.encode(column, codes, 1, 3, -1).tolist() == [-1, -1]
    assert next(iter(table.encoders["x"].tables.values())) is known
    assert first.tolist() == [0]


def test_other_codes_make_another_encoder() -> None:
    column = Column("x", Type.CATEGORY, values=("AA",))
    table = read_frame({"x": pa.array(["AA"]).dictionary_encode()})
    assert table.encode(column, {"AA": 1}, 0, 1).tolist() == [1]
    assert table.encode(column, {"AA": 2}, 0, 1).tolist() == [2]


def test_chunks_with_dictionaries_of_their_own_are_each_looked_up() -> None:
    chunks = [pa.array(["AA", "UA"]).dictionary_encode(), pa.array(["UA", "AA"]).dictionary_encode()]
    table = read_frame(pa.table({"x": pa.chunked_array(chunks)}))
    column = Column("x", Type.CATEGORY, values=("AA", "UA"))
    assert table.encode(column, {"AA": 0, "UA": 1}, 0, 4).tolist() == [0, 1, 1, 0]


def test_big_endian_strided_and_read_only_arrays_are_all_right() -> None:
    strided = np.arange(10.0)[::2]
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    assert as_number(np.arange(3, dtype=">f8")) == [0, 1, 2]
    assert as_number(np.arange(3, dtype=">i8")) == [0, 1, 2]
    assert as_number(strided) == [0, 2, 4, 6, 8]
    assert as_number(frozen) == [0, 1, 2]
    assert as_number(np.ma.array([1.0, 2.0], mask=[False, True]), default=9.0) == [1, 9]


def test_numbers_wider_than_float64_are_read_as_the_nearest() -> None:
    wide = np.array([0.1, 1.5, np.nan, np.inf], np.longdouble)
    wide[0] = np.longdouble(1) / 10  # not the float64 that `0.1` is
    table = read_frame({"x": np.append(wide, np.finfo(np.longdouble).max)})
    assert agrees_throughout(table, Column("x", Type.NUMBER), 0, 5)
    assert as_number(wide[:2]) == [0.1, 1.5]


@pytest.mark.parametrize("type_", [pa.float64(), pa.string(), pa.bool_(), pa.int64()], ids=str)
def test_columns_that_keep_runs_are_read_as_if_they_kept_values(type_: Any) -> None:
    values: dict[str, list[Any]] = {
        "double": [1.5, 1.5, None, 2.5],
        "string": ["AA", "AA", None, "ZZ"],
        "bool": [True, True, None, False],
        "int64": [1, 1, None, 2**53 + 1],
    }
    runs = pc.run_end_encode(pa.array(values[str(type_)] * 3, type_))
    for column in (runs, runs.slice(3, 6), pa.chunked_array([runs, runs.slice(2)])):
        wanted = read_frame({"x": pa.array(column.to_pylist(), type_)})
        found = read_frame(pa.table({"x": column}))
        for kind in (Type.NUMBER, Type.INTEGER, Type.BOOLEAN, Type.CATEGORY):
            declared = Column("x", kind, values=("AA", "UA") if kind is Type.CATEGORY else ())
            assert agrees_throughout(found, declared, 0, found.rows)
            codes = [table.encode(declared, CODES, 0, table.rows).tolist() for table in (wanted, found)]
            assert repr(codes[0]) == repr(codes[1])


def test_numpy_text_of_fixed_and_of_variable_width_is_text() -> None:
    column = Column("x", Type.CATEGORY, values=("AA", "UA"))
    for kind in ("U5", np.dtypes.StringDType()):
        table = read_frame({"x": np.array(["UA", "AA", "ZZ"], kind)})
        assert table.encode(column, {"AA": 0, "UA": 1}, 0, 3, 7).tolist() == [1, 0, 7]


def test_a_time_that_python_cannot_tell_is_refused_and_not_a_crash() -> None:
    nowhere = pa.array([1], pa.timestamp("s", tz="Mars/Olympus"))
    table = read_frame({"x": nowhere})
    for kind in Type:
        column = Column("x", kind, values=("AA",) if kind is Type.CATEGORY else ())
        assert isinstance(table.read(column, 0), Fault)


@pytest.mark.parametrize(("index", "size"), [(pa.int8(), 128), (pa.uint8(), 256), (pa.int64(), 3)])
def test_a_null_in_a_full_dictionary_is_null(index: Any, size: int) -> None:
    words = [f"w{i}" for i in range(size)]
    indices = pa.array([0, None, size - 1], index)
    table = read_frame(pa.table({"x": pa.DictionaryArray.from_arrays(indices, pa.array(words))}))
    column = Column("x", Type.CATEGORY, values=tuple(words))
    codes = {word: i for i, word in enumerate(words)}
    assert table.encode(column, codes, 0, 3, -1).tolist() == [0, -1, size - 1]
    assert table.raw("x", 1) is None


def test_text_that_is_no_text_is_none_of_the_values() -> None:
    bad = pa.Array.from_buffers(pa.string(), 1, pa.array([b"AA\xff"]).buffers())
    column = Column("x", Type.CATEGORY, values=("AA",))
    for values in (bad, bad.dictionary_encode()):
        table = read_frame({"x": values})
        assert table.encode(column, {"AA": 0}, 0, 1, 5).tolist() == [5]
        assert isinstance(table.read(column, 0), Fault)
        assert isinstance(table.raw("x", 0), str)
