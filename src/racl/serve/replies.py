"""What is answered: JSON or a file, its headers, and how it goes out: as messages of ASGI, or in one piece."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any

import msgspec

from racl.serve.faults import RequestError, overloaded

COMMON = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
ENCODER = msgspec.json.Encoder()
LOG = logging.getLogger("racl.serve")
Send = Any


class Reply(msgspec.Struct, frozen=True):
    """An answer as it is sent."""

    body: bytes
    status: int = 200
    media: str = "application/json"
    headers: Mapping[str, str] = {}


def reply_of(answer: Any) -> Reply:
    """What a handler gave, as it is sent."""
    return answer if answer.__class__ is Reply else Reply(ENCODER.encode(answer))


def refusal(fault: Exception, request_id: str) -> Reply:
    """The answer to a request that is refused, or that failed."""
    if not isinstance(fault, RequestError):
        LOG.error("request failed", exc_info=fault, extra={"request_id": request_id})
        fault = overloaded("the service could not answer")
    return Reply(fault.body(request_id), fault.status, headers=fault.headers)


async def send_reply(reply: Reply, request_id: str, send: Send, *, head: bool, close: bool = False) -> None:
    """Send an answer as the messages of ASGI."""
    headers = [
        (b"content-type", reply.media.encode()),
        *COMMON,
        (b"content-length", b"%d" % len(reply.body)),
        (b"x-request-id", request_id.encode()),
        *((name.encode(), value.encode()) for name, value in reply.headers.items()),
    ]
    if close:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head else reply.body})


def in_one_piece(reply: Reply, request_id: str, *, head: bool = False, close: bool = False) -> bytes:
    """The same as the bytes of HTTP."""
    more = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items()) if reply.headers else ""
    return b"%bcontent-length: %d\r\nx-request-id: %b\r\n%b%b\r\n%b" % (
        opening(reply.status, reply.media),
        len(reply.body),
        request_id.encode(),
        more.encode(),
        b"connection: close\r\n" if close else b"",
        b"" if head else reply.body,
    )


@lru_cache(100)
def opening(status: int, media: str) -> bytes:
    """The first lines of an answer."""
    lines = [b"HTTP/1.1 %d %b" % (status, HTTPStatus(status).phrase.encode())]
    lines += [b"%b: %b" % pair for pair in ((b"content-type", media.encode()), *COMMON)]
    return b"".join(line + b"\r\n" for line in lines)
