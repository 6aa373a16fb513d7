"""From decisions to what is kept of them, and to what the caller is told once it is kept."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from racl.explain.case import case_of
from racl.model import Model
from racl.semantics import Decision, Refused, read_row
from racl.serve.deciding import Found, alike, decide_row
from racl.serve.faults import RequestError
from racl.serve.registry import Serving, Version
from racl.serve.replies import Reply
from racl.serve.routes import Call
from racl.serve.service import Service
from racl.serve.store.memory import Memory
from racl.serve.store.records import Difference, Entry, Keyed, Record
from racl.serve.wire import Decided

ENCODER = msgspec.json.Encoder()


def results(
    service: Service, call: Call, version: Version, rows: Sequence[Any], found: Sequence[Found]
) -> tuple[list[Any], list[Record]]:
    """What a request is answered, row by row, and what is kept of it."""
    credits_ = [one.credit for one in found if one.__class__ is Decision]
    service.counts.decided(version.reference, credits_, len(found) - len(credits_))
    names = service.ids.decisions(len(found))
    if service.memory is None:
        return answers_of(version, names, found), []
    if not service.settings.explore:
        told: Sequence[Told] = [SURE] * len(found)
        answers = answers_of(version, names, found)
    else:
        told = [shown(service, version, *one) for one in zip(rows, found, strict=True)]
        answers = [answer(version, *one) for one in zip(names, found, told, strict=True)]
    at, tenant = int(service.clock() * 1e6), call.caller.tenant
    records = [
        record(version, row, one, (said.id, at, tenant), how)
        for row, one, said, how in zip(rows, found, answers, told, strict=True)
        if one.__class__ is Decision
    ]
    return answers, records


def answers_of(version: Version, names: Iterable[str], found: Sequence[Any]) -> list[Any]:
    """What is said of many rows, each shown as it was decided: all at once where none is refused."""
    if len(found) > 1 and set(map(type, found)) == {Decision}:
        # INVARIANT: a `Decided` goes on, after id and model, as a `Decision` does
        said = (map(attrgetter(name), found) for name in Decision.__struct_fields__)
        return list(map(Decided, names, repeat(version.reference), *said))
    return [answer(version, *one, SURE) for one in zip(names, found, strict=True)]


def answer(version: Version, name: str, found: Found, told: Told) -> Any:
    """What is said of one row."""
    if isinstance(found, RequestError):
        return {"error": found.shown()}
    accepted, plan = found.accepted, found.plan
    explored: bool | UnsetType = UNSET
    if told.plan:
        accepted, plan, explored = True, told.plan, True
    return Decided(
        name, version.reference, accepted, found.credit, plan, found.value, found.margin, found.cost, explored
    )


@dataclass(frozen=True, slots=True)
class Told:
    """What was shown instead of a rejection, if anything, and how probable it was to show what was shown."""

    plan: str | None
    probability: float


SURE = Told(None, 1.0)
CHANCE = secrets.SystemRandom()


def shown(service: Service, version: Version, row: Any, found: Found) -> Told:
    """Of rejections near the threshold a share is shown with its best plan, where exploring was asked for."""
    settings = service.settings
    if not settings.explore or not isinstance(found, Decision) or found.accepted:
        return SURE
    near = found.margin is not None and found.margin >= -settings.explore_margin
    if not near:
        return SURE
    if CHANCE.random() >= settings.explore:
        return Told(None, 1.0 - settings.explore)
    model = version.model
    state = read_row(model.domain, model.taste, row)
    if isinstance(state, Refused):
        raise TypeError("a row that was decided is not refused")
    case = case_of(model, state, found)
    return Told(case.name(case.ranked[0].steps), settings.explore)


def record(
    version: Version, row: Mapping[str, Any], found: Decision, who: tuple[str, int, str], told: Told = SURE
) -> Record:
    """A decision as it is kept."""
    given = normalised(version.model, row)
    persona = version.model.domain.rule.persona
    accepted, plan = (1, told.plan) if told.plan else (int(found.accepted), found.plan)
    said = (
        *who, version.name, version.digest, accepted, found.credit.value, plan, plain(found.value),
        plain(found.margin), plain(found.cost), int(told.plan is not None), told.probability,
    )  # fmt: skip
    return Record(said, None if persona is None else given[persona], given)


def plain(number: float | None) -> float | None:
    """The number without the sign of a zero, which no database keeps."""
    return None if number is None else number + 0.0


def normalised(model: Model, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row as it was read: every declared column in its order, defaults in place of nulls."""
    return {
        column.name: column.default if (given := row.get(column.name)) is None else given
        for column in model.domain.columns
        if row.get(column.name) is not None or column.default is not None
    }


def keep(
    service: Service,
    call: Call,
    answer: Any,
    records: Sequence[Record],
    differences: Sequence[Difference] = (),
) -> Any:
    """The answer, or the promise of it once everything is on the disk."""
    if service.memory is None:
        return answer
    if call.body.idempotency_key is not UNSET:
        return kept_once(service.memory, service.clock(), call, answer, (records, differences))
    return kept(service.memory, answer, Entry(records, None, differences)) if records else answer


async def kept(memory: Memory, answer: Any, entry: Entry) -> Any:
    """The answer, once everything is on the disk."""
    await memory.write(entry)
    return answer


async def kept_once(
    memory: Memory, now: float, call: Call, answer: Any, left: tuple[Sequence[Record], Sequence[Difference]]
) -> Reply:
    """The same; to a key that was used before, the answer it had."""
    key = call.body.idempotency_key
    asked = hashlib.sha256(call.route.encode() + msgspec.json.encode(call.body, order="sorted")).digest()
    body = ENCODER.encode(answer)
    records, differences = left
    keyed = Keyed(call.caller.tenant, key, asked, body, int(now * 1e6))
    earlier = await memory.write(Entry(records, keyed, differences))
    if earlier is None:
        return Reply(body)
    if earlier.asked != asked:
        raise RequestError(409, "conflict", "the key was used for another request", "/idempotency_key")
    return Reply(earlier.answer, headers={"idempotent-replay": "true"})


# the shadow ------------------------------------------------------------------------------------------


def shadowed(
    service: Service,
    serving: Serving,
    version: Version,
    rows: Sequence[Any],
    found: Sequence[Found],
    answers: Sequence[Any],
    call: Call,
) -> Iterator[Difference]:
    """Where the version in the shadow would have decided otherwise; counted either way."""
    shadow = serving.shadow
    if shadow is None or shadow is version:
        return
    at = int(service.clock() * 1e6)
    for row, one, answer in zip(rows, found, answers, strict=True):
        if isinstance(one, RequestError):
            continue
        other = decide_row(shadow.model, row, "row")
        same = alike(one, other)
        service.counts.shadowed[(serving.active.name, "same" if same else "different")] += 1
        if not same:
            yield Difference(
                answer.id, at, call.caller.tenant, version.name, version.digest, shadow.digest,
                told(one), told(other),
            )  # fmt: skip


def told(found: Found) -> str:
    """A decision, or what it was refused for, as JSON; without a value of the row, which may be hidden one day."""
    if isinstance(found, RequestError):
        shown = found.shown()
        return ENCODER.encode({"error": {"code": shown["code"], "field": shown.get("field", "")}}).decode()
    return ENCODER.encode(found).decode()
