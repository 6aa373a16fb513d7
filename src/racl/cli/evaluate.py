"""`racl evaluate`: how good a model is on rows, against labels or against a model taken for the truth."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from racl.cli.arguments import CallError, Command, Exit, Parser, number, whole
from racl.cli.files import of_file, read_model, read_rows
from racl.cli.progress import progress
from racl.cli.speak import refused, say, say_data
from racl.cli.stopping import go_on
from racl.errors import Problem, Refusal, RowError

if TYPE_CHECKING:
    from racl.metrics.compare import Comparison
    from racl.metrics.reading import Against, Part
    from racl.metrics.report import Metrics
    from racl.model import Model
    from racl.scale import Rejects, Rows

SHOWN = 10
RESAMPLES = 1000
COLUMNS = {
    "--label": "whether people accept: true and false, or 1 and 0",
    "--choice-set": "which rows were presented together",
    "--weight": "how much each row counts",
    "--probability": "of acceptance, as the model said it; for calibration",
}


@dataclass(slots=True)
class Read:
    """The rows so far."""

    parts: list[Part] = field(default_factory=list)
    refused: int = 0
    refusals: list[Refusal] = field(default_factory=list)  # the first of them

    def add(self, part: Part, rejects: Rejects | None) -> None:
        """Keep some more rows, and set the refused ones aside."""
        self.refused += part.refused
        self.refusals.extend(islice(part.refusals(), SHOWN - len(self.refusals)))
        if rejects:
            rejects.write(part.refusals())
        self.parts.append(replace(part, refusals=lambda: iter(())))  # lets go of all decisions


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model (.json)")
    parser.add_argument("rows", metavar="ROWS", help=".parquet, .csv or .jsonl, or a folder of one of them")
    for name, about in COLUMNS.items():
        parser.add_argument(name, metavar="COLUMN", help=about)
    parser.add_argument("--truth", metavar="MODEL", help="a model that is taken for the truth")
    parser.add_argument("--against", metavar="MODEL", help="another model, compared on the same rows")
    about = "show each group of rows, too; may be given several times; the persona always is"
    parser.add_argument("--by", metavar="COLUMN", action="append", default=[], help=about)
    about = "worth of an option without any admissible repair, the lowest of the scale; 0 if not said"
    parser.add_argument("--floor", metavar="X", type=number, default=0.0, help=about)
    parser.add_argument("--rejects", metavar="FILE", help="set refused rows aside: number, column and reason")
    about = "of the bootstrap; 0 if not said"
    parser.add_argument("--seed", metavar="N", type=whole(0), default=0, help=about)
    about = f"how many, {RESAMPLES} if not said; 0 for no interval where it takes a bootstrap"
    parser.add_argument("--resamples", metavar="N", type=whole(0), default=RESAMPLES, help=about)
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    parser.add_argument("--report", metavar="HTML", help="write a page with pictures")


def run(asked: Namespace) -> Exit:
    """Print the figures of a model, and how another one differs."""
    if asked.label is None and asked.truth is None:
        hint = "--label COLUMN says what people did, --truth MODEL what is true"
        raise CallError([Problem("racl evaluate", "nothing to hold the decisions against", hint)])
    if asked.report is not None:
        from racl.report.figures import installed

        installed()
    try:
        metrics, comparison = evaluate_files(asked)
    except RowError as fault:
        return refused(asked.rows, fault, "nothing is measured; `--rejects FILE` sets them aside")
    if asked.report is not None:
        _write_report(asked, metrics, comparison)
    if asked.json:
        differences = {} if comparison is None else {"comparison": comparison.to_dict()}
        say_data({**metrics.to_dict(), **differences})
    else:
        say("\n\n".join(str(part) for part in (metrics, comparison) if part is not None))
    return Exit.DONE


def _write_report(asked: Namespace, metrics: Metrics, comparison: Comparison | None) -> None:
    from racl.documents import write_text
    from racl.report.evaluating import evaluation_page
    from racl.report.page import html

    write_text(asked.report, html(evaluation_page(metrics, comparison, name=Path(asked.model).name)))


def evaluate_files(asked: Namespace) -> tuple[Metrics, Comparison | None]:
    """The figures of the model, and its comparison with the other one where there is one."""
    from racl.metrics.compare import compared
    from racl.metrics.evaluate import metrics_of
    from racl.metrics.measure import Chance
    from racl.metrics.reading import trials_of

    models = [read_model(path) for path in (asked.model, asked.against) if path is not None]
    against = _against(asked)
    rows = read_rows(asked.rows)
    with of_file(asked.rows):
        parts, refused = _read(asked, models, against, rows)
        domain, chance = (against.truth or models[0]).domain, Chance(asked.seed, asked.resamples)
        metrics = metrics_of(parts, domain, floor=asked.floor, chance=chance)
        if asked.against is None:
            return metrics, None
        first, second = trials_of(parts, asked.floor)
        return metrics, compared((first, second), chance, (asked.model, asked.against), refused)


def _against(asked: Namespace) -> Against:
    from racl.metrics.reading import Against

    return Against(
        asked.label,
        None if asked.truth is None else read_model(asked.truth),
        asked.choice_set,
        asked.weight,
        asked.probability,
        {name: name for name in asked.by},
    )


def _read(asked: Namespace, models: list[Model], against: Against, rows: Rows) -> tuple[list[Part], int]:
    """All rows, judged; raises RowError where some are refused and not to be set aside."""
    from racl.metrics.reading import part_of

    read = Read()
    with _rejects(asked, rows) as rejects, progress() as show:
        for table in rows.batches():
            read.add(part_of(models, table, against), rejects)
            show(table.offset + table.rows, None)
            go_on()
        if read.refused and not rejects:
            raise RowError(read.refusals, read.refused)
    return read.parts, read.refused


@contextmanager
def _rejects(asked: Namespace, rows: Rows) -> Iterator[Rejects | None]:
    """Where refused rows go, if anywhere."""
    from racl.scale import open_rejects

    if asked.rejects is None:
        yield None
        return
    with open_rejects(Path(asked.rejects), rows) as rejects:
        yield rejects


COMMAND = Command(
    summary="measure a model on rows: false vetoes, false accepts, regret, credit, plans, ranking",
    about=(
        "The decisions are held against what people did (--label), against a model that is taken for the truth"
        " (--truth), or against both: then ranking and calibration are measured against the labels and all else against"
        " the truth. Every figure comes with its count and a 95 % interval. Regret is the mean over choice sets, each"
        " row being one of its own where none are named; it and plans need a truth. A refused row ends the command with"
        " 3, unless --rejects sets such rows aside."
    ),
    examples="""\
  racl evaluate air.json tickets.parquet --label accepted
  racl evaluate air.json tickets.csv --truth true.json --by carrier
  racl evaluate air.json tickets.csv --label accepted --against old.json
  racl evaluate air.json log.csv --label accepted --json | jq .figures.fvr
  racl evaluate air.json log.csv --label ok --probability p --report air.html""",
    arguments=arguments,
    run=run,
)
