"""The ASGI application: every request through the gate, to its route, and back in one shape."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.routing import Route as StarletteRoute
from starlette.routing import Router

from racl.errors import RaclError
from racl.serve.bodies import read_body, typed
from racl.serve.faults import RequestError, invalid, not_found, overloaded
from racl.serve.gate import Intake, check_body, check_host, check_permission
from racl.serve.page_files import page_reply
from racl.serve.registry import HERE
from racl.serve.routes import Call, Permission, Reply, Route
from racl.serve.service import Service, new_request_id
from racl.serve.store.memory import Memory
from racl.serve.table import ROUTES

Scope = Any
Receive = Any
Send = Any

OWN_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
PART = re.compile(r"[A-Za-z0-9._@-]{1,128}")
PAGE = Route("GET", "/", Permission.OPEN, "The page", page_reply, limited=False)
COMMON = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]
ENCODER = msgspec.json.Encoder()
LOOK = 1.0  # seconds between two looks at what others have changed
LOG = logging.getLogger("racl.serve")


class App:
    """The service as an ASGI application."""

    def __init__(self, service: Service, routes: Iterable[Route] = ROUTES) -> None:
        self.service = service
        self.intake = Intake(service.settings)
        self.working = 0
        self.paths: dict[str, dict[str, Route]] = {}
        for route in routes:
            self.paths.setdefault(route.path, {})[route.method] = route
        varying = [StarletteRoute(path, self.found, name=path) for path in self.paths if "{" in path]
        self.router = Router(varying, redirect_slashes=False)
        service.counts.gauges["racl_working"] = ("Requests being answered.", lambda: self.working)

    def found(self) -> None:
        """Stands in the router for whatever answers a path."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await lifespan(self.service, receive, send)
            return
        if scope["type"] != "http":
            return
        start = time.perf_counter()
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id")
        request_id = given.decode() if given and OWN_ID.fullmatch(given) else new_request_id()
        name = "none"
        try:
            methods, path = self.match(scope["path"])
            route = self.method(methods, scope["method"])
            name = route.path
            reply = await self.answer(route, path, scope, headers, receive, request_id)
        except RequestError as fault:
            reply = Reply(fault.body(request_id), fault.status, headers=fault.headers)
        except ConnectionError:
            return
        except Exception:
            LOG.exception("request failed", extra={"request_id": request_id})
            failed = overloaded("the service could not answer")
            reply = Reply(failed.body(request_id), 503, headers=failed.headers)
        await send_reply(reply, request_id, send, head=scope["method"] == "HEAD")
        self.finished(scope, name, reply.status, request_id, time.perf_counter() - start)

    def finished(self, scope: Scope, name: str, status: int, request_id: str, seconds: float) -> None:
        """Count a request, and log it where it failed or all are logged."""
        self.service.counts.answered(name, status, seconds)
        if status >= 400 or self.service.settings.access_log:  # noqa: PLR2004 - the first status of a fault
            told = {
                "method": scope["method"],
                "path": scope["path"],
                "status": status,
                "ms": round(seconds * 1e3, 3),
            }
            LOG.info("request", extra={"request_id": request_id, **told})

    def match(self, path: str) -> tuple[Mapping[str, Route], Mapping[str, str]]:
        """The methods of a path, and what its variable parts are."""
        exact = self.paths.get(path)
        if exact is not None and "{" not in path:
            return exact, {}
        for candidate in self.router.routes:
            if isinstance(candidate, StarletteRoute) and (found := candidate.path_regex.match(path)):
                parts = found.groupdict()
                if all(PART.fullmatch(part) for part in parts.values()):
                    return self.paths[candidate.path], parts
        if path == "/":
            return {"GET": PAGE}, {"file": "index.html"}
        if path.startswith("/page/"):
            return {"GET": PAGE}, {"file": path.removeprefix("/page/")}
        raise not_found("path")

    def method(self, methods: Mapping[str, Route], method: str) -> Route:
        """The route of a method."""
        found = methods.get("GET" if method == "HEAD" else method)
        if found is None:
            allowed = ", ".join(methods)
            raise RequestError(
                405, "method_not_allowed", f"the path has {allowed}", headers={"allow": allowed}
            )
        return found

    async def answer(
        self,
        route: Route,
        path: Mapping[str, str],
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        request_id: str,
    ) -> Reply:
        """The answer of a route to whoever may have it."""
        service = self.service
        check_host(service.settings, headers)
        caller = service.keyring.caller(headers.get(b"authorization"), service.clock())
        check_permission(route, caller)
        if route.home and caller.tenant not in (HERE, ""):
            raise not_found("path")
        if not route.limited:
            return reply_of(await route.handle(service, Call(caller, request_id, path)))
        query = typed(parsed(scope["query_string"]), route.asks, strict=False) if route.asks else None
        data = b""
        if route.takes is not None or route.raw:
            check_body(service.settings, headers)
            data = await self.intake.body(receive)
        if self.working >= service.settings.max_working:
            raise overloaded("too many requests at once")
        self.working += 1
        try:
            body: Any = data if route.raw else read_body(data, route.takes) if route.takes else None
            return reply_of(
                await route.handle(service, Call(caller, request_id, path, body, query, route.path))
            )
        finally:
            self.working -= 1


def parsed(query: bytes) -> dict[str, str]:
    """What follows the question mark; empty values count as not given."""
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, max_num_fields=50, errors="strict")
    except ValueError:
        raise invalid("the query cannot be read", "/query", "malformed") from None
    found: dict[str, str] = {}
    for name, value in pairs:
        if name in found:
            raise invalid("given twice", f"/query/{name}", "duplicate")
        if "\0" in value:
            raise invalid("text with a NUL", f"/query/{name}", "malformed")
        if value:
            found[name] = value
    return found


def reply_of(answer: Any) -> Reply:
    """What a handler gave, as it is sent."""
    return answer if answer.__class__ is Reply else Reply(ENCODER.encode(answer))


async def send_reply(reply: Reply, request_id: str, send: Send, *, head: bool) -> None:
    """Send an answer; after a fault of the body the connection ends, since the rest of it was not read."""
    headers = [
        (b"content-type", reply.media.encode()),
        (b"content-length", str(len(reply.body)).encode()),
        (b"x-request-id", request_id.encode()),
        *COMMON,
        *((name.encode(), value.encode()) for name, value in reply.headers.items()),
    ]
    if reply.status in (408, 413, 415, 503):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head else reply.body})


async def lifespan(service: Service, receive: Receive, send: Send) -> None:
    """Starts and ends with the server; meanwhile, looks what others have changed."""
    watching: asyncio.Task[None] | None = None
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup" and service.memory is not None:
            watching = asyncio.create_task(watch(service, service.memory))
        elif message["type"] == "lifespan.shutdown" and watching is not None:
            watching.cancel()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def watch(service: Service, memory: Memory) -> None:
    """Look again and again."""
    while True:
        await asyncio.sleep(LOOK)
        try:
            await memory.writer.probe()
            async with service.changing:
                await memory.read(service.catch_up)
        except (RequestError, RaclError) as fault:
            LOG.warning("cannot look at the memory", extra={"detail": str(fault)})
