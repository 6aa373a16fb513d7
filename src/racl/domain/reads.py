"""Which columns the expressions of a domain read."""

from __future__ import annotations

from collections.abc import Iterator

from racl.domain.model import Column, Domain
from racl.expr.nodes import Expression, names


def expressions(domain: Domain) -> Iterator[tuple[str, Expression]]:
    """Every expression of the domain, with its key path."""
    for requirement in domain.requirements:
        yield f"requirements.{requirement.name}", requirement.holds
    for feature in domain.features:
        yield f"features.{feature.name}", feature.value
    for repair in domain.repairs:
        yield f"repairs.{repair.name}.applies", repair.applies
        for name, expression in repair.sets:
            yield f"repairs.{repair.name}.sets.{name}", expression
        yield f"repairs.{repair.name}.cost", repair.cost
    yield "rule.budget", domain.rule.budget
    yield "rule.threshold", domain.rule.threshold


def names_read(domain: Domain) -> frozenset[str]:
    """The names of the columns that some expression or the rule reads."""
    found = {name for _, expression in expressions(domain) for name in names(expression.node)}
    return frozenset(found | ({domain.rule.persona} if domain.rule.persona else set()))


def columns_read(domain: Domain) -> tuple[Column, ...]:
    """The columns that some expression or the rule reads, in the order of declaration."""
    read = names_read(domain)
    return tuple(column for column in domain.columns if column.name in read)
