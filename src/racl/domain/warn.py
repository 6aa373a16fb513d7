"""What a domain declares to no effect: warnings, each with its place; none of them is a fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from racl.domain.effects import Effect, effects, plans_per_row
from racl.domain.model import Column, Domain
from racl.errors import Problem
from racl.expr.nodes import Expression, names

PLANS = 1_000_000  # to try on one row, above which a menu is called large

Path = tuple[str, ...]
Warned = tuple[Path, str, str]


class Places(Protocol):
    """A document, which knows in which file and line a key path stands."""

    def problem(self, path: Path, what: str, hint: str = "") -> Problem:
        """A problem at a key path."""


def warnings(domain: Domain, places: Places, below: Path = ()) -> tuple[Problem, ...]:
    """Every warning about a domain that stands in a document, at its top or below a key path."""
    menu = effects(domain)
    found = [*_repairs(menu), *_columns(domain), *_requirements(domain, menu), *_size(domain)]
    problems = [places.problem((*below, *path), what, hint) for path, what, hint in found]
    return tuple(sorted(problems, key=lambda problem: problem.line))


def _repairs(menu: Sequence[Effect]) -> Iterator[Warned]:
    for effect in menu:
        if effect.idle:
            what = f"the repair `{effect.repair}` can change no requirement and no feature"
            hint = "no expression of them reads what it sets" if effect.columns else "it sets nothing anew"
            yield ("repairs", effect.repair), what, hint


def _columns(domain: Domain) -> Iterator[Warned]:
    read = domain.names_read
    for column in domain.columns:
        if column.name not in read:
            yield _path(column), f"nothing reads the column `{column.name}`", "rows need not have it"


def _path(column: Column) -> Path:
    return ("context" if column.context else "candidate", column.name)


def _requirements(domain: Domain, menu: Sequence[Effect]) -> Iterator[Warned]:
    if not domain.repairs:
        yield ("requirements",), "there are no repairs: what violates a requirement is always rejected", ""
        return
    mended = {name for one in menu for name in one.requirements + one.further_requirements}
    for requirement in domain.requirements:
        if requirement.name not in mended:
            what = f"no repair can change the requirement `{requirement.name}`"
            yield ("requirements", requirement.name), what, _why(domain, requirement.holds)


def _why(domain: Domain, holds: Expression) -> str:
    """Why no repair can change a requirement."""
    read = names(holds.node)
    if not read:
        return "it reads no column"
    if not read & {column.name for column in domain.candidate}:
        return "it reads [context] alone, which no repair sets"
    return "no repair sets a column that it reads"


def _size(domain: Domain) -> Iterator[Warned]:
    plans = plans_per_row(domain)
    if domain.rule.steps > 1 and plans > PLANS:
        what = f"there are {plans:,} plans to try on each row"
        yield (
            ("rule", "steps"),
            what,
            f"{len(domain.repairs)} repairs in up to {domain.rule.steps} steps; take fewer",
        )
