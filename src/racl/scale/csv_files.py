"""CSV: read as text, which the domain's types turn into values; written with the shortest text of each."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.types as pt

from racl.frames import Table, read_arrow
from racl.scale.json_text import json_texts
from racl.scale.opening import Meter, opened
from racl.scale.paths import fault, reading
from racl.scale.texts import TEXT, as_bytes, joined

BLOCK_BYTES = 1 << 24
TAIL_BYTES = 1 << 16
LINE_END = re.compile("[\r\n]")
SPECIAL = '[",\r\n]|^$'  # what has to stand in quotes; empty text does too, since an empty cell is a null


def csv_schema(path: Path) -> pa.Schema:
    """The columns that a file's first line names, each of them text."""
    return pa.schema([(name, pa.string()) for name in _header(path)[0]])


def _header(path: Path) -> tuple[list[str], bool]:
    """The names in the first line, and whether anything follows."""
    with reading(path), opened(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as file:
        try:
            names = next((record for record in csv.reader(file) if record), [])
            more = any(line.strip("\r\n") for line in file)
        except csv.Error:
            raise fault(path, "the first line cannot be read", "a quote may be open") from None
        except UnicodeDecodeError:
            raise fault(path, "not UTF-8 text", "save it as UTF-8") from None
    if not names:
        raise fault(path, "empty", "the first line names the columns")
    return names, more


def csv_batches(path: Path, rows: int, meter: Meter | None = None) -> Iterator[Table]:
    """The rows of a file, a block of bytes at a time; rows of another length than the header are faults."""
    names, more = _header(path)
    if not more:
        return
    ragged = Ragged()
    position = 0
    cells = pa.schema([(name, pa.string()) for name in names]).empty_table()
    part = read_arrow(cells)
    tail = Tail()
    for batch in _blocks(path, names, ragged, tail, meter):
        cells = pa.Table.from_batches([batch]).rename_columns(names)
        for start in range(0, cells.num_rows, rows):
            part = ragged.spliced(cells.slice(start, rows), position)
            position += part.rows
            yield part
    left = ragged.spliced(cells.slice(0, 0), position, last=True)
    if ragged.open_quote or (left.rows == 0 and part.rows - 1 not in part.faults and _ends_open(tail, cells)):
        raise fault(path, "a quote is opened in the last rows and never closed")
    if left.rows:
        yield left


def _blocks(
    path: Path, names: list[str], ragged: Ragged, tail: Tail, meter: Meter | None
) -> Iterator[pa.RecordBatch]:
    try:
        with opened(path, meter) as file:
            yield from _reader(CheckedText(file, tail), names, ragged)
    except UnicodeDecodeError as error:
        raise fault(path, "not UTF-8 text", "save it as UTF-8") from error
    except pa.ArrowInvalid as error:
        if "straddling" in str(error):
            raise fault(path, f"a row of more than {BLOCK_BYTES >> 20} MiB", "a quote may be open") from error
        raise


@dataclass(slots=True)
class Tail:
    """The last bytes of a file that was read."""

    data: bytes = b""


class CheckedText(io.RawIOBase):
    """A file of bytes that complains where it is no UTF-8: of rows that are left out, the reader would not."""

    def __init__(self, file: BinaryIO, tail: Tail) -> None:
        self.file, self.tail = file, tail
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or all."""
        data = self.file.read(size)
        self.decoder.decode(data, final=not data)
        self.tail.data = (self.tail.data + data[-TAIL_BYTES:])[-TAIL_BYTES:]
        return data


def _ends_open(tail: Tail, cells: pa.Table) -> bool:
    """Whether the last cell is a quote that was never closed, and so may have swallowed rows."""
    last = cells.columns[-1][-1].as_py() if cells.num_rows else ""
    closed = tail.data.rstrip().endswith(b'"')
    return not closed and len(LINE_END.split(last or "")) > 1


def _reader(file: CheckedText, names: list[str], ragged: Ragged) -> Any:
    ids = [str(number) for number in range(len(names))]  # names may stand there twice
    return pacsv.open_csv(
        file,
        # one thread: only then does the reader know the number of a row
        read_options=pacsv.ReadOptions(
            column_names=ids, skip_rows_after_names=1, block_size=BLOCK_BYTES, use_threads=False
        ),
        parse_options=pacsv.ParseOptions(
            newlines_in_values=True, ignore_empty_lines=len(names) > 1, invalid_row_handler=ragged.note
        ),
        convert_options=pacsv.ConvertOptions(
            column_types=dict.fromkeys(ids, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


class Ragged:
    """Rows with more or fewer cells than the header, put back in their places as rows of nulls."""

    def __init__(self) -> None:
        self.rows: deque[tuple[int, str]] = deque()
        self.open_quote = False

    def note(self, row: Any) -> str:
        """Takes down a row that the reader leaves out."""
        cells = "1 cell" if row.actual_columns == 1 else f"{row.actual_columns} cells"
        lines = LINE_END.split(row.text.strip("\r\n"))
        self.open_quote = self.open_quote or (len(lines) > 1 and row.text.count('"') % 2 == 1)
        self.rows.append((row.number - 2, f"{cells} where the header has {row.expected_columns}"))
        return "skip"

    def spliced(self, table: pa.Table, first: int, *, last: bool = False) -> Table:
        """The rows that the reader gave, from this number on, with those that it left out among them."""
        faults: dict[int, str] = {}
        while self.rows and (last or self.rows[0][0] <= first + table.num_rows + len(faults)):
            number, reason = self.rows.popleft()
            faults[number - first] = reason
        if faults:
            at = np.ones(table.num_rows + len(faults), bool)
            at[list(faults)] = False
            table = table.take(pa.array(np.cumsum(at) - 1, mask=~at))
        return replace(read_arrow(table), text=True, faults=faults)


def csv_head(schema: pa.Schema) -> bytes:
    """The line that names the columns."""
    return _lines([pa.array([name], TEXT) for name in schema.names])


def csv_bytes(rows: pa.Table) -> bytes:
    """A line for each row."""
    return b"".join(_lines([_cells(column) for column in batch.columns]) for batch in rows.to_batches())


def _lines(columns: list[pa.Array]) -> bytes:
    cells = [_quoted(column).fill_null("") for column in columns]
    return bytes(as_bytes(joined([joined(cells, ","), "\n"])))


def _cells(column: pa.Array) -> pa.Array:
    """Each value as text."""
    if isinstance(column, pa.DictionaryArray):
        return _cells(column.dictionary).take(column.indices)
    if pt.is_floating(column.type):
        return column.cast(pa.float64()).cast(TEXT)  # the shortest text of what float64 makes of it
    try:
        return column.cast(TEXT)
    except pa.ArrowException:  # bytes that are no text, lists and the like
        return pc.if_else(column.is_null(), None, json_texts(column))


def _quoted(texts: pa.Array) -> pa.Array:
    special = pc.match_substring_regex(texts, SPECIAL)
    if not pc.any(special).as_py():
        return texts
    return pc.if_else(special, joined(['"', pc.replace_substring(texts, '"', '""'), '"']), texts)
