"""Rows of a request to decisions, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from racl.domain.model import Domain
from racl.errors import nearest, quoted
from racl.model import Model
from racl.semantics import Decision, Refused
from racl.serve.faults import RequestError, invalid, pointer

Found = Decision | RequestError


def decide_row(model: Model, row: Mapping[str, Any], *where: str | int) -> Found:
    """The decision on one row, or why it is refused."""
    if not declared(model.domain).issuperset(row):
        return unknown_column(model.domain, row, where)
    found = model._closure(row)  # noqa: SLF001 - of this package
    return found if found.__class__ is Decision else refused(model.domain, row, found, where)


def decide_rows(model: Model, rows: Sequence[Any]) -> list[Found]:
    """The decision on each row, or why it is refused, in the order of the rows."""
    closure, known = model._closure, declared(model.domain)  # noqa: SLF001 - of this package
    found: list[Found] = []
    for number, row in enumerate(rows):
        if row.__class__ is dict and known.issuperset(row):
            one = closure(row)
            if one.__class__ is Decision:
                found.append(one)
                continue
        found.append(closely(model, row, number))
    return found


def closely(model: Model, row: object, number: int) -> Found:
    """The same for a row that is not as it should be."""
    if not isinstance(row, dict):
        return invalid("a row is an object, a value for each column", pointer("rows", number), "wrong_type")
    return decide_row(model, row, "rows", number)


def sure(found: Found) -> Decision:
    """The decision; raises the fault where there is none."""
    if isinstance(found, RequestError):
        raise found
    return found


def alike(one: Found, other: Found) -> bool:
    """Whether nobody would notice which of the two decided: credit and plan are the same."""
    if isinstance(one, RequestError) or isinstance(other, RequestError):
        return False
    return (one.credit, one.plan) == (other.credit, other.plan)


_declared: dict[int, tuple[Domain, frozenset[str]]] = {}


def declared(domain: Domain) -> frozenset[str]:
    """The names of the columns of a domain."""
    known = _declared.get(id(domain))
    if known is None or known[0] is not domain:
        known = _declared[id(domain)] = (domain, frozenset(column.name for column in domain.columns))
    return known[1]


def unknown_column(domain: Domain, row: Mapping[str, Any], where: tuple[str | int, ...]) -> RequestError:
    """The fault of a row with a column that the domain does not declare."""
    names = declared(domain)
    name = next(name for name in row if name not in names)
    hint = nearest(name, names)
    words = f"unknown column {quoted(name)}" + (f", {hint}" if hint else "")
    return invalid(words, pointer(*where, name), "unknown_field")


def refused(
    domain: Domain, row: Mapping[str, Any], found: Decision | Refused, where: tuple[str | int, ...]
) -> RequestError:
    """The fault of a row that the definition refuses."""
    if isinstance(found, Decision):
        raise TypeError("a decision is no refusal")
    if found.column not in declared(domain):
        return invalid(f"{found.column}: {found.reason}", pointer(*where), "row_refused")
    code = "row_refused" if found.column in row else "missing_field"
    return invalid(found.reason, pointer(*where, found.column), code)
