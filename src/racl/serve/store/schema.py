"""The tables of the memory, in the words that SQLite and PostgreSQL share."""

from __future__ import annotations

TYPES = {
    "sqlite": {"big": "INTEGER", "real": "REAL", "blob": "BLOB", "asked": "credit, plan, persona, accepted"},
    # an entry of its indexes must be small, and names may be long
    "postgresql": {"big": "BIGINT", "real": "DOUBLE PRECISION", "blob": "BYTEA", "asked": "credit, accepted"},
}
STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE heads (chain TEXT PRIMARY KEY, seq {big} NOT NULL, link {blob} NOT NULL)""",
        """CREATE TABLE decisions (
            seq {big} PRIMARY KEY, id TEXT NOT NULL UNIQUE, at {big} NOT NULL, tenant TEXT NOT NULL,
            model TEXT NOT NULL, version TEXT NOT NULL, persona TEXT, accepted INTEGER NOT NULL, credit TEXT NOT NULL,
            plan TEXT, value {real}, margin {real}, cost {real}, explored INTEGER NOT NULL, probability {real} NOT NULL,
            given TEXT NOT NULL, salts {blob} NOT NULL, link {blob} NOT NULL)""",
        """CREATE TABLE outcomes (
            seq {big} PRIMARY KEY, decision TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, at {big} NOT NULL,
            happened {big} NOT NULL, accepted INTEGER NOT NULL, salts {blob} NOT NULL, link {blob} NOT NULL)""",
        """CREATE TABLE checkpoints (
            chain TEXT NOT NULL, seq {big} NOT NULL, link {blob} NOT NULL, at {big} NOT NULL, pruned INTEGER NOT NULL,
            signature {blob} NOT NULL, PRIMARY KEY (chain, seq, pruned))""",
        """CREATE TABLE answers (
            tenant TEXT NOT NULL, key TEXT NOT NULL, asked {blob} NOT NULL, answer {blob} NOT NULL, at {big} NOT NULL,
            PRIMARY KEY (tenant, key))""",
        """CREATE TABLE differences (
            id TEXT NOT NULL, at {big} NOT NULL, tenant TEXT NOT NULL, model TEXT NOT NULL, version TEXT NOT NULL,
            shadow TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, PRIMARY KEY (id, shadow))""",
        """CREATE TABLE versions (
            tenant TEXT NOT NULL, model TEXT NOT NULL, version TEXT NOT NULL, document TEXT NOT NULL, at {big} NOT NULL,
            PRIMARY KEY (tenant, model, version))""",
        """CREATE TABLE serving (
            tenant TEXT NOT NULL, model TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (tenant, model))""",
        """CREATE TABLE keys (
            id TEXT PRIMARY KEY, digest {blob} NOT NULL UNIQUE, tenant TEXT NOT NULL, scopes TEXT NOT NULL,
            label TEXT NOT NULL, at {big} NOT NULL, expires {big})""",
        """INSERT INTO heads (chain, seq, link) VALUES ('decisions', 0, {nothing}), ('outcomes', 0, {nothing})""",
    ),
    (
        """CREATE INDEX decisions_asked ON decisions (tenant, at, seq, model, {asked})""",
        """CREATE INDEX differences_asked ON differences (tenant, model, at, shadow)""",
    ),
)
NOTHING = {"sqlite": f"x'{'00' * 32}'", "postgresql": f"'\\x{'00' * 32}'::bytea"}


def statements(dialect: str, step: int) -> list[str]:
    """The statements of one step of the schema, in a dialect."""
    words = {**TYPES[dialect], "nothing": NOTHING[dialect]}
    return [one.format(**words) for one in STEPS[step]]
