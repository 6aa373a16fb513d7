"""Looking after a log: is it whole, what may be hidden in it, what may go."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from racl.serve.store.chain import ENCODER, START, leaf, linked, masked, signature
from racl.serve.store.connection import Connection, Row
from racl.serve.store.records import SAID, Outcome, head, of_outcome
from racl.serve.store.versions import Versions

CHAINS = ("decisions", "outcomes")
PAGE = 5_000
SHOWN = 20
DECISIONS = f"SELECT seq, {', '.join(SAID)}, given, salts, link, persona FROM decisions"  # noqa: S608 - fixed names
OUTCOMES = (
    "SELECT seq, decision, tenant, at, happened, accepted, salts, link FROM outcomes"
    " WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
)


@dataclass
class Checked:
    """What was found of a log: how much of it there is, and what does not fit."""

    decisions: int = 0
    outcomes: int = 0
    masked: int = 0  # decisions with something hidden
    checkpoints: int = 0
    unsigned: int = 0  # checkpoints that could not be checked without the secret
    problems: list[str] = field(default_factory=list)

    def say(self, problem: str) -> None:
        """One more thing that does not fit, unless there are too many to tell."""
        if len(self.problems) < SHOWN:
            self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class Link:
    """A record of a chain: its number, the digest that it has now, and the link that it was given."""

    seq: int
    leaf: bytes
    link: bytes


def decision_links(connection: Connection, found: Checked, until: int) -> Iterator[Link]:
    """Every decision of the chain up to a number, in order."""
    last, versions = 0, Versions(connection, found.say)
    query = f"{DECISIONS} WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT {PAGE}"
    while rows := connection.run(query, (last, until)):
        for row in rows:
            said, given, salted, link = row[1:-4], json.loads(row[-4]), bytes(row[-3]), bytes(row[-2])
            found.decisions += 1
            found.masked += any(isinstance(value, dict) for value in given.values())
            versions.check(row[0], (said[2], said[3], said[4]), row[-1], given)
            yield Link(row[0], computed(tuple(said), given, salted), link)
        last = rows[-1][0]


def computed(said: tuple[Any, ...], given: Mapping[str, Any], salted: bytes) -> bytes:
    """The digest of a decision; nothing where it is not even of its form."""
    try:
        return leaf(said, given, salted)
    except (KeyError, TypeError, ValueError):
        return b""


def outcome_links(connection: Connection, found: Checked, until: int) -> Iterator[Link]:
    """Every outcome of the chain up to a number, in order."""
    last = 0
    while rows := connection.run(OUTCOMES, (last, until, PAGE)):
        for seq, decision, tenant, at, happened, accepted, salted, link in rows:
            found.outcomes += 1
            said, columns = of_outcome(Outcome(decision, tenant, at, happened, bool(accepted)))
            yield Link(seq, leaf(said, columns, bytes(salted)), bytes(link))
        last = rows[-1][0]


LINKS = {"decisions": decision_links, "outcomes": outcome_links}


def verify(connection: Connection, secret: bytes | None) -> Checked:
    """Recompute every digest and link, and hold them to the checkpoints and to the head, while others write on."""
    found = Checked()
    for chain in CHAINS:
        signed = checkpoints(connection, chain, secret, found)
        seq, link = max(((at, link) for at, link, pruned in signed if pruned), default=(0, START))
        marks = {at: link for at, link, _ in signed}
        last = head(connection, chain)
        for one in LINKS[chain](connection, found, last[0]):
            if one.seq != seq + 1:
                found.say(f"{chain} {seq + 1} to {one.seq - 1} are missing")
            elif linked(link, one.leaf) != one.link:
                found.say(f"{chain} {one.seq}: was changed, or what stands before it was")
            if marks.get(one.seq, one.link) != one.link:
                found.say(f"{chain} {one.seq}: is not what the checkpoint vouches for")
            seq, link = one.seq, one.link
        if (seq, link) != last:
            found.say(f"{chain} end at {seq}, but {last[0]} were written")
        if max(marks, default=0) > last[0]:
            found.say(f"{chain} end at {last[0]}, but a checkpoint vouches for {max(marks)}")
        ((end,),) = connection.run(f"SELECT MAX(seq) FROM {chain}")  # noqa: S608 - fixed names
        if (end or 0) > head(connection, chain)[0]:
            found.say(f"{chain} go on to {end}, which nobody wrote")
    return found


def checkpoints(
    connection: Connection, chain: str, secret: bytes | None, found: Checked
) -> list[tuple[int, bytes, bool]]:
    """The checkpoints of a chain that can be believed."""
    rows = connection.run(
        "SELECT seq, link, at, pruned, signature FROM checkpoints WHERE chain = ? ORDER BY seq", (chain,)
    )
    kept = []
    for seq, link, at, pruned, signed in rows:
        found.checkpoints += 1
        if secret is None:
            found.unsigned += 1
        elif not hmac.compare_digest(
            bytes(signed), signature(secret, chain, seq, bytes(link), at, pruned=bool(pruned))
        ):
            found.say(f"{chain} {seq}: the checkpoint's signature is wrong")
            continue
        kept.append((int(seq), bytes(link), bool(pruned)))
    return kept


# hiding and forgetting -------------------------------------------------------------------------------


def mask(connection: Connection, columns: frozenset[str], *, before: int | None, name: str | None) -> int:
    """Hide columns for good, of one decision or of all made before a moment; how many were changed."""
    changed, last = 0, 0
    condition, values = ("AND id = ?", (name,)) if name else ("AND at < ?", (before,)) if before else ("", ())
    query = f"SELECT seq, given, salts, persona FROM decisions WHERE seq > ? {condition} ORDER BY seq LIMIT {PAGE}"  # noqa: S608
    while True:
        with connection.writing():  # a page at a time: who decides meanwhile waits for no more than that
            rows = connection.run(query, (last, *values))
            updates = list(hidden(rows, columns))
            connection.many("UPDATE decisions SET given = ?, salts = ?, persona = ? WHERE seq = ?", updates)
        if not rows:
            break
        changed, last = changed + len(updates), rows[-1][0]
    connection.forget()
    return changed


def hidden(rows: Sequence[Row], columns: frozenset[str]) -> Iterator[tuple[object, ...]]:
    """The decisions that hold any of the columns, without them."""
    for seq, text, salted, persona in rows:
        given = json.loads(text)
        if not any(name in columns and not isinstance(value, dict) for name, value in given.items()):
            continue
        kept, left = masked(given, bytes(salted), columns)
        gone = any(given[name] == persona for name in columns & given.keys())
        yield ENCODER.encode(kept).decode(), left, None if gone else persona, seq


def checkpoint(connection: Connection, secret: bytes, now: int) -> None:
    """Vouch for everything that is written so far."""
    with connection.writing():
        for chain in CHAINS:
            seq, link = head(connection, chain)
            if seq:
                sign(connection, secret, chain, seq, link, now, pruned=False)


def sign(
    connection: Connection, secret: bytes, chain: str, seq: int, link: bytes, now: int, *, pruned: bool
) -> None:
    """Write a checkpoint."""
    signed = signature(secret, chain, seq, link, now, pruned=pruned)
    connection.run(
        "INSERT INTO checkpoints (chain, seq, link, at, pruned, signature) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (chain, seq, pruned) DO NOTHING",
        (chain, seq, link, now, int(pruned), signed),
    )


def prune(connection: Connection, secret: bytes, before: int, now: int) -> int:
    """Forget what was written before a moment, vouching for where the chains go on; how many decisions went."""
    count = 0
    with connection.writing():
        for chain in CHAINS:
            ((kept,),) = connection.run(f"SELECT MIN(seq) FROM {chain} WHERE at >= ?", (before,))  # noqa: S608
            last, link = (kept - 1, None) if kept else head(connection, chain)
            held = connection.run(f"SELECT link FROM {chain} WHERE seq = ?", (last,))  # noqa: S608
            if not held:
                continue
            sign(connection, secret, chain, last, link or bytes(held[0][0]), now, pruned=True)
            gone = connection.run(f"DELETE FROM {chain} WHERE seq <= ? RETURNING seq", (last,))  # noqa: S608
            count += len(gone) if chain == "decisions" else 0
        connection.run("DELETE FROM answers WHERE at < ?", (before,))
        connection.run("DELETE FROM differences WHERE at < ?", (before,))
    connection.forget()
    return count
