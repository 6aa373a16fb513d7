"""`racl init`: a first domain file out of a sample of rows."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from racl.cli.arguments import CallError, Command, Exit, Parser
from racl.cli.files import check_target, of_file, read_rows
from racl.cli.speak import remark, say
from racl.documents import write_text
from racl.errors import DataError, Problem, quoted


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("rows", metavar="ROWS", help=".parquet, .csv or .jsonl, or a folder of one of them")
    parser.add_argument(
        "-o", "--out", metavar="FILE", help="where the domain file goes; standard output if not said"
    )
    parser.add_argument("--name", metavar="NAME", help="the name of the domain; that of ROWS if not said")
    parser.add_argument("--force", action="store_true", help="write over FILE if it exists")


def run(asked: Namespace) -> Exit:
    """Draft a domain file."""
    from racl.domain.check import ID
    from racl.draft import SAMPLE, draft, observe
    from racl.draft.write import domain_name

    if asked.name is not None and not ID.fullmatch(asked.name):
        hint = "lower-case letters, digits, `-` and `_`, at most 64"
        raise CallError([Problem("racl init", f"--name: {quoted(asked.name)} is not a name", hint)])
    if asked.out and Path(asked.out).exists() and not asked.force:
        raise DataError([Problem("", "exists already", "`--force` writes over it", file=asked.out)])
    check_target(asked.out, asked.rows)
    with of_file(asked.rows):
        found = observe(read_rows(asked.rows).batches(SAMPLE))
        name = asked.name or domain_name(Path(asked.rows).resolve().stem)
        text = draft(found, name=name, source=Path(asked.rows).name)
    if asked.out is None:
        say(text.rstrip("\n"))
    else:
        write_text(asked.out, text)
        remark(f"{asked.out}: a first domain file, ready to edit; `racl check {asked.out}` checks it")
    return Exit.DONE


COMMAND = Command(
    summary="write a first domain file from a sample of rows: types, ranges and categories, ready to edit",
    about=(
        "Looks at up to 100,000 rows. Columns that no domain can hold (dates, free text, names that are no names) are"
        " listed in a comment with the reason. Which columns belong to [context] is guessed from their names: budget,"
        " threshold, persona, needs_..., wants_..., max_..., min_... and ..._needed."
    ),
    examples="""\
  racl init tickets.parquet -o air.toml
  racl init tickets.csv --name air-ticket | less""",
    arguments=arguments,
    run=run,
)
