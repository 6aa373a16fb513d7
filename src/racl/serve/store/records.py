"""What is written: decisions with the rows they were made on, outcomes, and answers by idempotency key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from racl.serve.store.chain import ENCODER, leaf, linked, salts
from racl.serve.store.connection import Connection, Row

SAID = (
    "id", "at", "tenant", "model", "version", "accepted", "credit", "plan", "value", "margin", "cost",
    "explored", "probability",
)  # fmt: skip
WHOLE = ("seq", *SAID, "persona", "given", "salts", "link")
INSERT = f"INSERT INTO decisions ({', '.join(WHOLE)}) VALUES ({', '.join('?' * len(WHOLE))})"  # noqa: S608 - fixed names


@dataclass(frozen=True, slots=True)
class Record:
    """A decision as it is kept: what is said about it, its persona, and the row by columns."""

    said: tuple[Any, ...]  # in the order of SAID
    persona: str | None
    given: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Keyed:
    """An idempotency key, the digest of what was asked with it, and what is answered."""

    tenant: str
    key: str
    asked: bytes
    answer: bytes
    at: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A decision that the version in the shadow would have made otherwise."""

    id: str
    at: int
    tenant: str
    model: str
    version: str
    shadow: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What one request leaves behind, all of it or nothing."""

    records: Sequence[Record]
    keyed: Keyed | None = None
    differences: Sequence[Difference] = field(default=())


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was answered to the same key before."""

    asked: bytes
    answer: bytes


def write(connection: Connection, entries: Sequence[Entry]) -> list[Earlier | None]:
    """Write what several requests leave, in one transaction; for each, what its key was answered before."""
    with connection.writing():
        earlier = [answered(connection, entry.keyed) for entry in entries]
        fresh = [entry for entry, found in zip(entries, earlier, strict=True) if found is None]
        append(connection, [record for entry in fresh for record in entry.records])
        differences = [one for entry in fresh for one in entry.differences]
        if differences:
            connection.many(
                "INSERT INTO differences (id, at, tenant, model, version, shadow, before, after)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (d.id, d.at, d.tenant, d.model, d.version, d.shadow, d.before, d.after)
                    for d in differences
                ],
            )
    return earlier


def answered(connection: Connection, keyed: Keyed | None) -> Earlier | None:
    """What a key was answered before; if nothing, it is taken."""
    if keyed is None:
        return None
    taken = connection.run(
        "INSERT INTO answers (tenant, key, asked, answer, at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (tenant, key) DO NOTHING RETURNING at",
        (keyed.tenant, keyed.key, keyed.asked, keyed.answer, keyed.at),
    )
    if taken:
        return None
    ((asked, answer),) = connection.run(
        "SELECT asked, answer FROM answers WHERE tenant = ? AND key = ?", (keyed.tenant, keyed.key)
    )
    return Earlier(bytes(asked), bytes(answer))


def append(connection: Connection, records: Sequence[Record]) -> None:
    """Add decisions to their chain."""
    if not records:
        return
    seq, link = head(connection, "decisions")
    rows = []
    for record in records:
        salted = salts(len(record.given))
        seq, link = seq + 1, linked(link, leaf(record.said, record.given, salted))
        given = ENCODER.encode(record.given).decode()
        rows.append((seq, *record.said, record.persona, given, salted, link))
    connection.many(INSERT, rows)
    set_head(connection, "decisions", seq, link)


def head(connection: Connection, chain: str) -> tuple[int, bytes]:
    """The number and the link of a chain's last record."""
    ((seq, link),) = connection.run("SELECT seq, link FROM heads WHERE chain = ?", (chain,))
    return int(seq), bytes(link)


def set_head(connection: Connection, chain: str, seq: int, link: bytes) -> None:
    """Remember a chain's last record."""
    connection.run("UPDATE heads SET seq = ?, link = ? WHERE chain = ?", (seq, link, chain))


# outcomes --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a decision: whether what was offered was accepted, and when."""

    decision: str
    tenant: str
    at: int
    happened: int
    accepted: bool


def write_outcome(connection: Connection, outcome: Outcome) -> Row | None:
    """Write an outcome, once; the one there was before, if there was one."""
    with connection.writing():
        before = connection.run(
            "SELECT happened, accepted FROM outcomes WHERE decision = ?", (outcome.decision,)
        )
        if before:
            return before[0]
        seq, link = head(connection, "outcomes")
        salted = salts(2)
        said, columns = of_outcome(outcome)
        seq, link = seq + 1, linked(link, leaf(said, columns, salted))
        connection.run(
            "INSERT INTO outcomes (seq, decision, tenant, at, happened, accepted, salts, link)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                seq,
                outcome.decision,
                outcome.tenant,
                outcome.at,
                outcome.happened,
                int(outcome.accepted),
                salted,
                link,
            ),
        )
        set_head(connection, "outcomes", seq, link)
    return None


def of_outcome(outcome: Outcome) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What an outcome says about itself, and its columns."""
    return (outcome.decision, outcome.tenant, outcome.at), {
        "happened": outcome.happened,
        "accepted": outcome.accepted,
    }
