"""Which files hold the rows, and where the answer may go."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pyarrow as pa

from racl.errors import DataError, Problem, nearest, quoted


class Format(StrEnum):
    """How rows are written in a file."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


SUFFIXES = {
    ".parquet": Format.PARQUET,
    ".csv": Format.CSV,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
}
PASSED_OVER = (".", "_")  # how the names of files begin that are not rows: `_SUCCESS`, `.part.crc`


def fault(path: Path, what: str, hint: str = "") -> DataError:
    """The error of one file."""
    return DataError([Problem("", what, hint, file=str(path))])


def format_of(path: Path) -> Format:
    """The format that a file's suffix names."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        hint = nearest(suffix, SUFFIXES) if suffix else ""
        raise fault(path, f"unknown suffix {quoted(path.suffix)}", hint or f"one of {', '.join(SUFFIXES)}")
    return SUFFIXES[suffix]


def input_files(path: Path) -> tuple[Path, ...]:
    """The files of a path: itself, or what its folder holds, by name."""
    if path.is_dir():
        return _folder_files(path)
    if not path.exists():
        raise fault(path, "no such file", _near_file(path))
    if not path.is_file():
        raise fault(path, "not a regular file")
    format_of(path)
    return (path,)


def _near_file(path: Path) -> str:
    try:
        return nearest(path.name, [file.name for file in path.parent.iterdir()])
    except OSError:
        return ""


def _folder_files(folder: Path) -> tuple[Path, ...]:
    files = sorted(file for file in folder.iterdir() if not file.name.startswith(PASSED_OVER))
    if not files:
        raise fault(
            folder, "a folder without rows", f"it should hold files that end in {', '.join(SUFFIXES)}"
        )
    for file in files:
        if not file.is_file():
            raise fault(file, "not a regular file", "a folder of rows holds files and nothing else")
        if format_of(file) is not format_of(files[0]):
            raise fault(
                file, f"another format than {quoted(files[0].name)}", "a folder of rows holds one format"
            )
    return tuple(files)


def check_output(path: Path, inputs: Path, *others: Path) -> None:
    """Refuses to write over what is read, next to it in its folder, or over another output."""
    format_of(path)
    if path.is_dir():
        raise fault(path, "is a folder", "name a file to write to")
    if not path.parent.is_dir():
        raise fault(path, "no such folder", "make it first")
    if path.exists() and not path.is_file():
        raise fault(path, "not a regular file")
    if inputs.is_dir() and path.resolve().is_relative_to(inputs.resolve()):
        raise fault(path, "lies within the folder of rows that is read", "write to another folder")
    if _same(path, inputs):
        raise fault(path, "is the file that is read", "write to another file")
    if any(_same(path, other) for other in others):
        raise fault(path, "is written twice", "decisions and refused rows need a file each")


def _same(path: Path, other: Path) -> bool:
    there = path.exists() and other.exists()
    return path.resolve() == other.resolve() or (there and path.samefile(other))


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells that a file is not what it was."""

    size: int
    changed: int
    number: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """The stamp of a file as it is now."""
        now = path.stat()
        return cls(now.st_size, now.st_mtime_ns, now.st_ino)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What goes wrong while a file is read, as a problem of that file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise fault(path, f"cannot be read: {_first_line(error)}") from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What goes wrong while a file is written, as a problem of that file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise fault(path, f"cannot be written: {_first_line(error)}") from error


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """A file beside the final one, which takes its name at the end and is removed if the end is not reached.

    INVARIANT: nothing unfinished ever stands under the final name.
    """
    final = path.resolve()
    unfinished = final.with_name(f".{final.name[:200]}.{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        yield unfinished
        with writing(path):
            unfinished.replace(final)
    finally:
        unfinished.unlink(missing_ok=True)


def _first_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error).partition("\n")[0][:200].rstrip(". ")


def same_layout(files: Sequence[Path], layouts: Sequence[pa.Schema]) -> None:
    """Refuses files of one folder that do not have the same columns in the same order."""
    first = [(field.name, field.type) for field in layouts[0]]
    for file, layout in zip(files, layouts, strict=True):
        other = [(field.name, field.type) for field in layout]
        if other != first:
            raise fault(file, f"other columns than {quoted(files[0].name)}: {_difference(first, other)}")


def _difference(first: list[tuple[str, object]], other: list[tuple[str, object]]) -> str:
    for mine, yours in zip(first, other, strict=False):
        if mine != yours:
            return f"{quoted(yours[0])} of type {yours[1]} instead of {quoted(mine[0])} of type {mine[1]}"
    return f"{len(other)} of them where {len(first)} are expected"
