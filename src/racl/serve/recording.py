"""From decisions to what is kept of them, and to what the caller is told once it is kept."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from racl.explain.case import case_of
from racl.model import Model
from racl.semantics import Credit, Decision, Refused, read_row
from racl.serve.deciding import Found, alike, decide_row
from racl.serve.faults import RequestError
from racl.serve.registry import Serving, Version
from racl.serve.routes import Call, Reply
from racl.serve.service import Service
from racl.serve.store.records import Difference, Entry, Keyed, Record
from racl.serve.wire import Decided

ENCODER = msgspec.json.Encoder()


def results(
    service: Service, call: Call, version: Version, rows: Sequence[Any], found: Sequence[Found]
) -> tuple[list[Any], list[Record]]:
    """What a request is answered, row by row, and what is kept of it."""
    counts, reference, prefix = service.counts, version.reference, call.decision_id
    at, tenant, kept = int(service.clock() * 1e6), call.caller.tenant, service.memory is not None
    answers: list[Any] = []
    records: list[Record] = []
    tally: Counter[Credit] = Counter(one.credit for one in found if one.__class__ is Decision)
    counts.decisions.update({(reference, credit.value): count for credit, count in tally.items()})
    start = prefix[:-6]
    for number, (row, one) in enumerate(zip(rows, found, strict=True)):
        if isinstance(one, RequestError):
            counts.refused_rows[(reference,)] += 1
            answers.append({"error": one.shown()})
            continue
        name = f"{start}{number:06x}"
        told = SURE if one.accepted else explored(service, version, row, one)
        accepted, plan = (True, told.plan) if told.plan else (one.accepted, one.plan)
        answers.append(
            Decided(
                name, reference, accepted, one.credit, plan, one.value, one.margin, one.cost,
                True if told.plan else UNSET,
            )
        )  # fmt: skip
        if kept:
            records.append(record(version, row, one, (name, at, tenant), told))
    return answers, records


@dataclass(frozen=True, slots=True)
class Told:
    """What was shown instead of a rejection, if anything, and how probable it was to show what was shown."""

    plan: str | None
    probability: float


SURE = Told(None, 1.0)
CHANCE = secrets.SystemRandom()


def explored(service: Service, version: Version, row: Mapping[str, Any], found: Decision) -> Told:
    """Of rejections near the threshold a share is shown with its best plan, where exploring was asked for."""
    settings = service.settings
    near = found.margin is not None and found.margin >= -settings.explore_margin
    if not (settings.explore and near and service.memory is not None):
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


async def keep(
    service: Service,
    call: Call,
    answer: Any,
    records: Sequence[Record],
    differences: Sequence[Difference] = (),
) -> Any:
    """The answer, once everything is on the disk; to a key that was used before, the answer it had."""
    key = call.body.idempotency_key
    if service.memory is None:
        return answer
    if key is UNSET:
        if records:
            await service.memory.write(Entry(records, None, differences))
        return answer
    asked = hashlib.sha256(call.route.encode() + msgspec.json.encode(call.body, order="sorted")).digest()
    body = ENCODER.encode(answer)
    keyed = Keyed(call.caller.tenant, key, asked, body, int(service.clock() * 1e6))
    earlier = await service.memory.write(Entry(records, keyed, differences))
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
    """A decision, or why there is none, as JSON."""
    if isinstance(found, RequestError):
        return ENCODER.encode({"error": found.shown()}).decode()
    return ENCODER.encode(found).decode()
