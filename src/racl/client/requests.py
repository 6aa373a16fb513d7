"""What a client asks: a method, a path, a body, and how the answer is read."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from racl.errors import DataError, Problem
from racl.serve.wire import (
    ChooseAnswer,
    DecideAnswer,
    Decided,
    ExplainAnswer,
    ModelAnswer,
    ModelsAnswer,
    ModelSummary,
    Ready,
    Result,
    WhatIfAnswer,
    Wrong,
)

T = TypeVar("T")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The candidate of a choice set that was taken, counted from 0, or None; and the decision on each."""

    chosen: int | None
    decisions: list[Decided]


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """One request; `repeats` where asking twice is the same as asking once."""

    method: str
    path: str
    read: Callable[[bytes], T]
    body: bytes | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    repeats: bool = True
    answers: tuple[int, ...] = (200, 201)  # statuses with an answer to read


def encoded(body: Mapping[str, Any]) -> bytes:
    """A body as JSON; what was not said is left out."""
    said = {name: value for name, value in body.items() if value is not None}
    try:
        return json.dumps(said, allow_nan=False, default=plain).encode()
    except (TypeError, ValueError) as fault:
        what = f"cannot be sent: {str(fault)[:1].lower()}{str(fault)[1:]}"
        raise DataError([Problem("", what, "JSON has finite numbers, text, truths and null")]) from None


def plain(value: Any) -> Any:
    """A number of NumPy or a decimal as Python's own."""
    if isinstance(value, Decimal):
        return float(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"`{type(value).__name__}` is no value of JSON")


def reading(kind: type[T]) -> Callable[[bytes], T]:
    """How an answer of one of the wire's types is read."""
    return lambda body: msgspec.json.decode(body, type=kind)


def found(result: Result) -> Decided | Wrong:
    """The decision on a row, or why there is none."""
    if isinstance(result.error, Wrong):
        return result.error
    held = {name: value for name in Result.__struct_fields__ if (value := getattr(result, name)) is not UNSET}
    return Decided(**held)


def sure(result: Result) -> Decided:
    """The decision on a row of a request that is refused as a whole."""
    one = found(result)
    if isinstance(one, Wrong):
        raise msgspec.ValidationError("an error where a decision was wanted")
    return one


def part(name: str) -> str:
    """A name as one part of a path."""
    return quote(name, safe="")


# what is asked ----------------------------------------------------------------------------------------


def decide_one(row: Row, model: str | None, key: str | None) -> Request[Decided]:
    """Decide a row; under a key, so that a repeated request is decided and logged once."""
    body = encoded({"row": dict(row), "model": model, "idempotency_key": key or uuid.uuid4().hex})
    return Request("POST", "/v1/decide", lambda got: sure(reading(DecideAnswer)(got).decisions[0]), body)


def decide(rows: Sequence[Row], model: str | None, key: str | None) -> Request[list[Decided | Wrong]]:
    """Decide rows, each of which may be refused by itself."""
    sent = [dict(row) for row in rows]
    body = encoded({"rows": sent, "model": model, "idempotency_key": key or uuid.uuid4().hex})

    def read(got: bytes) -> list[Decided | Wrong]:
        return [found(one) for one in reading(DecideAnswer)(got).decisions]

    return Request("POST", "/v1/decide", read, body)


def choose(rows: Sequence[Row], model: str | None, key: str | None) -> Request[Chosen]:
    """Decide a choice set and take the best."""
    sent = [dict(row) for row in rows]
    body = encoded({"rows": sent, "model": model, "idempotency_key": key or uuid.uuid4().hex})

    def read(got: bytes) -> Chosen:
        answer = reading(ChooseAnswer)(got)
        return Chosen(answer.chosen, [sure(one) for one in answer.decisions])

    return Request("POST", "/v1/choose", read, body)


def explain(row: Row, model: str | None) -> Request[ExplainAnswer]:
    """Explain the decision on a row, which is not logged."""
    return Request("POST", "/v1/explain", reading(ExplainAnswer), encoded({"row": dict(row), "model": model}))


def what_if(body: Mapping[str, Any]) -> Request[WhatIfAnswer]:
    """Decide again with something changed."""
    return Request("POST", "/v1/what-if", reading(WhatIfAnswer), encoded(body))


def models() -> Request[list[ModelSummary]]:
    """Every model."""
    return Request("GET", "/v1/models", lambda got: reading(ModelsAnswer)(got).models)


def model(name: str) -> Request[ModelSummary]:
    """One model and its versions."""
    return Request("GET", f"/v1/models/{part(name)}", reading(ModelSummary))


def model_version(name: str, version: str) -> Request[ModelAnswer]:
    """A version in full."""
    return Request("GET", f"/v1/models/{part(name)}/versions/{part(version)}", reading(ModelAnswer))


def ready() -> Request[Ready]:
    """Whether requests are answered."""
    return Request("GET", "/readyz", reading(Ready), answers=(200, 503))
