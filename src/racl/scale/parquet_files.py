"""Parquet: read a stretch at a time, no more of it than fits, and written with the types and the metadata of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from racl.frames import Table, read_arrow
from racl.scale.paths import reading
from racl.scale.thrift import Reader, ThriftError

BYTES = 1 << 24  # of the values of one batch, once they are decoded
PAGES = 1 << 20  # bytes of a column read at once
FEW = 256  # rows, where nobody knows how long a value is
INDEX = 4  # bytes of the place of a value in a dictionary
HEADER = 1 << 10  # bytes that hold the beginning of a page's header
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}


def parquet_schema(path: Path) -> pa.Schema:
    """The columns of a file."""
    with reading(path):
        schema: pa.Schema = pq.read_schema(path)
    return schema


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read: which columns as dictionaries, and how many rows at a time."""

    dictionaries: list[str]
    rows: int


def planned(file: pq.ParquetFile, raw: Any, columns: Sequence[str] | None = None) -> Reading:
    """How to read a file so that a batch stays small, however far its pages expand.

    Text that the file keeps as a dictionary is read as one: the same value a billion times over is kept once.
    """
    metadata = file.metadata
    wanted = None if columns is None else set(columns)
    dictionaries, long = [], 1.0
    for number in range(metadata.num_columns):
        column = metadata.schema.column(number)
        if wanted is not None and not wanted & {column.path, column.path.partition(".")[0]}:
            continue
        chunks = [metadata.row_group(group).column(number) for group in range(metadata.num_row_groups)]
        chunks = [chunk for chunk in chunks if chunk.num_values]
        text = column.physical_type == "BYTE_ARRAY"
        pages = [_dictionary(raw, chunk) if text else (0, 0) for chunk in chunks]
        flat = column.max_repetition_level == 0 and "." not in column.path
        coded = bool(pages) and flat and all(map(_mostly_coded, chunks, pages))
        if coded:
            dictionaries.append(column.path)
        rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        width = [
            _bytes_a_value(column, chunk, page, coded=coded) * chunk.num_values / max(1, count)
            for chunk, page, count in zip(chunks, pages, filter(None, rows), strict=False)
        ]
        long += max(width, default=0.0)
    return Reading(dictionaries, max(1, int(BYTES / long)))


def _dictionary(raw: Any, chunk: Any) -> tuple[int, int]:
    """The bytes of a chunk's dictionary and the number of its values, as its page says."""
    if not chunk.has_dictionary_page or not chunk.dictionary_page_offset:
        return 0, 0
    raw.seek(chunk.dictionary_page_offset)
    try:
        header = Reader(raw.read(HEADER)).struct()
        return header[2][1], header[7][1][1][1]
    except (ThriftError, KeyError, TypeError, IndexError):
        return chunk.total_uncompressed_size, 1


def _mostly_coded(chunk: Any, page: tuple[int, int]) -> bool:
    """Whether a chunk of text is better read as a dictionary: all its pages are, or its values are long."""
    size, values = page
    rest = chunk.total_uncompressed_size - size
    return values > 0 and (rest <= INDEX * chunk.num_values + PAGES // 16 or size / values >= HEADER)


def _bytes_a_value(column: Any, chunk: Any, page: tuple[int, int], *, coded: bool) -> float:
    """How many bytes a value may take in a batch."""
    physical = column.physical_type
    if physical == "FIXED_LEN_BYTE_ARRAY":
        return float(column.length)
    if physical != "BYTE_ARRAY":
        return float(WIDTHS.get(physical, 8))
    if coded:
        return float(INDEX)
    whole = float(chunk.total_uncompressed_size)
    even: float = whole / chunk.num_values + INDEX
    if "DELTA_BYTE_ARRAY" in chunk.encodings or (page[0] and column.max_repetition_level):
        return max(even, min(BYTES / FEW, whole))  # a value may repeat what stood before
    return even


def parquet_batches(
    path: Path, rows: int, columns: Sequence[str] | None = None, groups: Sequence[int] | None = None
) -> Iterator[Table]:
    """The rows of a file, or of some of its row groups, at most so many at a time and fewer where they are long."""
    with path.open("rb") as raw, pq.ParquetFile(path) as first:
        how = planned(first, raw, columns)
        with pq.ParquetFile(
            path,
            metadata=first.metadata,
            read_dictionary=how.dictionaries,
            buffer_size=PAGES,
            page_checksum_verification=True,
        ) as file:
            size = min(rows, how.rows)
            for batch in file.iter_batches(size, columns=columns, row_groups=groups):
                yield read_arrow(pa.Table.from_batches([batch]))
