"""A route: where, who may call, what it takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from msgspec import Struct

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


class Call(Struct):
    """A request that was let in and read."""

    caller: Caller
    request_id: str
    path: Mapping[str, str]
    body: Any = None
    query: Any = None
    route: str = ""


Handler = Callable[["Service", Call], Any]  # an answer, or the promise of one


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

    @property
    def reads(self) -> bool:
        """Whether it has a body."""
        return self.raw or self.takes is not None
