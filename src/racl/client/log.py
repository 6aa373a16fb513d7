"""What a client asks of the log, and of the models that decide."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from racl.client.requests import Request, encoded, part, reading
from racl.model import Model
from racl.serve.tallies import CompareAnswer, VetoesAnswer
from racl.serve.wire import (
    DecisionsAnswer,
    DifferencesAnswer,
    ExplainAnswer,
    LoggedDecision,
    ModelSummary,
    OutcomeAnswer,
    Registered,
    ReplayAnswer,
)

NOTHING = b"{}"


def said(asked: Mapping[str, Any]) -> dict[str, str]:
    """What follows the question mark, without what was not said."""
    return {name: word(value) for name, value in asked.items() if value is not None}


def word(value: Any) -> str:
    """A value of a query; a moment without a zone is one of this machine."""
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.astimezone().isoformat()
        case _:
            return str(value)


def decisions(asked: Mapping[str, Any], cursor: int | None) -> Request[DecisionsAnswer]:
    """A page of the log, the latest first."""
    query = said({**asked, "cursor": cursor})
    return Request("GET", "/v1/decisions", reading(DecisionsAnswer), query=query)


def decision(name: str) -> Request[LoggedDecision]:
    """One decision of the log."""
    return Request("GET", f"/v1/decisions/{part(name)}", reading(LoggedDecision))


def explanation(name: str) -> Request[ExplainAnswer]:
    """One decision of the log, explained."""
    return Request("GET", f"/v1/decisions/{part(name)}/explanation", reading(ExplainAnswer))


def replay(name: str) -> Request[ReplayAnswer]:
    """One decision of the log, made again."""
    return Request("POST", f"/v1/decisions/{part(name)}/replay", reading(ReplayAnswer), NOTHING)


def outcome(name: str, *, accepted: bool, at: datetime | None) -> Request[OutcomeAnswer]:
    """What became of an offer; the same again changes nothing."""
    body = encoded({"accepted": accepted, "at": None if at is None else word(at)})
    return Request("POST", f"/v1/decisions/{part(name)}/outcome", reading(OutcomeAnswer), body)


# models -------------------------------------------------------------------------------------------------


def register(model: Model | Mapping[str, Any]) -> Request[Registered]:
    """A model as a new version; the same again changes nothing."""
    document = model.document() if isinstance(model, Model) else model
    return Request("POST", "/v1/models", reading(Registered), encoded(document))


def change(name: str, what: str, body: Mapping[str, Any], *, repeats: bool = True) -> Request[ModelSummary]:
    """Another part for a version to play."""
    path = f"/v1/models/{part(name)}/{what}"
    return Request("POST", path, reading(ModelSummary), json.dumps(body).encode(), repeats=repeats)


def differences(name: str, limit: int) -> Request[DifferencesAnswer]:
    """Where the version in the shadow would have decided otherwise."""
    query = said({"limit": limit})
    return Request("GET", f"/v1/models/{part(name)}/differences", reading(DifferencesAnswer), query=query)


def compare(name: str, asked: Mapping[str, Any]) -> Request[CompareAnswer]:
    """Two versions on the same logged rows."""
    return Request("GET", f"/v1/models/{part(name)}/compare", reading(CompareAnswer), query=said(asked))


def vetoes(name: str, asked: Mapping[str, Any]) -> Request[VetoesAnswer]:
    """What is being lost, and to what."""
    return Request("GET", f"/v1/models/{part(name)}/vetoes", reading(VetoesAnswer), query=said(asked))
