"""The text of a file, read without hanging and without reading more than was agreed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from racl.errors import DomainError, ModelError, Problem, RaclError

DOMAIN_LIMIT = 1 << 20
MODEL_LIMIT = 64 << 20

OPENED = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

EXPECTED = {DomainError: "a domain is one TOML file", ModelError: "a model is one JSON file"}

NOT_FILES = {
    stat.S_IFDIR: "a folder, not a file",
    stat.S_IFIFO: "a pipe, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
}

FORMATS = (
    (b"\x80\x02", "a pickle"),
    (b"\x80\x03", "a pickle"),
    (b"\x80\x04", "a pickle"),
    (b"\x80\x05", "a pickle"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "a zip archive"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89HDF", "an HDF5 file"),
    (b"PAR1", "a Parquet file"),
)

MARKS = (
    (b"\xef\xbb\xbf", "starts with a byte order mark", "save it as UTF-8 without one"),
    (b"\xff\xfe\x00\x00", "UTF-32, not UTF-8", "save it as UTF-8"),
    (b"\x00\x00\xfe\xff", "UTF-32, not UTF-8", "save it as UTF-8"),
    (b"\xff\xfe", "UTF-16, not UTF-8", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16, not UTF-8", "save it as UTF-8"),
)


def read_text(
    path: str | os.PathLike[str], *, limit: int = DOMAIN_LIMIT, error: type[RaclError] = DomainError
) -> str:
    """The text of one file of at most so many bytes; raises the given error with the reason otherwise."""
    found: str | Problem
    try:
        data = _bytes(path, limit)
        found = data if isinstance(data, Problem) else decoded(data, limit, EXPECTED.get(error, ""))
    except FileNotFoundError:
        found = Problem("", "no such file")
    except PermissionError:
        found = Problem("", "may not be read", "check the file's permissions")
    except OSError as fault:
        found = Problem("", f"cannot be read: {(fault.strerror or 'input/output error').lower()}")
    except ValueError:
        found = Problem("", "not the name of a file")
    if isinstance(found, str):
        return found
    raise error([found.at(os.fspath(path), found.line)])


def _bytes(path: str | os.PathLike[str], limit: int) -> bytes | Problem:
    """At most one byte more than the limit, out of an ordinary file only."""
    before = _refused(Path(path).stat(), limit)
    if before is not None:
        return before
    handle = os.open(path, OPENED)
    try:
        # INVARIANT: what was looked at is what is read, even if the name was given to another file meanwhile.
        return _refused(os.fstat(handle), limit) or _read(handle, limit + 1)
    finally:
        os.close(handle)


def _refused(status: os.stat_result, limit: int) -> Problem | None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        return Problem("", NOT_FILES.get(kind, "not an ordinary file"))
    return _too_large(limit) if status.st_size > limit else None


def _too_large(limit: int) -> Problem:
    size = f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit:,} bytes"
    return Problem("", f"larger than {size}")


def _read(handle: int, size: int) -> bytes:
    parts = []
    while size > 0 and (part := os.read(handle, min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def decoded(data: bytes, limit: int, expected: str = "") -> str | Problem:
    """Bytes as text, or why they are none."""
    found = _not_text(data, limit, expected)
    if found is not None:
        return found
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        what = f"byte {data[fault.start]:#04x} is not UTF-8"
        return Problem("", what, "save it as UTF-8", line=line)


def _not_text(data: bytes, limit: int, expected: str) -> Problem | None:
    if not data:
        return Problem("", "the file is empty", expected)
    if len(data) > limit:
        return _too_large(limit)
    for start, what in FORMATS:
        if data.startswith(start):
            return Problem("", what, expected)
    for start, what, hint in MARKS:
        if data.startswith(start):
            return Problem("", what, hint)
    if b"\x00" in data:
        line = data.count(b"\n", 0, data.index(b"\x00")) + 1
        return Problem("", "holds a NUL byte", "save it as UTF-8", line=line)
    return None
