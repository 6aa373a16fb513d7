"""Shapes beyond straight lines: hinges at quantile knots and products, as ordinary features of an extended domain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from racl.documents import Document
from racl.domain.files import domain_of
from racl.domain.model import Domain
from racl.errors import DataError, Problem, nearest, quoted
from racl.expr.nodes import Binary, Call, Node, Number, Unary
from racl.expr.show import show
from racl.learn.sample import Sample
from racl.options import Floats, Options
from racl.program import lower

DIGITS = 4  # significant, of a knot
FEWEST = 5  # different values from which a feature gets knots
BY_CHANCE = 100_000  # states that quantiles are taken from
FALLS, RISES = -1, 1
LEAST_FOLDS = 2
MANY = 1_000  # knots that nobody needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """What shapes may be learned; how many knots, and how strong a penalty on bends, is chosen by cross-validation."""

    knots: tuple[int, ...] = (0, 1, 2, 4)  # of a numeric feature
    penalties: tuple[float, ...] = (0.1, 1.0, 10.0, 100.0)  # on hinges and products
    monotone: Mapping[str, int] | None = None  # features whose score may only fall (-1) or rise (1)
    products: Sequence[tuple[str, str]] | Literal["all"] = ()
    folds: int = 3


def curves_of(given: bool | Mapping[str, Any] | Curves) -> Curves | None:  # noqa: FBT001 - as a recipe has it
    """The settings of a recipe; none where straight lines will do."""
    if isinstance(given, Curves):
        return given
    if isinstance(given, Mapping):
        return Curves(**given)
    return Curves() if given else None


def faults(given: bool | Mapping[str, Any] | Curves) -> Iterator[Problem]:  # noqa: FBT001 - as a recipe has it
    """What is wrong with the settings themselves, whatever the domain."""
    known = [one.name for one in fields(Curves)]
    unknown = [] if not isinstance(given, Mapping) else [name for name in given if name not in known]
    for name in unknown:
        yield Problem(
            f"curves.{name}", "unknown setting", nearest(name, known) or f"one of {', '.join(known)}"
        )
    curves = None if unknown else curves_of(given)
    if curves is None:
        return
    if not curves.knots or not all(one in range(MANY) for one in curves.knots):
        yield Problem("curves.knots", f"{quoted(curves.knots)} are not numbers of knots", "such as (0, 2, 4)")
    if not curves.penalties or not all(0 <= one < math.inf for one in curves.penalties):
        yield Problem("curves.penalties", f"{quoted(curves.penalties)} are not penalties", "such as (1, 10)")
    if curves.folds < LEAST_FOLDS:
        yield Problem("curves.folds", f"{quoted(curves.folds)} is too few", "at least 2")


@dataclass(frozen=True, slots=True)
class Term:
    """A feature of the extended domain: a feature as it was, the part of it between two ends, or a product of two."""

    name: str
    of: tuple[int, ...]  # the features that it is made of
    low: float = -math.inf
    high: float = math.inf
    bend: bool = False  # whether the penalty on bends holds for it
    lower: float = -math.inf  # of its weight
    upper: float = math.inf

    @property
    def plain(self) -> bool:
        """Whether it is a feature as it was."""
        return len(self.of) == 1 and math.isinf(self.low) and math.isinf(self.high)

    def node(self, domain: Domain) -> Node:
        """Its expression."""
        first, *rest = (domain.features[number].value.node for number in self.of)
        if rest:
            return Binary("*", first, rest[0])
        low, high = _literal(self.low), _literal(self.high)
        if math.isinf(self.low):
            return first if math.isinf(self.high) else Call("min", (first, high))
        if math.isinf(self.high):
            return Call("max", (Binary("-", first, low), Number(0.0)))
        return Binary("-", Call("clip", (first, low, high)), low)

    def column(self, features: Floats) -> Floats:
        """(m,) its values, from those (m, p) of the features as they were."""
        first = features[:, self.of[0]]
        if len(self.of) > 1:
            return np.asarray(first * features[:, self.of[1]])
        if math.isinf(self.low):
            return np.where(first > self.high, self.high, first)
        if math.isinf(self.high):
            away = first - self.low
            return np.where(away < 0.0, 0.0, away)
        return np.clip(first, self.low, self.high) - self.low


def _literal(value: float) -> Node:
    return Unary("-", Number(-value)) if value < 0 else Number(value)


@dataclass(frozen=True, eq=False)
class Shape:
    """The extended domain, how its features are made, and what holds for their weights."""

    domain: Domain
    terms: tuple[Term, ...]
    penalty: float = 0.0
    tried: tuple[tuple[int, float, float], ...] = ()  # knots, penalty and the loss of a held-out row

    @property
    def lower(self) -> Floats:
        """(p,) the least weight of each feature."""
        return np.array([term.lower for term in self.terms])

    @property
    def upper(self) -> Floats:
        """(p,) the greatest weight of each feature."""
        return np.array([term.upper for term in self.terms])

    @property
    def extra(self) -> Floats:
        """(p,) the penalty on bends."""
        return np.array([self.penalty if term.bend else 0.0 for term in self.terms])

    def __call__(self, sample: Sample) -> Sample:
        """The sample as the extended domain reads it."""
        return replace(sample, options=self.options(sample.options))

    def options(self, options: Options) -> Options:
        """The table of options with the features of the extended domain."""
        features, given = (
            np.column_stack([term.column(one) for term in self.terms])
            for one in (options.features, options.given)
        )
        if not np.isfinite(features).all():
            what, hint = "a product of features is too large to be a number", "leave it out"
            raise DataError([Problem("curves", what, hint)])
        return replace(options, program=lower(self.domain), features=features, given=given)


# what terms there are --------------------------------------------------------------------------------


def terms_of(domain: Domain, features: Floats, curves: Curves, knots: int) -> tuple[Term, ...]:
    """The features with so many knots each: hinges beside it, or pieces in its stead where it is monotone."""
    names = {feature.name for feature in domain.features}
    found: list[Term] = []
    for number, feature in enumerate(domain.features):
        direction = (curves.monotone or {}).get(feature.name, 0)
        ends = knots_of(features[:, number], knots)
        if direction:
            found += pieces(feature.name, number, ends, direction, names)
        else:
            found.append(Term(feature.name, (number,)))
            found += hinges(feature.name, number, ends, names)
    return (*found, *products(domain, curves, names))


def knots_of(column: Floats, count: int) -> list[float]:
    """At most so many knots at quantiles of a feature that has enough values; few digits each."""
    column = column[:: -(-len(column) // BY_CHANCE)] if len(column) else column
    values = np.unique(column)
    if count == 0 or len(values) < FEWEST:
        return []
    at = np.quantile(column, np.arange(1, count + 1) / (count + 1))
    rounded = sorted({float(f"{value:.{DIGITS}g}") for value in at})
    return [knot for knot in rounded if values[0] < knot < values[-1]]


def hinges(name: str, number: int, ends: Sequence[float], taken: set[str]) -> Iterator[Term]:
    """What lies above each knot."""
    for place, knot in enumerate(ends, start=1):
        yield Term(_new(f"{name}_above_{place}", taken), (number,), low=knot, bend=True)


def pieces(name: str, number: int, ends: Sequence[float], direction: int, taken: set[str]) -> Iterator[Term]:
    """What lies between the knots: as many slopes, all of one sign."""
    bounds = {"lower": 0.0} if direction == RISES else {"upper": 0.0}
    if not ends:
        yield Term(name, (number,), **bounds)  # type: ignore[arg-type]
        return
    for place, (low, high) in enumerate(zip([-math.inf, *ends], [*ends, math.inf], strict=True), start=1):
        yield Term(_new(f"{name}_part_{place}", taken), (number,), low, high, **bounds)  # type: ignore[arg-type]


def products(domain: Domain, curves: Curves, taken: set[str]) -> Iterator[Term]:
    """The products that were asked for."""
    names = [feature.name for feature in domain.features]
    pairs = curves.products
    if pairs == "all":
        pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    for one, other in pairs:
        yield Term(_new(f"{one}_times_{other}", taken), (names.index(one), names.index(other)), bend=True)


def _new(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def shaped(domain: Domain, terms: Sequence[Term], penalty: float = 0.0) -> Shape:
    """The domain that declares the terms as its features."""
    written: Any = domain.document["features"]
    features = {
        term.name: written[term.name] if term.name in written else show(term.node(domain)) for term in terms
    }
    value = {**domain.document, "features": features}
    return Shape(domain_of(Document(value, {})), tuple(terms), penalty)


def check_names(domain: Domain, curves: Curves) -> None:
    """Raise where settings name features that there are not."""
    names = [feature.name for feature in domain.features]
    pairs = () if curves.products == "all" else curves.products
    asked = [*(curves.monotone or {}), *(name for pair in pairs for name in pair)]
    problems = [
        Problem("curves", f"there is no feature {quoted(name)}", nearest(name, names))
        for name in asked
        if name not in names
    ]
    problems += [
        Problem(f"curves.monotone.{name}", f"{quoted(way)} is no direction", "-1 falls, 1 rises")
        for name, way in (curves.monotone or {}).items()
        if way not in (FALLS, RISES)
    ]
    if problems:
        raise DataError(problems)


def folds_of(choice_set: NDArray[np.intp], folds: int, seed: int) -> NDArray[np.intp]:
    """(n,) the fold of each row; rows of a choice set are in one."""
    sets, number = np.unique(choice_set, return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(sets))
    return np.asarray((order % folds)[number], np.intp)
