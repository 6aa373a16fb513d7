"""The rows as a domain reads them: what stands in each column, what refuses it, and the float64, boolean or text that it is."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sqlglot import exp

from racl.domain.model import Column, Type
from racl.engines.bounds import column_interval
from racl.model import Model
from racl.query import text as sql
from racl.query.dialects import Dialect
from racl.query.text import E
from racl.values import EXACT

LARGEST = float(EXACT)


def fault(model: Model, column: Column, given: E, dialect: Dialect) -> Iterator[tuple[E, str]]:
    """When a value is refused, and in which words."""
    if column.default is None:
        yield sql.is_null(given), f"{column.name}: null, and the column has no default"
    for sound, what in _sound(model, column, given, dialect):
        yield sql.negated(sound), f"{column.name}: {what}"


def _sound(model: Model, column: Column, given: E, dialect: Dialect) -> Iterator[tuple[E, str]]:
    """What must hold of a value that is not null, and what it is where that does not hold."""
    if dialect.loose_types:
        types = {Type.BOOLEAN: ("integer",), Type.CATEGORY: ("text",)}.get(column.type, ("integer", "real"))
        null = () if column.default is None else ("null",)
        yield _among(sql.call("TYPEOF", given.copy()), (*types, *null)), f"not {_article(column.type)}"
    match column.type:
        case Type.NUMBER | Type.INTEGER:
            yield from _number(column, given, dialect)
        case Type.BOOLEAN if dialect.loose_types:
            bits = exp.In(this=given.copy(), expressions=[exp.Literal.number(0), exp.Literal.number(1)])
            yield bits, "not a boolean"
        case Type.CATEGORY if column.name != model.domain.rule.persona or model.taste.default is None:
            yield _among(_exactly(given, dialect), column.values), "not among the values"


def _number(column: Column, given: E, dialect: Dialect) -> Iterator[tuple[E, str]]:
    if column.type is Type.INTEGER:
        ends = (exp.Literal.number(end) for end in (-EXACT, EXACT))
        within = exp.Between(this=given.copy(), **dict(zip(("low", "high"), ends, strict=True)))
        whole = exp.EQ(this=given.copy(), expression=sql.call("FLOOR", given.copy()))
        yield sql.binary(exp.And, within, whole), "not a whole number within 2**53"
    else:
        yield sql.small(sql.double(given.copy()), dialect), "not a finite number"
        if dialect.loose_types:
            yield exp.EQ(this=sql.double(given.copy()), expression=given.copy()), "not exact in float64"
    for kind, bound, what in (
        (exp.GTE, column.min, "below the minimum"),
        (exp.LTE, column.max, "above the maximum"),
    ):
        if bound is not None and math.isfinite(bound):
            yield sql.binary(kind, given.copy(), sql.number(bound, dialect)), f"{what} {bound:g}"


def inexact(column: Column, given: E) -> tuple[E, str]:
    """When a whole number is refused, since no float64 is equal to it."""
    back = exp.Cast(this=sql.double(given.copy()), to=exp.DataType.build("decimal(38, 0)"))
    return sql.binary(exp.NEQ, back, given.copy()), f"{column.name}: not exact in float64"


def _exactly(given: E, dialect: Dialect) -> E:
    """A text that is compared byte for byte."""
    if dialect.loose_types:
        return exp.Collate(this=given.copy(), expression=exp.Var(this="BINARY"))
    return given.copy()


def _among(tree: E, words: tuple[str, ...]) -> E:
    return exp.In(this=tree, expressions=[sql.text(word) for word in words])


def _article(type_: Type) -> str:
    articles = {Type.BOOLEAN: "a boolean", Type.CATEGORY: "text", Type.INTEGER: "an integer"}
    return articles.get(type_, "a number")


def typed(column: Column, given: E, dialect: Dialect) -> E:
    """The value, or its default where it is null."""
    value = sql.double(given) if column.type in (Type.NUMBER, Type.INTEGER) else given
    if column.default is None:
        return value
    return sql.or_else(value, constant(column.default, dialect))


def stand_in(column: Column, dialect: Dialect) -> E:
    """A value within the bounds, for rows that are refused."""
    match column.type:
        case Type.BOOLEAN:
            return constant(False, dialect)  # noqa: FBT003 - a value of any type
        case Type.CATEGORY:
            return constant(column.values[0], dialect)
        case _:
            within = column_interval(column)
            return constant(min(max(0.0, within.low), within.high), dialect)


def constant(value: float | bool | str, dialect: Dialect) -> E:  # noqa: FBT001 - a value of any type
    """A value of a column."""
    match value:
        case bool():
            return sql.truth(value=value)
        case str():
            return sql.text(value)
        case _:
            return sql.number(float(value), dialect)
