"""A model put on a changed domain: the weights stay, and what changed is said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from racl.domain.model import Column, Domain, Repair, Type
from racl.errors import ModelError, Problem, nearest, quoted
from racl.expr.nodes import Expression, names
from racl.expr.show import number, show
from racl.model import Model
from racl.semantics import Preference, Taste

Aspects = Mapping[str, str]  # what can be said of a part of a domain, such as the cost of a repair


class Kind(StrEnum):
    """What became of a part of a domain."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


SIGNS = {Kind.ADDED: "+", Kind.REMOVED: "-", Kind.CHANGED: "~"}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two domains.

    >>> print(Change("repairs.add_bag.cost", Kind.CHANGED, "35", "40"))
    ~ repairs.add_bag.cost: 35 -> 40
    """

    where: str
    kind: Kind
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        told = f": {self.before or 'nothing'} -> {self.after or 'nothing'}"
        return f"{SIGNS[self.kind]} {self.where}{told if self.kind is Kind.CHANGED else ''}"


def rebase(model: Model, domain: Domain, *, force: bool = False) -> tuple[Model, tuple[Change, ...]]:
    """The model with its weights on another domain, and what changed; raises ModelError if they do not fit.

    The names of features and personas must be the same; with `force`, features may mean something else.
    """
    problems = [*_unmatched(model.domain, domain), *(() if force else _altered(model.domain, domain))]
    if problems:
        raise ModelError(problems)
    found = tuple(changes(model.domain, domain))
    return Model(domain, _carried(model, domain), _fit(model, found)), found


def _carried(model: Model, domain: Domain) -> Taste:
    """The same weights, in the order of the other domain's features and personas."""
    order = [[one.name for one in model.domain.features].index(feature.name) for feature in domain.features]

    def carried(preference: Preference) -> Preference:
        return Preference(preference.bias, tuple(preference.weights[place] for place in order))

    default = model.taste.default
    personas = {persona: carried(model.taste.personas[persona]) for persona in domain.personas}
    return Taste(personas, None if default is None else carried(default))


def _fit(model: Model, found: Sequence[Change]) -> Mapping[str, object]:
    """How the model was learned, and what has changed since."""
    if not model.fit or not found:
        return model.fit
    earlier = model.fit.get("rebased", [])
    return {
        **model.fit,
        "rebased": [*(earlier if isinstance(earlier, list) else []), [str(one) for one in found]],
    }


# what must be the same -------------------------------------------------------------------------------


def _unmatched(before: Domain, after: Domain) -> Iterator[Problem]:
    """Features and personas that only one of the two domains has."""
    pairs = (
        ("features", "feature", [one.name for one in before.features], [one.name for one in after.features]),
        ("rule.persona", "persona", before.personas, after.personas),
    )
    for where, kind, old, new in pairs:
        for name in new:
            if name not in old:
                place = f"{where}.{name}" if kind == "feature" else where
                yield Problem(
                    place, f"the model has no weights for the {kind} {quoted(name)}", _learn(name, old)
                )
        for name in old:
            if name not in new:
                yield Problem(where, f"the {kind} {quoted(name)} of the model is gone", _learn(name, new))


def _learn(name: str, known: Iterable[str]) -> str:
    return nearest(name, known) or "write a model for this domain: weights cannot be carried over"


def _altered(before: Domain, after: Domain) -> Iterator[Problem]:
    """Features that are not what their weights were found for."""
    force = "its weights may mean nothing now; `--force` keeps them"
    formerly = {feature.name: feature.value for feature in before.features}
    for feature in after.features:
        old = formerly.get(feature.name)
        if old is None:
            continue
        where = f"features.{feature.name}"
        if old != feature.value:
            yield Problem(where, f"the feature was {quoted(show(old.node))} and is another now", force)
            continue
        for name in sorted(names(old.node)):
            reason = _another(before.column(name), after.column(name))
            if reason:
                yield Problem(where, f"the feature reads `{name}`, {reason}", force)


def _another(before: Column, after: Column) -> str:
    """Why a column of the same name does not hold the same thing."""
    numeric = (Type.NUMBER, Type.INTEGER)
    if before.type is not after.type and not (before.type in numeric and after.type in numeric):
        return f"which was {before.type} and is {after.type}"
    if before.unit != after.unit:
        return f"the unit of which was {quoted(before.unit)} and is {quoted(after.unit)}"
    return ""


# what changed ----------------------------------------------------------------------------------------


def changes(before: Domain, after: Domain) -> Iterator[Change]:
    """Every difference that may change a decision, in the order of the second domain."""
    old, new = dict(_parts(before)), dict(_parts(after))
    for where, aspects in new.items():
        if where in old:
            yield from _differing(where, old[where], aspects)
        else:
            yield Change(where, Kind.ADDED)
    for where in old:
        if where not in new:
            yield Change(where, Kind.REMOVED)
    yield from _reordered(before, after)


def _differing(where: str, before: Aspects, after: Aspects) -> Iterator[Change]:
    for aspect in dict.fromkeys([*after, *before]):
        old, new = before.get(aspect, ""), after.get(aspect, "")
        if old != new:
            yield Change(f"{where}.{aspect}" if aspect else where, Kind.CHANGED, old, new)


def _reordered(before: Domain, after: Domain) -> Iterator[Change]:
    """The order of repairs breaks ties, and that of features is the order of a sum."""
    for section in ("features", "repairs"):
        old, new = ([one.name for one in getattr(domain, section)] for domain in (before, after))
        common = set(old) & set(new)
        old, new = ([name for name in order if name in common] for order in (old, new))
        if old != new:
            yield Change(f"the order of {section}", Kind.CHANGED, ", ".join(old), ", ".join(new))


def _parts(domain: Domain) -> Iterator[tuple[str, Aspects]]:
    """Everything that a domain declares, with what can be said of it."""
    yield "name", {"": domain.name}
    for column in domain.columns:
        yield f"{'context' if column.context else 'candidate'}.{column.name}", _column(column)
    for requirement in domain.requirements:
        yield f"requirements.{requirement.name}", {"": _text(requirement.holds)}
    for feature in domain.features:
        yield f"features.{feature.name}", {"": _text(feature.value)}
    for repair in domain.repairs:
        yield f"repairs.{repair.name}", _repair(repair)
    rule = domain.rule
    yield (
        "rule",
        {
            "budget": _text(rule.budget),
            "threshold": _text(rule.threshold),
            "persona": rule.persona or "",
            "tradeoff": number(rule.tradeoff),
            "choose": rule.choose,
            "steps": str(rule.steps),
        },
    )


def _column(column: Column) -> Aspects:
    aspects = {
        "type": column.type.value,
        "min": _bound(column.min),
        "max": _bound(column.max),
        "values": ", ".join(sorted(map(repr, column.values))),
        "default": "" if column.default is None else repr(column.default),
        "unit": column.unit,
    }
    return {aspect: text for aspect, text in aspects.items() if text}


def _bound(value: float | None) -> str:
    return "" if value is None else number(value)


def _repair(repair: Repair) -> Aspects:
    sets = {f"sets.{name}": _text(value) for name, value in repair.sets}
    return {"applies": _text(repair.applies), **sets, "cost": _text(repair.cost)}


def _text(expression: Expression) -> str:
    return show(expression.node)
