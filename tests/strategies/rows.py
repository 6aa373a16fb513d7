"""Rows for a model: sound ones, ones whose budget and threshold lie on what can be reached, and nasty ones."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from racl import Model, semantics
from racl.domain.model import Column, Type
from racl.expr.nodes import Name
from racl.semantics import Option, Refused
from strategies.chance import EXTREMES, HALVES, TENTHS, Chance, beside

Row = dict[str, Any]

WHOLE = (0, 1, 2, -1, 3, 4, -2, 7, 10, 16, 1000, -8)
NASTY: tuple[object, ...] = (
    None, math.nan, math.inf, -math.inf, "1", "AA ", "zz", "", True, 1, 0, -0.0, 0.5, 2**53 + 1, 2**53, -(2**53) - 2, 2**63,
    10**400, 1e300, -1e300, Decimal("0.1"), Decimal("NaN"), Decimal("1e400"), np.float32(0.1), np.float64(2.5), np.int8(3),
    np.uint64(2**64 - 1), np.bool_(True), np.str_("AA"), np.float64("nan"), b"AA", [1.0], {"a": 1}, 1j, "\ud800", object,
)  # fmt: skip


def sound_value(chance: Chance, column: Column) -> object:
    """A value that the column takes."""
    match column.type:
        case Type.BOOLEAN:
            return chance.likely(50)
        case Type.CATEGORY:
            return chance.pick(column.values)
        case Type.INTEGER:
            whole = within(column, chance.pick(WHOLE))
            return float(whole) if chance.likely(30) else int(whole)
        case Type.NUMBER:
            value = within(column, chance.pick(HALVES if chance.likely(75) else TENTHS))
            return int(value) if value.is_integer() and chance.likely(30) else value


def within(column: Column, value: float) -> float:
    """The value, or the bound that it lies beyond."""
    low = -math.inf if column.min is None else column.min
    high = math.inf if column.max is None else column.max
    bounded = min(max(float(value), low), high)
    whole = column.type is not Type.INTEGER or bounded.is_integer()
    return bounded if whole else float(math.ceil(low) if value < low else math.floor(high))


def sound_row(chance: Chance, model: Model) -> Row:
    """A row that no column refuses; nulls where a default stands in, columns that nothing reads now and then."""
    read = model.domain.names_read
    row: Row = {}
    for column in model.domain.columns:
        if column.default is not None and chance.likely(20):
            row[column.name] = None
        elif column.name in read or chance.likely(90):
            row[column.name] = sound_value(chance, column)
    persona = model.domain.rule.persona
    if persona in row and model.taste.default and chance.likely(25):
        row[persona] = chance.pick(("stranger", "zz", "Fun", ""))
    return row


def aimed_row(chance: Chance, model: Model) -> Row:
    """A row whose budget and threshold lie on, or one float beside, what some plan costs and is worth."""
    row = sound_row(chance, model)
    reached = reachable(model, row)
    if reached:
        aim(chance, bar_column(model, "budget"), row, chance.pick(reached).cost)
        aim(chance, bar_column(model, "threshold"), row, chance.pick(reached).value)
    return row


def aim(chance: Chance, column: Column | None, row: Row, reached: float) -> None:
    """Put one of the two bars, where it is a column as such, on or beside what some feasible plan reaches."""
    if column is None:
        return
    value = beside(chance, reached)
    if column.type is Type.INTEGER:
        value = float(math.floor(min(max(value, -1e9), 1e9)))
    if (column.min is None or value >= column.min) and (column.max is None or value <= column.max):
        row[column.name] = value


def bar_column(model: Model, bar: str) -> Column | None:
    """The column that the budget or the threshold is, if it is one."""
    node = getattr(model.domain.rule, bar).node
    return model.domain.column(node.name) if isinstance(node, Name) else None


def reachable(model: Model, row: Row) -> list[Option]:
    """Every feasible plan of a row, at whatever cost."""
    domain, taste = model.domain, model.taste
    state = semantics.read_row(domain, taste, row)
    if isinstance(state, Refused):
        return []
    found = semantics.options(domain, semantics.preference_of(domain, taste, state), state, math.inf)
    return [] if isinstance(found, Refused) else found[0]


def nasty_row(chance: Chance, model: Model) -> Row:
    """A row with one or two values that are at a bound, past it, or nothing that a column would hold."""
    row = sound_row(chance, model)
    read = sorted(model.domain.names_read)
    for name in [chance.pick(read) for _ in range(chance.pick((1, 1, 2)))] if read else []:
        row[name] = nasty_value(chance, model.domain.column(name))
    return row


def nasty_value(chance: Chance, column: Column) -> object:
    """Something that a column may well refuse."""
    bounds = [bound for bound in (column.min, column.max) if bound is not None]
    kind = chance.integer(0, 9)
    if bounds and kind < 4:
        return beside(chance, chance.pick(bounds))
    if kind < 6 and column.type in (Type.NUMBER, Type.INTEGER):
        return chance.pick(EXTREMES)
    return chance.pick(NASTY)


def any_row(chance: Chance, model: Model) -> Row:
    """A row of one of the three sorts."""
    kind = chance.integer(0, 9)
    return (
        aimed_row(chance, model)
        if kind < 6
        else sound_row(chance, model)
        if kind < 8
        else nasty_row(chance, model)
    )


def any_rows(chance: Chance, model: Model, count: int) -> list[Row]:
    """So many rows; each column that is read and has no default stands in at least one."""
    return [any_row(chance, model) for _ in range(count)]
