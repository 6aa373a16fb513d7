"""What is being lost: credits over time, what blocks, what a larger budget would turn, repairs that nobody takes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from racl.domain.model import KEEP, Domain
from racl.explain.case import Case, case_of, unit_of
from racl.model import Model
from racl.semantics import Refused, read_row, truth
from racl.serve.comparing import latest
from racl.serve.deciding import decide_row
from racl.serve.faults import RequestError
from racl.serve.registry import Serving
from racl.serve.remembering import micros, moment
from racl.serve.routes import Call
from racl.serve.service import Service
from racl.serve.store import reading
from racl.serve.store.connection import Connection, Row
from racl.serve.tallies import Blocking, Span, Turned, Used, VetoesAnswer, VetoesQuery

COUNTED = 200_000  # decisions, the latest, that are counted
SECONDS = 2.0  # for looking into rejections
POINTS = 100  # of the curve, at most
SPANS = 48  # of time, at most
WIDTHS = (60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400)  # seconds


@dataclass
class Study:
    """What is found while rejections are looked into."""

    studied: int = 0
    masked: int = 0
    fails: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    beyond: Counter[str] = field(default_factory=Counter)
    by: Counter[str] = field(default_factory=Counter)
    more: list[float] = field(default_factory=list)

    def look(self, case: Case) -> None:
        """Look into one rejection."""
        names = [one.name for one in case.domain.requirements]
        failing = [one.name for one in case.domain.requirements if not truth(one.holds, case.state)]
        self.studied += 1
        self.fails.update(failing)
        self.alone.update(failing if len(failing) == 1 else ())
        self.beyond.update(names[number] for number in case.survey.always_failing)
        found = case.cheapest_reaching
        if found is not None:
            self.more.append(found.cost - case.budget)
            self.by.update({case.domain.repairs[number - 1].name for number in found.steps})


async def vetoes(service: Service, call: Call) -> VetoesAnswer:
    """What is being lost by a model's decisions, and to what."""
    serving = service.registry.named(call.caller.tenant, call.path["name"])
    asked: VetoesQuery = call.query
    chosen = reading.Filter(
        call.caller.tenant,
        model=serving.active.name,
        after=micros(asked.after),
        before=micros(asked.before),
    )
    log = service.log()
    async with service.studying:
        return await log.read(lambda connection: told(connection, serving, chosen, asked.rows))


def told(connection: Connection, serving: Serving, chosen: reading.Filter, rows: int) -> VetoesAnswer:
    """Everything, counted and looked into."""
    where, values = chosen.where()
    counted = Counted(connection, where, values)
    held, plans = counted.by("credit"), counted.by("plan")
    width, spans = counted.over_time()
    study = studied(connection, serving, chosen, rows)
    domain = serving.active.model.domain
    return VetoesAnswer(
        model=serving.active.reference,
        counted=sum(held.values()),
        credits=held,
        width=width,
        spans=spans,
        studied=study.studied,
        masked=study.masked,
        requirements=blocking(domain, study),
        repairs=used(domain, plans, study),
        curve=curve(study.more),
        unit=unit_of(domain, domain.rule.budget),
    )


@dataclass(frozen=True)
class Counted:
    """The latest decisions, counted where they are kept."""

    connection: Connection
    where: str
    values: list[Any]

    def run(self, columns: str, after: str = "") -> Sequence[Row]:
        """What a query of the latest decisions gives."""
        told = "SELECT d.at, d.credit, d.plan FROM decisions d"
        latest = f"{told} WHERE {self.where} {reading.LATEST} LIMIT {COUNTED}"
        return self.connection.run(f"SELECT {columns} FROM ({latest}) t {after}", self.values)  # noqa: S608

    def by(self, column: str) -> dict[str, int]:
        """How many decisions have each value of a column, but none."""
        found = self.run(f"t.{column}, COUNT(*)", "GROUP BY 1 ORDER BY 1")
        return {value: int(count) for value, count in found if value is not None}

    def over_time(self) -> tuple[int, list[Span]]:
        """The credits by spans of time, those without a decision too."""
        ((first, last),) = self.run("MIN(t.at), MAX(t.at)")
        if first is None:
            return WIDTHS[0], []
        width = next((one for one in WIDTHS if (last - first) / 1e6 < one * SPANS), WIDTHS[-1])
        micro = width * 1_000_000
        spans: dict[int, dict[str, int]] = {
            place: {} for place in range(first // micro, last // micro + 1)[-10 * SPANS :]
        }
        for place, credit, count in self.run(f"t.at / {micro}, t.credit, COUNT(*)", "GROUP BY 1, 2"):
            spans.setdefault(int(place), {})[credit] = int(count)
        return width, [Span(moment(place * micro), spans[place]) for place in sorted(spans)]


def studied(connection: Connection, serving: Serving, chosen: reading.Filter, rows: int) -> Study:
    """What is found in the latest rejections, as many as there is time for."""
    study, until = Study(), time.monotonic() + SECONDS
    for one in latest(connection, replace(chosen, accepted=False), rows):
        version = serving.versions.get(one.version)
        if version is None or any(isinstance(value, dict) for value in one.given.values()):
            study.masked += 1
            continue
        case = case_of_row(version.model, one.given)
        if case is not None:
            study.look(case)
        if time.monotonic() > until:
            break
        time.sleep(0)  # others may have the interpreter meanwhile
    return study


def case_of_row(model: Model, row: Mapping[str, Any]) -> Case | None:
    """A row that was rejected, under explanation; None where it is not rejected now."""
    decision = decide_row(model, row, "row")
    state = read_row(model.domain, model.taste, row)
    if isinstance(decision, RequestError) or isinstance(state, Refused) or decision.accepted:
        return None
    return case_of(model, state, decision)


def blocking(domain: Domain, study: Study) -> list[Blocking]:
    """Every requirement, the one that fails most first."""
    found = [
        Blocking(one.name, study.fails[one.name], study.alone[one.name], study.beyond[one.name])
        for one in domain.requirements
    ]
    return sorted(found, key=lambda one: (-one.beyond_repair, -one.fails))


def used(domain: Domain, plans: Mapping[str, int], study: Study) -> list[Used]:
    """Every repair, the one that is chosen most first; `keep` is none."""
    chosen: Counter[str] = Counter()
    for plan, count in plans.items():
        chosen.update({step: count for step in plan.split(" + ") if step != KEEP})
    found = [Used(one.name, one.label, chosen[one.name], study.by[one.name]) for one in domain.repairs]
    return sorted(found, key=lambda one: -one.chosen)


def curve(more: list[float]) -> list[Turned]:
    """How many are turned by how much more, where that number changes; thinned out where it changes often."""
    ordered = sorted(more)
    steps = [
        (value, count) for count, value in enumerate(ordered, 1) if ordered[count : count + 1] != [value]
    ]
    if len(steps) > POINTS:
        steps = [steps[round(place * (len(steps) - 1) / (POINTS - 1))] for place in range(POINTS)]
    return [Turned(value, count) for value, count in steps]
