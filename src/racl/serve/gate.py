"""Who may come in: the name that was called, where the call is from, what it carries and who sends it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from racl.serve.faults import RequestError, overloaded
from racl.serve.registry import HERE
from racl.serve.routes import Caller, Permission, Route
from racl.serve.settings import LOOPBACK, Settings

JSON = b"application/json"
ANYBODY = Caller(HERE, "", frozenset(Permission))
UNKNOWN = Caller("", "", frozenset({Permission.OPEN}))
Headers = Mapping[bytes, bytes]
Receive = Any


def names_of(settings: Settings) -> frozenset[str]:
    """The names that the service goes by."""
    return frozenset((*LOOPBACK, settings.host.lower(), *(one.lower() for one in settings.hosts)))


@lru_cache(1000)
def goes_by(names: frozenset[str], host: bytes) -> bool:
    """Whether a host, with or without its port, is one of the names."""
    said = host.decode("latin-1").lower()
    return (said.rpartition(":")[0] if ":" in said and not said.endswith("]") else said) in names


def check_host(names: frozenset[str], headers: Headers) -> None:
    """Refuse a request for another service, and one that another site's page sends."""
    host, origin = headers.get(b"host", b""), headers.get(b"origin")
    if not goes_by(names, host):
        raise RequestError(
            421, "misdirected", "this service does not go by that name; `hosts` lists its names"
        )
    if origin is not None and origin.lower() not in (b"http://" + host.lower(), b"https://" + host.lower()):
        raise RequestError(403, "foreign_origin", "pages of other sites may not call")


def check_body(settings: Settings, headers: Headers) -> None:
    """Refuse, before any of it is read, a body that is too large or no JSON."""
    if b"content-encoding" in headers:
        raise RequestError(415, "unsupported", "compressed bodies are not taken")
    kind = headers.get(b"content-type", b"").lower()
    if kind != JSON:
        media, _, parameters = kind.partition(b";")
        if media.strip() != JSON:
            raise RequestError(415, "unsupported", "`content-type: application/json` is wanted")
        if parameters.strip().replace(b'"', b"").replace(b" ", b"") not in (b"charset=utf-8", b""):
            raise RequestError(400, "malformed", "JSON is UTF-8")
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > settings.max_body:
        raise too_large(settings)


def too_large(settings: Settings) -> RequestError:
    """What a body over the limit is answered."""
    return RequestError(413, "too_large", f"a body may have {settings.max_body:,} bytes")


class Intake:
    """Bodies on their way in: none over the limit, and no more at once than there is room for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.held = 0

    async def body(self, receive: Receive) -> bytes:
        """The whole body; raises RequestError, or TimeoutError where it does not come in."""
        message = await receive()
        if not message.get("more_body", False):
            data: bytes = message.get("body", b"")
            if len(data) > self.settings.max_body:
                raise too_large(self.settings)
            return check_present(message, data)
        parts, size = [message["body"]], len(message["body"])
        self.held += size
        try:
            async with asyncio.timeout(self.settings.receive_seconds):
                while message.get("more_body", False):
                    message = await receive()
                    part = check_present(message, message.get("body", b""))
                    size, self.held = size + len(part), self.held + len(part)
                    self.check(size)
                    parts.append(part)
        except TimeoutError:
            raise RequestError(408, "timeout", "the body did not come in in time") from None
        finally:
            self.held -= size
        return b"".join(parts)

    def check(self, size: int) -> None:
        """Refuse what is too much, alone or together with the others."""
        if size > self.settings.max_body:
            raise too_large(self.settings)
        if self.held > self.settings.max_receiving:
            raise overloaded("too much is coming in at once")


def check_present(message: Mapping[str, Any], data: bytes) -> bytes:
    """The data, unless whoever sent it is gone."""
    if message["type"] == "http.disconnect":
        raise ConnectionError
    return data


def check_permission(route: Route, caller: Caller) -> None:
    """Refuse a caller that may not use a route."""
    if caller is ANYBODY or route.permission in caller.may or route.permission is Permission.OPEN:
        return
    if caller is UNKNOWN:
        headers = {"www-authenticate": "Bearer"}
        raise RequestError(
            401, "unauthorized", "a key is wanted: `authorization: Bearer ...`", headers=headers
        )
    raise RequestError(403, "forbidden", f"the key does not allow `{route.permission}`")
