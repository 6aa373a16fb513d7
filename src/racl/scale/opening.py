"""Files of text opened as bytes, whatever they are compressed with, and a count of how far they are read."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from racl.scale.paths import compression_of

BUFFER = 1 << 20


@dataclass(slots=True)
class Meter:
    """How many bytes of all files are read so far, as they lie on disk."""

    read: int = 0


class Plain(io.RawIOBase):
    """What a reader gives, piece by piece, decompressed or not."""

    def __init__(self, file: BinaryIO, compression: str | None, meter: Meter | None) -> None:
        self.file, self.meter, self.at = file, meter, 0
        self.stream = pa.CompressedInputStream(pa.PythonFile(file, "r"), compression) if compression else file

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, room: memoryview) -> int:  # type: ignore[override]
        """Some bytes, 0 at the end."""
        data = self.stream.read(len(room))
        room[: len(data)] = data
        if self.meter is not None:
            now = self.file.tell()
            self.meter.read += now - self.at
            self.at = now
        return len(data)


@contextmanager
def opened(path: Path, meter: Meter | None = None) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed as its suffix says."""
    with path.open("rb") as file:
        plain = Plain(file, compression_of(path), meter)
        yield cast("BinaryIO", io.BufferedReader(plain, BUFFER))
