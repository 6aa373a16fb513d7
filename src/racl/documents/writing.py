"""A file that is there whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from racl.errors import DataError, Problem

CREATED = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Put the text under the name in one step; whatever stood there stays until then."""
    name = os.fspath(path)
    try:
        _replace(name, text.encode("utf-8"))
    except UnicodeEncodeError as fault:
        raise _unwritten(name, "the text holds half of a character pair, which no file can") from fault
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise _unwritten(name, "no such folder", "make the folder first") from fault
    except PermissionError as fault:
        raise _unwritten(name, "the folder may not be written to") from fault
    except OSError as fault:
        reason = (fault.strerror or "input/output error").lower()
        raise _unwritten(name, f"cannot be written: {reason}") from fault
    except ValueError as fault:
        raise _unwritten(name, "not the name of a file") from fault


def _unwritten(name: str, what: str, hint: str = "") -> DataError:
    return DataError([Problem("", what, hint, file=name)])


def _replace(name: str, data: bytes) -> None:
    target = Path(os.path.realpath(name))
    mode = _mode(name, target)
    beside = target.parent / f".racl-{secrets.token_hex(8)}.tmp"
    try:
        _write(beside, data, mode)
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    settle_folder(target.parent)


def _mode(name: str, target: Path) -> int | None:
    """The permissions of the file that is replaced, if any; whatever is no ordinary file is left alone."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise _unwritten(name, "a folder, not a file", "name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise _unwritten(name, "not an ordinary file")
    return stat.S_IMODE(status.st_mode)


def _write(path: Path, data: bytes, mode: int | None) -> None:
    with os.fdopen(os.open(path, CREATED, 0o666), "wb") as file:
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def settle_folder(folder: Path) -> None:
    """Make a new name in a folder last, where a folder can be flushed."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
