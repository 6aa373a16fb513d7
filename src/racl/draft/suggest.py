"""Expressions that a first domain file offers as examples, guessed from the names and types of columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from racl.domain.model import Column, Type
from racl.expr.show import text

NUMERIC = (Type.NUMBER, Type.INTEGER)
WANTED = re.compile(r"(?:needs|wants)_(.+)|(.+)_(?:needed|wanted)")
LEAST = re.compile(r"min_(.+)|(.+)_(?:needed|wanted)")
MOST = re.compile(r"max_(.+)()")


def requirements(columns: Sequence[Column]) -> Iterator[tuple[str, str]]:
    """Requirements that the names suggest, such as `has_bag or not needs_bag`; else any one."""
    known = {column.name: column for column in columns if not column.context}
    found = {name: holds for asked in columns if asked.context for name, holds in _matched(asked, known)}
    yield from found.items() if found else [_any(list(known.values()))]


def _matched(asked: Column, known: Mapping[str, Column]) -> Iterator[tuple[str, str]]:
    """What a column of the request asks of one of the candidate."""
    boolean = asked.type is Type.BOOLEAN
    patterns = ((WANTED, "{0} or not {1}"),) if boolean else ((LEAST, "{0} >= {1}"), (MOST, "{0} <= {1}"))
    for pattern, expression in patterns:
        match = pattern.fullmatch(asked.name)
        subject = (match[1] or match[2]) if match else ""
        for name in (subject, f"has_{subject}"):
            column = known.get(name)
            if column is not None and _alike(column, asked):
                yield subject, expression.format(column.name, asked.name)


def _alike(one: Column, other: Column) -> bool:
    return one.type is other.type is Type.BOOLEAN or (one.type in NUMERIC and other.type in NUMERIC)


def _any(candidate: Sequence[Column]) -> tuple[str, str]:
    """A requirement on the first column."""
    column = candidate[0]
    match column.type:
        case Type.BOOLEAN:
            return "first_requirement", column.name
        case Type.CATEGORY:
            return "first_requirement", f"{column.name} != {text(column.values[0])}"
        case _:
            return "first_requirement", f"{column.name} >= 0"


def features(candidate: Sequence[Column]) -> Iterator[tuple[str, str]]:
    """A feature for the first value of each category."""
    taken = {column.name for column in candidate}
    for column in candidate:
        if column.type is Type.CATEGORY:
            name = f"{column.name}_1"
            while name in taken:
                name += "_"
            taken.add(name)
            yield name, f"{column.name} == {text(column.values[0])}"


def repair(candidate: Sequence[Column]) -> tuple[str, str, str]:
    """A repair of a truth, if there is one: the column that it sets, when it applies and the new value."""
    column = min(candidate, key=lambda one: (one.type is not Type.BOOLEAN, one.type is Type.CATEGORY))
    match column.type:
        case Type.BOOLEAN:
            return column.name, f"not {column.name}", "true"
        case Type.CATEGORY:
            value = text(column.values[0])
            return column.name, f"{column.name} != {value}", value
        case _:
            return column.name, f"{column.name} > 0", f"{column.name} - 1"


def rule_column(context: Sequence[Column], word: str) -> str:
    """The column that is the budget, the threshold or the persona, by its name and type; empty where there is none."""
    wanted = (Type.CATEGORY,) if word == "persona" else NUMERIC
    return next((one.name for one in context if one.name.casefold() == word and one.type in wanted), "")
