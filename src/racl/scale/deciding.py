"""Files of rows to files of decisions: read, decided and written at the same time, in memory that does not grow with them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import pyarrow as pa

from racl.errors import DataError, RowError
from racl.frames import check_columns, decision_schema, read_arrow
from racl.model import Engine, Model, fingerprint, load_model
from racl.scale.carrying import carried
from racl.scale.encoding import Encoder, encoder_of
from racl.scale.journal import Journal, ended
from racl.scale.output import REFUSAL, Shape, shape_of
from racl.scale.paths import Format, check_output
from racl.scale.rows import Rows, open_rows
from racl.scale.tally import Tally
from racl.scale.unfinished import Unfinished, beside, give_name
from racl.scale.work import Done, Task, Work
from racl.threads import available

AHEAD = 2  # tasks that are finished or waiting, beyond those that are worked on

Only = Literal["accepted"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come."""

    rows: int
    share: float | None  # of all that is to be read, where that is known


Tell = Callable[[Progress], None]


def decide_files(  # noqa: PLR0913 - all but the first three by name
    model: Model | str | Path,
    rows: Rows | str | Path,
    out: str | Path | None = None,
    *,
    rejects: str | Path | None = None,
    columns: Sequence[str] | None = None,
    only: Only | None = None,
    prefix: str = "",
    engine: Engine = "auto",
    threads: int | None = None,
    resume: bool = False,
    durable: bool = True,
    tell: Tell | None = None,
) -> Tally:
    """Write the decisions on the rows of files to a file, and set refused rows aside; raises RowError where they are not to be.

    `columns` are the rows' own columns to keep, all if not said; `only="accepted"` leaves out rejected rows. With
    `resume`, a run that was killed goes on where it was, and ends with the same bytes. With `durable`, files have their names
    only when the disk has all of them.
    """
    if only not in (None, "accepted"):
        raise ValueError(f"only is {only!r}; it may be 'accepted' or nothing")
    if threads is not None and threads < 1:
        raise ValueError(f"threads is {threads}; it must be at least 1")
    model = model if isinstance(model, Model) else load_model(model)
    rows = rows if isinstance(rows, Rows) else open_rows(rows, model.domain.columns_read)
    place, aside = (None if path is None else Path(path) for path in (out, rejects))
    with in_file(rows.path):
        run = Run.of(model, rows, place, aside, Choices(columns, only, prefix, engine, durable), tell)
        return run.go(threads or available(), resume=resume)


@contextmanager
def in_file(path: Path) -> Iterator[None]:
    """Faults that name no file are faults of this one."""
    try:
        yield
    except DataError as error:
        found = (one if one.file else replace(one, file=str(path)) for one in error.problems)
        raise DataError(found) from error


@dataclass(frozen=True, slots=True)
class Choices:
    """What the output is to hold, and who decides."""

    columns: Sequence[str] | None
    only: Only | None
    prefix: str
    engine: Engine
    durable: bool = True


