"""Decisions and refusals to files: complete under their final names, or not there at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import compress, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from racl.domain.model import Column
from racl.errors import DataError, Problem, Refusal, nearest, quoted
from racl.frames import DECISION, Kind, Table, check_new_names
from racl.scale.encoding import Encoder, Piece, TextEncoder, encoder_of
from racl.scale.jsonl_files import rows_as_arrow
from racl.scale.paths import Format, check_output, fault, format_of, writing
from racl.scale.rows import Rows
from racl.scale.typed import typed_rows, typed_schema
from racl.scale.unfinished import Unfinished, all_or_nothing

Keep = NDArray[np.bool_]

REFUSAL = pa.schema([("row", pa.int64()), ("column", pa.string()), ("reason", pa.string())])
REFUSALS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class Shape:
    """What a row of the output is: its own columns first, then those of the decision."""

    path: Path
    encoder: Encoder
    own: pa.Schema | None  # None where rows go out as the lines they came in
    added: pa.Schema
    typed: Sequence[Column]

    def piece(self, table: Table, columns: Mapping[str, pa.Array], keep: Keep | None = None) -> Piece:
        """The rows that stay, their own columns first; the others have a value for each row that stays."""
        decided = pa.Table.from_arrays([columns[name] for name in self.added.names], names=self.added.names)
        _check_names(self.path, table.names, self.added)
        with writing(self.path):
            if self.own is None and isinstance(self.encoder, TextEncoder):
                return self.encoder.extended(_kept(table.lines, keep), decided)
            own = self._own(table, keep)
            names = [*own.column_names, *self.added.names]
            return self.encoder.encode(pa.Table.from_arrays([*own.columns, *decided.columns], names=names))

    def _own(self, table: Table, keep: Keep | None) -> pa.Table:
        if table.kind is Kind.ROWS:
            return rows_as_arrow(list(_kept(table.native, keep)), self.own)
        rows: Any = typed_rows(table, self.typed) if table.text else table.native
        if self.own is not None and rows.column_names != self.own.names:
            rows = rows.select(self.own.names)
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


def shape_of(
    path: Path,
    rows: Rows,
    added: pa.Schema = DECISION,
    *,
    typed: Sequence[Column] = (),
    columns: Sequence[str] | None = None,
) -> Shape:
    """What the rows will be in a file: all their own columns, or some of them, and the decision's."""
    raw = columns is None and rows.format is format_of(path) is Format.JSONL
    own = None if raw else _chosen(rows, _own_schema(path, rows, typed), columns)
    if own is not None:
        _check_names(path, own.names, added)
    schema = added if own is None else pa.schema([*own, *added], own.metadata)
    return Shape(path, encoder_of(path, schema), own, added, () if format_of(path) is Format.CSV else typed)


def _own_schema(path: Path, rows: Rows, typed: Sequence[Column]) -> pa.Schema:
    from_text = rows.format is Format.CSV and format_of(path) is not Format.CSV
    return typed_schema(rows.schema, typed) if from_text else rows.schema


def _chosen(rows: Rows, schema: pa.Schema, columns: Sequence[str] | None) -> pa.Schema:
    """Some of the columns, in the order in which they are named."""
    if columns is None:
        return schema
    problems = [
        Problem(
            name, "column missing" if not count else f"{count} columns of this name", hint, str(rows.path)
        )
        for name in columns
        if (count := schema.names.count(name)) != 1
        for hint in [nearest(name, schema.names)]
    ]
    if problems:
        raise DataError(problems)
    if len(set(columns)) < len(columns):
        raise fault(rows.path, f"a column named twice in {quoted(','.join(columns))}")
    metadata = {key: value for key, value in (schema.metadata or {}).items() if key != b"pandas"}
    return pa.schema([schema.field(name) for name in columns], metadata or None)


@dataclass(frozen=True, slots=True)
class Output:
    """Where decided rows are written to."""

    shape: Shape
    file: Unfinished

    def write(self, table: Table, columns: Mapping[str, pa.Array], keep: Keep | None = None) -> None:
        """The rows that stay, with their decisions."""
        self.file.append(self.shape.piece(table, columns, keep))


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
    shape = shape_of(path, rows, added, typed=typed)
    with _opened(path, shape.encoder) as file:
        yield Output(shape, file)


@contextmanager
def _opened(path: Path, encoder: Encoder) -> Iterator[Unfinished]:
    file = Unfinished(path, encoder)
    with all_or_nothing([file]):
        yield file


# refused rows ----------------------------------------------------------------------------------------


def refusal_pieces(encoder: Encoder, refusals: Iterable[Refusal]) -> Iterator[Piece]:
    """A row for each of them."""
    remaining = iter(refusals)
    while some := list(islice(remaining, REFUSALS_AT_ONCE)):
        columns = [[r.row for r in some], [r.column or None for r in some], [r.reason for r in some]]
        yield encoder.encode(pa.table(columns, schema=REFUSAL))


@dataclass(frozen=True, slots=True)
class Rejects:
    """Where refused rows are written to."""

    file: Unfinished

    def write(self, refusals: Iterable[Refusal]) -> None:
        """A row for each of them."""
        for piece in refusal_pieces(self.file.encoder, refusals):
            self.file.append(piece)


@contextmanager
def open_rejects(path: str | Path, rows: Rows, *, apart: Sequence[Path] = ()) -> Iterator[Rejects]:
    """Where to write refused rows; at the end, and only then, the file is there."""
    path = Path(path)
    check_output(path, rows.path, rows.files, *apart)
    with _opened(path, encoder_of(path, REFUSAL)) as file:
        yield Rejects(file)
