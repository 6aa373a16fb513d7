"""Columns of text put together into lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

TEXT = pa.large_string()


def joined(parts: Sequence[pa.Array | str], between: str = "") -> pa.Array:
    """The texts of each row one after the other; a plain text stands in every row, a null makes null.

    >>> joined(["<", pa.array(["a", "b"], TEXT), ">"]).to_pylist()
    ['<a>', '<b>']
    """
    columns = [pa.scalar(part, TEXT) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*columns, pa.scalar(between, TEXT))


def as_bytes(texts: pa.Array) -> memoryview:
    """All texts of an array one after the other, where they lie; none may be anything but UTF-8."""
    if not len(texts):
        return memoryview(b"")
    texts.validate(full=True)
    offsets = np.frombuffer(texts.buffers()[1], np.int64, count=len(texts) + 1, offset=texts.offset * 8)
    return memoryview(texts.buffers()[2])[offsets[0] : offsets[-1]]