@dataclass(frozen=True)
class Run:
    """Rows on their way into files."""

    rows: Rows
    work: Work
    outputs: tuple[tuple[Path, Encoder], ...]  # where to, and how encoded
    journal: Path | None  # of which file a journal is kept
    task: dict[str, Any]
    durable: bool
    tell: Tell | None

    @classmethod
    def of(
        cls,
        model: Model,
        rows: Rows,
        out: Path | None,
        aside: Path | None,
        choices: Choices,
        tell: Tell | None,
    ) -> Run:
        """A run that is ready to begin: whatever can be checked before the first row is."""
        for path, other in ((out, aside), (aside, out)):
            if path is not None:
                check_output(path, rows.path, rows.files, *([other] if other is not None else []))
        if rows.layout is not None:
            problems = check_columns(
                read_arrow(pa.Table.from_batches([], rows.layout)), model.domain.columns_read
            )
            if problems:
                raise DataError(problems)
        work = worker(model, rows, out, aside, choices)
        outputs = [] if out is None or work.shape is None else [(out, work.shape.encoder)]
        outputs += [] if aside is None or work.rejects is None else [(aside, work.rejects)]
        task = described(model, rows, out, aside, choices)
        return cls(rows, work, tuple(outputs), out or aside, task, choices.durable, tell)

    def go(self, threads: int, *, resume: bool) -> Tally:
        """Do it."""
        start = perf_counter()
        there = all(beside(path, "part").exists() or path.exists() for path, _ in self.outputs)
        if resume and there and self.journal and (counts := ended(self.journal, self.task)) is not None:
            return self.named(counts)
        files: list[Unfinished] = []
        journal = None
        try:
            for path, encoder in self.outputs:
                files.append(Unfinished(path, encoder, durable=self.durable))
                files[-1].open()
            journal = None if self.journal is None else Journal(self.journal, self.task, files)
            tally = self.through(files, journal, threads, resume=resume)
            if journal:
                journal.note(0, tally.data(), complete=True)
            for file in reversed(files):  # the decisions last: where they are, all is
                file.give_name()
            if journal:
                journal.remove()
        except BaseException as error:
            leave(files, journal, error)
            raise
        tally.seconds = perf_counter() - start
        return tally

    def through(
        self, files: Sequence[Unfinished], journal: Journal | None, threads: int, *, resume: bool
    ) -> Tally:
        """All rows, from the beginning or from where a run before this one was killed."""
        before = journal.go_on() if journal and resume else None
        if before is None:
            for file in files:
                file.begin()
            if journal:
                journal.begin()
        done, counts = before or (0, Tally().data())
        tally = Tally.from_data(counts)
        for number, result in enumerate(self.results(threads, done), done + 1):
            tally.add(result.tally)
            self.write(files, result, tally)
            if journal:
                journal.note(number, tally.data())
            if self.tell:
                self.tell(Progress(tally.rows, self.share(tally.rows)))
        for number in range(len(self.rows.files)):
            self.rows.check(number)
        if tally.refused and self.work.rejects is None:
            raise RowError(tally.refusals, tally.refused)
        for file in files:
            file.close()
        return tally

    def named(self, counts: Mapping[str, Any]) -> Tally:
        """The end of a run that was killed when all was written, and some files had their names perhaps."""
        for path, _ in reversed(self.outputs):
            if beside(path, "part").exists():
                give_name(path, durable=self.durable)
        if self.journal:
            beside(self.journal, "journal").unlink(missing_ok=True)
        return Tally.from_data(counts)

    def results(self, threads: int, skipped: int) -> Iterator[Done]:
        """What comes of each task, in order; a few of them are worked on at a time."""
        tasks: Iterable[Task] = islice(self.work.tasks(), skipped, None)
        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[Future[Done]] = deque()
            try:
                for task in tasks:
                    waiting.append(pool.submit(self.work, task))
                    if len(waiting) >= threads + AHEAD:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                pool.shutdown(cancel_futures=True)

    def write(self, files: Sequence[Unfinished], result: Done, tally: Tally) -> None:
        """Put what came of a task behind what is there, unless a row was refused that may not be."""
        if tally.refused and self.work.rejects is None:
            self.work.counting = True
            return
        kinds = ([result.pieces] if self.work.shape else []) + ([result.refused] if self.work.rejects else [])
        for file, pieces in zip(files, kinds, strict=True):
            for piece in pieces:
                file.append(piece)

    def share(self, rows: int) -> float | None:
        """Which part of all that is to be read is done."""
        if self.work.total is not None:
            return rows / max(1, self.work.total)
        return min(1.0, self.rows.meter.read / max(1, self.rows.size))


def leave(files: Sequence[Unfinished], journal: Journal | None, error: BaseException) -> None:
    """Remove what is unfinished, unless somebody ended a run that can be gone on with, or only names are missing."""
    ended = journal and journal.entries and isinstance(error, KeyboardInterrupt | SystemExit)
    if journal and (ended or journal.complete):
        for file in files:
            file.file.close()
        journal.close()
        return
    for file in files:
        file.remove()
    if journal:
        journal.remove()


def worker(model: Model, rows: Rows, out: Path | None, aside: Path | None, choices: Choices) -> Work:
    """How the rows of this run are decided and written."""
    added, read = decision_schema(choices.prefix), model.domain.columns_read
    shape: Shape | None = None
    if out is not None:
        shape = shape_of(out, rows, added, typed=read, columns=choices.columns)
    dropping = choices.only is not None or aside is not None
    lies = None
    if shape is not None:
        lies = carried(rows, shape, [column.name for column in read], dropping=dropping)
        shape = shape if lies is None else lies.shape
    rejects = None if aside is None else encoder_of(aside, REFUSAL)
    total = row_count(rows)
    return Work(model, rows, choices.engine, shape, rejects, choices.only is not None, lies, total)


def row_count(rows: Rows) -> int | None:
    """How many rows there are, where that can be told without reading them."""
    if rows.format is not Format.PARQUET:
        return None
    import pyarrow.parquet as pq

    return sum(int(pq.read_metadata(file).num_rows) for file in rows.files)


def described(
    model: Model, rows: Rows, out: Path | None, aside: Path | None, choices: Choices
) -> dict[str, Any]:
    """All that the bytes of the output depend on."""
    inputs = [
        [str(file.resolve()), stamp.size, stamp.changed]
        for file, stamp in zip(rows.files, rows.stamps, strict=True)
    ]
    return {
        "racl": version("racl"),
        "pyarrow": pa.__version__,
        "model": fingerprint(model.document()),
        "inputs": inputs,
        "out": None if out is None else str(out.resolve()),
        "rejects": None if aside is None else str(aside.resolve()),
        "columns": None if choices.columns is None else list(choices.columns),
        "only": choices.only,
        "prefix": choices.prefix,
    }
