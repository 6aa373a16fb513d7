"""What the definition says of many rows, in the form that engines fill, and where an engine says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from racl import Decision, Model, semantics
from racl.decide import decide_table
from racl.engines.outputs import CREDIT_NUMBER, Outputs, allocate, plan_number
from racl.frames import Table, read_rows
from racl.model import Engine
from racl.semantics import Refused
from strategies.rows import Row

Found = Decision | Refused


def by_definition(model: Model, rows: Sequence[Row]) -> list[Found]:
    """What the definition says of each row."""
    return [semantics.decide(model.domain, model.taste, row) for row in rows]


def outputs_of(model: Model, found: Sequence[Found]) -> Outputs:
    """The same as an engine would write it."""
    out = allocate(model.program, len(found))
    numbers = {name: number for number, name in enumerate(model.program.names)}
    for row, one in enumerate(found):
        refused = isinstance(one, Refused)
        out.refused[row], out.accepted[row] = refused, isinstance(one, Decision) and one.accepted
        out.credit[row] = CREDIT_NUMBER[one.credit] if isinstance(one, Decision) else -1
        plan = one.plan if isinstance(one, Decision) else None
        out.plan[row] = (
            -1
            if plan is None
            else plan_number(model.program, tuple(numbers[name] for name in plan.split(" + ")))
        )
        for name in ("value", "margin", "cost"):
            value = getattr(one, name) if isinstance(one, Decision) else None
            getattr(out, name)[row] = np.nan if value is None else value
    return out


def by_engine(
    model: Model, rows: Sequence[Row] | Table, engine: Engine, threads: int | None = None
) -> Outputs:
    """What an engine writes for the rows."""
    table = rows if isinstance(rows, Table) else read_rows(rows)
    return decide_table(model, table, engine=engine, threads=threads).outputs


def differing(wanted: Outputs, got: Outputs) -> list[int]:
    """The rows where two outputs are not the same to the bit, NaN standing for null."""
    differs = np.zeros(len(wanted.refused), np.bool_)
    for one in fields(Outputs):
        a, b = getattr(wanted, one.name), getattr(got, one.name)
        if a.dtype == np.float64:
            differs |= (a.view(np.int64) != b.view(np.int64)) & ~(np.isnan(a) & np.isnan(b))
        else:
            differs |= a != b
    return [int(row) for row in np.flatnonzero(differs)]


def shown(model: Model, out: Outputs, row: int) -> str:
    """One row of an output in words."""
    return ", ".join(f"{one.name} {getattr(out, one.name)[row]!r}" for one in fields(Outputs))


def disagreements(model: Model, rows: Sequence[Row], wanted: Outputs, got: Outputs) -> list[str]:
    """The first three differences in words, for the message of a failing test."""
    return [
        f"row {row} {rows[row]}: the definition: {shown(model, wanted, row)}; the engine: {shown(model, got, row)}"
        for row in differing(wanted, got)[:3]
    ]
