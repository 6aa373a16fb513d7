"""Expressions of every kind over given columns, as trees and as a user might write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from racl.expr.nodes import (
    ARITHMETIC,
    EQUALITY,
    ORDER,
    Binary,
    Call,
    Choice,
    Logic,
    Member,
    Name,
    Node,
    Number,
    Text,
    Truth,
    Unary,
)
from racl.expr.types import BOOLEAN, NUMBER, Kind, Sort
from strategies.chance import Chance, number

NUMBERS = ("column", "column", "column", "literal", "literal")
GROWN_NUMBERS = (
    *["arithmetic"] * 8,
    "negated",
    "fold",
    "fold",
    "round",
    "root",
    "clip",
    "choice",
    "choice",
    "counted",
)
BOOLEANS = ("column", "column", "column", "literal")
GROWN_BOOLEANS = (
    *["order"] * 4,
    *["equality"] * 3,
    *["logic"] * 4,
    "not",
    "not",
    "member",
    "member",
    "choice",
)


@dataclass(frozen=True)
class Grower:
    """Grows trees; `wild` ones may divide by nothing and overflow."""

    chance: Chance
    sorts: Mapping[str, Sort]
    wild: bool = False

    @cached_property
    def by_kind(self) -> dict[Kind, list[str]]:
        """The columns of each kind, in order."""
        return {kind: [name for name, sort in self.sorts.items() if sort.kind is kind] for kind in Kind}

    # numbers

    def number(self, depth: int) -> Node:
        """A tree that gives a number."""
        if depth <= 0 or self.chance.likely(30):
            return self.plain_number()
        match self.chance.pick(GROWN_NUMBERS):
            case "arithmetic":
                return self.arithmetic(depth - 1)
            case "negated":
                return Unary("-", self.number(depth - 1))
            case "fold":
                return self.fold(depth - 1)
            case "round":
                return Call(self.chance.pick(("abs", "floor", "ceil")), (self.number(depth - 1),))
            case "root":
                return self.root(depth - 1)
            case "clip":
                return Call("clip", (self.number(depth - 1), self.plain_number(), self.plain_number()))
            case "choice":
                return Choice(self.boolean(depth - 1), self.number(depth - 1), self.number(depth - 1))
            case _:
                return self.boolean(depth - 1)

    def plain_number(self) -> Node:
        """A column or a literal."""
        columns = self.by_kind[Kind.NUMBER]
        if columns and self.chance.pick(NUMBERS) == "column":
            return Name(self.chance.pick(columns))
        return literal(number(self.chance))

    def arithmetic(self, depth: int) -> Node:
        """Two operands of `+ - * /`."""
        op = self.chance.pick(ARITHMETIC)
        if op == "/" and not self.wild:
            return Binary(op, self.number(depth), literal(self.chance.pick((2.0, 4.0, 0.5, 3.0, 10.0, -0.1))))
        return Binary(op, self.number(depth), self.number(depth))

    def fold(self, depth: int) -> Node:
        """`min` or `max` of one to four."""
        arguments = tuple(self.number(depth) for _ in range(self.chance.pick((2, 2, 3, 1, 4))))
        return Call(self.chance.pick(("min", "max")), arguments)

    def root(self, depth: int) -> Node:
        """A root, a logarithm or an exponential, of something that suits it unless wild."""
        function, inner = self.chance.pick(("sqrt", "log", "exp")), self.number(depth)
        if not self.wild:
            low, high = (-5.0, 3.0) if function == "exp" else (0.25, 1000.0)
            inner = Call("clip", (inner, literal(low), literal(high)))
        return Call(function, (inner,))

    # truths

    def boolean(self, depth: int) -> Node:
        """A tree that gives a boolean."""
        if depth <= 0 or self.chance.likely(20):
            return self.plain_boolean()
        match self.chance.pick(GROWN_BOOLEANS):
            case "order":
                return Binary(self.chance.pick(ORDER), self.number(depth - 1), self.number(depth - 1))
            case "equality":
                return self.equality(depth - 1)
            case "logic":
                operands = tuple(self.boolean(depth - 1) for _ in range(self.chance.pick((2, 2, 2, 3, 4))))
                return Logic(self.chance.pick(("or", "and")), operands)
            case "not":
                return Unary("not", self.boolean(depth - 1))
            case "member":
                return self.member(depth - 1)
            case _:
                return Choice(self.boolean(depth - 1), self.boolean(depth - 1), self.boolean(depth - 1))

    def plain_boolean(self) -> Node:
        """A column, a comparison of a column, or a literal."""
        if self.by_kind[Kind.CATEGORY] and self.chance.likely(30):
            return self.equality(0)
        columns = self.by_kind[Kind.BOOLEAN]
        if columns and self.chance.pick(BOOLEANS) == "column":
            return Name(self.chance.pick(columns))
        if self.by_kind[Kind.NUMBER] and self.chance.likely(80):
            return Binary(self.chance.pick(ORDER), self.plain_number(), self.plain_number())
        return Truth(self.chance.likely(50))

    def equality(self, depth: int) -> Node:
        """Two numbers, booleans or categories under `==` or `!=`."""
        op = self.chance.pick(EQUALITY)
        if self.by_kind[Kind.CATEGORY] and self.chance.likely(60):
            left, values = self.category(depth)
            right, _ = self.sharing(values)
            return Binary(op, left, right) if self.chance.likely(70) else Binary(op, right, left)
        if self.chance.likely(20):
            return Binary(op, self.boolean(depth), self.boolean(depth))
        return Binary(op, self.number(depth), self.number(depth))

    def member(self, depth: int) -> Node:
        """`in` or `not in` over literals of the item's kind."""
        negated, several = self.chance.likely(40), range(self.chance.integer(1, 4))
        if self.by_kind[Kind.CATEGORY] and self.chance.likely(60):
            item, values = self.category(depth)
            return Member(item, tuple(Text(self.chance.pick(values)) for _ in several), negated)
        literals = [
            Truth(self.chance.likely(50)) if self.chance.likely(10) else Number(number(self.chance))
            for _ in several
        ]
        return Member(self.number(depth), tuple(literals), negated)

    # categories

    def category(self, depth: int) -> tuple[Node, tuple[str, ...]]:
        """A tree that gives a category, and the values that it may take."""
        name = self.chance.pick(self.by_kind[Kind.CATEGORY])
        node, values = Name(name), self.sorts[name].values
        return (
            self.mixed(depth, (node, values), self.sharing(values))
            if depth > 0 and self.chance.likely(30)
            else (node, values)
        )

    def sharing(self, values: Sequence[str]) -> tuple[Node, tuple[str, ...]]:
        """A column or a literal that shares a value with these."""
        columns = [name for name in self.by_kind[Kind.CATEGORY] if set(values) & set(self.sorts[name].values)]
        if columns and self.chance.likely(25):
            name = self.chance.pick(columns)
            return Name(name), self.sorts[name].values
        value = self.chance.pick(values)
        return Text(value), (value,)

    def within(self, values: Sequence[str], depth: int) -> Node:
        """A tree whose values are all among these."""
        if depth > 0 and self.chance.likely(30):
            return Choice(
                self.boolean(depth - 1), self.within(values, depth - 1), self.within(values, depth - 1)
            )
        columns = [
            name for name in self.by_kind[Kind.CATEGORY] if set(self.sorts[name].values) <= set(values)
        ]
        if columns and self.chance.likely(40):
            return Name(self.chance.pick(columns))
        return Text(self.chance.pick(values))

    def mixed(
        self, depth: int, then: tuple[Node, tuple[str, ...]], other: tuple[Node, tuple[str, ...]]
    ) -> tuple[Node, tuple[str, ...]]:
        """A choice between two categories, and the values of both."""
        both = tuple(dict.fromkeys(then[1] + other[1]))
        return Choice(self.boolean(depth - 1), then[0], other[0]), both

    def of(self, sort: Sort, depth: int) -> Node:
        """A tree of that sort."""
        if sort.kind is Kind.CATEGORY:
            return self.within(sort.values, depth)
        return self.number(depth) if sort.kind is Kind.NUMBER else self.boolean(depth)


