"""The columns of decisions as pages of Parquet, straight from the arrays that an engine fills.

What a library must find out of each column is known here: which numbers are null, which few texts occur, how narrow their
numbers are. So nulls are a comparison, text is numbers of three or four bits, and no value is looked up.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from racl.decide import Decisions
from racl.engines.outputs import CREDITS
from racl.frames import DECISION
from racl.scale import thrift
from racl.scale.footer import (
    CHUNK_DATA,
    CHUNK_OFFSET,
    DATA_DICTIONARY_PAGE,
    DATA_PAGE,
    DATA_SIZE,
    DATA_UNPACKED,
    MAGIC,
)
from racl.scale.thrift import BINARY, I32, I64, LIST, STRUCT, Struct, written

PAGE_ROWS = 1 << 17
MOST_TEXTS = 1 << 8  # whose numbers fit into bytes
BOOLEAN, DOUBLE, BYTE_ARRAY = 0, 5, 6  # physical types, by the format's own numbers
PLAIN, RLE, CODED = 0, 3, 8  # encodings
DATA, DICTIONARY = 0, 2  # kinds of pages
SNAPPY = 1
LANES = ((0x00FF00FF00FF00FF, 8), (0x0000FFFF0000FFFF, 16), (0x00000000FFFFFFFF, 32))

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it lies in a file, and the length of its body before it is compressed."""

    head: bytes
    body: memoryview
    unpacked: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """The pages of one column of a group, and what is told of them."""

    name: str
    physical: int
    pages: Sequence[Page]
    rows: int
    told: Struct

    @property
    def texts(self) -> bool:
        """Whether the first page is a dictionary."""
        return self.physical == BYTE_ARRAY

    @property
    def size(self) -> int:
        """The bytes of its pages."""
        return sum(len(page.head) + len(page.body) for page in self.pages)

    def described(self) -> Struct:
        """What the footer says of it, as if it stood first in its file."""
        first, start = self.pages[0], len(MAGIC)
        kinds = [PLAIN, RLE, *([CODED] if self.texts else [])]
        data: Struct = {
            1: (I32, self.physical),
            2: (LIST, thrift.Sequence(I32, kinds)),
            3: (LIST, thrift.Sequence(BINARY, [self.name.encode()])),
            4: (I32, SNAPPY),
            5: (I64, self.rows),
            DATA_UNPACKED: (I64, sum(len(page.head) + page.unpacked for page in self.pages)),
            DATA_SIZE: (I64, self.size),
            DATA_PAGE: (I64, start + (len(first.head) + len(first.body) if self.texts else 0)),
            12: (STRUCT, self.told),
        }
        if self.texts:
            data[DATA_DICTIONARY_PAGE] = (I64, start)
        return {CHUNK_OFFSET: (I64, start), CHUNK_DATA: (STRUCT, data)}

    def parts(self) -> Iterator[bytes | memoryview]:
        """Its bytes."""
        for page in self.pages:
            yield page.head
            yield page.body


def decided_chunks(decisions: Decisions) -> list[Chunk] | None:
    """The six columns of decisions on rows of which none is refused; none where there are too many plans."""
    outputs, prefix = decisions.outputs, decisions.prefix
    names, plans = decisions.plans
    if len(names) > MOST_TEXTS:
        return None
    first, second, third, *numbers = (prefix + name for name in DECISION.names)
    credits_ = [credit.value for credit in CREDITS]
    return [
        truths(first, outputs.accepted),
        texts(second, outputs.credit, credits_),
        texts(third, plans, names),
        *(
            doubles(name, column)
            for name, column in zip(numbers, (outputs.value, outputs.margin, outputs.cost), strict=True)
        ),
    ]


# columns ---------------------------------------------------------------------------------------------


def truths(name: str, values: NDArray[np.bool_]) -> Chunk:
    """A column of truths."""
    bodies = [
        levels(None, stop - start) + np.packbits(values[start:stop], bitorder="little").tobytes()
        for start, stop in stretches(len(values))
    ]
    told = statistics(0, [bytes([bool(one)]) for one in (values.min(), values.max())])
    return Chunk(name, BOOLEAN, data_pages(bodies, len(values), PLAIN), len(values), told)


