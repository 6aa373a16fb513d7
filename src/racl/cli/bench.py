"""`racl bench`: the paper's tiers, models, tables and figures, made anew on this machine."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from racl.cli.arguments import CallError, Command, Exit, Parser, whole
from racl.cli.speak import WIPE, remark, say
from racl.cli.stopping import go_on
from racl.errors import Problem, nearest, quoted

if TYPE_CHECKING:
    from racl.bench.study import Study

ALL = "all"


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("tiers", metavar="TIER", nargs="+", help="tiers by name, or `all`")
    parser.add_argument(
        "-o", "--out", metavar="DIR", default="bench-report", help="folder of the report; bench-report"
    )
    parser.add_argument("--seeds", metavar="N,...", type=numbers, help="seeds of the models; 1,3,5")
    parser.add_argument("--models", metavar="NAME,...", help="some of the models only")
    about = "real tickets of the Bureau (.csv or .zip) for the tiers that are drawn from their profile"
    parser.add_argument("--tickets", metavar="FILE", help=about)
    about = "training and test rows, for a quick look; those of the protocol if not said"
    parser.add_argument("--rows", metavar="N,N", type=numbers, help=about)
    about = "processes; as many as there are processors if not said"
    parser.add_argument("--jobs", metavar="N", type=whole(1), default=0, help=about)
    about = "of the bootstrap; 1000 if not said, 0 for no interval where it takes one"
    parser.add_argument("--resamples", metavar="N", type=whole(0), default=1000, help=about)


def numbers(text: str) -> tuple[int, ...]:
    """Whole numbers between commas."""
    if re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text, re.ASCII):
        return tuple(int(one) for one in text.split(","))
    raise ArgumentTypeError(f"{quoted(text)} is not whole numbers between commas")


def run(asked: Namespace) -> Exit:
    """Run the study and write its report."""
    from racl.bench.report import write_report
    from racl.bench.study import results
    from racl.bench.words import spoken

    study = study_of(asked)
    with telling() as tell:
        found = results(study, tell)
    path = write_report(found, study.folder)
    say(spoken(found))
    say(f"report: {path}")
    return Exit.DONE


def study_of(asked: Namespace) -> Study:
    """What is asked for."""
    from racl.bench.models import MODELS
    from racl.bench.protocol import SEEDS, Asked
    from racl.bench.study import Study
    from racl.bench.tickets import read_tickets
    from racl.bench.tiers import TIERS

    tiers = tuple(TIERS) if ALL in asked.tiers else known(asked.tiers, (*TIERS, ALL), "tier")
    models = tuple(MODELS) if asked.models is None else known(asked.models.split(","), tuple(MODELS), "model")
    if asked.rows is not None and (len(asked.rows) != 2 or min(asked.rows) < 2):  # noqa: PLR2004
        raise CallError(
            [Problem("racl bench", "--rows takes two numbers of at least 2: of training and of test rows")]
        )
    if asked.tickets is not None:
        read_tickets(asked.tickets)
    wanted = Asked(asked.seeds or SEEDS, models, asked.rows, asked.tickets or "", asked.resamples)
    return Study(tiers, wanted, Path(asked.out), asked.jobs)


def known(names: list[str], among: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """The names, each of which must be known."""
    problems = [
        Problem(
            "racl bench",
            f"unknown {kind} {quoted(name)}",
            nearest(name, among) or f"one of {', '.join(among)}",
        )
        for name in names
        if name not in among
    ]
    if problems:
        raise CallError(problems)
    return tuple(dict.fromkeys(names))


@contextmanager
def telling() -> Iterator[Callable[[str], None]]:
    """Says how far the study is: on a terminal in one line that is redrawn, elsewhere line by line."""
    screen = sys.stderr.isatty()

    def tell(text: str) -> None:
        go_on()
        if screen:
            print(f"{WIPE}{text[:100]}", end="", file=sys.stderr, flush=True)
        else:
            remark(text)

    try:
        yield tell
    finally:
        if screen:
            print(WIPE, end="", file=sys.stderr, flush=True)


COMMAND = Command(
    summary="run the paper's benchmark: its tiers, models, tables and figures",
    about=(
        "Tiers are synthetic-maxsat, expedia-schema, db1b-schema, db1b-dist, db1b-curved and db1b-sparse. The folder gets"
        " report.html, results.json, the figures as SVG and PNG, and the finished cells: a run that is stopped goes on where it"
        " was. The same seeds give the same numbers. Figures need Matplotlib, which comes with the extra `reports`."
    ),
    examples=(
        "  racl bench db1b-dist\n"
        "  racl bench all -o report\n"
        "  racl bench db1b-dist --tickets DB1BTicket_2016_3.zip\n"
        "  racl bench db1b-sparse --models latent-certified,oracle --rows 5000,2000"
    ),
    arguments=arguments,
    run=run,
)
