"""SQLite as the memory: one file, written ahead, synced in full before anybody is answered."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from racl.errors import DataError, Problem
from racl.serve.store.connection import Connect, Row, StoreError
from racl.serve.store.schema import STEPS, statements

AFFECTED = ((3, 7, 0), (3, 51, 2))  # a reset of the write-ahead log may lose what was committed
WAIT = 10_000  # milliseconds for another writer
TRIES = 200
CHUNKS = (512, 64, 16, 4, 1)  # rows of one insertion
MARK = 0x7261636C  # `racl`, in the file's header


class Sqlite:
    """A connection to the file."""

    def __init__(self, path: str, *, readonly: bool = False) -> None:
        check_version(apsw.sqlite_lib_version())
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self.database = apsw.Connection(path, flags=flags, statementcachesize=100)
        self.database.set_busy_timeout(WAIT)
        with said():
            check_owner(self.database, path)
            self.write_ahead()
        self.database.pragma("synchronous", "full")
        self.database.pragma("secure_delete", "on")
        self.database.pragma("wal_autocheckpoint", 4000)
        self.database.pragma("query_only", readonly)

    def write_ahead(self) -> None:
        """Write ahead; while another process does the same to a new file, wait for it."""
        for _ in range(TRIES):
            try:
                self.database.pragma("journal_mode", "wal")
            except apsw.BusyError:
                time.sleep(WAIT / 1000 / TRIES)
            else:
                return
        raise StoreError("busy")

    def run(self, statement: str, values: Sequence[Any] = ()) -> Sequence[Row]:
        """The rows that a statement gives."""
        with said():
            return self.database.execute(statement, values).fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """One statement for each of many rows of values; insertions go many to a statement.

        Every step of a statement lets another thread run, and waits for its turn afterwards.
        """
        start, inserting, places = statement.rpartition(" VALUES ")
        left = list(rows)
        with said():
            if not inserting:
                self.database.executemany(statement, left)
                return
            for size in CHUNKS:
                while len(left) >= size:
                    some, left = left[:size], left[size:]
                    values = [value for row in some for value in row]
                    self.database.execute(start + inserting + ", ".join([places] * size), values)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that nobody else writes beside."""
        with said():
            self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
            with said():
                self.database.execute("COMMIT")
        except BaseException:
            if self.database.in_transaction:
                with said():
                    self.database.execute("ROLLBACK")
            raise

    def forget(self) -> None:
        """Write the log that is written ahead into the file, and empty it."""
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()


@contextmanager
def said() -> Iterator[None]:
    """Faults of the database, as faults of the memory."""
    try:
        yield
    except (apsw.Error, OSError) as fault:
        raise StoreError(f"{type(fault).__name__}: {fault}") from fault


def check_version(found: str) -> None:
    """Refuse a SQLite that may lose what it said to have written."""
    version = tuple(int(part) for part in found.split(".")[:3])
    if AFFECTED[0] <= version <= AFFECTED[1]:
        what = f"SQLite {found} may lose what it has committed when it resets its write-ahead log"
        raise DataError([Problem("", what, "install a newer `apsw`, which brings its own SQLite")])


def connect(path: str) -> Connect:
    """Connections for writing to a file; its tables are made where it is new."""
    check_file(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with_tables(Sqlite(path)).close()
    return lambda: Sqlite(path)


def readers(path: str) -> Connect:
    """Connections that only read."""
    return lambda: Sqlite(path, readonly=True)


def check_file(path: str) -> None:
    """Refuse a file that is something else, and a folder that is not there."""
    place = Path(path)
    if not place.parent.is_dir():
        raise DataError([Problem("", "no such folder", file=str(place.parent))])
    if place.exists() and place.stat().st_size:
        with place.open("rb") as file:
            if not file.read(16).startswith(b"SQLite format 3\0"):
                raise foreign(path)


def check_owner(database: apsw.Connection, path: str) -> None:
    """Refuse a database of something else, before anything is changed in it."""
    # INVARIANT: the tables and the mark are written at once, so that whoever sees the tables sees the mark
    tables = database.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()[0][0]
    if tables and database.pragma("application_id") != MARK:
        raise foreign(path)


def foreign(path: str) -> DataError:
    """What a file of something else is answered."""
    return DataError([Problem("", "not a memory of racl's", "give another name", file=path)])


def with_tables(connection: Sqlite) -> Sqlite:
    """The connection, once the tables are as this version of racl wants them."""
    with connection.writing():
        done = int(connection.run("PRAGMA user_version")[0][0])
        if done > len(STEPS):
            raise DataError([Problem("", "written by a newer version of racl", "update racl")])
        for step in range(done, len(STEPS)):
            for statement in statements("sqlite", step):
                connection.run(statement)
        connection.run(f"PRAGMA user_version = {len(STEPS)}")
        connection.run(f"PRAGMA application_id = {MARK}")
    return connection


def copy(connection: object, path: str) -> None:
    """Copy a memory to another file, while it is written."""
    if not isinstance(connection, Sqlite):
        raise DataError([Problem("", "a server has its own ways to make a backup", "such as `pg_dump`")])
    place = Path(path)
    if not place.parent.is_dir():
        raise DataError([Problem("", "no such folder", file=str(place.parent))])
    unfinished = place.with_name(f".{place.name}.unfinished")
    try:
        os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
        with said():
            target = apsw.Connection(str(unfinished))
            with target.backup("main", connection.database, "main") as copying:
                copying.step(-1)  # at once: between two steps a writer would make it begin anew
            target.close()
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)


def restore(connection: object, path: str) -> None:
    """Put a copy in the place of all that a memory holds, at once, for those too who are using it."""
    if not isinstance(connection, Sqlite):
        raise DataError(
            [Problem("", "a server has its own ways to take a backup in", "such as `pg_restore`")]
        )
    with said():
        source = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        with connection.database.backup("main", source, "main") as copying:
            copying.step(-1)
        source.close()
    with_tables(connection)
    connection.forget()
