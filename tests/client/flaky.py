"""What stands before a service and fails now and then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Flaky:
    """Refuses as often as it is told to, then lets through; keeps the bodies of all requests."""

    app: Any = None
    left: int = 0
    status: int = 503
    retry_after: str = ""
    body: bytes = b'{"error": {"code": "overloaded", "message": "too much", "field": "", "request_id": "r"}}'
    seen: list[bytes] = field(default_factory=list)

    def around(self, app: Any) -> Flaky:
        """This, before the application."""
        self.app = app
        return self

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        message = await receive()
        self.seen.append(message.get("body", b""))

        async def again() -> Any:
            return message

        if not self.left:
            await self.app(scope, again, send)
            return
        self.left -= 1
        headers = [(b"retry-after", self.retry_after.encode())] if self.retry_after else []
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})
