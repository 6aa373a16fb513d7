"""What expressions read in a state, and what came out."""

from __future__ import annotations

from collections.abc import Iterable

from racl.domain.model import Domain, Repair
from racl.explain.case import unit_of
from racl.explain.explanation import Change, Check, Formula, Reading
from racl.expr.nodes import Expression, Name, walk
from racl.expr.show import show
from racl.semantics import State, number, truth
from racl.values import Value


def readings(domain: Domain, names: Iterable[str], state: State) -> tuple[Reading, ...]:
    """Columns with the values that a state has in them."""
    return tuple(Reading(name, state[name], domain.column(name).unit) for name in names)


def reads(domain: Domain, expression: Expression, state: State) -> tuple[Reading, ...]:
    """What an expression reads, in the order in which it stands there."""
    found = dict.fromkeys(node.name for node in walk(expression.node) if isinstance(node, Name))
    return readings(domain, found, state)


def truth_formula(domain: Domain, expression: Expression, state: State) -> Formula:
    """A boolean expression over a state."""
    return _formula(domain, expression, state, truth(expression, state))


def number_formula(domain: Domain, expression: Expression, state: State, *, unit: str = "") -> Formula:
    """An expression of numbers over a state."""
    return _formula(domain, expression, state, number(expression, state), unit)


def _formula(domain: Domain, expression: Expression, state: State, value: Value, unit: str = "") -> Formula:
    text, unit = show(expression.node), unit or unit_of(domain, expression)
    return Formula(text, value, reads(domain, expression, state), unit)


def price(domain: Domain, repair: Repair, state: State) -> Formula:
    """The cost of a repair on a state, in the unit of the budget."""
    return number_formula(domain, repair.cost, state, unit=unit_of(domain, domain.rule.budget))


def checks(domain: Domain, state: State) -> tuple[Check, ...]:
    """Every requirement on a state."""
    return tuple(
        Check(one.name, show(one.holds.node), reads(domain, one.holds, state), truth(one.holds, state))
        for one in domain.requirements
    )


def failing_checks(domain: Domain, state: State) -> tuple[Check, ...]:
    """The requirements that do not hold of a state."""
    return tuple(check for check in checks(domain, state) if not check.holds)


def changes(domain: Domain, names: Iterable[str], before: State, after: State) -> tuple[Change, ...]:
    """Columns before and after; one that nothing reads has no value before."""
    return tuple(Change(name, before.get(name), after[name], domain.column(name).unit) for name in names)
