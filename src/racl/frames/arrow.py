"""The values of an Arrow array as NumPy has them, without a copy where there need be none."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from racl.values import EXACT

Values = NDArray[Any]
EXACT_POWER = 22  # 10.0**22 is the last power of ten that float64 holds without loss


def kind(type_: Any) -> str:
    """What sort of values a type has: NumPy's letter, or `text`, `decimal`, `null`, `other`, `objects`."""
    sorts = {
        "f": pt.is_floating,
        "i": pt.is_signed_integer,
        "u": pt.is_unsigned_integer,
        "b": pt.is_boolean,
        "decimal": pt.is_decimal,
        "null": pt.is_null,
    }
    for sort, holds in sorts.items():
        if holds(type_):
            return sort
    if is_text(type_):
        return "text"
    nested = pt.is_nested(type_) and not pt.is_union(type_)
    return "other" if nested or pt.is_temporal(type_) or is_binary(type_) else "objects"


def is_text(type_: Any) -> bool:
    """Whether a type is one of Arrow's kinds of text."""
    return bool(pt.is_string(type_) or pt.is_large_string(type_) or pt.is_string_view(type_))


def is_binary(type_: Any) -> bool:
    """Whether a type is one of Arrow's kinds of bytes."""
    return any(
        holds(type_)
        for holds in (pt.is_binary, pt.is_large_binary, pt.is_fixed_size_binary, pt.is_binary_view)
    )


def values(array: pa.Array, sort: str) -> Values:
    """The numbers or truths of an array; what stands under a null is arbitrary."""
    if sort == "b":
        return buffer_view(array.cast(pa.uint8()))
    return decimals(array) if sort == "decimal" else buffer_view(array)


def buffer_view(array: pa.Array, dtype: Any = None) -> Values:
    """An array of fixed width as it lies in memory; what stands under a null is arbitrary."""
    unit = np.dtype(dtype or array.type.to_pandas_dtype())
    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.empty(0, unit)
    return np.frombuffer(buffer, unit, count=len(array), offset=array.offset * unit.itemsize)


def null_mask(array: pa.Array) -> Values:
    """Where an array is null."""
    return buffer_view(array.is_null().cast(pa.uint8()), np.bool_)


def decimals(array: pa.Array) -> Values:
    """Each decimal as the nearest float64: one rounding where digits and power are exact, else Python's."""
    digits, small = _digits(array)
    scale = array.type.scale
    if abs(scale) > EXACT_POWER:
        small = np.zeros(len(array), bool)
    power = float(10 ** min(abs(scale), EXACT_POWER))
    result = digits / power if scale >= 0 else digits * power
    for i in np.flatnonzero(~small):
        value = array[i].as_py()
        result[i] = np.nan if value is None else float(value)
    return result


def _digits(array: pa.Array) -> tuple[Values, Values]:
    width = array.type.bit_width // 8
    if width == np.dtype(np.int32).itemsize:
        low = buffer_view(array, np.int32)
        return low.astype(np.float64), np.ones(len(array), bool)
    words = buffer_view(array, np.dtype((np.int64, width // 8))).reshape(len(array), width // 8)
    low = words[:, 0]
    fits = (words[:, 1:] == (low >> 63)[:, None]).all(axis=1)
    return low.astype(np.float64), fits & (low <= EXACT) & (low >= -EXACT)


# INVARIANT: nothing here calls `pa.array`, `pa.scalar` or `to_numpy`: they import pandas wherever that is installed,
# which takes longer than deciding


@lru_cache(1000)
def texts(words: tuple[str, ...], type_: pa.DataType) -> pa.Array:
    """Words as an Arrow array of a type of text."""
    encoded = [word.encode() for word in words]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers).cast(type_)


def nullable(values: Values, type_: pa.DataType, nulls: Values) -> pa.Array:
    """Numbers as an Arrow array over the same memory, null where marked."""
    count = int(np.count_nonzero(nulls))
    validity = pa.py_buffer(np.packbits(~nulls, bitorder="little")) if count else None
    return pa.Array.from_buffers(type_, len(values), [validity, pa.py_buffer(values)], count)


def truths(values: Values) -> pa.Array:
    """Truths as an Arrow array."""
    bits = pa.py_buffer(np.packbits(values, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, bits])
