"""Files of rows, of whatever format, as tables one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from racl.frames import Table, read_arrow, read_rows
from racl.scale.csv_files import csv_batches, csv_schema
from racl.scale.jsonl_files import jsonl_batches, jsonl_schema
from racl.scale.parquet_files import parquet_batches, parquet_schema
from racl.scale.paths import Format, Stamp, fault, format_of, input_files, reading, same_layout

BATCH_ROWS = 1 << 18

BATCHES: Mapping[Format, Callable[[Path, int], Iterator[Table]]] = {
    Format.PARQUET: parquet_batches,
    Format.CSV: csv_batches,
    Format.JSONL: jsonl_batches,
}


@dataclass(frozen=True)
class Rows:
    """Rows in files: in the order of the files' names, then of the lines."""

    path: Path
    format: Format
    files: tuple[Path, ...]
    stamps: tuple[Stamp, ...]
    layout: pa.Schema | None  # None for JSON lines, where only reading all of them tells

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns and their types; JSON lines are all read for it."""
        return jsonl_schema(self.files) if self.layout is None else self.layout

    def batches(self, size: int = BATCH_ROWS) -> Iterator[Table]:
        """The rows, about so many at a time; where there are none at all, one table without rows.

        The names of a table are those of all rows up to its end: JSON lines may leave a key out.
        """
        offset = 0
        names: dict[str, None] = {}
        for file, stamp in zip(self.files, self.stamps, strict=True):
            for table in self._file_batches(file, stamp, size):
                names.update(dict.fromkeys(table.names))
                yield replace(
                    table, offset=offset, names=tuple(names) if self.layout is None else table.names
                )
                offset += table.rows
        if not offset:
            yield self._no_rows()

    def _file_batches(self, file: Path, stamp: Stamp, size: int) -> Iterator[Table]:
        with reading(file):
            yield from BATCHES[self.format](file, size)
            if Stamp.of(file) != stamp:
                raise fault(file, "changed while it was read", "decide a copy that nobody writes to")

    def _no_rows(self) -> Table:
        return read_rows([]) if self.layout is None else read_arrow(self.layout.empty_table())


def open_rows(path: str | Path) -> Rows:
    """The rows of a file, or of a folder of files of one format and the same columns."""
    path = Path(path)
    with reading(path):
        files = input_files(path)
        stamps = tuple(Stamp.of(file) for file in files)
    format_ = format_of(files[0])
    layouts = {Format.PARQUET: parquet_schema, Format.CSV: csv_schema}
    if format_ not in layouts:
        return Rows(path, format_, files, stamps, None)
    found = [layouts[format_](file) for file in files]
    same_layout(files, found)
    return Rows(path, format_, files, stamps, found[0])
