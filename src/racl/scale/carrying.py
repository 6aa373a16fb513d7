"""The rows' own columns taken from one Parquet file to another as they lie: not decoded, not written anew.

Only what a decision reads is decoded, and only decisions are encoded; what a column says of itself stays as it was. Where
rows are left out of a group, that group is decoded and written anew.
"""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from racl.decide import Decisions
from racl.scale.encoding import ParquetEncoder, Piece, Span, plain_footer
from racl.scale.footer import (
    GROUP_ROWS,
    MAGIC,
    Footer,
    Frame,
    chunks_of,
    footer_in,
    frame_of,
    group_of,
    kind_of,
    moved,
    span_of,
)
from racl.scale.output import Shape
from racl.scale.pages import decided_chunks
from racl.scale.paths import Format, reading
from racl.scale.rows import Rows
from racl.scale.thrift import Reader, Struct, ThriftError

MOST_ROWS = 1 << 21  # of a group: their decisions are held in memory
FEW_ROWS = 1 << 16  # a group, on average, below which groups are put together instead
HEADERS = (1 << 10, 1 << 16, 1 << 22)  # bytes in which to look for a page's header
PAGE_SIZE, PAGE_SUM = 3, 4  # fields of a page's header
ARROW = b"ARROW:schema"


@dataclass(frozen=True)
class Carried:
    """How own columns go from the rows' files into the output."""

    rows: Rows
    footers: tuple[Footer, ...]
    chunks: tuple[int, ...]  # which chunks of a group are kept, in the order of the output
    unread: frozenset[int]  # those of them that nobody looks into
    added: ParquetEncoder  # of the columns that come last
    shape: Shape  # of all columns, where a group is written anew
    mixed: bool  # whether groups of both kinds may stand in one file

    def piece(self, file: int, group: int, decisions: Decisions, folders: pa.Table | None) -> Piece | None:
        """A group of rows with decisions on all of them; none where its pages are not as they should be.

        What the names of folders tell comes before the decisions.
        """
        found = self.footers[file].groups[group]
        path = self.rows.files[file]
        kept = [chunks_of(found)[number] for number in self.chunks]
        with reading(path), path.open("rb") as source:
            for number, chunk in zip(self.chunks, kept, strict=True):  # what was read was found sound
                if number in self.unread and not sound(source.fileno(), *span_of(chunk)):
                    return None
        at, chunks, spans = len(MAGIC), [], []
        for chunk in kept:
            start, size = span_of(chunk)
            chunks.append(moved(chunk, at - start))
            spans.append(Span(path, start, size))
            at += size
        parts: list[Any] = list(joined(spans))
        for chunk, data in self.new_chunks(decisions, folders):
            chunks.append(moved(chunk, at - len(MAGIC)))
            parts += data
            at += span_of(chunk)[1]
        return Piece(tuple(parts), len(decisions), (group_of(chunks, len(decisions)),))

    def new_chunks(
        self, decisions: Decisions, folders: pa.Table | None
    ) -> Iterator[tuple[Struct, Sequence[bytes | memoryview]]]:
        """The columns that come last, each described as if it stood first in its file."""
        found = decided_chunks(decisions) if folders is None else None
        if found is not None:
            for one in found:
                yield one.described(), list(one.parts())
            return
        columns = [*([] if folders is None else folders.columns), *decisions.columns().values()]
        piece = self.added.encode(pa.table(columns, names=self.added.schema.names))
        (data,) = piece.parts
        for chunk in chunks_of(piece.groups[0]):
            start, size = span_of(chunk)
            yield moved(chunk, len(MAGIC) - start), [data[start - len(MAGIC) : start - len(MAGIC) + size]]


def joined(spans: Sequence[Span]) -> Iterator[Span]:
    """Spans that follow each other as one."""
    last: Span | None = None
    for span in spans:
        if last is not None and last.start + last.size == span.start:
            last = replace(last, size=last.size + span.size)
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last


def sound(file: int, start: int, size: int) -> bool:
    """Whether some bytes are pages one after the other whose checksums, where they have them, are right."""
    at, end = start, start + size
    while at < end:
        header = page_header(file, at, end)
        if header is None:
            return False
        length, fields = header
        if PAGE_SIZE not in fields:
            return False
        body, at = at + length, at + length + fields[PAGE_SIZE][1]
        if PAGE_SUM in fields and at <= end:
            data = os.pread(file, at - body, body)
            if zlib.crc32(data) != fields[PAGE_SUM][1] & 0xFFFFFFFF:
                return False
    return at == end


