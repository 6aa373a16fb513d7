"""Who calls: keys by the digest of what was sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from racl.serve.gate import ANYBODY, UNKNOWN
from racl.serve.routes import Caller, Permission
from racl.serve.store.keys import Key, digest

BEARER = re.compile(rb"[Bb]earer +([A-Za-z0-9._~+/=-]{1,200})")
IMPLIED = {
    Permission.ADMIN: {Permission.ADMIN, Permission.READ, Permission.DECIDE},
    Permission.READ: {Permission.READ},
    Permission.DECIDE: {Permission.DECIDE},
}


class Keyring:
    """The keys that are known; where there never was any and nobody else can call, none is needed."""

    def __init__(self, *, needed: bool) -> None:
        self.needed = needed
        self.keys: Mapping[bytes, tuple[Key, Caller]] = {}

    def take(self, keys: Iterable[Key]) -> None:
        """Know these keys from now on."""
        self.keys = {key.digest: (key, caller_of(key)) for key in keys}
        # INVARIANT: once a key was there one is needed, even when the last one is gone
        self.needed = self.needed or bool(self.keys)

    def caller(self, authorization: bytes | None, now: float) -> Caller:
        """Who sends this header."""
        if not self.needed:
            return ANYBODY
        sent = BEARER.fullmatch(authorization or b"")
        found = self.keys.get(digest(sent[1].decode())) if sent else None
        return found[1] if found is not None and found[0].holds(now) else UNKNOWN


def caller_of(key: Key) -> Caller:
    """Who a key stands for."""
    may = {Permission.OPEN}.union(*(IMPLIED[Permission(scope)] for scope in key.scopes))
    return Caller(key.tenant, key.id, frozenset(may))
