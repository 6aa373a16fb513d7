"""Which repair can change which requirement and which feature, read off the columns; nothing is decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import perm

from racl.domain.model import Domain, Repair
from racl.expr.nodes import Expression, Name, names

Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a repair can change: by itself, and further down a plan through repairs that read what it sets."""

    repair: str
    columns: tuple[str, ...]
    requirements: tuple[str, ...]
    features: tuple[str, ...]
    further_requirements: tuple[str, ...] = ()
    further_features: tuple[str, ...] = ()

    @property
    def idle(self) -> bool:
        """Whether it can change nothing that a decision looks at."""
        reached = (self.requirements, self.features, self.further_requirements, self.further_features)
        return not any(reached)


def effects(domain: Domain) -> tuple[Effect, ...]:
    """The effect of every repair, in order.

    >>> from racl.domain.files import load_domain
    >>> effects(load_domain("examples/airline/domain.toml"))[0].requirements
    ('bags',)
    """
    passed = passed_on(domain)
    return tuple(_effect(domain, repair, passed) for repair in domain.repairs)


def _effect(domain: Domain, repair: Repair, passed: Mapping[str, Names]) -> Effect:
    own = reached = changed(repair)
    for _ in range(domain.rule.steps - 1):
        reached = reached.union(*(passed[name] for name in reached if name in passed))
    holds = {one.name: one.holds for one in domain.requirements}
    values = {one.name: one.value for one in domain.features}
    requirements, further_requirements = _reading(holds, own, reached)
    features, further_features = _reading(values, own, reached)
    columns = _ordered(domain, own)
    return Effect(repair.name, columns, requirements, features, further_requirements, further_features)


@dataclass(frozen=True, slots=True)
class Through:
    """That what a repair does, or whether it applies, depends on one that is taken before it in a plan."""

    repair: str
    columns: tuple[str, ...]  # that the one before it sets and it reads


def through(domain: Domain, first: Repair) -> Iterator[Through]:
    """The repairs that do something else, cost something else or apply otherwise after the first."""
    if domain.rule.steps == 1:
        return
    own = changed(first)
    for repair in domain.repairs:
        common = own & reads(repair)
        if common and repair is not first:
            yield Through(repair.name, _ordered(domain, common))


def passed_on(domain: Domain) -> Mapping[str, Names]:
    """For each column, those that some repair leaves different where that one was different before it."""
    found: dict[str, set[str]] = {}
    for repair in domain.repairs:
        for name in names(repair.applies.node) | names(repair.cost.node):
            found.setdefault(name, set()).update(changed(repair))
        for target, value in repair.sets:
            for name in names(value.node):
                found.setdefault(name, set()).add(target)
    return {name: frozenset(columns) for name, columns in found.items()}


def changed(repair: Repair) -> Names:
    """The columns that a repair sets to anything but themselves."""
    return frozenset(name for name, value in repair.sets if value.node != Name(name))


def reads(repair: Repair) -> Names:
    """The columns that a repair's expressions read."""
    every = (repair.applies, repair.cost, *(value for _, value in repair.sets))
    return frozenset[str]().union(*(names(expression.node) for expression in every))


def _reading(
    expressions: Mapping[str, Expression], own: Names, reached: Names
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The expressions that read what a repair sets, and those that read only what it reaches later."""
    read = {name: names(expression.node) for name, expression in expressions.items()}
    at_once = tuple(name for name, columns in read.items() if columns & own)
    return at_once, tuple(name for name, columns in read.items() if columns & reached and not columns & own)


def _ordered(domain: Domain, columns: Iterable[str]) -> tuple[str, ...]:
    found = set(columns)
    return tuple(column.name for column in domain.columns if column.name in found)


def plans_per_row(domain: Domain) -> int:
    """How many plans there are to try on one row, `keep` among them."""
    return sum(perm(len(domain.repairs), step) for step in range(domain.rule.steps + 1))


def effects_document(domain: Domain) -> dict[str, object]:
    """The effects as plain data: by repair, and by requirement and feature the repairs that can change it."""
    found = effects(domain)
    return {
        "plans": plans_per_row(domain),
        "repairs": [
            _document(domain, repair, effect) for repair, effect in zip(domain.repairs, found, strict=True)
        ],
        "requirements": {one.name: _changers(found, "requirements", one.name) for one in domain.requirements},
        "features": {one.name: _changers(found, "features", one.name) for one in domain.features},
    }


def _document(domain: Domain, repair: Repair, effect: Effect) -> dict[str, object]:
    return {
        "name": effect.repair,
        "sets": list(effect.columns),
        "requirements": list(effect.requirements),
        "features": list(effect.features),
        "through": {one.repair: list(one.columns) for one in through(domain, repair)},
        "further_requirements": list(effect.further_requirements),
        "further_features": list(effect.further_features),
    }


def _changers(found: tuple[Effect, ...], kind: str, name: str) -> dict[str, list[str]]:
    """The repairs that can change it by themselves, and those that can only through others."""
    return {
        "repairs": [effect.repair for effect in found if name in getattr(effect, kind)],
        "further_repairs": [effect.repair for effect in found if name in getattr(effect, f"further_{kind}")],
    }
