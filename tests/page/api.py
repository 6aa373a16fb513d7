"""A service asked beside the browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from serve.asking import GOOD


@dataclass(frozen=True)
class Api:
    """Asks a service, which must not refuse."""

    http: httpx2.Client

    @classmethod
    @contextmanager
    def of(cls, url: str, key: str = "") -> Iterator[Api]:
        """Asks the service at an address."""
        headers = {"authorization": f"Bearer {key}"} if key else {}
        with httpx2.Client(base_url=url, headers=headers, timeout=20) as http:
            yield cls(http)

    def get(self, path: str) -> Any:
        """What is there."""
        return self.http.get(path).raise_for_status().json()

    def post(self, path: str, body: Any) -> Any:
        """What comes of it."""
        return self.http.post(path, json=body).raise_for_status().json()

    def decide(self, **changes: Any) -> dict[str, Any]:
        """A logged decision on the good row, changed."""
        found: dict[str, Any] = self.post("/v1/decide", {"row": {**GOOD, **changes}})["decisions"][0]
        return found

    def logged(self) -> list[dict[str, Any]]:
        """The log, the latest first."""
        found: list[dict[str, Any]] = self.get("/v1/decisions?limit=1000")["decisions"]
        return found
