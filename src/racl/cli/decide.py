"""`racl decide`: files of rows to files of decisions."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, get_args

from racl.cli.arguments import CallError, Command, Exit, Parser, one_of, whole
from racl.cli.files import of_file, read_model, read_rows
from racl.cli.progress import progress
from racl.cli.speak import refused, remark, say
from racl.cli.stopping import go_on
from racl.cli.tables import aligned
from racl.errors import Problem, Refusal, RowError
from racl.model import Engine, Model

if TYPE_CHECKING:
    from racl.decide import Decisions
    from racl.scale import Output, Rejects, Rows

ENGINES: tuple[str, ...] = get_args(Engine)
MANY = 10_000  # rows; of fewer, the pace is that of starting up
SHOWN = 10
STREAM = "-"  # standard output


@dataclass(slots=True)
class Tally:
    """What became of the rows so far."""

    rows: int = 0
    decided: int = 0
    credits: Counter[str] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)  # the first of them
    seconds: float = 0.0  # from the first row read to the last one written

    @property
    def refused(self) -> int:
        """How many rows were refused."""
        return self.rows - self.decided

    def add(self, decisions: Decisions) -> None:
        """Count some more rows."""
        from racl.decide import refusals

        self.rows += decisions.table.rows
        self.decided += len(decisions)
        self.credits.update(decisions.counts())
        self.refusals.extend(islice(refusals(decisions), SHOWN - len(self.refusals)))


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model (.json)")
    parser.add_argument("rows", metavar="ROWS", help=".parquet, .csv or .jsonl, or a folder of one of them")
    out = "where the decisions go: .parquet, .csv or .jsonl; `-` is JSON lines on standard output"
    parser.add_argument("-o", "--out", metavar="OUT", help=out)
    parser.add_argument("--rejects", metavar="FILE", help="set refused rows aside: number, column and reason")
    parser.add_argument("--prefix", metavar="P", default="", help="how the names of the six columns begin")
    parser.add_argument(
        "--engine", metavar="E", default="auto", type=one_of(*ENGINES), help=", ".join(ENGINES)
    )
    parser.add_argument("--threads", metavar="N", type=whole(1), help="how many threads; all if not said")


def run(asked: Namespace) -> Exit:
    """Decide all rows; where refused ones are not set aside, any of them means no output."""
    if asked.rejects == STREAM:
        raise CallError([Problem("racl decide", "--rejects: refused rows go to a file", "name one")])
    try:
        tally = decide_files(asked)
    except RowError as fault:
        return refused(asked.rows, fault, "nothing is written; `--rejects FILE` sets them aside")
    tell = remark if asked.out else say
    tell(summary(asked.rows, tally))
    return Exit.DONE


def decide_files(asked: Namespace) -> Tally:
    """Write the decisions and set refused rows aside; raises RowError where they are not to be."""
    model = read_model(asked.model)
    rows = read_rows(asked.rows, model.domain.columns_read)
    tally, start = Tally(), perf_counter()
    with _output(asked, model, rows) as output, _rejects(asked, rows) as rejects:
        for decisions in _decided(asked, model, rows):
            tally.add(decisions)
            _write(decisions, output if rejects or not tally.refused else None, rejects)
        if tally.refused and not rejects:
            raise RowError(tally.refusals, tally.refused)
    tally.seconds = perf_counter() - start
    return tally


def _decided(asked: Namespace, model: Model, rows: Rows) -> Iterator[Decisions]:
    """The decisions on one stretch of the rows after the other."""
    from racl.decide import chosen_engine, decide_table

    with of_file(asked.rows), progress(_rows_in_all(rows)) as show:
        for table in rows.batches():
            seen = table.offset + table.rows
            compiled = asked.engine == "auto" and chosen_engine(model, seen) == "kernel"  # many rows in all
            engine: Engine = "kernel" if compiled else asked.engine
            yield decide_table(model, table, engine=engine, threads=asked.threads, prefix=asked.prefix)
            show(seen)
            go_on()


def _rows_in_all(rows: Rows) -> int | None:
    """How many rows there are, where that can be told without reading them."""
    import pyarrow.parquet as pq

    from racl.scale import Format

    if rows.format is not Format.PARQUET or not sys.stderr.isatty():
        return None
    return sum(int(pq.read_metadata(file).num_rows) for file in rows.files)


# outputs ---------------------------------------------------------------------------------------------


@contextmanager
def _output(asked: Namespace, model: Model, rows: Rows) -> Iterator[Output | None]:
    """Where decided rows go, if anywhere."""
    from racl.scale import decision_schema, open_output

    if asked.out is None:
        yield None
        return
    with TemporaryDirectory(prefix="racl-") if asked.out == STREAM else nullcontext("") as folder:
        path = Path(folder, "decisions.jsonl") if folder else Path(asked.out)
        apart = [Path(asked.rejects)] if asked.rejects else []
        added, typed = decision_schema(asked.prefix), model.domain.columns_read
        with open_output(path, rows, added, typed=typed, apart=apart) as output:
            yield output
        if folder:
            sys.stdout.flush()
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)


@contextmanager
def _rejects(asked: Namespace, rows: Rows) -> Iterator[Rejects | None]:
    """Where refused rows go, if anywhere."""
    from racl.scale import open_rejects

    if asked.rejects is None:
        yield None
        return
    apart = [Path(asked.out)] if asked.out and asked.out != STREAM else []
    with open_rejects(asked.rejects, rows, apart=apart) as rejects:
        yield rejects


def _write(decisions: Decisions, output: Output | None, rejects: Rejects | None) -> None:
    from racl.decide import refusals

    aside = decisions.outputs.refused
    if output:
        output.write(decisions.table, decisions.columns(), ~aside if aside.any() else None)
    if rejects:
        rejects.write(refusals(decisions))


# in words --------------------------------------------------------------------------------------------


def summary(path: str, tally: Tally) -> str:
    """How many rows there were, what became of them, and how long it took."""
    pace = f"{tally.seconds:.2f} s"
    if tally.rows >= MANY:
        pace += f", {tally.rows / tally.seconds:,.0f} rows a second"
    head = f"{path}: {tally.rows:,} rows, {tally.decided:,} decided, {tally.refused:,} refused, {pace}"
    lines = [("credit", "rows", "share")]
    lines += [(credit, f"{count:,}", share(count, tally.decided)) for credit, count in tally.credits.items()]
    return f"{head}\n{aligned(lines, 80, right=(1, 2))}"


def share(count: int, of: int) -> str:
    """A part of the whole in percent."""
    return f"{100 * count / of:.1f} %" if of else "-"


COMMAND = Command(
    summary="decide rows: read them from files, write them with their decisions",
    about=(
        "The output holds each row's own columns and then accepted, credit, plan, value, margin and cost, in the"
        " order of the rows. A refused row (a value missing, out of range, of the wrong type ...) ends the command"
        " with 3 and no output, unless --rejects sets such rows aside. Without -o only the counts are printed."
    ),
    examples="""\
  racl decide air.json tickets.parquet -o decided.parquet
  racl decide air.json tickets.csv -o decided.csv --rejects refused.csv
  racl decide air.json tickets.jsonl -o - | jq .plan""",
    arguments=arguments,
    run=run,
)
