"""The client of programs that do other things meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from itertools import count
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2

from racl.client import requests
from racl.client.blocking import headers
from racl.client.requests import Chosen, Request, Row
from racl.client.trying import Answer, Retry, outcome, pause
from racl.serve.wire import (
    Decided,
    ExplainAnswer,
    ModelAnswer,
    ModelSummary,
    Ready,
    WhatIfAnswer,
    Wrong,
)

T = TypeVar("T")


class AsyncClient:
    """A service to ask from one event loop; closed at the end of an `async with` block."""

    def __init__(
        self, url: str, *, key: str | None = None, timeout: float = 10.0, retry: Retry | None = None
    ) -> None:
        self.url = url.rstrip("/")
        self._retry = retry or Retry()
        self._http = httpx2.AsyncClient(base_url=self.url, headers=headers(key), timeout=timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def decide_one(
        self, row: Row, *, model: str | None = None, idempotency_key: str | None = None
    ) -> Decided:
        """The decision on one row; raises ServiceError where the row is refused."""
        return await self._ask(requests.decide_one(row, model, idempotency_key))

    async def decide(
        self, rows: Sequence[Row], *, model: str | None = None, idempotency_key: str | None = None
    ) -> list[Decided | Wrong]:
        """The decision on each row, or what is wrong with it."""
        return await self._ask(requests.decide(rows, model, idempotency_key))

    async def choose(
        self, rows: Sequence[Row], *, model: str | None = None, idempotency_key: str | None = None
    ) -> Chosen:
        """The best of a choice set: candidates in one context."""
        return await self._ask(requests.choose(rows, model, idempotency_key))

    async def explain(self, row: Row, *, model: str | None = None) -> ExplainAnswer:
        """Everything that the decision on a row comes from; nothing is logged."""
        return await self._ask(requests.explain(row, model))

    async def what_if(
        self,
        row: Row | None = None,
        *,
        id: str | None = None,  # noqa: A002 - the word of the API
        changes: Row | None = None,
        budget: float | None = None,
        threshold: float | None = None,
        model: str | None = None,
    ) -> WhatIfAnswer:
        """The decision on a row, or on a logged one, before and after a change; nothing is logged."""
        said: dict[str, Any] = {"id": id, "budget": budget, "threshold": threshold, "model": model}
        rows = {
            "row": None if row is None else dict(row),
            "changes": None if changes is None else dict(changes),
        }
        return await self._ask(requests.what_if(said | rows))

    async def models(self) -> list[ModelSummary]:
        """Every model that is served."""
        return await self._ask(requests.models())

    async def model(self, name: str) -> ModelSummary:
        """One model and its versions."""
        return await self._ask(requests.model(name))

    async def model_version(self, name: str, version: str = "active") -> ModelAnswer:
        """A version of a model in full."""
        return await self._ask(requests.model_version(name, version))

    async def ready(self) -> Ready:
        """Whether requests are answered, and if not, why."""
        return await self._ask(requests.ready())

    async def _ask(self, request: Request[T]) -> T:
        for tried in count(1):
            answer: Answer
            try:
                answer = await self._http.request(
                    request.method, request.path, content=request.body, params=dict(request.query)
                )
            except httpx2.TransportError as fault:
                answer = fault
            wait = pause(self._retry, request, answer, tried, random.random())  # noqa: S311 - not secret
            if wait is None:
                return outcome(request, answer, self.url + request.path)
            await asyncio.sleep(wait)
        raise AssertionError
