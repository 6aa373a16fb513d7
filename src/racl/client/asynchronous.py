"""The client of programs that do other things meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from itertools import count
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2

from racl.client import log, requests
from racl.client.blocking import PAGE, headers
from racl.client.requests import Chosen, Request, Row
from racl.client.trying import Answer, Retry, outcome, pause
from racl.model import Model
from racl.semantics import Credit
from racl.serve.tallies import CompareAnswer, VetoesAnswer
from racl.serve.wire import (
    Decided,
    DifferencesAnswer,
    ExplainAnswer,
    LoggedDecision,
    ModelAnswer,
    ModelSummary,
    OutcomeAnswer,
    Ready,
    Registered,
    ReplayAnswer,
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

    async def outcome(self, id: str, *, accepted: bool, at: datetime | None = None) -> OutcomeAnswer:  # noqa: A002
        """Tell what became of an offer, once; the same again changes nothing."""
        return await self._ask(log.outcome(id, accepted=accepted, at=at))

    async def decision(self, id: str) -> LoggedDecision:  # noqa: A002
        """One decision of the log, with the row as it was read and what came of it."""
        return await self._ask(log.decision(id))

    async def decisions(
        self,
        *,
        model: str | None = None,
        version: str | None = None,
        credit: Credit | str | None = None,
        plan: str | None = None,
        persona: str | None = None,
        accepted: bool | None = None,
        after: datetime | None = None,
        before: datetime | None = None,
    ) -> AsyncIterator[LoggedDecision]:
        """The decisions of the log that are like that, the latest first, a page at a time as they are taken."""
        asked = {"model": model, "version": version, "credit": credit, "plan": plan, "persona": persona}
        asked_too = {"accepted": accepted, "after": after, "before": before, "limit": PAGE}
        cursor: int | None = None
        while True:
            page = await self._ask(log.decisions(asked | asked_too, cursor))
            for one in page.decisions:
                yield one
            if page.next is None:
                return
            cursor = page.next

    async def explanation(self, id: str) -> ExplainAnswer:  # noqa: A002
        """Everything that a decision of the log came from, by the version that made it."""
        return await self._ask(log.explanation(id))

    async def replay(self, id: str) -> ReplayAnswer:  # noqa: A002
        """A decision of the log, made again by the version that made it."""
        return await self._ask(log.replay(id))

    async def models(self) -> list[ModelSummary]:
        """Every model that is served."""
        return await self._ask(requests.models())

    async def model(self, name: str) -> ModelSummary:
        """One model and its versions."""
        return await self._ask(requests.model(name))

    async def model_version(self, name: str, version: str = "active") -> ModelAnswer:
        """A version of a model in full."""
        return await self._ask(requests.model_version(name, version))

    async def register(self, model: Model | Mapping[str, Any]) -> Registered:
        """Send a model, or what its file holds, as a new version."""
        return await self._ask(log.register(model))

    async def activate(self, name: str, version: str) -> ModelSummary:
        """Let a version decide, from the next request on."""
        return await self._ask(log.change(name, "activate", {"version": version}))

    async def roll_back(self, name: str) -> ModelSummary:
        """Let the version decide that did before; not repeated once it may have arrived."""
        return await self._ask(log.change(name, "rollback", {}, repeats=False))

    async def shadow(self, name: str, version: str | None) -> ModelSummary:
        """Let a version decide the same requests unseen, or none."""
        return await self._ask(log.change(name, "shadow", {"version": version}))

    async def share(self, name: str, version: str | None, share: float = 0.0) -> ModelSummary:
        """Let a version decide a share of the requests, or none."""
        return await self._ask(log.change(name, "share", {"version": version, "share": share}))

    async def differences(self, name: str, *, limit: int = 100) -> DifferencesAnswer:
        """Where the version in the shadow would have decided otherwise, the latest first."""
        return await self._ask(log.differences(name, limit))

    async def compare(
        self, name: str, first: str | None = None, second: str | None = None, *, rows: int = 1000
    ) -> CompareAnswer:
        """How two versions, the active one where none is named, decide the latest logged rows."""
        return await self._ask(log.compare(name, {"first": first, "second": second, "rows": rows}))

    async def vetoes(
        self, name: str, *, after: datetime | None = None, before: datetime | None = None, rows: int = 2000
    ) -> VetoesAnswer:
        """What is being lost, and to what; so many rejections are looked into, as far as time goes."""
        return await self._ask(log.vetoes(name, {"after": after, "before": before, "rows": rows}))

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
