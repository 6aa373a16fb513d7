"""`racl explain`: one decision in words."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from racl.cli.arguments import Command, Exit, Parser, whole
from racl.cli.files import of_file, read_model, read_rows
from racl.cli.speak import refused, say, say_data
from racl.errors import DataError, Problem, Refusal, RowError

if TYPE_CHECKING:
    from racl.frames import Table
    from racl.model import Model


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model (.json)")
    parser.add_argument("rows", metavar="ROWS", help=".parquet, .csv or .jsonl, or a folder of one of them")
    parser.add_argument("--row", metavar="N", type=whole(0), required=True, help="which row; the first is 0")
    parser.add_argument("--json", action="store_true", help="print the explanation as JSON")


def run(asked: Namespace) -> Exit:
    """Explain the decision on one row."""
    model = read_model(asked.model)
    try:
        with of_file(asked.rows):
            found = model.explain(read_row(model, asked.rows, asked.row))
    except RowError as fault:
        return refused(asked.rows, RowError(replace(one, row=asked.row) for one in fault.refusals))
    if asked.json:
        say_data({"row": asked.row, **found.to_dict()})
    else:
        say(f"{asked.rows}, row {asked.row}\n\n{str(found).rstrip()}")
    return Exit.DONE


def read_row(model: Model, path: str, number: int) -> Mapping[str, object]:
    """One row of a file."""
    from racl.decide import raw_row
    from racl.frames import check_columns

    rows = 0
    for table in read_rows(path).batches():
        problems = check_columns(table, model.domain.columns_read)
        if problems:
            raise DataError(problems)
        if number < table.offset + table.rows:
            _check_fault(table, number)
            return raw_row(model, table, number - table.offset)
        rows = table.offset + table.rows
    what = f"there is no row {number}: there are {rows:,} rows, and the first is 0"
    raise DataError([Problem("", what, file=path)])


def _check_fault(table: Table, number: int) -> None:
    reason = table.faults.get(number - table.offset)
    if reason is not None:
        raise RowError([Refusal(number, "", reason)])


COMMAND = Command(
    summary="explain one decision: requirements, repairs, costs, values, and what would turn it",
    about=(
        "Says for each requirement which values it read and whether it holds, and for each repair whether it applies,"
        " what it costs against the budget and what it is worth against the threshold; then the smallest budget and"
        " the highest threshold that would turn the decision, all else fixed. Rows are counted from 0. A refused row"
        " ends the command with 3."
    ),
    examples="""\
  racl explain air.json tickets.csv --row 279
  racl explain air.json tickets.parquet --row 12 --json | jq .credit""",
    arguments=arguments,
    run=run,
)
