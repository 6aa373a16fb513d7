"""What goes over the wire: the types of requests and answers, from which the description of the API is made."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from racl.semantics import Credit

Row = dict[str, Any]
Name = Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9_-]{0,63}$")]
Key = Annotated[str, Meta(min_length=1, max_length=200)]
Version = Annotated[str, Meta(pattern="^[0-9a-f]{12,64}$")]
Moment = Annotated[datetime, Meta(tz=True)]
DecisionId = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Share = Annotated[float, Meta(ge=0, le=1)]


class Wrong(Struct, omit_defaults=True):
    """What is wrong, and where: `field` is a JSON pointer into the request, empty where no part is to blame."""

    code: str
    message: str
    field: str = ""
    request_id: str | UnsetType = UNSET


class Failure(Struct):
    """The one shape of an error."""

    error: Wrong


# deciding --------------------------------------------------------------------------------------------


class DecideRequest(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A row to decide, or many; `model` may be left out where one model is served."""

    row: Row | UnsetType = UNSET
    rows: list[Any] | UnsetType = UNSET
    model: Name | UnsetType = UNSET
    idempotency_key: Key | UnsetType = UNSET


class Decided(Struct):
    """The decision on a row; `model` is the name and version that made it."""

    id: str
    model: str
    accepted: bool
    credit: Credit
    plan: str | None
    value: float | None
    margin: float | None
    cost: float | None
    explored: bool | UnsetType = (
        UNSET  # shown although the model rejects it, so that its outcome may be known
    )


class Result(Struct):
    """The decision on a row, or the error in place of one."""

    id: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    accepted: bool | UnsetType = UNSET
    credit: Credit | UnsetType = UNSET
    plan: str | UnsetType | None = UNSET
    value: float | UnsetType | None = UNSET
    margin: float | UnsetType | None = UNSET
    cost: float | UnsetType | None = UNSET
    explored: bool | UnsetType = UNSET
    error: Wrong | UnsetType = UNSET


class DecideAnswer(Struct):
    """One result for each row, in the order of the rows."""

    decisions: list[Result]


class ChooseRequest(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A choice set: candidates in one context."""

    rows: Annotated[list[Row], Meta(min_length=1)]
    model: Name | UnsetType = UNSET
    idempotency_key: Key | UnsetType = UNSET


class ChooseAnswer(Struct):
    """The accepted candidate of the highest value, counted from 0; null where none is accepted."""

    chosen: int | None
    decisions: list[Result]


class ExplainRequest(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A row whose decision is to be explained; it is not logged."""

    row: Row
    model: Name | UnsetType = UNSET


class ExplainAnswer(Struct):
    """Everything that a decision came from, as data and in words."""

    model: str
    explanation: dict[str, Any]
    words: str


class WhatIfRequest(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A row, or the id of a logged decision, and what to change: columns, or the rule's budget and threshold."""

    row: Row | UnsetType = UNSET
    id: DecisionId | UnsetType = UNSET
    changes: Row = {}
    budget: float | UnsetType = UNSET
    threshold: float | UnsetType = UNSET
    model: Name | UnsetType = UNSET


class Verdict(Struct):
    """A decision without a record."""

    accepted: bool
    credit: Credit
    plan: str | None
    value: float | None
    margin: float | None
    cost: float | None


class WhatIfAnswer(Struct):
    """The decision as it is and as it would be; neither is logged."""

    model: str
    before: Verdict
    after: Verdict
    turned: bool


# models ----------------------------------------------------------------------------------------------


class ModelVersion(Struct):
    """One immutable version of a model."""

    version: str
    registered: float
    active: bool
    fit: dict[str, Any]


class ModelSummary(Struct):
    """A model that is served: the version that decides, the one in its shadow, the share that another gets."""

    name: str
    label: str
    active: str
    shadow: str | None
    share: float
    candidate: str | None
    versions: list[ModelVersion]


class ModelsAnswer(Struct):
    """The models of the caller."""

    models: list[ModelSummary]


class ModelAnswer(Struct):
    """A version of a model in full, as its file has it."""

    name: str
    version: str
    active: bool
    document: dict[str, Any]


class Registered(Struct):
    """A version that was sent, and whether it decides already; the first of a model does."""

    name: str
    version: str
    active: bool


class VersionRequest(Struct, forbid_unknown_fields=True):
    """A version, by the beginning of its hash."""

    version: Version


class ShadowRequest(Struct, forbid_unknown_fields=True):
    """The version that decides the same requests unseen; null for none."""

    version: Version | None


class ShareRequest(Struct, forbid_unknown_fields=True):
    """The version that decides a share of the requests, by the hash of their keys; null for none."""

    version: Version | None
    share: Share = 0.0


class NothingRequest(Struct, forbid_unknown_fields=True):
    """An empty object."""


class LimitQuery(Struct, forbid_unknown_fields=True):
    """How many are asked for."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class DifferenceSeen(Struct):
    """A decision to which the version in the shadow gives another credit or plan, or which it refuses."""

    id: str
    at: datetime
    version: str
    shadow: str
    before: Any
    after: Any


class DifferencesAnswer(Struct):
    """How many differences each shadow had, and the latest of them."""

    counts: dict[str, int]
    differences: list[DifferenceSeen]


# the log ---------------------------------------------------------------------------------------------


class DecisionsQuery(Struct, forbid_unknown_fields=True):
    """Which decisions are asked for; `after` and `before` are moments as RFC 3339 writes them."""

    model: Name | UnsetType = UNSET
    version: Version | UnsetType = UNSET
    credit: Credit | UnsetType = UNSET
    plan: str | UnsetType = UNSET
    persona: str | UnsetType = UNSET
    accepted: bool | UnsetType = UNSET
    after: Moment | UnsetType = UNSET
    before: Moment | UnsetType = UNSET
    cursor: Annotated[int, Meta(ge=1, le=2**62)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class LoggedDecision(Struct):
    """A decision as the log has it, with the row as it was read and what came of it."""

    id: str
    at: datetime
    model: str
    persona: str | None
    accepted: bool
    credit: Credit
    plan: str | None
    value: float | None
    margin: float | None
    cost: float | None
    explored: bool  # shown although the model rejected it
    probability: float  # with which this was shown
    row: Row
    masked: list[str]  # columns that are hidden for good
    outcome: bool | None
    outcome_at: datetime | None


class DecisionsAnswer(Struct):
    """Decisions, the latest first; `next` is the cursor of the page that follows, null on the last."""

    decisions: list[LoggedDecision]
    next: int | None


class ReplayAnswer(Struct):
    """A decision as it was logged, and as the same version makes it now."""

    model: str
    logged: Verdict
    replayed: Verdict
    same: bool


class OutcomeRequest(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Whether what was offered was accepted, and when."""

    accepted: bool
    at: Moment | UnsetType = UNSET


class OutcomeAnswer(Struct):
    """The outcome as it is kept."""

    id: str
    accepted: bool
    at: datetime


# what is lost ----------------------------------------------------------------------------------------


# state -----------------------------------------------------------------------------------------------


class Health(Struct):
    """The service runs."""

    status: str


class Ready(Struct):
    """Whether requests are answered, and if not, why."""

    ready: bool
    reasons: list[str]
