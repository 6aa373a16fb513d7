"""API keys: shown once, kept as a digest, of one tenant, for some things, until some moment."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from racl.serve.store.connection import Connection

START = "racl"


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of a key; the key itself is not."""

    id: str
    digest: bytes
    tenant: str
    scopes: tuple[str, ...]
    label: str
    at: int
    expires: int | None  # microseconds

    def holds(self, now: float) -> bool:
        """Whether the key is still good."""
        return self.expires is None or now * 1e6 < self.expires


def digest(token: str) -> bytes:
    """What is kept of a key: it holds 256 random bits, so that a plain hash cannot be turned back."""
    return hashlib.sha256(token.encode()).digest()


def made(
    tenant: str, scopes: Iterable[str], label: str, now: float, expires: float | None
) -> tuple[Key, str]:
    """A new key, and the text that whoever calls must send."""
    name = secrets.token_hex(4)
    token = f"{START}_{name}_{secrets.token_urlsafe(32)}"
    until = None if expires is None else int(expires * 1e6)
    return Key(name, digest(token), tenant, tuple(scopes), label, int(now * 1e6), until), token


def add(connection: Connection, key: Key) -> None:
    """Keep a key."""
    with connection.writing():
        connection.run(
            "INSERT INTO keys (id, digest, tenant, scopes, label, at, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (key.id, key.digest, key.tenant, " ".join(key.scopes), key.label, key.at, key.expires),
        )


def all_keys(connection: Connection) -> list[Key]:
    """Every key, the first one first, those that no longer hold too."""
    rows = connection.run("SELECT id, digest, tenant, scopes, label, at, expires FROM keys ORDER BY at, id")
    return [Key(row[0], bytes(row[1]), row[2], tuple(row[3].split()), row[4], row[5], row[6]) for row in rows]


def end(connection: Connection, name: str, at: float) -> bool:
    """Let a key hold until then and no longer; whether there is such a key."""
    with connection.writing():
        found = connection.run(
            "UPDATE keys SET expires = ? WHERE id = ? AND (expires IS NULL OR expires > ?) RETURNING id",
            (int(at * 1e6), name, int(at * 1e6)),
        )
        return bool(found) or bool(connection.run("SELECT 1 FROM keys WHERE id = ?", (name,)))


def successor(key: Key, now: float) -> tuple[Key, str]:
    """A new key that may do what another may, for as long."""
    length = None if key.expires is None else now + (key.expires - key.at) / 1e6
    found, token = made(key.tenant, key.scopes, key.label, now, length)
    return found, token
