"""A model as one SQL query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from racl.errors import Problem, QueryError
from racl.model import Model
from racl.query.dialects import DIALECTS

if TYPE_CHECKING:
    from racl.query.statement import Query

__all__ = ["DIALECTS", "query", "sql"]


def sql(
    model: Model, dialect: str, *, table: str = "rows", columns: Sequence[str] = (), prefix: str = ""
) -> str:
    """The query that decides the rows of a table: its columns, the six of the decision, and why a row is refused.

    `columns` names the table's columns, which some dialects need; `prefix` goes before the names of the new ones.
    Raises QueryError where the dialect cannot say what the model means.
    """
    return f"{query(model, dialect, table=table, columns=columns, prefix=prefix)}\n"


def query(
    model: Model,
    dialect: str,
    *,
    table: str = "rows",
    columns: Sequence[str] = (),
    wide: Collection[str] = (),
    prefix: str = "",
) -> Query:
    """The query as a tree, with its notes; `wide` are columns that hold whole numbers past 2**53."""
    try:
        from racl.query.statement import query as written
    except ModuleNotFoundError as fault:
        if fault.name != "sqlglot":
            raise
        raise QueryError([Problem("", "sqlglot is not installed", "`pip install 'racl[sql]'`")]) from fault
    return written(model, dialect, table=table, columns=columns, wide=wide, prefix=prefix)
