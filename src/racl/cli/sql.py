"""`racl sql`: a model as one query."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from racl.cli.arguments import Command, Exit, Parser, one_of
from racl.cli.files import read_model
from racl.cli.speak import say
from racl.documents import write_text
from racl.errors import QueryError
from racl.query.dialects import DIALECTS


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model (.json)")
    about = f"{', '.join(DIALECTS)}"
    parser.add_argument("--dialect", metavar="NAME", type=one_of(*DIALECTS), required=True, help=about)
    parser.add_argument(
        "--table", metavar="NAME", default="rows", help="where the rows are; `rows` if not said"
    )
    about = "the table's columns, with commas between; where a dialect cannot say `all of its own`"
    parser.add_argument("--columns", metavar="NAMES", default="", help=about)
    parser.add_argument(
        "--prefix", metavar="TEXT", default="", help="goes before the names of the new columns"
    )
    parser.add_argument("-o", "--out", metavar="FILE", help="where the query goes; else it is printed")


def run(asked: Namespace) -> Exit:
    """Write the query."""
    from racl.query import sql

    model = read_model(asked.model)
    columns = [name for name in asked.columns.split(",") if name]
    try:
        text = sql(model, asked.dialect, table=asked.table, columns=columns, prefix=asked.prefix)
    except QueryError as fault:
        raise QueryError(replace(one, file=asked.model) for one in fault.problems) from fault
    if asked.out is None:
        say(text.rstrip())
    else:
        write_text(asked.out, text)
    return Exit.DONE


COMMAND = Command(
    summary="write a model as one SQL query that decides the rows of a table",
    about=(
        "The query gives the table's columns, then accepted, credit, plan, value, margin and cost, and then refused:"
        " null, or why the row is not decided. Its answers are those of racl decide to the bit; what a dialect cannot"
        " say so is refused with a reason, and what may differ stands in the comments above the query."
    ),
    examples="""\
  racl sql air.json --dialect duckdb --table tickets
  racl sql air.json --dialect postgres --table shop.tickets -o decide.sql
  racl sql air.json --dialect trino --columns fare,budget,threshold""",
    arguments=arguments,
    run=run,
)
