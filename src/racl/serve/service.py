"""What a running service holds: settings, models, counts."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
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

_numbers = count()
_start = secrets.token_hex(5)


def new_request_id() -> str:
    """An id for the log: of this process, and counted."""
    return f"{_start}{next(_numbers):08x}"


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
