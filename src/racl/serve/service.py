"""What a running service holds: settings, models, counts."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import TypeVar

from racl.serve.counting import Counts
from racl.serve.faults import RequestError, overloaded
from racl.serve.keyring import Keyring
from racl.serve.registry import Registry, refresh
from racl.serve.settings import Settings
from racl.serve.store import keys
from racl.serve.store.connection import Connection
from racl.serve.store.memory import Memory

T = TypeVar("T")

ASIDE = 2  # explanations made at once

DRAWN = 6  # random bytes of an id
DRAWINGS = 512  # ids for which the system is asked once


class Ids:
    """New ids of this process: of requests, counted, and of decisions, which sort by time and cannot be guessed."""

    def __init__(self) -> None:
        self.start, self.numbers, self.drawn = secrets.token_hex(5), count(), drawn()

    def request(self) -> str:
        """The id of a request, for the log."""
        return f"{self.start}{next(self.numbers):08x}"

    def decisions(self, number: int) -> Iterator[str]:
        """The ids of so many decisions of one request."""
        start = f"{time.time_ns() // 1000:014x}{next(self.drawn)}"
        return map(start.__add__, endings(number))


def drawn() -> Iterator[str]:
    """What cannot be guessed, in hexadecimal."""
    while True:
        text = os.urandom(DRAWN * DRAWINGS).hex()
        for place in range(0, len(text), 2 * DRAWN):
            yield text[place : place + 2 * DRAWN]


@lru_cache(16)
def endings(number: int) -> tuple[str, ...]:
    """The last digits of so many ids."""
    return tuple(f"{one:06x}" for one in range(number))


@dataclass
class Service:
    """Everything that answering a request may need."""

    settings: Settings
    registry: Registry = field(default_factory=Registry)
    counts: Counts = field(default_factory=Counts)
    clock: Callable[[], float] = time.time
    memory: Memory | None = None
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)  # one change of models at a time
    studying: asyncio.Lock = field(default_factory=asyncio.Lock)  # one long look into the log at a time
    ids: Ids = field(default_factory=Ids)
    keyring: Keyring = field(init=False)
    pool: ThreadPoolExecutor = field(init=False)
    compiling: set[str] = field(default_factory=set)  # versions whose kernels are, or were tried to be
    stopping: bool = False

    def __post_init__(self) -> None:
        self.keyring = Keyring(needed=self.settings.public)
        self.pool = ThreadPoolExecutor(ASIDE, thread_name_prefix="racl-aside")

    def reasons(self) -> list[str]:
        """Why the service is not ready, if it is not."""
        found = ["shutting down"] if self.stopping else []
        if not self.registry.all():
            found.append("no model is served")
        if self.memory is not None and self.memory.writer.failed:
            found.append("the memory cannot be written")
        return found

    async def aside(self, act: Callable[[], T]) -> T:
        """The result of what may take long, beside the loop that answers; raises RequestError where it takes too long."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.settings.answer_seconds):
                return await loop.run_in_executor(self.pool, act)
        except TimeoutError:
            raise overloaded("this takes too long") from None

    def log(self) -> Memory:
        """The memory; raises RequestError where none is kept."""
        if self.memory is None:
            raise RequestError(404, "not_found", "this service keeps no log")
        return self.memory

    def catch_up(self, connection: Connection) -> None:
        """Know what was changed by others: keys, and which models decide."""
        self.keyring.take(keys.all_keys(connection))
        refresh(self.registry, connection)
