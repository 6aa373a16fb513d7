"""Decisions and refusals to files: complete under their final names, or not there at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import compress, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from racl.domain.model import Column
from racl.errors import DataError, Refusal
from racl.frames import Kind, Table, check_new_names
from racl.scale.csv_files import CsvSink
from racl.scale.jsonl_files import JsonlSink, rows_as_arrow
from racl.scale.parquet_files import ParquetSink
from racl.scale.paths import Format, check_output, format_of, writing, written
from racl.scale.rows import Rows
from racl.scale.typed import typed_rows, typed_schema

Keep = NDArray[np.bool_]

Sink = ParquetSink | CsvSink | JsonlSink
SINKS: Mapping[Format, Callable[[Path, pa.Schema], Sink]] = {
    Format.PARQUET: ParquetSink,
    Format.CSV: CsvSink,
    Format.JSONL: JsonlSink,
}
DECISION = pa.schema(
    [
        ("accepted", pa.bool_()),
        ("credit", pa.string()),
        ("plan", pa.string()),
        ("value", pa.float64()),
        ("margin", pa.float64()),
        ("cost", pa.float64()),
    ]
)
REFUSAL = pa.schema([("row", pa.int64()), ("column", pa.string()), ("reason", pa.string())])
REFUSALS_AT_ONCE = 1 << 16


def decision_schema(prefix: str = "") -> pa.Schema:
    """The columns of a decision, their names after a prefix."""
    return pa.schema([field.with_name(prefix + field.name) for field in DECISION])


@dataclass(frozen=True, slots=True)
class Output:
    """Where decided rows are written to."""

    path: Path
    sink: Sink
    own: pa.Schema | None  # None where rows go out as the lines they came in
    added: pa.Schema
    typed: Sequence[Column]

    def write(self, table: Table, columns: Mapping[str, pa.Array], keep: Keep | None = None) -> None:
        """The rows that stay, their own columns first; the others have a value for each row that stays."""
        decided = pa.Table.from_arrays([columns[name] for name in self.added.names], names=self.added.names)
        _check_names(self.path, table.names, self.added)
        with writing(self.path):
            if isinstance(self.sink, JsonlSink) and self.own is None:
                self.sink.extend(_kept(table.lines, keep), decided)
            else:
                own = self._own(table, keep)
                names = [*own.column_names, *self.added.names]
                self.sink.write(pa.Table.from_arrays([*own.columns, *decided.columns], names=names))

    def _own(self, table: Table, keep: Keep | None) -> pa.Table:
        if table.kind is Kind.ROWS:
            return rows_as_arrow(list(_kept(table.native, keep)), self.own)
        rows: Any = typed_rows(table, self.typed) if table.text else table.native
        return rows if keep is None else rows.filter(pa.array(keep))


def _kept(rows: Any, keep: Keep | None) -> Iterable[Any]:
    return rows if keep is None else compress(rows, keep)


def _check_names(path: Path, names: Iterable[str], added: pa.Schema) -> None:
    problems = check_new_names(names, added.names)
    if problems:
        raise DataError(
            replace(problem, file=str(path), hint="give the decision's columns a `--prefix`")
            for problem in problems
        )


@contextmanager
def open_output(
    path: str | Path,
    rows: Rows,
    added: pa.Schema = DECISION,
    *,
    typed: Sequence[Column] = (),
    apart: Sequence[Path] = (),
) -> Iterator[Output]:
    """Where to write the rows with their decisions; at the end, and only then, the file is there.

    `typed` are columns that get the domain's types where they come from CSV; `apart` are other outputs.
    """
    path = Path(path)
    check_output(path, rows.path, rows.files, *apart)
    raw = rows.format is format_of(path) is Format.JSONL
    own = None if raw else _own_schema(path, rows, typed)
    if own is not None:
        _check_names(path, own.names, added)
    schema = added if own is None else pa.schema([*own, *added], own.metadata)
    with _opened(path, schema) as sink:
        yield Output(path, sink, own, added, () if format_of(path) is Format.CSV else typed)


def _own_schema(path: Path, rows: Rows, typed: Sequence[Column]) -> pa.Schema:
    from_text = rows.format is Format.CSV and format_of(path) is not Format.CSV
    return typed_schema(rows.schema, typed) if from_text else rows.schema


@contextmanager
def _opened(path: Path, schema: pa.Schema) -> Iterator[Sink]:
    with written(path) as unfinished:
        with writing(path):
            sink = SINKS[format_of(path)](unfinished, schema)
        try:
            yield sink
        finally:
            with writing(path):
                sink.close()


@dataclass(frozen=True, slots=True)
class Rejects:
    """Where refused rows are written to."""

    path: Path
    sink: Sink

    def write(self, refusals: Iterable[Refusal]) -> None:
        """A row for each of them."""
        remaining = iter(refusals)
        while some := list(islice(remaining, REFUSALS_AT_ONCE)):
            columns = [[r.row for r in some], [r.column or None for r in some], [r.reason for r in some]]
            with writing(self.path):
                self.sink.write(pa.table(columns, schema=REFUSAL))


@contextmanager
def open_rejects(path: str | Path, rows: Rows, *, apart: Sequence[Path] = ()) -> Iterator[Rejects]:
    """Where to write refused rows; at the end, and only then, the file is there."""
    path = Path(path)
    check_output(path, rows.path, rows.files, *apart)
    with _opened(path, REFUSAL) as sink:
        yield Rejects(path, sink)
