"""HTTP as uvicorn speaks it, but not to those who take forever."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from racl.serve.faults import overloaded
from racl.serve.settings import Settings

LOOK = 1.0  # seconds between two looks at all connections


class Protocol(HttpToolsProtocol):
    """A connection that is closed where a request does not come in, or an answer is not taken, in time."""

    settings = Settings()
    began: float | None  # when the request that is coming in did
    stuck: float | None = None  # since when the answer is not taken
    watch: asyncio.TimerHandle | None = None  # of the class: one for all connections

    @classmethod
    def of(cls, settings: Settings) -> type[Protocol]:
        """The protocol with its limits."""
        return type("LimitedProtocol", (cls,), {"settings": settings, "watch": None})

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or refuse it where there are too many."""
        super().connection_made(transport)
        self.began = time.monotonic()
        if type(self).watch is None:
            type(self).watch = self.loop.call_later(LOOK, self.look)
        if len(self.connections) > self.settings.max_connections:
            fault = overloaded("too many connections")
            body = fault.body("")
            transport.write(
                b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
                b"connection: close\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
            )
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Note when a request begins."""
        if self.began is None:
            self.began = time.monotonic()
        super().data_received(data)

    def on_message_complete(self) -> None:
        """Note that the request is in."""
        self.began = None
        super().on_message_complete()

    def look(self) -> None:
        """Close every connection that has been slow for too long, and look again later."""
        now = time.monotonic()
        kind = type(self)
        for one in list(self.connections):
            if isinstance(one, Protocol):
                one.hurry(now)
        kind.watch = self.loop.call_later(LOOK, self.look) if self.connections else None

    def hurry(self, now: float) -> None:
        """Close this connection if it is slow."""
        limit = self.settings.receive_seconds - LOOK
        self.stuck = None if not self.flow.write_paused else self.stuck or now
        late = self.began is not None and now - self.began > limit
        if late or (self.stuck is not None and now - self.stuck > limit):
            self.transport.abort()
