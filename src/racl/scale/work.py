"""What is done with a stretch of the rows: read, decided and turned into bytes, by any thread and in any order."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from racl.decide import Decisions, chosen_engine, decide_table, refusals
from racl.engines.outputs import Outputs, allocate
from racl.frames import Table, read_arrow
from racl.model import Engine, Model
from racl.scale.carrying import Carried
from racl.scale.encoding import Encoder, Piece, spread_bytes
from racl.scale.footer import GROUP_ROWS
from racl.scale.output import Keep, Shape, refusal_pieces
from racl.scale.paths import Format, fault
from racl.scale.rows import BATCH_ROWS, Rows
from racl.scale.tally import Tally

SPREAD = 1 << 25  # bytes of text that one stretch may become
GATHERED = 1 << 25  # bytes of a stretch that is put together out of small ones


@dataclass(frozen=True, slots=True)
class Task:
    """A stretch of the rows: already read, or a group of a file that is read where it is worked on."""

    offset: int
    table: Table | None
    file: int = 0
    group: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a task."""

    tally: Tally
    pieces: tuple[Piece, ...] = ()
    refused: tuple[Piece, ...] = ()


@dataclass
class Work:
    """How tasks are done."""

    model: Model
    rows: Rows
    engine: Engine
    shape: Shape | None  # none where nothing is written
    rejects: Encoder | None
    only_accepted: bool
    carried: Carried | None
    total: int | None  # rows in all, where that is known
    counting: bool = False  # a row was refused that may not be: what is left is only counted
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, task: Task) -> Done:
        """Decide a stretch of the rows."""
        if task.table is not None:
            return self.table(task.table)
        if self.carried is not None:
            return self.group(task, self.carried)
        raise ValueError("a group of a file is worked on only where its columns are carried over")

    def table(self, table: Table) -> Done:
        """Decide rows that are read already."""
        decisions = self.decide(table)
        tally = Tally.of(decisions)
        if self.counting:
            return Done(tally)
        pieces: tuple[Piece, ...] = ()
        if self.shape is not None:
            pieces = (self.shape.piece(table, self.columns(decisions), self.staying(decisions)),)
        tally.written = sum(piece.rows for piece in pieces)
        return Done(tally, pieces, self.set_aside(decisions))

    def group(self, task: Task, carried: Carried) -> Done:
        """Decide a group of rows in a file, of which only the columns that are read are decoded."""
        tally = Tally()
        refused: list[Piece] = []
        named: list[list[pa.ChunkedArray]] = []
        rows = carried.footers[task.file].groups[task.group][GROUP_ROWS][1]
        outputs, at = allocate(self.model.program, rows), 0
        for table in self.tables(task, self.needed):
            decisions = self.decide(table, outputs.part(at, at + table.rows))
            tally.add(Tally.of(decisions))
            at += table.rows
            if not self.counting:
                named.append([table.native.column(name) for name in self.named])  # type: ignore[attr-defined]
                refused += self.set_aside(decisions)
        if self.counting:
            return Done(tally)
        decisions = replace(decisions, outputs=outputs.part(0, at))
        folders = (
            pa.concat_tables([pa.table(part, names=self.named) for part in named]) if self.named else None
        )
        keep = self.staying(decisions)
        piece = carried.piece(task.file, task.group, decisions, folders) if keep is None else None
        pieces = (piece,) if piece else tuple(self.anew(task, carried, decisions, keep))
        tally.written = at if keep is None else int(np.count_nonzero(keep))
        return Done(tally, pieces, tuple(refused))

    def anew(self, task: Task, carried: Carried, decisions: Decisions, keep: Keep | None) -> Iterator[Piece]:
        """A group that cannot be taken as it lies: decoded and written anew, without the rows that are left out."""
        shape = carried.shape
        if not carried.mixed:
            raise fault(self.rows.files[task.file], "cannot be read: its pages are not where it says")
        decided, at, first = self.columns(decisions), 0, 0
        own = None if shape.own is None else shape.own.names
        for table in self.tables(task, own):
            mine = np.ones(table.rows, bool) if keep is None else keep[first : first + table.rows]
            count, first = int(np.count_nonzero(mine)), first + table.rows
            columns = {name: column.slice(at, count) for name, column in decided.items()}
            at += count
            if count:
                yield shape.piece(table, columns, None if mine.all() else mine)

    def tables(self, task: Task, columns: Sequence[str] | None) -> Iterator[Table]:
        """The rows of a group."""
        offset = task.offset
        for table in self.rows.file_batches(task.file, BATCH_ROWS, columns, [task.group]):
            yield replace(table, offset=offset)
            offset += table.rows

    # deciding ----------------------------------------------------------------------------------------

    def decide(self, table: Table, outputs: Outputs | None = None) -> Decisions:
        """The decisions on a table, on this thread."""
        engine = self.chosen(table.offset + table.rows)
        prefix = "" if self.shape is None else self.shape.added.names[0].removesuffix("accepted")
        return decide_table(self.model, table, engine=engine, threads=1, prefix=prefix, outputs=outputs)

    def chosen(self, seen: int) -> Engine:
        """The kernel for many rows in all, compiled once."""
        if self.engine != "auto" or chosen_engine(self.model, self.total or seen) != "kernel":
            return self.engine
        with self.lock:
            return self.compiled

    @cached_property
    def compiled(self) -> Engine:
        """The kernel, or what decides in its place where there is no compiler."""
        try:
            self.model.kernel  # noqa: B018 - made when it is asked for
        except Exception:  # noqa: BLE001 - whatever the compiler raises
            decide_table(self.model, self.rows_of_none, engine="kernel", threads=1)  # which warns
            return "arrays"
        return "kernel"

    @property
    def rows_of_none(self) -> Table:
        """A table without rows that has all columns."""
        names = [column.name for column in self.model.domain.columns_read]
        return read_arrow(pa.table({name: pa.array([], pa.float64()) for name in names}))

    def columns(self, decisions: Decisions) -> Mapping[str, pa.Array]:
        """The columns of the decisions that are written."""
        columns = decisions.columns()
        if not self.only_accepted:
            return columns
        accepted = pa.array(decisions.accepted)
        return {name: column.filter(accepted) for name, column in columns.items()}

    def staying(self, decisions: Decisions) -> Keep | None:
        """Which rows are written; none for all of them."""
        outputs = decisions.outputs
        keep = ~outputs.refused if not self.only_accepted else outputs.accepted & ~outputs.refused
        return None if keep.all() else keep

    def set_aside(self, decisions: Decisions) -> tuple[Piece, ...]:
        """The refused rows."""
        return () if self.rejects is None else tuple(refusal_pieces(self.rejects, refusals(decisions)))

    # what there is to do -----------------------------------------------------------------------------

    @cached_property
    def named(self) -> list[str]:
        """Columns that the names of folders tell and that are written."""
        own = None if self.shape is None else self.shape.own
        return [] if own is None else [name for name in self.rows.named.names if name in own.names]

    @cached_property
    def needed(self) -> list[str]:
        """The columns that are decoded: what decisions read, and what folders tell."""
        known = self.rows.schema.names
        read = [column.name for column in self.model.domain.columns_read if column.name in known]
        wanted = list(dict.fromkeys([*read, *self.named]))
        file = [name for name in wanted if name not in self.rows.named.names]
        return wanted if file else [known[0], *wanted]

    def tasks(self) -> Iterator[Task]:
        """All stretches of the rows, in order."""
        if self.carried is None:
            for table in self.stretches():
                yield Task(table.offset, table)
            return
        offset = 0
        for number, footer in enumerate(self.carried.footers):
            for at, group in enumerate(footer.groups):
                count = group[GROUP_ROWS][1]
                if count:
                    yield Task(offset, None, number, at)
                offset += count

    def stretches(self) -> Iterator[Table]:
        """The rows as tables of a good size: small ones put together, and cut where they would become too much text."""
        columns = None
        if self.rows.format is Format.PARQUET:
            own = None if self.shape is None else self.shape.own
            written = [] if own is None else own.names
            known = [name for name in self.rows.schema.names if name in {*self.needed, *written}]
            columns = known if len(set(known)) == len(known) else None
        text = self.shape is not None and not hasattr(self.shape.encoder, "frame")
        for table in together(self.rows.batches(BATCH_ROWS, columns)):
            yield from cut(table) if text else [table]