def literal(value: float) -> Node:
    """A literal as the parser reads it: the sign of a negative number stands before it."""
    negative = str(value).startswith("-")
    return Unary("-", Number(-value)) if negative else Number(value)


def any_sort(chance: Chance, sorts: Mapping[str, Sort]) -> Sort:
    """A sort that an expression over these columns can have."""
    categories = [sort for sort in sorts.values() if sort.kind is Kind.CATEGORY]
    return chance.pick([NUMBER, BOOLEAN, *categories])


# writing ------------------------------------------------------------------------------------------


def written(node: Node, chance: Chance) -> str:
    """The text of a tree as some user writes it, with more brackets than needed; not by `racl.expr.show`."""
    inner = _written(node, chance)
    return (
        inner if isinstance(node, Number | Truth | Text | Name | Call) and chance.likely(80) else f"({inner})"
    )


def _written(node: Node, chance: Chance) -> str:
    def part(child: Node) -> str:
        return written(child, chance)

    match node:
        case Number():
            return written_number(node.value, chance)
        case Truth():
            return chance.pick(("true", "True") if node.value else ("false", "False"))
        case Text():
            return written_text(node.value, chance)
        case Name():
            return node.name
        case Unary():
            return ("not " if node.op == "not" else "-") + part(node.operand)
        case Binary():
            space = chance.pick((" ", " ", "", "  ", "\t", "\n"))
            return f"{part(node.left)}{space}{node.op}{space}{part(node.right)}"
        case Logic():
            return f" {node.op} ".join(map(part, node.operands))
        case Choice():
            return f"{part(node.then)} if {part(node.test)} else {part(node.other)}"
        case Member():
            return written_member(node, chance)
        case Call():
            return f"{node.function}({', '.join(map(part, node.arguments))})"


def written_member(node: Member, chance: Chance) -> str:
    """`in` over a tuple or a list, with or without a last comma."""
    open_, close = chance.pick((("(", ")"), ("[", "]")))
    listed = ", ".join(_written_literal(one, chance) for one in node.literals)
    comma = "," if (open_ == "(" and len(node.literals) == 1) or chance.likely(10) else ""
    return f"{written(node.item, chance)} {'not in' if node.negated else 'in'} {open_}{listed}{comma}{close}"


def _written_literal(node: Number | Truth | Text, chance: Chance) -> str:
    negative = isinstance(node, Number) and str(node.value).startswith("-")
    return (
        f"-{written_number(-node.value, chance)}"
        if isinstance(node, Number) and negative
        else _written(node, chance)
    )


def written_number(value: float, chance: Chance) -> str:
    """A number in one of its spellings."""
    plain = repr(value)
    whole = [str(int(value))] if value.is_integer() and value < 1e22 else []
    return chance.pick([*whole, plain, f"{value:.17e}", plain.replace("e", "E")])


def written_text(value: str, chance: Chance) -> str:
    """A text literal in single or double quotes."""
    quote = chance.pick("'\"")
    escaped = "".join(
        f"\\{c}" if c in (quote, "\\") else c if c.isprintable() else f"\\U{ord(c):08x}" for c in value
    )
    return quote + escaped + quote
