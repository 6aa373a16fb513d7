"""Typing: what kind of value an expression gives, or every fault in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from racl.errors import Problem, nearest, quoted
from racl.expr.nodes import (
    ARITHMETIC,
    EQUALITY,
    Binary,
    Call,
    Choice,
    Expression,
    Logic,
    Member,
    Name,
    Node,
    Number,
    Span,
    Text,
    Truth,
    Unary,
)


class Kind(StrEnum):
    """What an expression gives."""

    NUMBER = "a number"
    BOOLEAN = "a boolean"
    CATEGORY = "a category"
    UNKNOWN = (
        "something unknown"  # of a name at fault: it fits everywhere, so that one fault is not said twice
    )


@dataclass(frozen=True, slots=True)
class Sort:
    """A kind, and for a category the values it may take, in order."""

    kind: Kind
    values: tuple[str, ...] = ()


NUMBER = Sort(Kind.NUMBER)
BOOLEAN = Sort(Kind.BOOLEAN)
UNKNOWN = Sort(Kind.UNKNOWN)
WANTED_HINTS = {
    (Kind.BOOLEAN, Kind.NUMBER): "compare it, as in `x > 0`",
    (Kind.BOOLEAN, Kind.CATEGORY): "compare it, as in `x == 'A'`",
    (Kind.NUMBER, Kind.CATEGORY): "categories compare with `==`, `!=` and `in` only",
}


def sort_of(
    expression: Expression, sorts: Mapping[str, Sort], unknown: Callable[[str], tuple[str, str]] | None = None
) -> tuple[Sort, tuple[Problem, ...]]:
    """The sort of an expression over columns of these sorts, and every fault in it.

    `unknown` words the fault of a name that is not among them.
    """
    checker = _Checker(expression.text, sorts, unknown or _unknown(sorts))
    return checker.sort(expression.node), tuple(checker.problems)


def _unknown(sorts: Iterable[str]) -> Callable[[str], tuple[str, str]]:
    return lambda name: (f"unknown name {quoted(name)}", nearest(name, sorts))


@dataclass
class _Checker:
    text: str
    sorts: Mapping[str, Sort]
    unknown: Callable[[str], tuple[str, str]]
    problems: list[Problem] = field(default_factory=list)

    def say(self, span: Span, what: str, hint: str = "") -> None:
        self.problems.append(Problem("", what, hint, text=self.text, span=span))

    def want(self, node: Node, kind: Kind) -> None:
        """The node must give this kind; a boolean counts as a number."""
        found = self.sort(node)
        if found.kind in (kind, Kind.UNKNOWN) or (kind is Kind.NUMBER and found.kind is Kind.BOOLEAN):
            return
        self.say(node.span, f"{found.kind} where {kind} is wanted", WANTED_HINTS.get((kind, found.kind), ""))

    def sort(self, node: Node) -> Sort:
        match node:
            case Number():
                return NUMBER
            case Truth():
                return BOOLEAN
            case Text():
                return Sort(Kind.CATEGORY, (node.value,))
            case Name():
                return self.name(node)
            case Unary():
                kind = Kind.BOOLEAN if node.op == "not" else Kind.NUMBER
                self.want(node.operand, kind)
                return Sort(kind)
            case Binary():
                return self.binary(node)
            case Logic():
                for operand in node.operands:
                    self.want(operand, Kind.BOOLEAN)
                return BOOLEAN
            case Choice():
                return self.choice(node)
            case Member():
                return self.member(node)
            case Call():
                for argument in node.arguments:
                    self.want(argument, Kind.NUMBER)
                return NUMBER
            case _:
                assert_never(node)

    def name(self, node: Name) -> Sort:
        if node.name not in self.sorts:
            self.say(node.span, *self.unknown(node.name))
            return UNKNOWN
        return self.sorts[node.name]

    def binary(self, node: Binary) -> Sort:
        if node.op in ARITHMETIC:
            self.want(node.left, Kind.NUMBER)
            self.want(node.right, Kind.NUMBER)
            return NUMBER
        if node.op in EQUALITY:
            self.comparable(node.left, self.sort(node.left), node.right, self.sort(node.right))
            return BOOLEAN
        for side in (node.left, node.right):
            found = self.sort(side)
            if found.kind is Kind.CATEGORY:
                self.say(side.span, f"a category under `{node.op}`", WANTED_HINTS[Kind.NUMBER, Kind.CATEGORY])
        return BOOLEAN

    def comparable(self, left: Node, a: Sort, right: Node, b: Sort) -> None:
        """Two sides of `==`: both numbers (or booleans), or categories that share a value."""
        if Kind.UNKNOWN in (a.kind, b.kind):
            return
        if (a.kind is Kind.CATEGORY) != (b.kind is Kind.CATEGORY):
            self.say(right.span, f"{b.kind} compared with {a.kind}", "both sides must be of one kind")
        elif a.kind is Kind.CATEGORY and not set(a.values) & set(b.values):
            if isinstance(left, Text):
                left, a, right, b = right, b, left, a
            if isinstance(right, Text):
                self.say(
                    right.span, f"{quoted(right.value)} is not among the values", self.among(right.value, a)
                )
            else:
                self.say(right.span, "two categories that share no value", "they can never be equal")

    def among(self, value: str, sort: Sort) -> str:
        return nearest(value, sort.values) or "the values are " + ", ".join(map(quoted, sort.values[:8]))

    def choice(self, node: Choice) -> Sort:
        self.want(node.test, Kind.BOOLEAN)
        then, other = self.sort(node.then), self.sort(node.other)
        if Kind.UNKNOWN in (then.kind, other.kind):
            return UNKNOWN
        if then.kind is Kind.CATEGORY and other.kind is Kind.CATEGORY:
            return Sort(Kind.CATEGORY, tuple(dict.fromkeys(then.values + other.values)))
        if Kind.CATEGORY in (then.kind, other.kind):
            self.say(node.other.span, f"{other.kind} beside {then.kind}", "both branches must be of one kind")
            return then
        return BOOLEAN if then.kind is other.kind is Kind.BOOLEAN else NUMBER

    def member(self, node: Member) -> Sort:
        item = self.sort(node.item)
        for literal in node.literals:
            self.comparable(node.item, item, literal, self.sort(literal))
        return BOOLEAN
