"""Columns to the arrays that engines read: the vectorised form of `racl.values`, refusals as sentinels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from racl.domain.model import Column, Type
from racl.frames import arrow
from racl.frames.arrow import Values, null_mask
from racl.frames.blocks import Block, Coded, Plain, Source
from racl.program import code_type
from racl.values import EXACT, TRUTHS, Fault, Value, read_text_value, read_value

BYTES = 256  # values of one
REFUSED_BOOLEAN = 2
REFUSED_CATEGORY = -1


@dataclass(frozen=True, slots=True)
class Target:
    """What the rows of one column become."""

    column: Column  # without the bounds, which the engines check
    dtype: np.dtype[Any]
    refused: float | int
    null: float | int
    codes: Mapping[str, int]  # of the column's own values
    other: int
    nan_is_null: bool
    text: bool  # whether cells are text, to be read by the column's type


def target(column: Column, codes: Mapping[str, int], other: int, source: Source, *, text: bool) -> Target:
    """The target of a column whose texts have these codes."""
    own = {value: codes[value] for value in column.values}
    kind = Type.NUMBER if column.type is Type.INTEGER else column.type
    dtype, refused = _written(kind, codes)
    null = refused if column.default is None else _default(column.default, own, other)
    bare = replace(column, min=None, max=None, type=kind)
    return Target(bare, dtype, refused, null, own, other, source.nan_is_null, text)


def _written(kind: Type, codes: Mapping[str, int]) -> tuple[np.dtype[Any], float | int]:
    match kind:
        case Type.BOOLEAN:
            return np.dtype(np.uint8), REFUSED_BOOLEAN
        case Type.CATEGORY:
            return code_dtype(codes), REFUSED_CATEGORY
        case _:
            return np.dtype(np.float64), math.nan


def _default(default: Value, own: Mapping[str, int], other: int) -> float | int:
    return own.get(default, other) if isinstance(default, str) else float(default)


def code_dtype(codes: Mapping[str, int]) -> np.dtype[Any]:
    """The integers in which engines want the codes of texts."""
    return np.dtype(code_type(codes))


@dataclass(frozen=True, slots=True)
class Encoder:
    """Turns stretches of one source into arrays for engines; several threads may call it."""

    source: Source
    target: Target
    made_for: tuple[Column, Mapping[str, int], int]
    tables: dict[int, Values] = field(default_factory=dict)  # one for each dictionary met

    def suits(self, column: Column, codes: Mapping[str, int], other: int) -> bool:
        """Whether this encoder was made for the same column and the same codes."""
        mine, own, unknown = self.made_for
        return mine is column and own is codes and unknown == other

    def __call__(self, start: int, stop: int) -> Values:
        """The rows from start up to stop: a view where the source already is what is wanted."""
        parts = [self._block(block) for block in self.source.blocks(start, stop)]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty(0, self.target.dtype)

    def _block(self, block: Block) -> Values:
        if not isinstance(block, Coded):
            return encoded(self.target, block)
        if block.key not in self.tables:
            values = encoded(self.target, block.dictionary)
            self.tables[block.key] = np.append(values, np.array([self.target.null], self.target.dtype))
        return looked_up(self.tables[block.key], block.indices)


def looked_up(table: Values, indices: Values) -> Values:
    """The entries of a table at these places, of which the last, at -1 too, stands for null."""
    codes = table[:-1]
    unsigned = indices.view(f"u{indices.dtype.itemsize}")  # -1 becomes the largest
    if table.dtype.kind != "i" or not len(indices) or unsigned.max() >= len(codes):
        return np.asarray(table[indices])
    if np.array_equal(codes, np.arange(len(codes)) + codes[0]):
        return np.asarray(np.add(indices, codes[0], dtype=table.dtype, casting="unsafe"))
    if table.dtype.itemsize == 1 and len(table) <= BYTES:
        whole = table.tobytes().ljust(BYTES, b"\0")
        return np.frombuffer(indices.astype(np.uint8).tobytes().translate(whole), table.dtype)
    return np.asarray(table[indices])


def encoded(target: Target, block: Plain) -> Values:
    """A block without a dictionary as the target wants it."""
    if isinstance(block, list):
        return _objects(target, block)
    if isinstance(block, np.ndarray):
        return _numpy(target, block)
    return _arrow(target, block)


def _numpy(target: Target, values: Values) -> Values:
    kind = values.dtype.kind
    if kind in "OUT":
        return _objects(target, values.tolist())
    read = READERS.get((target.column.type, kind))
    result = read(values) if read else _all(target, target.refused, len(values))
    if target.nan_is_null and target.column.default is not None and kind in "fMm":
        return _with_nulls(target, result, np.isnan(values) if kind == "f" else np.isnat(values))
    return result


def _arrow(target: Target, array: pa.Array) -> Values:
    kind = arrow.kind(array.type)
    if kind == "null":
        return _all(target, target.null, len(array))
    if kind == "objects":
        return _objects(target, array.to_pylist())
    result = _arrow_values(target, array, kind)
    if target.nan_is_null and kind == "f":
        result = _with_nulls(target, result, np.isnan(arrow.values(array, kind)))
    return _with_nulls(target, result, null_mask(array)) if array.null_count else result


def _arrow_values(target: Target, array: pa.Array, kind: str) -> Values:
    if kind == "text" and (target.text or target.column.type is Type.CATEGORY):
        return _texts(target, array)
    read = READERS.get((target.column.type, kind))
    return read(arrow.values(array, kind)) if read else _all(target, target.refused, len(array))


def _with_nulls(target: Target, values: Values, nulls: Values) -> Values:
    return np.where(nulls, np.array(target.null, target.dtype), values) if nulls.any() else values


def _all(target: Target, value: float, rows: int) -> Values:
    return np.full(rows, value, target.dtype)


def _floats(values: Values) -> Values:
    if values.dtype == np.float64:
        return np.ascontiguousarray(values)
    with np.errstate(over="ignore"):  # of what is wider: an infinity, which is refused
        return np.ascontiguousarray(values, np.float64)


def _whole(values: Values) -> Values:
    wide = values.astype(np.float64)
    if values.dtype.itemsize < np.dtype(np.int64).itemsize:
        return wide
    if len(wide) and np.abs(wide).max() >= EXACT:
        inside = wide < float(np.iinfo(values.dtype).max)  # as a float64 one beyond the highest
        back = np.where(inside, wide, 0.0).astype(values.dtype)
        wide[~inside | (back != values)] = np.nan
    return wide


def _truths(values: Values) -> Values:
    return values.view(np.uint8)


def _same(values: Values) -> Values:
    return values


READERS: dict[tuple[Type, str], Callable[[Values], Values]] = {
    (Type.NUMBER, "f"): _floats,
    (Type.NUMBER, "i"): _whole,
    (Type.NUMBER, "u"): _whole,
    (Type.NUMBER, "decimal"): _same,
    (Type.BOOLEAN, "b"): _truths,
}


def _texts(target: Target, array: pa.Array) -> Values:
    plain = array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array
    match target.column.type:
        case Type.CATEGORY:
            return _looked_up(target, plain, target.codes, target.other)
        case Type.BOOLEAN:
            return _looked_up(target, plain, TRUTHS, REFUSED_BOOLEAN)
        case _:
            return _parsed(target, plain)


def _looked_up(target: Target, array: pa.Array, meanings: Mapping[str, int], unknown: int) -> Values:
    words = arrow.texts(tuple(meanings), array.type)
    found = pc.index_in(array, value_set=words)
    index = np.where(null_mask(found), len(meanings), arrow.buffer_view(found, np.int32))
    table = np.array([*meanings.values(), unknown], target.dtype)
    return np.asarray(table[index])


def _parsed(target: Target, array: pa.Array) -> Values:
    try:
        numbers = pc.cast(array, pa.float64())
        return np.where(null_mask(numbers), np.nan, arrow.buffer_view(numbers, np.float64))
    except pa.ArrowInvalid:
        return _cells(target, array.to_pylist())


def _cells(target: Target, cells: list[str | None]) -> Values:
    values = (read_text_value(target.column, cell) for cell in cells)
    return np.array([np.nan if isinstance(value, Fault) else value for value in values], np.float64)


def _objects(target: Target, values: list[object]) -> Values:
    match target.column.type:
        case Type.CATEGORY:
            return np.array([_code(target, value) for value in values], target.dtype)
        case _:
            return np.array([_sentinel(target, value) for value in values], target.dtype)


def _code(target: Target, value: object) -> int:
    if isinstance(value, str):
        return target.codes.get(value, target.other)
    return int(target.null) if value is None else REFUSED_CATEGORY


def _sentinel(target: Target, value: object) -> Any:
    if type(value) is float and target.column.type is Type.NUMBER:
        return value
    if value is None:
        return target.null
    if isinstance(value, np.ndarray):
        return target.refused  # whatever NumPy itself would make of an array of one number
    read = read_value(target.column, value)
    return target.refused if isinstance(read, Fault) else read
