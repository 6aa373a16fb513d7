"""`racl export`: the memory of a service as a table to learn from."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from racl.cli.arguments import CallError, Command, Exit, Parser
from racl.cli.serve import STORE, known_store, needing_extra
from racl.cli.speak import say
from racl.errors import Problem


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("store", metavar="STORE", nargs="?", default=known_store(), help=STORE)
    parser.add_argument("-o", "--out", metavar="FILE", required=True, help="where the table goes (.parquet)")
    parser.add_argument("--model", metavar="NAME", help="which model; the only one if not said")
    parser.add_argument("--tenant", metavar="NAME", default="default", help="whose; `default` if not said")


def run(asked: Namespace) -> Exit:
    """Write the table, and say what cannot be known from it."""
    with needing_extra("racl export"):
        from racl.serve.store.export import domain_of, export
        from racl.serve.store.places import place_of
    out = Path(asked.out)
    if out.suffix != ".parquet" or not out.parent.is_dir():
        what = "no such folder" if not out.parent.is_dir() else "a table is written as .parquet"
        raise CallError([Problem("racl export", what, file=asked.out)])
    connection = place_of(asked.store).readers()
    try:
        domain = domain_of(connection, asked.tenant, asked.model)
        say(export(connection, domain, asked.tenant, out).words())
    finally:
        connection.close()
    return Exit.DONE


COMMAND = Command(
    summary="write a service's log, with outcomes, as a table to learn from",
    about=(
        "The rows as they were decided, what was shown, how probable that was, and what came of it (`outcome`, null where"
        " nobody told). Learn from it with `racl fit DOMAIN FILE --label outcome --shown shown`: an outcome concerns the"
        " plan that was shown. Of rejections nothing was shown, so nothing can be known: the export says how many."
    ),
    examples="""\
  racl export racl.db -o log.parquet
  racl export racl.db --model air-ticket -o log.parquet""",
    arguments=arguments,
    run=run,
)