def doubles(name: str, values: NDArray[np.float64]) -> Chunk:
    """A column of numbers, null where they are NaN."""
    bodies, least, most, nulls = [], np.inf, -np.inf, 0
    for start, stop in stretches(len(values)):
        some = values[start:stop]
        there = ~np.isnan(some)
        kept = np.compress(there, some).astype("<f8", copy=False)
        whole = len(kept) == stop - start
        bodies.append(b"".join((levels(None if whole else there, stop - start), kept.data.cast("B"))))
        nulls += stop - start - len(kept)
        if len(kept):
            least, most = min(least, kept.min()), max(most, kept.max())
    ends = [] if nulls == len(values) else [least or -0.0, most or 0.0]  # a zero may be either of two
    told = statistics(nulls, [np.array(one, "<f8").tobytes() for one in ends])
    return Chunk(name, DOUBLE, data_pages(bodies, len(values), PLAIN), len(values), told)


def texts(name: str, codes: NDArray[np.signedinteger], words: Sequence[str]) -> Chunk:
    """A column of texts by their numbers, null where they are below 0."""
    width = max(1, (len(words) - 1).bit_length())
    bodies, nulls = [], 0
    counts = np.zeros(len(words), np.int64)
    for start, stop in stretches(len(codes)):
        some = codes[start:stop]
        there = some >= 0
        kept = np.compress(there, some).astype(np.uint8, copy=False)
        whole = len(kept) == stop - start
        counts += np.bincount(kept, minlength=len(words))
        nulls += stop - start - len(kept)
        bodies.append(levels(None if whole else there, stop - start) + bytes([width]) + packed(kept, width))
    encoded = [word.encode() for word in words]
    occurring = [word for word, count in zip(encoded, counts, strict=True) if count]
    ends = [min(occurring), max(occurring)] if occurring else []
    pages = [dictionary_page(encoded), *data_pages(bodies, len(codes), CODED)]
    return Chunk(name, BYTE_ARRAY, pages, len(codes), statistics(nulls, ends))


def stretches(rows: int) -> Iterator[tuple[int, int]]:
    """The rows of each page."""
    return pairwise([*range(0, rows, PAGE_ROWS), rows])


# what pages are made of ------------------------------------------------------------------------------


def levels(there: NDArray[np.bool_] | None, rows: int) -> bytes:
    """Which rows of a page have a value, all if it is not said."""
    if there is None:
        runs = varint(rows << 1) + b"\1"
    else:
        runs = varint(-(-rows // 8) << 1 | 1) + np.packbits(there, bitorder="little").tobytes()
    return len(runs).to_bytes(4, "little") + runs


def packed(codes: NDArray[np.uint8], width: int) -> bytes:
    """Small numbers of so many bits each, as one run: eight of them at a time are pushed together within a word."""
    if not len(codes):
        return b""
    count = -(-len(codes) // 8)
    padded = np.zeros(8 * count, np.uint8)
    padded[: len(codes)] = codes
    words: Words = padded.view("<u8")
    for mask, lane in LANES:
        low = np.uint64(mask)
        words = (words & low) | ((words & ~low) >> np.uint64(lane - width * lane // 8))
    data = words.astype("<u8", copy=False).view(np.uint8).reshape(count, 8)[:, :width]
    return varint(count << 1 | 1) + data.tobytes()


def varint(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first."""
    found = bytearray()
    while number >> 7:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def statistics(nulls: int, ends: Sequence[bytes]) -> Struct:
    """What is told of a column: how many nulls, and the least and the greatest value, if there is one."""
    told: Struct = {3: (I64, nulls)}
    if ends:
        told |= {6: (BINARY, ends[0]), 5: (BINARY, ends[1]), 7: (thrift.TRUE, True), 8: (thrift.TRUE, True)}
    return told


def data_pages(bodies: Sequence[bytes], rows: int, encoding: int) -> list[Page]:
    """Pages of values."""
    return [
        page(DATA, body, {1: (I32, stop - start), 2: (I32, encoding), 3: (I32, RLE), 4: (I32, RLE)})
        for body, (start, stop) in zip(bodies, stretches(rows), strict=True)
    ]


def dictionary_page(words: Sequence[bytes]) -> Page:
    """The page that holds the texts themselves."""
    body = b"".join(len(word).to_bytes(4, "little") + word for word in words)
    return page(DICTIONARY, body, {1: (I32, len(words)), 2: (I32, PLAIN)})


def page(kind: int, body: bytes, told: Struct) -> Page:
    """A page, compressed, with its checksum."""
    data: Any = memoryview(pa.Codec("snappy").compress(body)).cast("B")
    total = zlib.crc32(data)
    head: Struct = {
        1: (I32, kind),
        2: (I32, len(body)),
        3: (I32, len(data)),
        4: (I32, total - (total >> 31 << 32)),
        5 if kind == DATA else 7: (STRUCT, told),
    }
    return Page(written(head), data, len(body))
