"""A stretch of one column as it lies in memory, and where it comes from; nothing is copied here."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from racl.frames.arrow import Values, buffer_view, kind, null_mask

Plain: TypeAlias = pa.Array | Values | list[object]


@dataclass(frozen=True, slots=True)
class Coded:
    """Values kept once in a dictionary, and for each row an index into it; -1 is null."""

    indices: Values
    dictionary: Plain
    key: int  # INVARIANT: within one source, the same key is the same dictionary

    def __getitem__(self, rows: slice) -> Coded:
        return Coded(self.indices[rows], self.dictionary, self.key)


Block: TypeAlias = Plain | Coded


class Source(Protocol):
    """One column, wherever it is kept."""

    @property
    def nan_is_null(self) -> bool:
        """Whether NaN is how a null is written here, as it is in pandas."""

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """The rows from start up to stop, in one or more blocks."""


@dataclass(frozen=True, slots=True)
class ArrowSource:
    """A chunked column of Arrow."""

    chunks: tuple[Block, ...]
    starts: tuple[int, ...]  # the first row of each chunk, and the end of the last
    nan_is_null: bool = False

    @classmethod
    def of(cls, column: pa.Array | pa.ChunkedArray, *, nan_is_null: bool = False) -> ArrowSource:
        """The source of an Arrow array, chunked or not."""
        whole = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        chunks = [pc.run_end_decode(one) if pt.is_run_end_encoded(one.type) else one for one in whole]
        blocks = tuple(viewed(chunk, key) for key, chunk in enumerate(chunks))
        return cls(blocks, tuple(accumulate(map(len, chunks), initial=0)), nan_is_null)

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """The pieces of the chunks that hold these rows."""
        first = max(0, bisect_right(self.starts, start) - 1)
        for key in range(first, len(self.chunks)):
            offset, end = self.starts[key : key + 2]
            if offset >= stop:
                return
            if end > offset:
                piece = self.chunks[key][max(start, offset) - offset : min(stop, end) - offset]
                piece = viewed(piece, key)
                yield coded(piece, key) if isinstance(piece, pa.DictionaryArray) else piece


@dataclass(frozen=True, slots=True)
class ArraySource:
    """A NumPy array or a list."""

    values: Values | list[object]
    nan_is_null: bool = False

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """A view of the array, or a part of the list."""
        yield self.values[start:stop]


@dataclass(frozen=True, slots=True)
class PolarsSource:
    """A Polars series that Arrow cannot hold: objects, and integers of 128 bits."""

    series: Any
    nan_is_null: bool = False

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """The values of these rows as Python has them."""
        yield self.series[start:stop].to_list()


@dataclass(frozen=True, slots=True)
class MaskedSource:
    """A pandas array of numbers or truths with a mask beside it."""

    values: Any
    nan_is_null: bool = True

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """These rows as Arrow has them: the same numbers, the mask packed."""
        yield pa.array(self.values[start:stop])


@dataclass(frozen=True, slots=True)
class ObjectSource:
    """A pandas column of objects, or of something that only pandas knows."""

    values: Any
    isna: Callable[[Values], Values]
    nan_is_null: bool = True

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """The values of these rows as Python has them, each way to write a null as `None`."""
        values = np.asarray(self.values[start:stop], object)
        yield [None if null else value for value, null in zip(values, self.isna(values), strict=True)]


@dataclass(frozen=True, slots=True)
class CategoricalSource:
    """A pandas categorical: its codes, and its categories as a block."""

    codes: Values
    categories: Plain
    nan_is_null: bool = True

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """A view of the codes, with the categories."""
        yield Coded(self.codes, self.categories, 0)[start:stop]


@dataclass(frozen=True, slots=True)
class RowsSource:
    """One key of a list of rows."""

    rows: Sequence[Mapping[Any, object]]
    name: str
    nan_is_null: bool = field(default=False)

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """What these rows hold under the key; null where it is missing."""
        yield [row.get(self.name) for row in self.rows[start:stop]]


@dataclass(frozen=True, slots=True)
class AbsentSource:
    """A column that is not there: null in every row."""

    nan_is_null: bool = False

    def blocks(self, start: int, stop: int) -> Iterator[Block]:
        """As many nulls as rows."""
        yield pa.nulls(stop - start)


def viewed(block: Block, key: int) -> Block:
    """What Arrow holds as NumPy has it where that says the same without a copy: no nulls, and one by one."""
    if not isinstance(block, pa.Array) or block.null_count:
        return block
    if isinstance(block, pa.DictionaryArray):
        return Coded(buffer_view(block.indices), block.dictionary, key)
    return buffer_view(block) if kind(block.type) in "fiu" else block


def coded(array: pa.DictionaryArray, key: int) -> Coded:
    """The indices and the dictionary of an array, some of which is null."""
    indices = buffer_view(array.indices)
    signed = indices if indices.dtype.kind == "i" else indices.astype(np.int64)
    return Coded(np.where(null_mask(array.indices), signed.dtype.type(-1), signed), array.dictionary, key)


def first_value(block: Block) -> object:
    """The first value of a block as plain Python has it."""
    if isinstance(block, Coded):
        return _dictionary_value(block)
    if isinstance(block, list):
        return np.atleast_1d(block[0]).tolist() if isinstance(block[0], np.ndarray) else block[0]
    if isinstance(block, np.ndarray):
        if block.dtype.kind == "O":
            return first_value([block[0]])
        return block[0].item() if block.dtype.kind in "biufU" else block[0]
    return _python_value(block[0])


def _python_value(scalar: Any) -> object:
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return scalar.as_buffer().to_pybytes().decode(errors="replace")
    except (pa.ArrowException, ValueError, OverflowError):
        return scalar.type  # a time that Python cannot tell: no column takes it, nor takes this


def _dictionary_value(block: Coded) -> object:
    index = int(block.indices[0])
    return first_value(block.dictionary[index : index + 1]) if 0 <= index < len(block.dictionary) else None
