"""Routes that look into the log: decisions by their filters, one explained, replayed, and what came of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from racl.semantics import Credit, Decision
from racl.serve.deciding import decide_row
from racl.serve.faults import RequestError, invalid, not_found
from racl.serve.registry import SHOWN, Version
from racl.serve.replies import Reply
from racl.serve.routes import Call
from racl.serve.service import Service
from racl.serve.store import reading
from racl.serve.store.chain import MASK
from racl.serve.store.records import Outcome, write_outcome
from racl.serve.wire import (
    DecisionsAnswer,
    DecisionsQuery,
    LoggedDecision,
    OutcomeAnswer,
    OutcomeRequest,
    ReplayAnswer,
    Verdict,
)

EARLY = timedelta(minutes=1)  # that clocks may be apart
ENCODER = msgspec.json.Encoder()


async def decisions(service: Service, call: Call) -> DecisionsAnswer:
    """The log, the latest first; `next` is the cursor of the page that follows."""
    asked: DecisionsQuery = call.query
    chosen = reading.Filter(
        call.caller.tenant,
        **{
            name: said(getattr(asked, name))
            for name in ("model", "version", "credit", "plan", "persona", "accepted")
        },
        after=micros(asked.after),
        before=micros(asked.before),
    )
    below = None if isinstance(asked.cursor, UnsetType) else asked.cursor
    found = await service.log().read(
        lambda connection: reading.decisions(connection, chosen, below=below, limit=asked.limit + 1)
    )
    page = found[: asked.limit]
    return DecisionsAnswer([shown(one) for one in page], page[-1].seq if len(found) > asked.limit else None)


def said(value: Any) -> Any:
    """What was said, or None."""
    return None if value is UNSET else value


def micros(moment: datetime | UnsetType) -> int | None:
    """A moment as the log counts it."""
    return None if isinstance(moment, UnsetType) else round(moment.timestamp() * 1e6)


def moment(at: int) -> datetime:
    """A moment as answers give it."""
    return datetime.fromtimestamp(at / 1e6, UTC)


def shown(one: reading.Logged) -> LoggedDecision:
    """A decision of the log as an answer holds it."""
    hidden = [name for name, value in one.given.items() if isinstance(value, dict)]
    return LoggedDecision(
        id=one.id,
        at=moment(one.at),
        model=reference(one),
        persona=one.persona,
        accepted=one.accepted,
        credit=Credit(one.credit),
        plan=one.plan,
        value=one.value,
        margin=one.margin,
        cost=one.cost,
        explored=one.explored,
        probability=one.probability,
        row={name: value for name, value in one.given.items() if name not in hidden},
        masked=hidden,
        outcome=one.outcome,
        outcome_at=None if one.happened is None else moment(one.happened),
    )


def reference(one: reading.Logged) -> str:
    """Name and version of the model that decided."""
    return f"{one.model}@{one.version[:SHOWN]}"


async def recalled(service: Service, call: Call, name: str) -> reading.Logged:
    """A decision of the caller's; raises RequestError where there is none."""
    found = await service.log().read(
        lambda connection: reading.decision(connection, call.caller.tenant, name)
    )
    if found is None:
        raise not_found("decision")
    return found


def version_of(service: Service, call: Call, one: reading.Logged) -> Version:
    """The version that made a decision."""
    return service.registry.named(call.caller.tenant, one.model).version(one.version)


def unmasked(one: reading.Logged) -> dict[str, Any]:
    """The row of a decision; raises RequestError where something of it is hidden for good."""
    hidden = [name for name, value in one.given.items() if isinstance(value, dict) and MASK in value]
    if hidden:
        raise RequestError(409, "masked", f"hidden for good: {', '.join(hidden)}")
    return one.given


async def decision(service: Service, call: Call) -> LoggedDecision:
    """One decision of the log."""
    return shown(await recalled(service, call, call.path["id"]))


async def explanation(service: Service, call: Call) -> Any:
    """A decision of the log explained, by the version that made it."""
    from racl.serve.answering import explained

    found = await recalled(service, call, call.path["id"])
    version, row = version_of(service, call, found), unmasked(found)
    return await service.aside(lambda: explained(version, row))


async def replay(service: Service, call: Call) -> ReplayAnswer:
    """A decision of the log made again, by the version that made it."""
    one = await recalled(service, call, call.path["id"])
    again = decide_row(version_of(service, call, one).model, unmasked(one), "row")
    if isinstance(again, RequestError):
        raise again
    logged = Verdict(one.accepted, Credit(one.credit), one.plan, one.value, one.margin, one.cost)
    found = verdict(again)
    judged = msgspec.structs.replace(found, accepted=True, plan=one.plan) if one.explored else found
    return ReplayAnswer(reference(one), logged, found, logged == judged)


def verdict(decision: Decision) -> Verdict:
    """A decision as an answer holds it."""
    return Verdict(
        decision.accepted, decision.credit, decision.plan, decision.value, decision.margin, decision.cost
    )


async def outcome(service: Service, call: Call) -> Any:
    """What became of what was offered; said once, and the same again changes nothing."""
    asked: OutcomeRequest = call.body
    now = service.clock()
    happened = now if isinstance(asked.at, UnsetType) else asked.at.timestamp()
    if happened > now + EARLY.total_seconds():
        raise invalid("in the future", "/at", "in_future")
    one = await recalled(service, call, call.path["id"])
    if not one.accepted:
        raise RequestError(409, "not_offered", "nothing was offered, so nothing can have come of it")
    if not isinstance(asked.at, UnsetType) and happened * 1e6 < one.at - EARLY.total_seconds() * 1e6:
        raise invalid("before the decision was made", "/at", "too_early")
    told = Outcome(one.id, call.caller.tenant, int(now * 1e6), round(happened * 1e6), asked.accepted)
    before = await service.log().change(lambda connection: write_outcome(connection, told))
    if before is None:
        return Reply(ENCODER.encode(OutcomeAnswer(one.id, asked.accepted, moment(told.happened))), 201)
    same_time = isinstance(asked.at, UnsetType) or before[0] == told.happened
    if bool(before[1]) != asked.accepted or not same_time:
        raise RequestError(409, "conflict", "another outcome was told before")
    return OutcomeAnswer(one.id, asked.accepted, moment(before[0]))
