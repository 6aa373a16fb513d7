"""Where a memory is kept: a file, or a server."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from racl.errors import DataError, Problem, quoted
from racl.serve.store import sqlite
from racl.serve.store.connection import Connect

SCHEMES = ("postgresql://", "postgres://")


@dataclass(frozen=True)
class Place:
    """How a memory is opened."""

    connect: Connect
    readers: Connect


def place_of(store: str, *, new: bool = False) -> Place:
    """How the memory of that name is opened; where it must be there already, it is not made."""
    if store.startswith(SCHEMES):
        from racl.serve.store import postgres

        return Place(postgres.connect(store), postgres.readers(store))
    if "://" in store:
        scheme = store.partition("://")[0]
        raise DataError(
            [Problem("", f"no memory is kept in {quoted(scheme)}", "a file, or postgresql://...")]
        )
    if not new and not Path(store).is_file():
        raise DataError([Problem("", "no such file", "`racl serve --store` makes one", file=store)])
    return Place(sqlite.connect(store), sqlite.readers(store))


def secret_of(store: str, *, new: bool = False) -> bytes | None:
    """The secret that signs checkpoints: of the environment, or of the file beside the store."""
    said = os.environ.get("RACL_LOG_SECRET")
    if said:
        return said.encode()
    if store.startswith(SCHEMES):
        if not new:
            return None
        raise DataError([Problem("", "nothing to sign with", "RACL_LOG_SECRET in the environment")])
    path = Path(f"{store}.secret")
    if path.is_file():
        return path.read_bytes()
    if not new:
        return None
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_hex(32).encode())
    return path.read_bytes()
