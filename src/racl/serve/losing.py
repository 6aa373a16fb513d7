"""The route that tells what is being lost: vetoes over time, what blocks, what more budget would turn, unused repairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from racl.domain.model import Domain
from racl.errors import RowError
from racl.explain import Explanation
from racl.serve.registry import Serving
from racl.serve.remembering import micros, moment
from racl.serve.routes import Call
from racl.serve.service import Service
from racl.serve.store import reading
from racl.serve.store.connection import Connection
from racl.serve.wire import Blocking, Chosen, Period, Turned, VetoesAnswer, VetoesQuery

SPANS = {"hour": 3_600_000_000, "day": 86_400_000_000}
POINTS = 50  # of the curve


async def vetoes(service: Service, call: Call) -> VetoesAnswer:
    """What a model rejects, and what it would take; requirements and budgets from the latest rejections."""
    asked: VetoesQuery = call.query
    serving = service.registry.named(call.caller.tenant, call.path["name"])
    span = SPANS[asked.by]
    chosen = reading.Filter(
        call.caller.tenant, serving.active.name, after=micros(asked.after), before=micros(asked.before)
    )

    def look(connection: Connection) -> VetoesAnswer:
        periods = reading.by_period(connection, chosen, span)
        rejected = reading.decisions(
            connection, reading.Filter(**{**fields(chosen), "accepted": False}), limit=asked.explain
        )
        return answer(
            serving, periods, reading.by_plan(connection, chosen), explained(serving, rejected), span
        )

    return await service.log().read(look)


def fields(chosen: reading.Filter) -> dict[str, Any]:
    """The filter's parts by name."""
    return {name: getattr(chosen, name) for name in reading.Filter.__slots__}


def explained(serving: Serving, rejected: Sequence[reading.Logged]) -> list[Explanation]:
    """Those of the rejections that can still be explained, each by the version that made it."""
    found = []
    for one in rejected:
        version = serving.versions.get(one.version)
        if version is None or any(isinstance(value, dict) for value in one.given.values()):
            continue
        try:
            found.append(version.model.explain(one.given))
        except RowError:
            continue
    return found


def answer(
    serving: Serving,
    periods: Sequence[tuple[int, str, int]],
    plans: Sequence[tuple[str, int]],
    rejections: Sequence[Explanation],
    span: int,
) -> VetoesAnswer:
    """Everything counted."""
    domain = serving.active.model.domain
    by_start: dict[int, Counter[str]] = {}
    for start, credit, count in periods:
        by_start.setdefault(start, Counter())[credit] += count
    return VetoesAnswer(
        decisions=sum(count for _, _, count in periods),
        explained=len(rejections),
        periods=[Period(moment(start * span), dict(held)) for start, held in sorted(by_start.items())],
        requirements=blocking(domain, rejections),
        budget=curve(rejections),
        repairs=used(domain, plans),
    )


def blocking(domain: Domain, rejections: Sequence[Explanation]) -> list[Blocking]:
    """How often each requirement fails of what came, and how often no repair can mend it."""
    failing = Counter(
        check.requirement for one in rejections for check in one.requirements if not check.holds
    )
    beyond = Counter(name for one in rejections for name in one.search.always_failing)
    return [Blocking(one.name, failing[one.name], beyond[one.name]) for one in domain.requirements]


def curve(rejections: Sequence[Explanation]) -> list[Turned]:
    """How many rejections so much more budget would turn."""
    extra = sorted(
        one.turning_budget.accepted_from - one.turning_budget.now
        for one in rejections
        if one.turning_budget.accepted_from is not None
    )
    step = max(1, -(-len(extra) // POINTS))
    places = sorted({*range(step - 1, len(extra), step), len(extra) - 1} - {-1})
    return [Turned(extra[place], place + 1) for place in places]


def used(domain: Domain, plans: Sequence[tuple[str, int]]) -> list[Chosen]:
    """How often each repair was part of a plan, the unused ones too."""
    counts: Counter[str] = Counter()
    for plan, count in plans:
        for step in plan.split(" + "):
            counts[step] += count
    return [Chosen(one.name, one.title, counts[one.name]) for one in domain.repairs]