def together(tables: Iterator[Table]) -> Iterator[Table]:
    """Arrow's tables put together as long as they are small."""
    held: list[Table] = []
    rows = size = 0
    for table in tables:
        native: Any = table.native
        small = isinstance(native, pa.Table) and not table.text and not table.faults
        if held and not (small and rows + table.rows <= BATCH_ROWS and size < GATHERED):
            yield whole(held)
            held, rows, size = [], 0, 0
        if not small:
            yield table
            continue
        held.append(table)
        rows, size = rows + table.rows, size + native.nbytes
    if held:
        yield whole(held)


def whole(tables: Sequence[Table]) -> Table:
    """Tables one after the other."""
    if len(tables) == 1:
        return tables[0]
    native: list[Any] = [table.native for table in tables]
    return replace(read_arrow(pa.concat_tables(native)), offset=tables[0].offset)


def cut(table: Table) -> Iterator[Table]:
    """A table in parts whose text is not too much."""
    native: Any = table.native
    size = spread_bytes(native) if isinstance(native, pa.Table) and not table.text else 0
    most = max(1, SPREAD // size) if size else table.rows
    if table.rows <= most:
        yield table
        return
    for start in range(0, table.rows, most):
        part = read_arrow(native.slice(start, most))
        yield replace(part, offset=table.offset + start)
