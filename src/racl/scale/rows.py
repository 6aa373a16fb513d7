"""Files of rows, of whatever format, as tables one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from racl.domain.model import Column
from racl.frames import Table, read_arrow, read_rows
from racl.scale.csv_files import csv_batches, csv_schema
from racl.scale.hive import Values, partition, partition_columns, partition_schema
from racl.scale.jsonl_files import jsonl_batches, jsonl_schema
from racl.scale.opening import Meter
from racl.scale.parquet_files import parquet_batches, parquet_schema
from racl.scale.paths import WILD, Format, Stamp, fault, format_of, input_files, reading, same_layout

BATCH_ROWS = 1 << 18
NO_COLUMNS = pa.schema([])


@dataclass(frozen=True)
class Rows:
    """Rows in files: in the order of the files' names, then of the lines."""

    path: Path
    format: Format
    files: tuple[Path, ...]
    stamps: tuple[Stamp, ...]
    layout: pa.Schema | None  # None for JSON lines, where only reading all of them tells
    folders: tuple[Values, ...] = ()  # what the names of each file's folders say
    named: pa.Schema = NO_COLUMNS  # the columns that they name, which come last in the layout
    meter: Meter = field(default_factory=Meter, compare=False)

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns and their types; JSON lines are all read for it."""
        return jsonl_schema(self.files) if self.layout is None else self.layout

    @property
    def size(self) -> int:
        """The bytes of all files as they lie on disk."""
        return sum(stamp.size for stamp in self.stamps)

    def batches(self, size: int = BATCH_ROWS, columns: Sequence[str] | None = None) -> Iterator[Table]:
        """The rows, about so many at a time; where there are none at all, one table without rows.

        The names of a table are those of all rows up to its end: JSON lines may leave a key out. Parquet may be read
        without some of its columns.
        """
        offset = 0
        names: dict[str, None] = {}
        for number in range(len(self.files)):
            for table in self.file_batches(number, size, columns):
                names.update(dict.fromkeys(table.names))
                yield replace(
                    table, offset=offset, names=tuple(names) if self.layout is None else table.names
                )
                offset += table.rows
        if not offset:
            yield self._no_rows()

    def file_batches(
        self,
        number: int,
        size: int,
        columns: Sequence[str] | None = None,
        groups: Sequence[int] | None = None,
    ) -> Iterator[Table]:
        """The rows of one file, or of some of its row groups."""
        file, stamp = self.files[number], self.stamps[number]
        with reading(file):
            match self.format:
                case Format.PARQUET:
                    own = None if columns is None else [one for one in columns if one not in self.named.names]
                    for table in parquet_batches(file, size, own, groups):
                        yield self._with_folders(table, number, columns)
                case Format.CSV:
                    yield from csv_batches(file, size, self.meter)
                case Format.JSONL:
                    yield from jsonl_batches(file, size, self.meter)
            self.check(number, stamp)

    def check(self, number: int, stamp: Stamp | None = None) -> None:
        """Raise if a file is not what it was."""
        file = self.files[number]
        with reading(file):
            if Stamp.of(file) != (stamp or self.stamps[number]):
                raise fault(file, "changed while it was read", "decide a copy that nobody writes to")

    def _with_folders(self, table: Table, number: int, columns: Sequence[str] | None) -> Table:
        if not len(self.named):
            return table
        native: Any = table.native
        found = partition_columns(self.folders[number], self.named, table.rows)
        for name, column in zip(self.named.names, found, strict=True):
            if columns is None or name in columns:
                native = native.append_column(name, column)
        return read_arrow(native)

    def _no_rows(self) -> Table:
        return read_rows([]) if self.layout is None else read_arrow(pa.Table.from_batches([], self.layout))


def open_rows(path: str | Path, typed: Sequence[Column] = ()) -> Rows:
    """The rows of a file, of a folder of files of one format and the same columns, or of what fits a pattern.

    `typed` are columns of a domain, which say of what type a column is that only the name of a folder tells.
    """
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
    if format_ is not Format.PARQUET:
        return Rows(path, format_, files, stamps, found[0])
    folders = tuple(partition(file, root_of(path)) for file in files)
    named = partition_schema(files, folders, found[0], typed)
    layout = pa.schema([*found[0], *named], found[0].metadata)
    return Rows(path, format_, files, stamps, layout, folders, named)


def root_of(path: Path) -> Path:
    """The folder below which the names of folders say something."""
    if path.is_dir() or path.exists():
        return path if path.is_dir() else path.parent
    plain = []
    for part in path.parts:
        if any(sign in part for sign in WILD) or "=" in part:
            break
        plain.append(part)
    return Path(*plain)
