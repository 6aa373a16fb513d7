"""What makes a log verifiable: a salted digest for each column of a record, and a link from each record to the next.

A masked column keeps its digest alone, so that the link still holds and the value cannot be guessed from it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

SALT = 16  # bytes
START = bytes(32)
MASK = "masked"
ENCODER = msgspec.json.Encoder()

digest = hashlib.blake2s  # a third of the time of SHA-256 on what is so short


def salts(count: int) -> bytes:
    """Fresh salts for so many columns."""
    return os.urandom(SALT * count)


def column_digest(salt: bytes, name: str, value: Any) -> bytes:
    """The digest of one column; of a masked one, what is left of it."""
    if value.__class__ is dict:
        return bytes.fromhex(value[MASK])
    return digest(salt + name.encode() + b"\0" + ENCODER.encode(value)).digest()


def leaf(record: Sequence[Any], columns: Mapping[str, Any], salted: bytes) -> bytes:
    """The digest of a record: of what it says about itself, and of its columns in their order."""
    encode, parts, place = ENCODER.encode, [digest(ENCODER.encode(record)).digest()], 0
    for name, value in columns.items():
        if value.__class__ is dict:
            parts.append(bytes.fromhex(value[MASK]))
        else:
            salt = salted[place : place + SALT]
            parts.append(digest(b"%b%b\0%b" % (salt, name.encode(), encode(value))).digest())
        place += SALT
    return digest(b"".join(parts)).digest()


def linked(before: bytes, found: bytes) -> bytes:
    """The link of a record to the one before."""
    return digest(before + found).digest()


def masked(columns: Mapping[str, Any], salted: bytes, hide: frozenset[str]) -> tuple[dict[str, Any], bytes]:
    """The columns and salts with some columns hidden for good."""
    kept, left = {}, bytearray(salted)
    for number, (name, value) in enumerate(columns.items()):
        place = slice(number * SALT, (number + 1) * SALT)
        kept[name] = value
        if name in hide and value.__class__ is not dict:
            kept[name] = {MASK: column_digest(salted[place], name, value).hex()}
            left[place] = bytes(SALT)
    return kept, bytes(left)


def signature(secret: bytes, chain: str, seq: int, link: bytes, at: int, *, pruned: bool) -> bytes:
    """The signature of a checkpoint: whoever has the secret vouches for all records up to it."""
    said = ENCODER.encode([chain, seq, link.hex(), at, pruned])
    return hmac.new(secret, said, "sha256").digest()
