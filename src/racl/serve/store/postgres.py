"""PostgreSQL as the memory, for several workers or machines: the same statements, one chain for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection as Link
from sqlalchemy import create_engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from racl.errors import DataError, Problem
from racl.serve.store.connection import Connect, Row, StoreError

LOCK = 0x7261636C  # `racl`: one writer at a time, whatever the process
WAIT = 10  # seconds for a connection, and for the lock
MIGRATIONS = Path(__file__).parent / "migrations"


class Postgres:
    """A connection to the server."""

    def __init__(self, url: str, *, readonly: bool = False) -> None:
        with said():
            rest = url.partition("://")[2]
            engine = create_engine(
                f"postgresql+psycopg://{rest}",
                poolclass=NullPool,
                isolation_level="AUTOCOMMIT",
                connect_args={"connect_timeout": WAIT},
            )
            self.link: Link = engine.connect()
        self.run(f"SET lock_timeout = '{WAIT}s'")
        self.run("SET synchronous_commit = on")
        if readonly:
            self.run("SET default_transaction_read_only = on")

    def run(self, statement: str, values: Sequence[Any] = ()) -> Sequence[Row]:
        """The rows that a statement gives."""
        with said():
            found = self.link.exec_driver_sql(statement.replace("?", "%s"), tuple(values))
            return [tuple(row) for row in found] if found.returns_rows else []

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """One statement for each of many rows of values."""
        held = [tuple(row) for row in rows]
        if held:
            with said():
                self.link.exec_driver_sql(statement.replace("?", "%s"), held)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that nobody else writes beside."""
        self.run("BEGIN")
        try:
            self.run("SELECT pg_advisory_xact_lock(?)", (LOCK,))
            yield
            self.run("COMMIT")
        except BaseException:
            if not self.link.invalidated and not self.link.closed:
                self.run("ROLLBACK")
            raise

    def forget(self) -> None:
        """What was taken out leaves the tables when the server vacuums them."""

    def close(self) -> None:
        """Let go of the server."""
        self.link.close()
        self.link.engine.dispose()


@contextmanager
def said() -> Iterator[None]:
    """Faults of the server, as faults of the memory."""
    try:
        yield
    except ArgumentError:
        raise DataError(
            [Problem("", "not the address of a database", "postgresql://USER:PASSWORD@HOST/NAME")]
        ) from None
    except SQLAlchemyError as fault:
        reason = str(getattr(fault, "orig", None) or fault).strip().splitlines()
        raise StoreError(reason[0] if reason else type(fault).__name__) from fault


def connect(url: str) -> Connect:
    """Connections for writing; the tables are brought to what this version of racl wants."""
    connection = Postgres(url)
    try:
        with connection.writing(), said():
            config = Config()
            config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
            config.attributes["connection"] = connection.link
            command.upgrade(config, "head")
    finally:
        connection.close()
    return lambda: Postgres(url)


def readers(url: str) -> Connect:
    """Connections that only read."""
    return lambda: Postgres(url, readonly=True)
