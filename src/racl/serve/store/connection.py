"""What the memory needs of a database: statements with `?` for values, and transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from racl.errors import DataError, Problem

Row = Sequence[Any]


class Connection(Protocol):
    """One connection, used by one thread at a time."""

    def run(self, statement: str, values: Sequence[Any] = ()) -> Sequence[Row]:
        """The rows that a statement gives."""

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """One statement for each of many rows of values."""

    def writing(self) -> AbstractContextManager[None]:
        """A transaction that nobody else writes beside; on the disk when it ends."""

    def forget(self) -> None:
        """Leave nothing of what was taken out in files beside the database."""

    def close(self) -> None:
        """Let go of the database."""


Connect = Callable[[], Connection]


class StoreError(DataError):
    """The memory cannot be read or written."""

    def __init__(self, what: str) -> None:
        super().__init__([Problem("", f"the memory cannot be read or written: {what}")])
