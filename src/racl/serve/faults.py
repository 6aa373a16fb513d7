"""Refusals of requests: one exception, one shape."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from racl.errors import printable

TEXT = 500  # characters of a message


class RequestError(Exception):
    """A request that is refused: its status, a code for programs, words for people, and a JSON pointer."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        field: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code = status, code
        self.message, self.field = printable(message[:TEXT]), field[:TEXT]
        self.headers = dict(headers or {})

    def shown(self) -> dict[str, str]:
        """The error as an answer holds it."""
        return {"code": self.code, "message": self.message, "field": self.field}

    def body(self, request_id: str) -> bytes:
        """The whole answer."""
        return msgspec.json.encode({"error": {**self.shown(), "request_id": request_id}})


def pointer(*parts: str | int) -> str:
    """The JSON pointer to a part of a document.

    >>> pointer("rows", 3, "a/b")
    '/rows/3/a~1b'
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def invalid(message: str, field: str = "", code: str = "invalid") -> RequestError:
    """A request that says something that it may not."""
    return RequestError(400, code, message, field)


def not_found(what: str) -> RequestError:
    """What is not there, or not the caller's."""
    return RequestError(404, "not_found", f"no such {what}")


def overloaded(what: str) -> RequestError:
    """More than the service takes on at once."""
    return RequestError(503, "overloaded", what, headers={"retry-after": "1"})
