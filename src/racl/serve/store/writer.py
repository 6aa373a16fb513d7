"""The one writer: a thread that takes whatever has come in meanwhile and commits it at once."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from racl.serve.faults import RequestError, overloaded
from racl.serve.store.connection import Connect, Connection, StoreError
from racl.serve.store.records import Earlier, Entry, write

LOG = logging.getLogger("racl.serve")
ROWS = 20_000  # decisions of one commit
PAUSE = 0.2  # seconds after a failure, before the database is opened again


@dataclass(slots=True)
class Waiting:
    """A request that waits until what it leaves is on the disk."""

    entry: Entry
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Earlier | None]


@dataclass(slots=True)
class Job:
    """Something else to be done by the writer, between two commits."""

    act: Callable[[Connection], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]


class Writer:
    """Writes for all requests of this process."""

    def __init__(self, connect: Connect, *, most: int) -> None:
        self.connect, self.most = connect, most
        self.queue: queue.SimpleQueue[Waiting | Job | None] = queue.SimpleQueue()
        self.waiting = 0  # decisions that are not on the disk yet
        self.commits = self.written = self.failures = 0
        self.failed = ""
        self.thread = threading.Thread(target=self.work, name="racl-writer", daemon=True)
        self.thread.start()

    async def write(self, entry: Entry) -> Earlier | None:
        """Once it is on the disk: nothing, or what the same key was answered before."""
        if self.waiting >= self.most:
            raise overloaded("the memory does not keep up")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Earlier | None] = loop.create_future()
        count = len(entry.records)
        self.waiting += count
        self.queue.put(Waiting(entry, loop, future))
        try:
            return await future
        except StoreError:
            raise overloaded("the decision could not be stored") from None
        finally:
            self.waiting -= count

    async def do(self, act: Callable[[Connection], Any]) -> Any:
        """The result of something that needs the writer's connection."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self.queue.put(Job(act, loop, future))
        try:
            return await future
        except StoreError:
            raise overloaded("the memory could not be written") from None

    async def probe(self) -> None:
        """Try again to write, where it failed before; whoever waits for readiness sends nothing meanwhile."""
        if self.failed:
            await self.do(nothing)

    def close(self) -> None:
        """Write what is waiting, and end."""
        self.queue.put(None)
        self.thread.join(30)

    # in the thread -------------------------------------------------------------------------------

    def work(self) -> None:
        """Take, write, answer, until told to end."""
        connection: Connection | None = None
        while (batch := self.taken()) is not None:
            try:
                connection = connection or self.connect()
                self.perform(connection, batch)
            except RequestError as fault:
                settle([(one, fault) for one in batch])
            except Exception as fault:  # noqa: BLE001 - whatever the database raises, those who wait are told
                self.failed = str(fault) or type(fault).__name__
                self.failures += 1
                LOG.warning("the memory could not be written", extra={"detail": self.failed})
                settle(
                    [
                        (one, fault if isinstance(fault, StoreError) else StoreError(self.failed))
                        for one in batch
                    ]
                )
                abandoned(connection)
                connection = None
                time.sleep(PAUSE)
        abandoned(connection)

    def taken(self) -> list[Waiting | Job] | None:
        """What has come in: at least one thing, and a job by itself."""
        first = self.queue.get()
        if first is None or isinstance(first, Job):
            return None if first is None else [first]
        found: list[Waiting | Job] = [first]
        rows = len(first.entry.records)
        while rows < ROWS:
            try:
                one = self.queue.get_nowait()
            except queue.Empty:
                break
            if not isinstance(one, Waiting):
                self.queue.put(one)  # a job may wait for those who came before and after
                break
            found.append(one)
            rows += len(one.entry.records)
        return found

    def perform(self, connection: Connection, batch: Sequence[Waiting | Job]) -> None:
        """Write a batch, or do a job, and tell those who wait."""
        (first, *_) = batch
        if isinstance(first, Job):
            found = first.act(connection)
            self.failed = ""
            settle([(first, found)])
            return
        entries = [one.entry for one in batch if isinstance(one, Waiting)]
        earlier = write(connection, entries)
        self.failed = ""
        self.commits += 1
        self.written += sum(len(one.records) for one in entries)
        settle(list(zip(batch, earlier, strict=True)))


def nothing(connection: Connection) -> None:
    """Write nothing, but in earnest."""
    with connection.writing():
        connection.run("UPDATE heads SET seq = seq WHERE chain = 'decisions'")


def abandoned(connection: Connection | None) -> None:
    """Let go of a connection, whatever state it is in."""
    if connection is not None:
        with suppress(Exception):
            connection.close()


def settle(results: Sequence[tuple[Waiting | Job, Any]]) -> None:
    """Tell those who wait, each in its own loop, all of a loop in one go."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
    for one, result in results:
        by_loop.setdefault(one.loop, []).append((one.future, result))
    for loop, pairs in by_loop.items():
        try:
            loop.call_soon_threadsafe(tell, pairs)
        except RuntimeError:  # the loop is closed: nobody waits any more
            continue


def tell(pairs: Sequence[tuple[asyncio.Future[Any], Any]]) -> None:
    """Give every future its result."""
    for future, result in pairs:
        if future.done():
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
