"""Whole domains as the mapping that a file holds, and models of them, read by the real reader."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from racl import Model
from racl.domain.model import Domain
from racl.expr.nodes import Text
from racl.expr.types import BOOLEAN, NUMBER, Kind, Sort
from racl.model import parse_model
from strategies.chance import Chance, number
from strategies.expressions import Grower, written

Document = dict[str, Any]

# Among the names are those that generated code might use itself.
NAMES = (
    "x0", "x1", "x2", "fare", "has_bag", "stops", "_", "t1", "c0", "f0", "v1", "i", "np", "select", "row", "best", "cost",
    "weights", "out_value", "plan", "keep", "value", "class", "from", "lambda", "None", "is", "as", "key0",
    "slow", "__class__", "floor_", "inf", "nan",
)  # fmt: skip
CONTEXT_NAMES = ("persona_", "u0", "u1", "need", "limit", "ok", "get", "margin")
WORDS = (
    "AA",
    "UA",
    "WN",
    "O'Hare",
    'say "x"',
    "ä€",
    "\\",
    "",
    " ",
    "a b",
    "line\nend",
    "💺",
    "true",
    "1",
    "all",
    "keep",
)
PEOPLE = ("fun", "kid", "all", "O'Hare", "Ü", "business", "", "a", "b", "c", "d", "e", "f", "g")
TYPES = ("number", "boolean", "integer", "category", "number", "boolean")
STEPS = (1,) * 12 + (2,) * 4 + (3,) * 3 + (4,)
WEIGHTS = (1.0, 0.0, -1.0, 0.5, 2.0, -0.25, -3.0, 0.1, -0.3, 1e-3, -0.0, 1e6)


@dataclass(frozen=True, slots=True)
class Shape:
    """How large domains may be."""

    columns: int = 6
    repairs: int = 5
    depth: int = 3
    steps: tuple[int, ...] = STEPS
    extremes: int = 2  # percent of weights that overflow


@dataclass
class Builder:
    """One domain as it grows."""

    chance: Chance
    shape: Shape
    sorts: dict[str, Sort] = field(default_factory=dict)
    goals: list[tuple[str, object]] = field(
        default_factory=list
    )  # a column, and what a requirement wants of it

    def text(self, sort: Sort, depth: int, sorts: Mapping[str, Sort] | None = None, *, wild: int = 10) -> str:
        """The text of an expression of that sort."""
        known = self.sorts if sorts is None else sorts
        grower = Grower(self.chance, known, wild=self.chance.likely(wild))
        return written(grower.of(sort, self.chance.integer(0, depth)), self.chance)

    def names(self, pool: Iterable[str], count: int) -> list[str]:
        """So many different names that are not taken."""
        free = [name for name in pool if name not in self.sorts]
        return [free.pop(self.chance.integer(0, len(free) - 1)) for _ in range(count)]

    # columns

    def column(self, name: str) -> object:
        """One column, of any type."""
        type_ = self.chance.pick(TYPES)
        spec: Document = {"type": type_}
        match type_:
            case "category":
                spec["values"] = sample(self.chance, WORDS, self.chance.integer(1, 4))
                self.sorts[name] = Sort(Kind.CATEGORY, tuple(spec["values"]))
            case "boolean":
                self.sorts[name] = BOOLEAN
            case _:
                self.sorts[name] = NUMBER
                spec |= self.bounds(type_)
        if self.chance.likely(25):
            spec["default"] = self.default(spec)
        if self.chance.likely(10):
            spec |= {"label": self.chance.pick(WORDS), "unit": "USD", "description": self.chance.pick(WORDS)}
        return type_ if len(spec) == 1 and self.chance.likely(70) else spec

    def bounds(self, type_: str) -> Document:
        """Least and greatest value, or none."""
        low = self.chance.pick((0, -8, -0.0, 1, -1e6) if type_ == "number" else (0, -2, -8, 1, -(2**53)))
        high = self.chance.pick((16, 100.5, 4, 1e9) if type_ == "number" else (16, 4, 2, 2**53))
        return {key: bound for key, bound in (("min", low), ("max", high)) if self.chance.likely(35)}

    def default(self, spec: Document) -> object:
        """A value that the column itself takes."""
        if spec["type"] == "category":
            return self.chance.pick(spec["values"])
        if spec["type"] == "boolean":
            return self.chance.likely(50)
        return min(max(self.chance.pick((1, 0, 2)), spec.get("min", 0)), spec.get("max", 9))

    def context(self) -> Document:
        """The columns that the request fixes."""
        section: Document = {
            name: self.column(name) for name in self.names(CONTEXT_NAMES, self.chance.integer(0, 2))
        }
        if self.chance.likely(60):
            name = self.chance.pick(("persona", "persona", "who"))
            many = self.chance.pick((1, 2, 2, 3, 4, 8, 9, 12))
            values = sample(self.chance, PEOPLE, many)
            section[name] = {"type": "category", "values": values}
            self.sorts[name] = Sort(Kind.CATEGORY, tuple(values))
            if self.chance.likely(10):
                section[name] |= {"default": self.chance.pick(values)}
        budget: Document = {"type": self.chance.pick(("number", "number", "number", "integer"))}
        section["budget"] = budget | ({"min": 0} if self.chance.likely(85) else {})
        section["threshold"] = "number"
        self.sorts |= {"budget": NUMBER, "threshold": NUMBER}
        return section

    # the rest

    def repair(self, candidate: list[str]) -> Document:
        """A repair that sets one to three columns."""
        targets = sample(self.chance, candidate, min(len(candidate), self.chance.pick((1, 2, 1, 3))))
        sets = {name: self.effect(name) for name in targets}
        sets |= dict([self.chance.pick(self.goals)]) if self.goals and self.chance.likely(60) else {}
        repair: Document = {"sets": sets}
        if self.chance.likely(50):
            repair["applies"] = self.text(BOOLEAN, self.shape.depth)
        if self.chance.likely(75):
            repair["cost"] = self.cost()
        if self.chance.likely(10):
            repair["label"] = self.chance.pick(WORDS)
        return repair

    def effect(self, name: str) -> object:
        """What a repair sets a column to."""
        sort = self.sorts[name]
        if sort.kind is Kind.BOOLEAN and self.chance.likely(50):
            return self.chance.pick((True, "true", False))
        if sort.kind is Kind.NUMBER and self.chance.likely(30):
            return self.chance.pick((number(self.chance), f"{name} + 1" if name in self.sorts else "1"))
        return self.text(sort, self.shape.depth)

    def cost(self) -> object:
        """A cost that is seldom negative."""
        match self.chance.integer(0, 9):
            case 0 | 1 | 2:
                return self.chance.pick((1, 0.5, 2, 0, 0.1, 4.25))
            case 3:
                return f"0 + {self.text(NUMBER, self.shape.depth)}"
            case 4 | 5 | 6:
                return f"abs({self.text(NUMBER, self.shape.depth - 1, wild=3)})"
            case 7:
                return f"max(0, {self.text(NUMBER, self.shape.depth - 1, wild=3)})"
            case _:
                return f"0.5 + 2 * {self.text(BOOLEAN, self.shape.depth - 1)}"

    def rule(self, context: list[str]) -> Document:
        """How a row is judged, mostly with something left to its default."""
        known = {name: self.sorts[name] for name in context}
        rule: Document = {}
        if self.chance.likely(15):
            rule["budget"] = self.chance.pick(
                (3, 0, 0.5, f"abs({self.text(NUMBER, 2, known, wild=3)})", "budget + 1")
            )
        if self.chance.likely(20):
            rule["threshold"] = self.chance.pick(
                (0, 1, -0.5, self.text(NUMBER, 2, known, wild=3), "-threshold")
            )
        if "who" in context:
            rule["persona"] = "who"
        if self.chance.likely(40):
            rule["tradeoff"] = self.chance.pick((0, 0.5, 0.125, 1.0, 2, 0.1, 1e-3, 0.0))
        if self.chance.likely(50):
            rule["choose"] = self.chance.pick(("cheapest", "best", "cheapest"))
        rule["steps"] = self.chance.pick(self.shape.steps)
        return rule

    def document(self) -> Document:
        """The whole domain."""
        names = self.names(NAMES, self.chance.integer(1, self.shape.columns))
        candidate = {name: self.column(name) for name in names}
        context = self.context()
        depth = self.shape.depth
        repairs = self.chance.integer(0, self.shape.repairs)
        document: Document = {
            "racl": 1,
            "name": self.chance.pick(("d", "air-ticket", "0_-", "x" * 64)),
            "candidate": candidate,
            "context": context,
            "requirements": {f"q{n}": self.requirement(names) for n in range(self.chance.pick((1, 2, 1, 3)))},
            "features": {
                name: self.text(NUMBER, depth, wild=8)
                for name in sample(self.chance, ("g0", "price", "fare", "i", "np"), self.chance.integer(1, 4))
            },
            "repairs": {
                name: self.repair(list(candidate))
                for name in sample(self.chance, ("r0", "add_bag", "fare", "best", "x"), repairs)
            },
            "rule": self.rule(list(context)),
        }
        if document["rule"]["steps"] > 1:
            self.chain(document["repairs"])
            if self.chance.likely(25):
                self.parts(document)
        return document

    def chain(self, repairs: Document) -> None:
        """Let some repairs be possible, or dearer, only after another one."""
        for name, repair in repairs.items():
            others = [other for other in repairs if other != name]
            if others and self.chance.likely(40):
                sets = repairs[self.chance.pick(others)]["sets"]
                column = self.chance.pick(list(sets))
                sets[column], condition = self.goal(column)
                if self.chance.likely(70):
                    repair["applies"] = condition
                else:
                    repair["cost"] = f"{self.chance.pick((2, 0.1, 4))} if {condition} else 1"

    def parts(self, document: Document) -> None:
        """Let parts be missing, each to be had by itself: their order changes nothing but how their costs add up."""
        names = self.names([f"part{n}" for n in range(3)], self.chance.pick((2, 3, 3)))
        for place, name in enumerate(names):
            document["candidate"][name] = "boolean"
            document["requirements"][f"has_{name}"] = name
            cost = self.chance.pick((0.1, 0.2, 0.3, 0.7, 0.6, 1.1, 1e-3))
            document["repairs"][f"fit{place}"] = {"sets": {name: True}, "cost": cost}

    def requirement(self, candidate: list[str]) -> object:
        """A requirement; more often than not, one that some repair can meet."""
        wild = self.text(BOOLEAN, self.shape.depth, wild=40)
        if self.chance.likely(30):
            return wild
        name = self.chance.pick(candidate)
        goal, wanted = self.goal(name)
        self.goals.append((name, goal))
        return f"{wanted} or {wild}" if self.chance.likely(30) else wanted

    def goal(self, name: str) -> tuple[object, str]:
        """A value of the column, and a condition that holds of it."""
        sort = self.sorts[name]
        if sort.kind is Kind.CATEGORY:
            value = written(Text(self.chance.pick(sort.values)), self.chance)
            return value, f"{name} == {value}"
        if sort.kind is Kind.BOOLEAN:
            wanted = self.chance.likely(70)
            return wanted, name if wanted else f"not {name}"
        least = self.chance.pick((1, 2, 0.5, 4))
        return least, f"{name} >= {least}"


def sample(chance: Chance, pool: Iterable[str], count: int) -> list[str]:
    """So many different ones, in any order."""
    free = list(pool)
    return [free.pop(chance.integer(0, len(free) - 1)) for _ in range(count)]


def domain_document(chance: Chance, shape: Shape = Shape()) -> Document:
    """A domain as a file holds it."""
    return Builder(chance, shape).document()


def preference(chance: Chance, features: Iterable[str], extremes: int) -> Document:
    """Bias and weights, now and then huge ones."""

    def weight() -> float:
        return chance.pick((1e300, -1e308, 5e-324)) if chance.likely(extremes) else chance.pick(WEIGHTS)

    return {"bias": weight(), "weights": {name: weight() for name in features}}


def model_document(chance: Chance, domain: Document, shape: Shape = Shape()) -> Document:
    """A model as its file holds it."""
    name = domain["rule"].get("persona", "persona")
    spec = domain["context"].get(name)
    personas = spec["values"] if spec else ["all"]
    document: Document = {"racl_model": 1, "domain": domain}
    document["preference"] = {one: preference(chance, domain["features"], shape.extremes) for one in personas}
    if chance.likely(25):
        document["preference_default"] = preference(chance, domain["features"], 0)
    return document


def any_model(chance: Chance, shape: Shape = Shape()) -> Model:
    """A model, read from its text."""
    return parse_model(
        json.dumps(model_document(chance, domain_document(chance, shape), shape)), "model.json"
    )


def any_domain(chance: Chance, shape: Shape = Shape()) -> Domain:
    """A domain, read by the real reader."""
    return any_model(chance, shape).domain
