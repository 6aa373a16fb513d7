"""HTTP as uvicorn speaks it, but not to those who take forever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from racl.serve.app import App
from racl.serve.faults import RequestError, overloaded
from racl.serve.replies import in_one_piece, refusal
from racl.serve.settings import Settings

HEAD = 1 << 16  # bytes of a request before its body
LOOK = 1.0  # seconds between two looks at all connections


class Protocol(HttpToolsProtocol):
    """A connection that is closed where a request does not come in, or an answer is not taken, in time.

    A request that comes in whole is answered then and there, in one piece, without a task for it.
    """

    application: App
    coming: RequestResponseCycle | None = None  # what may come in whole with what is being read
    reading = False
    settings: Settings
    began: float | None  # when the request that is coming in did
    resting: int | None = None  # looks since the last answer, while nothing comes in
    stuck: float | None = None  # since when the answer is not taken
    heading = True  # whether the head of a request is coming in
    head = 0  # bytes of it
    events = 0  # heads and requests that came in whole
    watch: asyncio.TimerHandle | None = None  # of the class: one for all connections

    @classmethod
    def of(cls, application: App) -> type[Protocol]:
        """The protocol of an application, with its limits."""
        return type(
            "LimitedProtocol",
            (cls,),
            {"application": application, "settings": application.settings, "watch": None},
        )

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or refuse it where there are too many."""
        super().connection_made(transport)
        self.began = time.monotonic()
        if type(self).watch is None:
            type(self).watch = self.loop.call_later(LOOK, self.look)
        if len(self.connections) > self.settings.max_connections:
            self.end(overloaded("too many connections"))

    def end(self, fault: RequestError) -> None:
        """Refuse without a request that could be answered, and close."""
        name = self.application.service.ids.request()
        self.transport.write(in_one_piece(refusal(fault, name), name, close=True))
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, in the shape of all other errors."""
        self.end(RequestError(400, "malformed", msg.rstrip(".").lower()))

    def data_received(self, data: bytes) -> None:
        """Note when a request begins; refuse one that never comes to its body."""
        self.resting = None
        if self.began is None:
            self.began = time.monotonic()
        before, self.reading = self.events, True
        super().data_received(data)
        self.reading = False
        if self.coming is not None:  # the rest of it is still to come
            coming, self.coming = self.coming, None
            super()._start_asgi_task(coming, self.app)
        if self.heading and self.events == before:
            self.head += len(data)
            if self.head > HEAD and not self.transport.is_closing():
                self.end(RequestError(431, "too_large", f"a head may have {HEAD:,} bytes"))

    def on_headers_complete(self) -> None:
        """Note that the head is in."""
        self.heading, self.head, self.events = False, 0, self.events + 1
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Note that the request is in."""
        self.began, self.heading, self.events = None, True, self.events + 1
        super().on_message_complete()
        if self.coming is not None:
            coming, self.coming = self.coming, None
            self.answer(coming)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Answer a request by a task of its own, unless it may yet come in whole, and the answers before it are taken."""
        if self.reading and not self.flow.write_paused and app is self.application:
            self.coming = cycle
        else:
            super()._start_asgi_task(cycle, app)

    def answer(self, cycle: RequestResponseCycle) -> None:
        """Answer a request that is in, or see to it that it is answered in time."""
        found = self.application.at_once(cycle.scope, bytes(cycle.body), close=not cycle.keep_alive)
        if isinstance(found, bytes):
            self.send(cycle, found)
            return
        task = self.loop.create_task(self.in_time(cycle, found))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    async def in_time(self, cycle: RequestResponseCycle, found: Coroutine[Any, Any, bytes]) -> None:
        """Send an answer once it is there."""
        answer = await found
        if self.flow.write_paused and not cycle.disconnected:
            await self.flow.drain()
        self.send(cycle, answer)

    def send(self, cycle: RequestResponseCycle, answer: bytes) -> None:
        """Send an answer to whoever is still there."""
        if cycle.disconnected:
            return
        cycle.response_started = cycle.response_complete = True
        self.transport.write(answer)
        if not cycle.keep_alive:
            self.transport.close()
        self.on_response_complete()

    def on_response_complete(self) -> None:
        """Note that nothing is going on; a request that came in meanwhile is next."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.resting = 0
        self.flow.resume_reading()
        if self.pipeline:
            self.resting = None
            self._start_asgi_task(*self.pipeline.pop())

    def look(self) -> None:
        """Close every connection that has been slow for too long, and look again later."""
        now = time.monotonic()
        kind = type(self)
        for one in list(self.connections):
            if isinstance(one, Protocol):
                one.hurry(now)
        kind.watch = self.loop.call_later(LOOK, self.look) if self.connections else None

    def hurry(self, now: float) -> None:
        """Close this connection if it is slow, or rests for too long."""
        if self.resting is not None:
            self.resting += 1
            if self.resting * LOOK > self.timeout_keep_alive:
                self.transport.close()
        limit = self.settings.receive_seconds - LOOK
        self.stuck = None if not self.flow.write_paused else self.stuck or now
        late = self.began is not None and now - self.began > limit
        if late or (self.stuck is not None and now - self.stuck > limit):
            self.transport.abort()
