"""A file that is being written: beside its final name, which it takes when it is complete and not before."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from racl.documents import settle_folder
from racl.scale.encoding import Encoder, Piece, Span
from racl.scale.footer import MAGIC, group_moved
from racl.scale.paths import fault, reading, writing
from racl.scale.thrift import written

COPIED = 1 << 18  # bytes taken from another file at once
NAME = 200  # characters of a name that leave room for an ending


def beside(path: Path, ending: str) -> Path:
    """A hidden file beside the one that a path leads to, through links."""
    final = path.resolve()
    return final.with_name(f".{final.name[:NAME]}.{ending}")


@dataclass
class Unfinished:
    """What is written so far.

    INVARIANT: nothing unfinished ever stands under the final name.
    """

    path: Path
    encoder: Encoder
    file: BinaryIO = field(default_factory=io.BytesIO)  # until it is opened
    durable: bool = True  # whether its end is waited for until the disk has it
    held: bool = False  # whether no other process may write it
    size: int = 0
    rows: int = 0
    groups: list[bytes] = field(default_factory=list)  # of Parquet
    room: bytearray = field(default_factory=lambda: bytearray(COPIED), repr=False)

    @property
    def part(self) -> Path:
        """Where it stands."""
        return beside(self.path, "part")

    def open(self) -> None:
        """Take hold of it; raises where another process is writing the same one."""
        with writing(self.path):
            while not self.held:
                self.file = _opened(self.part)
                if not _locked(self.file):
                    self.file.close()
                    raise fault(self.path, "is being written by another run", "wait for it, or end it")
                with suppress(FileNotFoundError):  # the one that held it has given it its final name
                    self.held = os.path.samestat(os.fstat(self.file.fileno()), self.part.stat())
                if not self.held:
                    self.file.close()

    def begin(self) -> None:
        """Start with what stands before the first row, whatever was there before."""
        with writing(self.path):
            self.file.truncate(0)
        self._write(self.encoder.head())

    def go_on(self, size: int, rows: int, groups: list[bytes]) -> bool:
        """Start from what was written before, if all of it is there."""
        with writing(self.path):
            if self.file.seek(0, os.SEEK_END) < size:
                return False
            self.file.truncate(size)
            self.file.seek(size)
        self.size, self.rows, self.groups = size, rows, groups
        return True

    def append(self, piece: Piece) -> None:
        """Some more rows."""
        moved = self.size - len(MAGIC)
        for part in piece.parts:
            if isinstance(part, Span):
                self._copy(part)
            else:
                self._write(part)
        self.rows += piece.rows
        self.groups += [written(group_moved(group, moved)) for group in piece.groups]

    def _write(self, data: bytes | memoryview) -> None:
        left = memoryview(data)
        with writing(self.path):
            while left:
                left = left[self.file.write(left) :]
        self.size += len(data)

    def _copy(self, span: Span) -> None:
        room = memoryview(self.room)
        with reading(span.path), span.path.open("rb", buffering=0) as source:
            source.seek(span.start)
            left = span.size
            while left:
                count = source.readinto(room[:left])
                if not count:
                    raise fault(span.path, "ends before it should", "it may have changed meanwhile")
                self._write(room[:count])
                left -= count

    def settle(self) -> None:
        """Have the system keep what is written, whatever happens to it."""
        with writing(self.path):
            os.fsync(self.file.fileno())

    def close(self) -> None:
        """Write what stands after the last row, and wait until the disk has it."""
        self._write(self.encoder.tail(self.groups, self.rows))
        if self.durable:
            self.settle()
        with writing(self.path):
            self.file.close()

    def give_name(self) -> None:
        """Take the final name."""
        give_name(self.path, durable=self.durable)

    def remove(self) -> None:
        """Leave nothing behind, but for what another process is writing."""
        with suppress(OSError):
            self.file.close()
            with _opened(self.part) as file:
                mine = self.held or _locked(file)
            if mine:
                self.part.unlink(missing_ok=True)


def give_name(path: Path, *, durable: bool = True) -> None:
    """Let what stands beside a path take its place, and have the disk know of it."""
    final = path.resolve()
    try:
        beside(path, "part").replace(final)
        if durable:
            settle_folder(final.parent)
    except OSError as error:
        what = f"cannot be given its name: {(error.strerror or str(error)).lower()}"
        raise fault(path, what, "all is written: mend that and go on with `--resume`") from error


def _opened(part: Path) -> BinaryIO:
    number = os.open(part, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    return os.fdopen(number, "r+b", buffering=0)


def _locked(file: BinaryIO) -> bool:
    """Whether nobody else holds a file; where that cannot be asked, nobody does."""
    try:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return True
    except OSError:
        return False
    return True


@contextmanager
def all_or_nothing(files: Sequence[Unfinished]) -> Iterator[None]:
    """Files that take their names together at the end, and leave nothing behind where it is not reached."""
    try:
        for file in files:
            file.open()
            file.begin()
        yield
        for file in files:
            file.close()
        for file in files:
            file.give_name()
    except BaseException:
        for file in files:
            file.remove()
        raise
