"""What stands at the end of a Parquet file: its columns, and where each stretch of each column lies.

Column chunks know nothing of the file that they stand in but what the footer says. So whole chunks can be taken from one
file to another as they are, and stretches that were written apart can stand one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from racl.scale import thrift
from racl.scale.thrift import BINARY, I32, I64, STRUCT, Reader, Struct, ThriftError, written

MAGIC = b"PAR1"
END = 8  # bytes after the footer: its length, and the magic word
LONGEST = 1 << 24  # bytes of a footer that is taken apart

# numbers of fields, by the format's own definition
VERSION, SCHEMA, ROWS, GROUPS, KEY_VALUES, CREATED_BY, ORDERS, ENCRYPTION = range(1, 9)
ELEMENT_TYPE, ELEMENT_NAME, ELEMENT_CHILDREN, ELEMENT_ID = 1, 4, 5, 9
GROUP_COLUMNS, GROUP_BYTES, GROUP_ROWS, GROUP_OFFSET, GROUP_SIZE = 1, 2, 3, 5, 6
CHUNK_FILE, CHUNK_OFFSET, CHUNK_DATA, CHUNK_SECRET, CHUNK_SECRET_DATA = 1, 2, 3, 8, 9
DATA_UNPACKED, DATA_SIZE, DATA_PAGE, DATA_INDEX_PAGE, DATA_DICTIONARY_PAGE = 6, 7, 9, 10, 11
DATA_BLOOM, DATA_BLOOM_SIZE = 14, 15
OFFSETS = (DATA_PAGE, DATA_INDEX_PAGE, DATA_DICTIONARY_PAGE)


@dataclass(frozen=True)
class Footer:
    """The end of a file, taken apart."""

    fields: Struct
    start: int  # where it begins in the file

    @cached_property
    def elements(self) -> list[Struct]:
        """The tree of columns, each before its children; the first is the root."""
        return list(self.fields[SCHEMA][1].entries)

    @cached_property
    def groups(self) -> list[Struct]:
        """The stretches of rows."""
        return list(self.fields[GROUPS][1].entries)

    @cached_property
    def roots(self) -> list[slice]:
        """For each column of the table the elements that are its own, without the root."""
        found, at = [], 1
        for _ in range(self.elements[0].get(ELEMENT_CHILDREN, (I32, 0))[1]):
            end = self._end(at)
            found.append(slice(at, end))
            at = end
        return found

    def _end(self, at: int) -> int:
        end = at + 1
        for _ in range(self.elements[at].get(ELEMENT_CHILDREN, (I32, 0))[1]):
            end = self._end(end)
        return end

    def leaves(self, column: int) -> slice:
        """Which chunks of a stretch belong to a column of the table."""
        before = sum(ELEMENT_TYPE in one for one in self.elements[1 : self.roots[column].start])
        return slice(before, before + sum(ELEMENT_TYPE in one for one in self.elements[self.roots[column]]))

    @property
    def names(self) -> list[str]:
        """The columns of the table."""
        return [self.elements[root.start][ELEMENT_NAME][1].decode() for root in self.roots]

    @property
    def portable(self) -> bool:
        """Whether its chunks can be taken elsewhere: none is encrypted, and none lies in another file."""
        apart = {CHUNK_FILE, CHUNK_SECRET, CHUNK_SECRET_DATA}
        chunks = (chunk for group in self.groups for chunk in group[GROUP_COLUMNS][1].entries)
        return ENCRYPTION not in self.fields and all(
            CHUNK_DATA in chunk and not apart & set(chunk) for chunk in chunks
        )


def footer_of(data: bytes | memoryview) -> Footer:
    """The footer of a file in memory."""
    size = int.from_bytes(data[-END:-4], "little")
    return Footer(Reader(data[-END - size : -END]).struct(), len(data) - END - size)


def footer_in(path: Path) -> Footer | None:
    """The footer of a file; none where it is too long to be worth it, or unlike any that is known."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - END))
        end = file.read()
        length = int.from_bytes(end[:4], "little")
        if end[4:] != MAGIC or length > min(LONGEST, size - END):
            return None
        file.seek(size - END - length)
        data = file.read(length)
    try:
        return Footer(Reader(data).struct(), size - END - length)
    except ThriftError:
        return None


def kind_of(elements: Sequence[Struct]) -> list[Struct]:
    """What a reader makes of columns: all but their numbers."""
    return [{number: one for number, one in element.items() if number != ELEMENT_ID} for element in elements]


