"""Two versions of a model, compared on what was logged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec import UnsetType

from racl.semantics import Decision
from racl.serve.deciding import alike, decide_row
from racl.serve.registry import Serving
from racl.serve.registry import Version as Registered
from racl.serve.remembering import moment, verdict
from racl.serve.routes import Call
from racl.serve.service import Service
from racl.serve.store import reading
from racl.serve.store.connection import Connection
from racl.serve.tallies import CompareAnswer, CompareQuery, Differing

SHOWN = 50  # differences that are listed


@dataclass
class Tally:
    """What is found while rows are compared."""

    compared: int = 0
    same: int = 0
    left_out: int = 0
    accepted: int = 0
    rejected: int = 0
    credits: dict[str, Counter[str]] = field(default_factory=dict)
    differences: list[Differing] = field(default_factory=list)

    def take(self, one: reading.Logged, first: Decision, second: Decision) -> None:
        """Count one row."""
        self.compared += 1
        self.credits.setdefault(first.credit.value, Counter())[second.credit.value] += 1
        self.accepted += second.accepted and not first.accepted
        self.rejected += first.accepted and not second.accepted
        if alike(first, second):
            self.same += 1
        elif len(self.differences) < SHOWN:
            self.differences.append(Differing(one.id, moment(one.at), verdict(first), verdict(second)))


async def compare(service: Service, call: Call) -> CompareAnswer:
    """How two versions decide what was logged; the same is the same credit and plan."""
    serving: Serving = service.registry.named(call.caller.tenant, call.path["name"])
    asked: CompareQuery = call.query
    first, second = (
        serving.active if isinstance(one, UnsetType) else serving.version(one)
        for one in (asked.first, asked.second)
    )
    chosen = reading.Filter(call.caller.tenant, model=serving.active.name)
    log = service.log()
    async with service.studying:
        tally = await log.read(lambda connection: tallied(connection, chosen, (first, second), asked.rows))
    return CompareAnswer(
        first=first.reference,
        second=second.reference,
        compared=tally.compared,
        same=tally.same,
        left_out=tally.left_out,
        accepted=tally.accepted,
        rejected=tally.rejected,
        credits={credit: dict(counted) for credit, counted in tally.credits.items()},
        differences=tally.differences,
    )


def tallied(
    connection: Connection, chosen: reading.Filter, versions: tuple[Registered, Registered], rows: int
) -> Tally:
    """The latest logged rows, decided by both."""
    tally = Tally()
    for one in latest(connection, chosen, rows):
        hidden = any(isinstance(value, dict) for value in one.given.values())
        found = [None if hidden else decide_row(version.model, one.given, "row") for version in versions]
        match found:
            case [Decision() as first, Decision() as second]:
                tally.take(one, first, second)
            case _:
                tally.left_out += 1
    return tally


def latest(connection: Connection, chosen: reading.Filter, rows: int) -> Iterator[reading.Logged]:
    """The latest decisions, a few at a time."""
    below: int | None = None
    while rows > 0:
        page = reading.decisions(connection, chosen, below=below, limit=min(rows, 200))
        yield from page
        if not page:
            return
        below, rows = page[-1].seq, rows - len(page)