def page_header(file: int, at: int, end: int) -> tuple[int, Struct] | None:
    """The header of a page and its length; none where there is none."""
    for size in HEADERS:
        data = os.pread(file, min(size, end - at), at)
        reader = Reader(data)
        try:
            fields = reader.struct()
        except ThriftError:
            if len(data) < size:
                return None
        else:
            return reader.at, fields
    return None


# whether it can be done ------------------------------------------------------------------------------


def carried(rows: Rows, shape: Shape, read: Sequence[str], *, dropping: bool) -> Carried | None:
    """How own columns are carried over, where they can be; `dropping` where rows may be left out."""
    whole = shape.encoder
    if not (rows.format is Format.PARQUET and isinstance(whole, ParquetEncoder) and hasattr(os, "pread")):
        return None
    footers = _footers(rows)
    if not footers or shape.own is None or not all(map(_fits, footers, [footers[0]] * len(footers))):
        return None
    counts = [group[GROUP_ROWS][1] for footer in footers for group in footer.groups]
    if not counts or max(counts) > MOST_ROWS or (len(counts) > 1 and sum(counts) < FEW_ROWS * len(counts)):
        return None
    first = footers[0]
    own = [name for name in shape.own.names if name not in rows.named.names]
    columns = [first.names.index(name) for name in own] if len(set(first.names)) == len(first.names) else None
    if columns is None:
        if own != first.names:
            return None
        columns = list(range(len(own)))
    if [name for name in shape.own.names if name in own] != shape.own.names[: len(own)]:
        return None  # a folder's column stands among those of the file
    schema = pa.schema([*(shape.own.field(name) for name in shape.own.names[len(own) :]), *shape.added])
    added = ParquetEncoder(schema)
    frame = _frame(first, columns, added, shape)
    mixed = kind_of(frame.elements) == kind_of(whole.frame.elements)
    if dropping and not mixed:
        return None
    chunks = [number for column in columns for number in _numbers(first.leaves(column))]
    seen = {
        number
        for column in columns
        if first.names[column] in read
        for number in _numbers(first.leaves(column))
    }
    unread = frozenset(set(chunks) - seen)
    return Carried(
        rows,
        footers,
        tuple(chunks),
        unread,
        added,
        replace(shape, encoder=replace(whole, given=frame)),
        mixed,
    )


def _numbers(part: slice) -> range:
    return range(part.start, part.stop)


def _footers(rows: Rows) -> tuple[Footer, ...] | None:
    found: list[Footer] = []
    for file in rows.files:
        with reading(file):
            footer = footer_in(file)
        if footer is None or not footer.portable:
            return None
        found.append(footer)
    return tuple(found)


def _fits(footer: Footer, first: Footer) -> bool:
    """Whether a file has the columns of the first one, to the last detail, and each chunk lies within it."""
    alike = kind_of(footer.elements[1:]) == kind_of(first.elements[1:])
    same = alike and frame_of(footer).created_by == frame_of(first).created_by
    spans = (span_of(chunk) for group in footer.groups for chunk in chunks_of(group))
    return same and all(
        start >= len(MAGIC) and size >= 0 and start + size <= footer.start for start, size in spans
    )


def _frame(first: Footer, columns: Sequence[int], added: ParquetEncoder, shape: Shape) -> Frame:
    """What the footer says of all columns: of the file's own what the file said."""
    before = frame_of(first)
    new = frame_of(plain_footer(added, pa.Table.from_batches([], added.schema)))
    elements = [element for column in columns for element in first.elements[first.roots[column]]]
    kept = dict(before.key_values)
    if len(columns) < len(first.roots):
        kept.pop(b"pandas", None)
    if ARROW in kept and shape.own is not None:
        schema = pa.schema([*shape.own, *shape.added], shape.own.metadata)
        kept[ARROW] = base64.b64encode(schema.serialize().to_pybytes())
    return Frame(
        [*elements, *new.elements],
        len(columns) + new.columns,
        list(kept.items()),
        before.version,
        before.created_by,
        before.ordered,
    )
