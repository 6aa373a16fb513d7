"""`racl fit`: from rows and what became of them to a model."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from racl.cli import curves
from racl.cli.arguments import CallError, Command, Exit, Parser, number, one_of, whole
from racl.cli.files import of_file, read_model, read_rows
from racl.cli.progress import progress, rounds
from racl.cli.speak import refused, remark, say
from racl.cli.stopping import go_on
from racl.errors import DataError, Problem, RowError, printable

if TYPE_CHECKING:
    from racl.domain.model import Domain
    from racl.frames import Table
    from racl.learn.history import Gathered, History
    from racl.learn.recipe import Learned, Recipe
    from racl.learn.sources import Sources
    from racl.scale import Rows

LEARNERS = ("latent", "anchors", "known")
GUARDS = ("certified", "validated", "fixed", "none")
ANCHORS = ("feasible", "zero-budget")
COLUMNS = {
    "--choice-set": "which rows were presented together; they are held out together",
    "--weight": "how much each row counts",
    "--shown": "the plan that each label concerns; rows without it or without a label teach nothing",
}
NUMBERS = {
    "--alpha": "most false vetoes that the certified guard lets pass, as a share; 0.01 if not said",
    "--delta": "the chance at which it may fail; 0.05 if not said",
    "--hold-out": "share of the choice sets that is held out; 0.2 for certified, else 0.1",
    "--cap": "A of the fixed guard",
    "--span": "S of the fixed guard",
    "--ridge": "on the weights of standardised features",
    "--pull": "towards the pooled fit; chosen on held-out rows if not said",
}
SETTINGS = {"hold_out": "held_out"}  # what the recipe calls otherwise


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("domain", metavar="DOMAIN", help="a domain (.toml)")
    parser.add_argument("data", metavar="DATA", help=".parquet, .csv or .jsonl, or a folder of one of them")
    parser.add_argument("-o", "--out", metavar="MODEL", required=True, help="where the model goes (.json)")
    about = "whether people accepted: true and false, or 1 and 0"
    parser.add_argument("--label", metavar="COLUMN", required=True, help=about)
    for name, about in COLUMNS.items():
        parser.add_argument(name, metavar="COLUMN", help=about)
    _words(parser)
    for name, about in NUMBERS.items():
        parser.add_argument(name, metavar="X", type=number, help=about)
    curves.arguments(parser)
    about = "of all that is drawn; 0 if not said"
    parser.add_argument("--seed", metavar="N", type=whole(0), default=0, help=about)
    about = "learn weights for personas that the domain does not declare, too, from all rows"
    parser.add_argument("--default-persona", action="store_true", help=about)
    about = "with `--learner known`: the model whose weights are taken"
    parser.add_argument("--known", metavar="MODEL", help=about)
    parser.add_argument("--rejects", metavar="FILE", help="set refused rows aside: number, column and reason")
    parser.add_argument("--report", metavar="HTML", help="write a page with pictures")
    about = "keep rows on disk while they are learned from, as is done with many of them anyway"
    parser.add_argument("--on-disk", action="store_true", help=about)
    parser.add_argument("--threads", metavar="N", type=whole(1), help="how many threads; all if not said")


def _words(parser: Parser) -> None:
    for name, known, about in (
        ("--learner", LEARNERS, "how preference is learned"),
        ("--guard", GUARDS, "what keeps false vetoes few"),
        ("--anchors-from", ANCHORS, "which rows are anchors"),
    ):
        shown = f"{about}: {', '.join(known)}; the first if not said"
        parser.add_argument(name, metavar="W", type=one_of(*known), default=known[0], help=shown)


def run(asked: Namespace) -> Exit:
    """Learn a model, write it, and print how it was learned."""
    if asked.report is not None:
        _check_report(asked)
    try:
        learned, recipe = fit_files(asked)
    except RowError as fault:
        return refused(asked.data, fault, "nothing is learned; `--rejects FILE` sets them aside")
    learned.model.save(asked.out)
    if asked.report is not None:
        _write_report(asked, learned, recipe)
    _print(asked, learned)
    return Exit.DONE


def _check_report(asked: Namespace) -> None:
    """What is known before a long fit to go wrong after it."""
    from racl.report.figures import installed

    installed()
    if Path(asked.report).resolve() == Path(asked.out).resolve():
        raise CallError([Problem("racl fit", "--report and --out are the same file", "name two")])


def _write_report(asked: Namespace, learned: Learned, recipe: Recipe) -> None:
    from racl.documents import write_text
    from racl.report.fitting import fit_page
    from racl.report.page import html

    write_text(asked.report, html(fit_page(learned, recipe, name=Path(asked.out).name)))


def _print(asked: Namespace, learned: Learned) -> None:
    from racl.learn.words import told

    say("\n".join(map(printable, told(learned.model).splitlines())))
    more = f", and {asked.report} with pictures" if asked.report else ""
    remark(f"{asked.out}: written{more}")


def fit_files(asked: Namespace) -> tuple[Learned, Recipe]:
    """What is learned from the rows of the files, and the recipe."""
    from racl.domain.files import load_domain
    from racl.learn.recipe import learn_from

    domain = load_domain(asked.domain)
    recipe = recipe_of(asked)
    rows = read_rows(asked.data, domain.columns_read)
    with of_file(asked.data), _sources(asked, domain, rows, recipe) as sources, rounds() as show:
        learned = learn_from(sources, recipe, show)
    record = {**learned.record, "date": datetime.now(UTC).strftime("%Y-%m-%d")}
    record["data"] = {"file": Path(asked.data).name, **learned.record["data"]}
    model = replace(learned.model, fit=record)
    return replace(learned, model=model, record=record), recipe


@contextmanager
def _sources(asked: Namespace, domain: Domain, rows: Rows, recipe: Recipe) -> Iterator[Sources]:
    """The rows in memory, or on disk where they are many."""
    from racl.learn.out_of_core import many, sources_of_files
    from racl.learn.recipe import sources_of
    from racl.scale import open_rejects

    if not (asked.on_disk or many(rows)):
        yield sources_of(domain, _gathered(asked, domain, rows), recipe, None)
        return
    history, apart = _history(asked), [Path(asked.out)]
    aside = nullcontext(None) if asked.rejects is None else open_rejects(asked.rejects, rows, apart=apart)
    with progress() as show, aside as rejects:

        def tell(done: int, share: float | None) -> None:
            show(done, share)
            go_on()

        refuse = None if rejects is None else rejects.write
        reading = sources_of_files(domain, rows, history, recipe, refuse=refuse, tell=tell)
        with reading as sources:
            yield sources


def _history(asked: Namespace) -> History:
    from racl.learn.history import History

    keep: Literal["raise", "collect"] = "raise" if asked.rejects is None else "collect"
    return History(None, asked.label, asked.choice_set, asked.weight, keep, asked.shown)


def recipe_of(asked: Namespace) -> Recipe:
    """How to learn, as asked for."""
    from racl.learn.recipe import Recipe

    if (asked.known is None) != (asked.learner != "known"):
        hint = "`--learner known --known MODEL`"
        raise CallError(
            [Problem("racl fit", "weights are given with the learner `known`, and only with it", hint)]
        )
    numbers = (name.removeprefix("--").replace("-", "_") for name in NUMBERS)
    given = {SETTINGS.get(name, name): getattr(asked, name) for name in numbers}
    return Recipe(
        learner=asked.learner,
        guard=asked.guard,
        anchors_from=asked.anchors_from,
        default_persona=asked.default_persona,
        known=None if asked.known is None else read_model(asked.known),
        curves=curves.asked_curves(asked),
        seed=asked.seed,
        threads=asked.threads,
        **{name: value for name, value in given.items() if value is not None},
    )


def _gathered(asked: Namespace, domain: Domain, rows: Rows) -> Gathered:
    """All rows with their labels; raises RowError where some are refused and not to be set aside."""
    from racl.learn.history import gathered_from
    from racl.scale import open_rejects

    history = _history(asked)
    found = gathered_from(domain, _read(rows), history, other=asked.default_persona, threads=asked.threads)
    if asked.rejects is not None:
        with open_rejects(asked.rejects, rows, apart=[Path(asked.out)]) as rejects:
            rejects.write(iter(found.refusals))
    if not len(found.sample):
        what = "there is not a single row to learn from"
        raise DataError([Problem("", what, f"{found.given:,} rows, {len(found.refusals):,} refused")])
    return found


def _read(rows: Rows) -> Iterator[Table]:
    """The rows, a table at a time."""
    with progress() as show:
        for table in rows.batches():
            yield table
            show(table.offset + table.rows, None)
            go_on()


COMMAND = Command(
    summary="learn a model from rows and whether people accepted them",
    about=(
        "A part of the rows is held out, whole choice sets at a time: on them the guard is chosen, or the margin"
        " that keeps false vetoes below --alpha with confidence 1 - --delta, and the figures are measured. What was"
        " learned from which rows is printed and stays in the model (`racl show`). A refused row ends the command"
        " with 3, unless --rejects sets such rows aside; rows that no repair can help are counted, and teach nothing."
    ),
    examples="""\
  racl fit air.toml tickets.parquet -o air.json --label accepted
  racl fit air.toml log.csv -o air.json --label ok --choice-set request
  racl fit air.toml log.csv -o air.json --label ok --report air.html
  racl fit air.toml log.csv -o air.json --label ok --curves \\
      --monotone price=falls
  racl fit air.toml log.csv -o air.json --label ok --learner anchors \\
      --guard validated --seed 7
  racl fit air.toml log.parquet -o air.json --label outcome --shown shown""",
    arguments=arguments,
    run=run,
)
