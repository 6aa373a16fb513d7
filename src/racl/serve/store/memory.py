"""The memory of a running service: one writer, a few readers, off the loop that answers."""

from __future__ import annotations

import asyncio
import logging
import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from racl.serve.faults import overloaded
from racl.serve.store.connection import Connect, Connection, StoreError
from racl.serve.store.records import Earlier, Entry
from racl.serve.store.writer import Writer

LOG = logging.getLogger("racl.serve")
T = TypeVar("T")

READERS = 2


class Memory:
    """Writes and reads for all requests of this process."""

    def __init__(self, connect: Connect, readers: Connect, *, most: int = 50_000) -> None:
        self.writer = Writer(connect, most=most)
        self.readers = readers
        self.pool = ThreadPoolExecutor(READERS, thread_name_prefix="racl-reader")
        self.free: queue.SimpleQueue[Connection] = queue.SimpleQueue()

    async def write(self, entry: Entry) -> Earlier | None:
        """Once it is on the disk: nothing, or what the same key was answered before."""
        return await self.writer.write(entry)

    async def change(self, act: Callable[[Connection], T]) -> T:
        """The result of a change that is more than a decision."""
        found: T = await self.writer.do(act)
        return found

    async def read(self, act: Callable[[Connection], T]) -> T:
        """The result of a reading."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self.pool, self.reading, act)
        except StoreError as fault:
            LOG.warning("the memory could not be read", extra={"detail": str(fault)})
            raise overloaded("the memory could not be read") from None

    def reading(self, act: Callable[[Connection], T]) -> T:
        """Read with a free connection; one that failed is not used again."""
        try:
            connection = self.free.get_nowait()
        except queue.Empty:
            connection = self.readers()
        try:
            found = act(connection)
        except BaseException:
            connection.close()
            raise
        self.free.put(connection)
        return found

    def gauges(self) -> dict[str, tuple[str, Callable[[], float]]]:
        """What is told of the memory among the counts."""
        writer = self.writer
        return {
            "racl_store_waiting": ("Decisions not on the disk yet.", lambda: writer.waiting),
            "racl_store_commits": ("Commits since the start.", lambda: writer.commits),
            "racl_store_written": ("Decisions written since the start.", lambda: writer.written),
            "racl_store_failures": ("Failed commits since the start.", lambda: writer.failures),
        }

    def close(self) -> None:
        """Write what is waiting, and let go of the database."""
        self.writer.close()
        self.pool.shutdown()
        while not self.free.empty():
            self.free.get().close()
