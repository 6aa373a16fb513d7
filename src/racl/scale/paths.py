"""Which files hold the rows, and where the answer may go."""

from __future__ import annotations

import glob
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
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
WILD = "*?["
PASSED_OVER = (".", "_")  # how the names of files begin that are not rows: `_SUCCESS`, `.part.crc`


def fault(path: Path, what: str, hint: str = "") -> DataError:
    """The error of one file."""
    return DataError([Problem("", what, hint, file=str(path))])


def format_of(path: Path) -> Format:
    """The format that a file's suffix names, beneath that of its compression."""
    suffix = path.suffix.lower()
    inner = Path(path.stem).suffix.lower() if suffix in COMPRESSIONS else suffix
    if suffix in COMPRESSIONS and SUFFIXES.get(inner) is Format.PARQUET:
        raise fault(path, "Parquet within another compression", "Parquet compresses its own pages")
    if inner not in SUFFIXES:
        hint = nearest(inner, SUFFIXES) if inner else ""
        raise fault(path, f"unknown suffix {quoted(inner or path.suffix)}", hint or KNOWN)
    return SUFFIXES[inner]


KNOWN = f"one of {', '.join(SUFFIXES)}; text also with {' or '.join(COMPRESSIONS)} behind it"


def compression_of(path: Path) -> str | None:
    """How a file of text is compressed, if it is."""
    return COMPRESSIONS.get(path.suffix.lower())


def input_files(path: Path) -> tuple[Path, ...]:
    """The files of a path: itself, what its folder holds, or what fits its pattern, by name."""
    if path.is_dir():
        return _alike(_folder_files(path))
    if not path.exists():
        if any(sign in str(path) for sign in WILD):
            return _alike(_fitting(path))
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


def _fitting(pattern: Path) -> list[Path]:
    """The files that fit a pattern, and those of the folders that do."""
    found = [Path(name) for name in sorted(glob.glob(str(pattern), recursive=True))]  # noqa: PTH207 - of absolute patterns, too
    files = [file for one in found for file in (_folder_files(one) if one.is_dir() else [one])]
    if not files:
        raise fault(pattern, "no file fits this pattern")
    return list(dict.fromkeys(files))


def _folder_files(folder: Path) -> list[Path]:
    """The files of a folder, and of folders in it that are named `column=value`."""
    inside = sorted(one for one in folder.iterdir() if not one.name.startswith(PASSED_OVER))
    if not inside:
        hint = f"it should hold files that end in {', '.join(SUFFIXES)}"
        raise fault(folder, "a folder without rows", hint)
    files: list[Path] = []
    for one in inside:
        if one.is_dir() and "=" in one.name:
            files += _folder_files(one)
        elif one.is_file():
            files.append(one)
        else:
            hint = "a folder of rows holds files, or folders named `column=value`"
            raise fault(one, "not a regular file", hint)
    return files


def _alike(files: Sequence[Path]) -> tuple[Path, ...]:
    for file in files:
        if not file.is_file():
            raise fault(file, "not a regular file")
        if format_of(file) is not format_of(files[0]):
            raise fault(
                file, f"another format than {quoted(files[0].name)}", "a folder of rows holds one format"
            )
    return tuple(files)


def check_output(path: Path, inputs: Path, files: Sequence[Path], *others: Path) -> None:
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
    if any(_same(path, file) for file in (inputs, *files)):
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
