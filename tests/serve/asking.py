"""A service asked in process, without a socket between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cli.air import AIR, PREFERENCE
from racl.domain.files import parse_domain
from racl.model import Model
from racl.serve import opening
from racl.serve.app import App
from racl.serve.registry import HERE, first, version_from, warmed
from racl.serve.service import Service
from racl.serve.settings import Settings
from racl.serve.store.memory import Memory
from racl.serve.store.places import place_of

GOOD: dict[str, Any] = {
    "fare": 80.0, "stops": 1, "has_bag": False, "carrier": "UA", "persona": "leisure", "budget": 40.0,
    "threshold": 5.0, "needs_bag": True,
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The error, in the one shape that there is."""
        found = self.json
        assert set(found) == {"error"}
        assert set(found["error"]) == {"code", "message", "field", "request_id"}
        return dict(found["error"])


@dataclass
class Asker:
    """Asks a service."""

    service: Service
    app: App = field(init=False)
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.app = App(self.service)

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        return asyncio.run(self.ask(method, path, body, **headers))

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """The answer to one request; bytes are sent as they are, anything else as JSON."""
        sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return await self.send(method, path, [sent], **headers)

    async def send(self, method: str, path: str, parts: Iterable[bytes], **headers: str) -> Answer:
        """The answer to a request whose body comes in parts."""
        path, _, query = path.partition("?")
        given = {"host": "127.0.0.1:8000", "content-type": "application/json", **self.headers}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        left = list(parts)
        said: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0)
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

        async def send(message: dict[str, Any]) -> None:
            await asyncio.sleep(0)
            said.append(message)

        scope = {
            "type": "http", "method": method, "path": path, "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in given.items() if value],
        }  # fmt: skip
        await self.app(scope, receive, send)
        named = {name.decode(): value.decode() for name, value in said[0]["headers"]}
        return Answer(said[0]["status"], named, b"".join(one["body"] for one in said[1:]))


def air_model(**changes: Any) -> Model:
    """The small domain's model; a persona's preference may be another."""
    return Model.of(parse_domain(AIR), {**PREFERENCE, **changes})


def served(settings: Settings | None = None, model: Model | None = None) -> Service:
    """A service of one model, without a memory."""
    service = Service(settings or Settings())
    service.registry.put(HERE, first(warmed(version_from(model or air_model(), 0.0))))
    return service


@contextmanager
def remembered(store: Path | str, settings: Settings | None = None, *models: Model) -> Iterator[Asker]:
    """A service of the small domain that remembers."""
    place = place_of(str(store), new=True)
    memory = Memory(place.connect, place.readers)
    service = Service(settings or Settings(), memory=memory)
    opening.served(
        service.registry, memory, [warmed(version_from(one, 0.0)) for one in models or (air_model(),)]
    )
    try:
        yield Asker(service)
    finally:
        memory.close()
