"""`racl decide`: files of rows to files of decisions."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, get_args

from racl.cli.arguments import CallError, Command, Exit, Parser, one_of, whole
from racl.cli.files import check_target, read_model, read_rows
from racl.cli.progress import progress
from racl.cli.speak import refused, remark, say
from racl.cli.stopping import go_on
from racl.cli.tables import aligned
from racl.errors import Problem, RowError
from racl.model import Engine

if TYPE_CHECKING:
    from racl.scale import Progress, Tally

ENGINES: tuple[str, ...] = get_args(Engine)
MANY = 10_000  # rows; of fewer, the pace is that of starting up
STREAM = "-"  # standard output


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model (.json)")
    rows = ".parquet, .csv or .jsonl (text also with .gz or .zst), a folder of one of them, or a pattern in quotes"
    parser.add_argument("rows", metavar="ROWS", help=rows)
    out = "where the decisions go: .parquet, .csv or .jsonl; `-` is JSON lines on standard output"
    parser.add_argument("-o", "--out", metavar="OUT", help=out)
    parser.add_argument("--rejects", metavar="FILE", help="set refused rows aside: number, column and reason")
    parser.add_argument(
        "--columns", metavar="A,B", type=names, help="which of the rows' own columns to keep; all if not said"
    )
    parser.add_argument(
        "--only", metavar="WHICH", type=one_of("accepted"), help="accepted: leave out the others"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on where a run that was killed or interrupted left off"
    )
    parser.add_argument("--prefix", metavar="P", default="", help="how the names of the six columns begin")
    parser.add_argument(
        "--engine", metavar="E", default="auto", type=one_of(*ENGINES), help=", ".join(ENGINES)
    )
    parser.add_argument("--threads", metavar="N", type=whole(1), help="how many threads; all if not said")


def run(asked: Namespace) -> Exit:
    """Decide all rows; where refused ones are not set aside, any of them means no output."""
    if asked.resume and asked.out in {None, STREAM}:
        raise CallError(
            [Problem("racl decide", "--resume: there is nothing to go on with", "name an output")]
        )
    if asked.rejects == STREAM:
        raise CallError([Problem("racl decide", "--rejects: refused rows go to a file", "name one")])
    try:
        tally = decided(asked)
    except RowError as fault:
        return refused(asked.rows, fault, "nothing is written; `--rejects FILE` sets them aside")
    tell = remark if asked.out else say
    tell(summary(asked.rows, tally))
    return Exit.DONE


def decided(asked: Namespace) -> Tally:
    """Write the decisions and set refused rows aside; raises RowError where they are not to be."""
    from racl.scale import decide_files

    model = read_model(asked.model)
    for target in (asked.out, asked.rejects):
        check_target(target, asked.model)
    rows = read_rows(asked.rows, model.domain.columns_read)
    with progress() as show, _place(asked) as out:

        def tell(done: Progress) -> None:
            show(done.rows, done.share)
            go_on()

        return decide_files(
            model,
            rows,
            out,
            rejects=asked.rejects,
            columns=asked.columns,
            only=asked.only,
            prefix=asked.prefix,
            engine=asked.engine,
            threads=asked.threads,
            resume=asked.resume,
            tell=tell,
        )


@contextmanager
def _place(asked: Namespace) -> Iterator[str | None]:
    """Where decided rows go, if anywhere; for standard output a file first, since a refused row means no output at all."""
    if asked.out != STREAM:
        yield asked.out
        return
    with TemporaryDirectory(prefix="racl-") as folder:
        path = Path(folder, "decisions.jsonl")
        yield str(path)
        sys.stdout.flush()
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


def names(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


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
        " with 3 and no output, unless --rejects sets such rows aside. Without -o only the counts are printed. The"
        " output has its name when it is complete; a run that is killed before goes on with --resume."
    ),
    examples="""\
  racl decide air.json tickets.parquet -o decided.parquet
  racl decide air.json tickets.csv -o decided.csv --rejects refused.csv
  racl decide air.json tickets.jsonl -o - | jq .plan
  racl decide air.json "year=2024/*.parquet" -o good.parquet --only accepted""",
    arguments=arguments,
    run=run,
)