# chunks ----------------------------------------------------------------------------------------------


def chunks_of(group: Struct) -> list[Struct]:
    """The chunks of a stretch of rows."""
    return list(group[GROUP_COLUMNS][1].entries)


def span_of(chunk: Struct) -> tuple[int, int]:
    """Where a chunk begins, and how many bytes it has."""
    data = chunk[CHUNK_DATA][1]
    dictionary = data.get(DATA_DICTIONARY_PAGE, (I64, 0))[1]
    start = data[DATA_PAGE][1]
    return min(start, dictionary) if dictionary else start, data[DATA_SIZE][1]


def moved(chunk: Struct, by: int) -> Struct:
    """A chunk that stands elsewhere by so many bytes; indexes, which stand apart, are left behind."""
    data = dict(chunk[CHUNK_DATA][1])
    for number in OFFSETS:
        if data.get(number, (I64, 0))[1]:
            data[number] = (I64, data[number][1] + by)
    for number in (DATA_BLOOM, DATA_BLOOM_SIZE):
        data.pop(number, None)
    place = {CHUNK_DATA: (STRUCT, data)}
    return {CHUNK_OFFSET: (I64, span_of(place)[0]), **place}


def group_of(chunks: Sequence[Struct], rows: int) -> Struct:
    """A stretch of rows out of chunks."""
    data = [chunk[CHUNK_DATA][1] for chunk in chunks]
    return {
        GROUP_COLUMNS: (thrift.LIST, thrift.Sequence(STRUCT, list(chunks))),
        GROUP_BYTES: (I64, sum(one[DATA_UNPACKED][1] for one in data)),
        GROUP_ROWS: (I64, rows),
        GROUP_OFFSET: (I64, min((span_of(chunk)[0] for chunk in chunks), default=0)),
        GROUP_SIZE: (I64, sum(one[DATA_SIZE][1] for one in data)),
    }


def group_moved(group: Struct, by: int) -> Struct:
    """A stretch of rows that stands elsewhere by so many bytes."""
    return group_of([moved(chunk, by) for chunk in chunks_of(group)], group[GROUP_ROWS][1])


# files -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """All that a footer says but where its rows lie."""

    elements: list[Struct]  # without the root
    columns: int
    key_values: list[tuple[bytes, bytes]]
    version: int
    created_by: bytes
    ordered: bool  # whether it may be relied on how values are ordered in what is told of them

    def closed(self, groups: Sequence[bytes], rows: int) -> bytes:
        """The end of a file that holds these stretches of rows."""
        root: Struct = {
            ELEMENT_NAME: (BINARY, b"schema"),
            ELEMENT_CHILDREN: (I32, self.columns),
        }
        pairs = [{1: (BINARY, key), 2: (BINARY, value)} for key, value in self.key_values]
        fields: Struct = {
            VERSION: (I32, self.version),
            SCHEMA: (thrift.LIST, thrift.Sequence(STRUCT, [root, *self.elements])),
            ROWS: (I64, rows),
            GROUPS: (thrift.LIST, thrift.Sequence(STRUCT, list(groups))),
            CREATED_BY: (BINARY, self.created_by),
        }
        if pairs:
            fields[KEY_VALUES] = (thrift.LIST, thrift.Sequence(STRUCT, pairs))
        if self.ordered:
            leaves = sum(ELEMENT_TYPE in element for element in self.elements)
            orders: list[Any] = [{1: (STRUCT, {})} for _ in range(leaves)]
            fields[ORDERS] = (thrift.LIST, thrift.Sequence(STRUCT, orders))
        data = written(fields)
        return data + len(data).to_bytes(4, "little") + MAGIC


def frame_of(footer: Footer) -> Frame:
    """The frame of a file."""
    fields = footer.fields
    return Frame(
        footer.elements[1:],
        len(footer.roots),
        list(key_values(footer)),
        fields[VERSION][1],
        fields.get(CREATED_BY, (BINARY, b""))[1],
        ORDERS in fields,
    )


def key_values(footer: Footer) -> Iterator[tuple[bytes, bytes]]:
    """What a file says about itself."""
    if KEY_VALUES in footer.fields:
        for pair in footer.fields[KEY_VALUES][1].entries:
            yield pair[1][1], pair.get(2, (BINARY, b""))[1]
