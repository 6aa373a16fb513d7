"""Both clients, asked in the same words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from racl.client import AsyncClient, Client, Retry

Ask = Callable[..., Any]
QUICK = Retry(tries=4, first=0.01, most=0.05)


def waiting(
    url: str, name: str, *said: Any, key: str | None = None, retry: Retry = QUICK, **named: Any
) -> Any:
    """What the client that waits is told."""
    with Client(url, key=key, retry=retry) as client:
        found = getattr(client, name)(*said, **named)
        return list(found) if name == "decisions" else found


def meanwhile(
    url: str, name: str, *said: Any, key: str | None = None, retry: Retry = QUICK, **named: Any
) -> Any:
    """What the asynchronous client is told."""

    async def ask() -> Any:
        async with AsyncClient(url, key=key, retry=retry) as client:
            found = getattr(client, name)(*said, **named)
            return [one async for one in found] if name == "decisions" else await found

    return asyncio.run(ask())
