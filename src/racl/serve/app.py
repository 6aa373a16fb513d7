"""The ASGI application: every request through the gate, to its route, and back in one shape."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import time
from collections.abc import Awaitable, Coroutine, Iterable, Mapping
from types import CoroutineType
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.routing import Route as StarletteRoute
from starlette.routing import Router

from racl.errors import RaclError
from racl.serve.bodies import read_body, typed
from racl.serve.faults import RequestError, invalid, not_found, overloaded
from racl.serve.gate import UNKNOWN, Intake, check_body, check_host, check_permission, names_of, too_large
from racl.serve.page_files import page_reply
from racl.serve.registry import HERE
from racl.serve.replies import Reply, in_one_piece, refusal, reply_of, send_reply
from racl.serve.routes import Call, Caller, Permission, Route
from racl.serve.service import Service
from racl.serve.store.memory import Memory
from racl.serve.table import ROUTES

Scope = Any
Receive = Any
Send = Any
Promise = Coroutine[Any, Any, Reply]

OWN_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
PART = re.compile(r"[A-Za-z0-9._@-]{1,128}")
PAGE = Route("GET", "/", Permission.OPEN, "The page", page_reply, limited=False)
NOWHERE: Mapping[str, str] = {}
UNREAD = (408, 413, 415, 503)  # faults of a body that is left unread: the connection ends
PAUSE = 0.1  # seconds until a request too many is refused, at least; at most twice that
SAID = 1.0  # seconds between two lines of the log about overload
LOOK = 1.0  # seconds between two looks at what others have changed
LOG = logging.getLogger("racl.serve")


class Visit(msgspec.Struct):
    """A request on its way through the service."""

    scope: Scope
    headers: Mapping[bytes, bytes]
    id: str
    began: float
    route: Route | None = None
    path: Mapping[str, str] = NOWHERE
    caller: Caller = UNKNOWN

    @property
    def head(self) -> bool:
        """Whether the answer is wanted without its body."""
        return bool(self.scope["method"] == "HEAD")


class App:
    """The service as an ASGI application, and as what answers a request that came in whole."""

    def __init__(self, service: Service, routes: Iterable[Route] = ROUTES) -> None:
        self.service, self.settings = service, service.settings
        self.intake, self.names = Intake(service.settings), names_of(service.settings)
        self.working = 0
        self.refused, self.said = 0, 0.0  # for overload since that was last said, and when that was
        self.paths: dict[str, dict[str, Route]] = {}
        for route in routes:
            self.paths.setdefault(route.path, {})[route.method] = route
        varying = [StarletteRoute(path, self.found, name=path) for path in self.paths if "{" in path]
        self.router = Router(varying, redirect_slashes=False)
        service.counts.gauges["racl_working"] = ("Requests being answered.", lambda: self.working)

    def found(self) -> None:
        """Stands in the router for whatever answers a path."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before its body is read."""
        if scope["type"] == "lifespan":
            await lifespan(self.service, receive, send)
            return
        if scope["type"] != "http":
            return
        visit = self.visit(scope)
        try:
            route = self.let_in(visit)
            data = await self.intake.body(receive) if route.reads else b""
        except ConnectionError:
            return
        except RequestError as fault:
            reply = self.finished(visit, refusal(fault, visit.id))
            await send_reply(reply, visit.id, send, head=visit.head, close=reply.status in UNREAD)
            return
        answer = self.answer(visit, data)
        reply = answer if isinstance(answer, Reply) else await answer
        await send_reply(reply, visit.id, send, head=visit.head)

    def at_once(self, scope: Scope, data: bytes, *, close: bool) -> bytes | Coroutine[Any, Any, bytes]:
        """The answer to a request that is in as a whole, as the bytes of HTTP, or the promise of it."""
        visit = self.visit(scope)
        try:
            self.let_in(visit)
            if len(data) > self.settings.max_body:
                raise too_large(self.settings)
        except RequestError as fault:
            reply = self.finished(visit, refusal(fault, visit.id))
            return in_one_piece(reply, visit.id, head=visit.head, close=close)
        answer = self.answer(visit, data)
        if isinstance(answer, Reply):
            return in_one_piece(answer, visit.id, head=visit.head, close=close)
        return self.in_time(visit, answer, close=close)

    async def in_time(self, visit: Visit, answer: Promise, *, close: bool) -> bytes:
        """The bytes of an answer, once it is there."""
        return in_one_piece(await answer, visit.id, head=visit.head, close=close)

    def visit(self, scope: Scope) -> Visit:
        """A request that has come to the door."""
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id")
        name = given.decode() if given and OWN_ID.fullmatch(given) else self.service.ids.request()
        return Visit(scope, headers, name, time.perf_counter())

    def let_in(self, visit: Visit) -> Route:
        """The route of a request that may have it; raises RequestError."""
        service, scope, headers = self.service, visit.scope, visit.headers
        methods, visit.path = self.match(scope["path"])
        visit.route = route = self.method(methods, scope["method"])
        check_host(self.names, headers)
        visit.caller = caller = service.keyring.caller(headers.get(b"authorization"), service.clock())
        check_permission(route, caller)
        if route.home and caller.tenant not in (HERE, ""):
            raise not_found("path")
        if route.reads:
            check_body(self.settings, headers)
        return route

    def answer(self, visit: Visit, data: bytes) -> Reply | Promise:
        """The answer to a request that was let in, or the promise of it."""
        if self.working >= self.settings.max_working and (visit.route is None or visit.route.limited):
            return self.put_off(visit)
        try:
            found = self.handled(visit, data)
        except Exception as fault:  # noqa: BLE001 - whatever goes wrong is answered
            return self.finished(visit, refusal(fault, visit.id))
        if found.__class__ is CoroutineType:
            self.working += 1
            return self.promised(visit, found)
        return self.finished(visit, reply_of(found))

    def handled(self, visit: Visit, data: bytes) -> Any:
        """What the route's handler gives."""
        service, route = self.service, visit.route
        if route is None:
            raise TypeError("a request without a route was not let in")
        call = Call(visit.caller, visit.id, visit.path, route=route.path)
        if route.limited:
            if route.asks:
                call.query = typed(parsed(visit.scope["query_string"]), route.asks, strict=False)
            call.body = data if route.raw else read_body(data, route.takes) if route.takes else None
        return route.handle(service, call)

    async def promised(self, visit: Visit, found: Awaitable[Any]) -> Reply:
        """The answer, once it is there."""
        try:
            reply = reply_of(await found)
        except Exception as fault:  # noqa: BLE001 - whatever goes wrong is answered
            reply = refusal(fault, visit.id)
        finally:
            self.working -= 1
        return self.finished(visit, reply)

    async def put_off(self, visit: Visit) -> Reply:
        """The refusal of one request too many, a little later: whoever asks again at once leaves room for others meanwhile."""
        self.refused += 1
        if visit.began - self.said > SAID:
            LOG.warning("overloaded", extra={"refused": self.refused})
            self.refused, self.said = 0, visit.began
        await asyncio.sleep(PAUSE * (1 + random.random()))  # noqa: S311 - so that they do not all come back together
        return self.finished(visit, refusal(overloaded("too many requests at once"), visit.id), log=False)

    def finished(self, visit: Visit, reply: Reply, *, log: bool = True) -> Reply:
        """The answer to a request, which is counted, and logged where it failed or all are logged."""
        seconds, status, name = time.perf_counter() - visit.began, reply.status, "none"
        if visit.route is not None:
            name = visit.route.path
        self.service.counts.answered(name, status, seconds)
        if (status >= 400 and log) or self.settings.access_log:  # noqa: PLR2004 - the first status of a fault
            told = {
                "method": visit.scope["method"],
                "path": visit.scope["path"],
                "status": status,
                "ms": round(seconds * 1e3, 3),
            }
            LOG.info("request", extra={"request_id": visit.id, **told})
        return reply

    def match(self, path: str) -> tuple[Mapping[str, Route], Mapping[str, str]]:
        """The methods of a path, and what its variable parts are."""
        exact = self.paths.get(path)
        if exact is not None and "{" not in path:
            return exact, NOWHERE
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
