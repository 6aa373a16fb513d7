"""What is told of many decisions at once: the types of those questions and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from racl.serve.wire import Moment, Verdict, Version


class VetoesQuery(Struct, forbid_unknown_fields=True):
    """Which decisions are counted, and how many rejections are looked into."""

    after: Moment | UnsetType = UNSET
    before: Moment | UnsetType = UNSET
    rows: Annotated[int, Meta(ge=1, le=5000)] = 2000


class Span(Struct):
    """How many decisions had each credit from a moment on."""

    start: datetime
    credits: dict[str, int]


class Blocking(Struct):
    """A requirement, and how many of the rejections that were looked into it stands in the way of."""

    requirement: str
    fails: int  # as the candidate came
    alone: int  # and no other
    beyond_repair: int  # whatever is done


class Used(Struct):
    """A repair, and what came of it."""

    repair: str
    label: str
    chosen: int  # decisions whose plan it was part of
    would_turn: int  # rejections, of those looked into, that a larger budget would turn by it


class Turned(Struct):
    """How many of the rejections looked into are accepted once the budget is larger by so much."""

    more: float
    turned: int


class VetoesAnswer(Struct):
    """What is being lost, and to what."""

    model: str
    counted: int  # decisions, the latest of the time asked for
    credits: dict[str, int]
    width: int  # seconds of a span
    spans: list[Span]
    studied: int  # rejections looked into, the latest
    masked: int  # rejections passed over, since something of their row is hidden for good
    requirements: list[Blocking]
    repairs: list[Used]
    curve: list[Turned]
    unit: str  # of the budget


class CompareQuery(Struct, forbid_unknown_fields=True):
    """Two versions, the active one where none is named, and how many of the latest logged rows they decide."""

    first: Version | UnsetType = UNSET
    second: Version | UnsetType = UNSET
    rows: Annotated[int, Meta(ge=1, le=5000)] = 1000


class Differing(Struct):
    """A logged row that the two decide differently."""

    id: str
    at: datetime
    first: Verdict
    second: Verdict


class CompareAnswer(Struct):
    """How two versions decide the same logged rows."""

    first: str
    second: str
    compared: int
    same: int
    left_out: int  # rows with something hidden, or that one of the two refuses
    accepted: int  # rejected by the first, accepted by the second
    rejected: int  # the other way round
    credits: dict[str, dict[str, int]]  # of the first, then of the second
    differences: list[Differing]  # the latest
