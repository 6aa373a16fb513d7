"""What is read out of the memory: decisions by their filters, one with its outcome, differences, versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from racl.serve.store.connection import Connection, Row

COLUMNS = (
    "d.seq, d.id, d.at, d.model, d.version, d.persona, d.accepted, d.credit, d.plan, d.value, d.margin, d.cost,"
    " d.explored, d.probability, d.given, o.happened, o.accepted, d.tenant"
)
JOINED = "FROM decisions d LEFT JOIN outcomes o ON o.decision = d.id"
LATEST = "ORDER BY d.at DESC, d.seq DESC"  # as the index has it
PAGE = 2_000  # decisions read at a time


@dataclass(frozen=True, slots=True)
class Logged:
    """A decision as the log has it."""

    seq: int
    id: str
    at: int
    model: str
    version: str
    persona: str | None
    accepted: bool
    credit: str
    plan: str | None
    value: float | None
    margin: float | None
    cost: float | None
    explored: bool
    probability: float
    given: dict[str, Any]
    happened: int | None  # when the outcome did
    outcome: bool | None
    tenant: str


def logged(row: Row) -> Logged:
    """A row of the query as a decision."""
    held = list(row)
    held[6], held[12], held[14] = bool(row[6]), bool(row[12]), json.loads(row[14])
    held[16] = None if row[16] is None else bool(row[16])
    return Logged(*held)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which decisions are asked for; None is any."""

    tenant: str
    model: str | None = None
    version: str | None = None
    credit: str | None = None
    plan: str | None = None
    persona: str | None = None
    accepted: bool | None = None
    after: int | None = None  # microseconds
    before: int | None = None

    def where(self) -> tuple[str, list[Any]]:
        """The condition, and its values."""
        accepted = None if self.accepted is None else int(self.accepted)
        parts: list[tuple[str, Any]] = [
            ("d.tenant = ?", self.tenant),
            ("d.model = ?", self.model),
            ("d.credit = ?", self.credit),
            ("d.plan = ?", self.plan),
            ("d.persona = ?", self.persona),
            ("d.accepted = ?", accepted),
            ("d.at >= ?", self.after),
            ("d.at < ?", self.before),
        ]
        asked = [(text, value) for text, value in parts if value is not None]
        if self.version is not None:
            asked += [("d.version >= ?", self.version), ("d.version < ?", self.version + "g")]
        return " AND ".join(text for text, _ in asked), [value for _, value in asked]


def decisions(
    connection: Connection, asked: Filter, *, below: int | None = None, limit: int = 100
) -> list[Logged]:
    """The latest decisions, the last one first; `below` is the number of the one that the page before ended with."""
    where, values = asked.where()
    if below is not None:
        where += " AND (d.at, d.seq) < (SELECT b.at, b.seq FROM decisions b WHERE b.seq = ?)"
        values = [*values, below]
    query = f"SELECT {COLUMNS} {JOINED} WHERE {where} {LATEST} LIMIT ?"
    return [logged(row) for row in connection.run(query, (*values, limit))]


def decision(connection: Connection, tenant: str, name: str) -> Logged | None:
    """One decision, if the tenant has it."""
    query = f"SELECT {COLUMNS} {JOINED} WHERE d.tenant = ? AND d.id = ?"
    found = connection.run(query, (tenant, name))
    return logged(found[0]) if found else None


def everything(connection: Connection, tenant: str | None = None) -> Iterator[list[Logged]]:
    """All decisions, the first one first, a page at a time."""
    last = 0
    condition, values = ("", []) if tenant is None else ("AND d.tenant = ?", [tenant])
    query = f"SELECT {COLUMNS} {JOINED} WHERE d.seq > ? {condition} ORDER BY d.seq LIMIT {PAGE}"
    while page := [logged(row) for row in connection.run(query, (last, *values))]:
        yield page
        last = page[-1].seq


def differences(connection: Connection, tenant: str, model: str, limit: int) -> Sequence[Row]:
    """The latest decisions that a shadow would have made otherwise."""
    return connection.run(
        "SELECT id, at, version, shadow, before, after FROM differences WHERE tenant = ? AND model = ?"
        " ORDER BY at DESC LIMIT ?",
        (tenant, model, limit),
    )


def counted(connection: Connection, tenant: str, model: str) -> Sequence[Row]:
    """How many decisions each shadow would have made otherwise."""
    return connection.run(
        "SELECT shadow, COUNT(*) FROM differences WHERE tenant = ? AND model = ? GROUP BY shadow",
        (tenant, model),
    )
