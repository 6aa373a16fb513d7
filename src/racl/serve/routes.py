"""A route: where, who may call, what it takes and gives."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from racl.serve.service import Service


class Permission(StrEnum):
    """What a caller must be allowed; `open` needs no key."""

    OPEN = "open"
    DECIDE = "decide"
    READ = "read"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose request it is, and what they may do."""

    tenant: str
    key: str  # the public part of the key, empty where none is needed
    may: frozenset[Permission]


@dataclass(slots=True)
class Call:
    """A request that was let in and read."""

    caller: Caller
    request_id: str
    path: Mapping[str, str]
    body: Any = None
    query: Any = None
    route: str = ""

    @property
    def decision_id(self) -> str:
        """A new id for the first decision of the request: it sorts by time and cannot be guessed."""
        return f"{time.time_ns() // 1000:014x}{secrets.token_hex(6)}000000"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that is not JSON, or not a plain 200."""

    body: bytes
    status: int = 200
    media: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[["Service", Call], Awaitable[Any]]


@dataclass(frozen=True)
class Route:
    """One method of one path."""

    method: str
    path: str
    permission: Permission
    summary: str
    handle: Handler
    takes: type | None = None
    asks: type | None = None  # the query
    gives: type | None = None
    media: str = "application/json"
    example: Any = None
    answer: Any = None  # an example of what it gives
    status: tuple[int, ...] = (200,)
    faults: tuple[int, ...] = ()
    raw: bool = False  # takes a body of JSON as it is
    limited: bool = True  # whether it counts as work
    home: bool = False  # about the whole service: for keys of the tenant that it belongs to
