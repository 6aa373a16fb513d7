"""The log as a table to learn from: rows, what was shown and how probable that was, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from racl.domain.model import Column, Domain, Type
from racl.errors import DataError, Problem, quoted
from racl.model import parse_model
from racl.serve.store import models, reading
from racl.serve.store.connection import Connection

MOMENT = pa.timestamp("us", tz="UTC")
LOGGED: tuple[tuple[str, pa.DataType], ...] = (
    ("logged_id", pa.string()),
    ("logged_at", MOMENT),
    ("logged_version", pa.string()),
    ("logged_accepted", pa.bool_()),
    ("logged_credit", pa.string()),
    ("logged_value", pa.float64()),
    ("logged_margin", pa.float64()),
    ("logged_cost", pa.float64()),
    ("shown", pa.string()),
    ("probability", pa.float64()),
    ("explored", pa.bool_()),
    ("outcome", pa.bool_()),
    ("outcome_at", MOMENT),
)
TYPES = {
    Type.NUMBER: pa.float64(),
    Type.INTEGER: pa.int64(),
    Type.BOOLEAN: pa.bool_(),
    Type.CATEGORY: pa.string(),
}


@dataclass
class Exported:
    """What was written, and what cannot be known from it."""

    decisions: int = 0
    shown: int = 0
    told: int = 0  # of those shown, with an outcome
    explored: int = 0
    masked: int = 0

    @property
    def censored(self) -> int:
        """Decisions of which nothing can be known, since nothing was shown."""
        return self.decisions - self.shown

    def words(self) -> str:
        """What was written, and what is censored."""
        lines = [
            f"{self.decisions:,} decisions: {self.shown:,} shown, {self.told:,} of them with an outcome",
            f"{self.censored:,} rejections are censored: nothing was shown, so that no outcome can be known",
        ]
        if self.explored:
            lines.append(f"{self.explored:,} of those shown would have been rejected, and were explored")
        elif self.censored:
            lines.append("nothing was explored: outcomes tell nothing of what the model rejects")
        if self.masked:
            lines.append(
                f"{self.masked:,} have something hidden; `racl fit --rejects FILE` sets aside what it cannot learn from"
            )
        return "\n".join(lines)


def domain_of(connection: Connection, tenant: str, model: str | None) -> Domain:
    """The domain of a model's latest version."""
    kept = [one for one in models.versions(connection) if one.tenant == tenant]
    names = dict.fromkeys(one.model for one in kept)
    if model is None and len(names) == 1:
        model = next(iter(names))
    if model is None or model not in names:
        what = "which model?" if model is None else f"no model {quoted(model)}"
        raise DataError([Problem("racl export", what, f"--model, one of {', '.join(names) or 'none'}")])
    return parse_model([one for one in kept if one.model == model][-1].document).domain


def schema_of(domain: Domain) -> pa.Schema:
    """The columns: the domain's, then the log's."""
    taken = [column.name for column in domain.columns if column.name in dict(LOGGED)]
    if taken:
        raise DataError(
            [Problem("racl export", f"the domain has a column {quoted(taken[0])}, which the log has too")]
        )
    return pa.schema([*((column.name, TYPES[column.type]) for column in domain.columns), *LOGGED])


def export(connection: Connection, domain: Domain, tenant: str, path: Path) -> Exported:
    """Write all decisions of a domain, whole or not at all."""
    schema, found = schema_of(domain), Exported()
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with pq.ParquetWriter(unfinished, schema) as writer:
            for table in tables(connection, domain, tenant, schema, found):
                writer.write_table(table)
            about = {"decisions": found.decisions, "shown": found.shown, "censored": found.censored}
            writer.add_key_value_metadata({"racl_log": json.dumps(about)})
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return found


def tables(
    connection: Connection, domain: Domain, tenant: str, schema: pa.Schema, found: Exported
) -> Iterator[pa.Table]:
    """The log, a stretch at a time."""
    held: list[reading.Logged] = []
    for page in reading.everything(connection, tenant):
        held += [one for one in page if one.model == domain.name]
        if len(held) >= 1 << 16:
            yield table_of(held, domain, schema, found)
            held = []
    yield table_of(held, domain, schema, found)


def table_of(rows: Sequence[reading.Logged], domain: Domain, schema: pa.Schema, found: Exported) -> pa.Table:
    """Some decisions as a table."""
    found.decisions += len(rows)
    found.shown += sum(one.accepted for one in rows)
    found.told += sum(one.outcome is not None for one in rows)
    found.explored += sum(one.explored for one in rows)
    found.masked += sum(any(isinstance(value, dict) for value in one.given.values()) for one in rows)
    columns = [[value_of(column, one.given.get(column.name)) for one in rows] for column in domain.columns]
    logged = [
        (
            one.id, one.at, one.version, one.accepted, one.credit, one.value, one.margin, one.cost,
            (one.plan if one.accepted else None), one.probability, one.explored, one.outcome, one.happened,
        )
        for one in rows
    ]  # fmt: skip
    columns += [list(column) for column in zip(*logged, strict=True)] if logged else [[] for _ in LOGGED]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def value_of(column: Column, value: Any) -> Any:
    """A value as the table has it; null where it is hidden for good."""
    if value is None or isinstance(value, dict):
        return None
    return int(value) if column.type is Type.INTEGER else value
