"""What stands above a query: what it needs, and where its answers may differ from those of the library."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from racl.model import Model
from racl.query.dialects import Dialect, Own
from racl.query.names import PREFIX
from racl.query.writer import Writer

WIDTH = 110


def notes(model: Model, writer: Writer, own: Own | None) -> tuple[str, ...]:
    """Lines for whoever reads the query."""
    dialect = writer.dialect
    what = (
        f"Decisions of the domain {model.domain.name} in {dialect.label}, made by `racl sql`: the table's own columns,"
        " then those of the decision, then why a row is refused."
    )
    lines = (what, *_needs(model, dialect, own), *_differences(writer, dialect))
    return tuple(part for line in lines for part in textwrap.wrap(line, WIDTH))


def _needs(model: Model, dialect: Dialect, own: Own | None) -> Iterator[str]:
    columns = ", ".join(f"{column.name} ({column.type})" for column in model.domain.columns_read)
    yield f"It reads {columns}."
    if not dialect.loose_types:
        yield "Columns must have these types: what holds text for a number, or 1 for true, is not for this query."
        yield "Decimals, and whole numbers past 2**53 in a number column, are read as the engine casts them to float64."
    if own is Own.ROWID:
        yield "The table must have row numbers: a view or a table WITHOUT ROWID needs its columns named (--columns)."
    if own is not None:
        yield f"No column of the table may have a name that begins with {PREFIX}"


def _differences(writer: Writer, dialect: Dialect) -> Iterator[str]:
    exact = (
        "Its arithmetic is float64 in the order of the definition: the numbers are the library's to the bit"
    )
    if writer.inexact:
        functions = " and ".join(sorted(writer.inexact))
        yield f"{exact}, except that {functions} may differ in the last place, as {dialect.label} computes them."
    else:
        yield f"{exact}."
    if dialect.strict:
        yield f"{dialect.label} ends the query with an error where a number overflows or underflows: it gives none that is wrong."
    if not dialect.run:
        yield f"Written for {dialect.label}, but not yet run on it by the tests of this library."
