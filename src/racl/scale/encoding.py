"""Rows as the bytes of a format: a piece at a time, so that pieces can be made apart and in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from racl.scale.csv_files import csv_bytes, csv_head
from racl.scale.footer import MAGIC, Footer, Frame, footer_of, frame_of
from racl.scale.jsonl_files import jsonl_bytes, jsonl_extended
from racl.scale.paths import Format, compression_of, format_of
from racl.scale.thrift import Struct

LONG_DICTIONARY = 1 << 19  # bytes from which a dictionary is kept whatever its length
ROOM = 1 << 30  # bytes of a dictionary that is kept
MANY = ("value", "margin", "cost")  # a decision's columns of many different numbers


@dataclass(frozen=True, slots=True)
class Span:
    """Some bytes of a file, to be taken as they are."""

    path: Path
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows as bytes; of Parquet also where their columns lie, as if the piece stood first in its file."""

    parts: tuple[Any, ...]  # bytes, or a span of a file
    rows: int
    groups: tuple[Struct, ...] = ()


class Encoder(Protocol):
    """How rows become bytes."""

    def head(self) -> bytes:
        """What stands before the first row."""

    def encode(self, rows: pa.Table) -> Piece:
        """Some rows."""

    def tail(self, groups: Sequence[bytes], rows: int) -> bytes:
        """What stands after the last row."""


@dataclass(frozen=True)
class TextEncoder:
    """CSV or JSON lines, compressed or not: each piece is compressed by itself."""

    schema: pa.Schema
    format: Format
    compression: str | None

    def head(self) -> bytes:
        """The names of CSV's columns."""
        return self._packed(csv_head(self.schema)) if self.format is Format.CSV else b""

    def encode(self, rows: pa.Table) -> Piece:
        """A line for each row."""
        lines = csv_bytes(rows) if self.format is Format.CSV else jsonl_bytes(rows)
        return Piece((self._packed(lines),), rows.num_rows)

    def extended(self, lines: Iterable[bytes], added: pa.Table) -> Piece:
        """Lines of JSON as they were written, each with more fields at its end."""
        return Piece((self._packed(jsonl_extended(lines, added)),), added.num_rows)

    def tail(self, groups: Sequence[bytes], rows: int) -> bytes:
        """Nothing."""
        del groups, rows
        return b""

    def _packed(self, data: bytes) -> bytes:
        if self.compression is None or not data:
            return data
        return bytes(pa.Codec(self.compression).compress(data, asbytes=True))


@dataclass(frozen=True)
class ParquetEncoder:
    """Parquet: each piece is one or more groups of rows."""

    schema: pa.Schema
    given: Frame | None = None  # where columns are taken from a file as they are

    @cached_property
    def frame(self) -> Frame:
        """All that the footer says but where the rows lie."""
        if self.given is not None:
            return self.given
        return frame_of(footer_of(_file(pa.Table.from_batches([], self.schema), stored=True)))

    def head(self) -> bytes:
        """The magic word."""
        return MAGIC

    def encode(self, rows: pa.Table) -> Piece:
        """A group of rows."""
        data = _file(_typed(rows, self.schema))
        footer = footer_of(data)
        return Piece((data[len(MAGIC) : footer.start],), rows.num_rows, tuple(footer.groups))

    def tail(self, groups: Sequence[bytes], rows: int) -> bytes:
        """The footer."""
        return self.frame.closed(groups, rows)


def encoder_of(path: Path, schema: pa.Schema) -> Encoder:
    """How rows of these columns are written to a file."""
    format_ = format_of(path)
    if format_ is Format.PARQUET:
        return ParquetEncoder(schema)
    return TextEncoder(schema, format_, compression_of(path))


# Parquet ---------------------------------------------------------------------------------------------


def _typed(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns with the types that the file has for them; text may stand as a dictionary."""
    columns, fields = [], []
    for column, field in zip(rows.columns, schema, strict=True):
        coded = pa.types.is_dictionary(column.type) and column.type.value_type == field.type
        columns.append(column if coded or column.type == field.type else column.cast(field.type))
        fields.append(field.with_type(columns[-1].type))
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
    if all(column.num_chunks <= 1 for column in columns):
        return table
    return table.unify_dictionaries().combine_chunks()


def _file(table: pa.Table, *, stored: bool = False) -> memoryview:
    """A whole file in memory."""
    out = pa.BufferOutputStream()
    coded = [field.name for field in table.schema if pa.types.is_dictionary(field.type)]
    how: dict[str, Any] = {"use_dictionary": dictionaries(table.schema)}
    if any(_dictionary_bytes(table.column(name)) >= LONG_DICTIONARY for name in coded):
        how = {"use_dictionary": coded, "dictionary_pagesize_limit": ROOM}
    with pq.ParquetWriter(out, table.schema, store_schema=stored, write_page_checksum=True, **how) as writer:
        writer.write_table(table, row_group_size=max(1, table.num_rows))
    return memoryview(out.getvalue()).cast("B")


def dictionaries(schema: pa.Schema) -> bool | list[str]:
    """Which columns are worth a dictionary: all, but for a decision's numbers."""
    last = schema.names[-len(MANY) :]
    plain = len(last) == len(MANY) and all(map(str.endswith, last, MANY))
    nested = any(pa.types.is_nested(field.type) for field in schema)
    if not plain or nested or len(set(schema.names)) < len(schema):
        return True
    return list(schema.names[: -len(MANY)])


def _dictionary_bytes(column: pa.ChunkedArray) -> int:
    return max((int(chunk.dictionary.nbytes) for chunk in column.chunks), default=0)


# sizes -----------------------------------------------------------------------------------------------


def spread_bytes(table: pa.Table) -> int:
    """How many bytes a row may have once dictionaries are written out."""
    most = 0
    for column in table.columns:
        if pa.types.is_dictionary(column.type) and column.num_chunks:
            most += max(_longest(chunk.dictionary) for chunk in column.chunks)
    return most


def _longest(texts: pa.Array) -> int:
    try:
        return int(pc.max(pc.binary_length(texts)).as_py() or 0)
    except pa.ArrowException:
        return 0


def plain_footer(encoder: ParquetEncoder, table: pa.Table) -> Footer:
    """The footer that these columns get where the encoder writes them."""
    return footer_of(_file(_typed(table, encoder.schema)))
