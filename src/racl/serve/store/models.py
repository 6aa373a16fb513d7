"""The versions of models that the memory keeps, and which of them decides."""

from __future__ import annotations

import json
from dataclasses import dataclass

from racl.serve.store.connection import Connection


@dataclass(frozen=True, slots=True)
class Kept:
    """A version as it is kept."""

    tenant: str
    model: str
    version: str
    document: str
    at: int


@dataclass(frozen=True, slots=True)
class State:
    """Which versions of a model do what."""

    active: str
    shadow: str | None = None
    candidate: str | None = None
    share: float = 0.0
    before: tuple[str, ...] = ()


def versions(connection: Connection) -> list[Kept]:
    """Every version, in the order in which they came."""
    rows = connection.run("SELECT tenant, model, version, document, at FROM versions ORDER BY at, version")
    return [Kept(*row) for row in rows]


def known(connection: Connection) -> set[tuple[str, str, str]]:
    """The tenant, name and hash of every version."""
    return {(row[0], row[1], row[2]) for row in connection.run("SELECT tenant, model, version FROM versions")}


def states(connection: Connection) -> dict[tuple[str, str], State]:
    """What every tenant is served."""
    rows = connection.run("SELECT tenant, model, state FROM serving")
    return {(tenant, model): read_state(text) for tenant, model, text in rows}


def read_state(text: str) -> State:
    """A state as it is kept."""
    held = json.loads(text)
    return State(held["active"], held["shadow"], held["candidate"], held["share"], tuple(held["before"]))


def keep(connection: Connection, kept: Kept | None, tenant: str, model: str, state: State) -> None:
    """Keep a version, if it is new, and which versions do what."""
    with connection.writing():
        if kept is not None:
            connection.run(
                "INSERT INTO versions (tenant, model, version, document, at) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (tenant, model, version) DO NOTHING",
                (kept.tenant, kept.model, kept.version, kept.document, kept.at),
            )
        text = json.dumps({name: getattr(state, name) for name in State.__slots__})
        connection.run(
            "INSERT INTO serving (tenant, model, state) VALUES (?, ?, ?)"
            " ON CONFLICT (tenant, model) DO UPDATE SET state = excluded.state",
            (tenant, model, text),
        )
