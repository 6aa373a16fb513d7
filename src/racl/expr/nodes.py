"""The tree of an expression: frozen, with the place of every node in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Span = tuple[int, int]  # first and past-the-last character in the text


@dataclass(frozen=True, slots=True)
class Number:
    """A number, as the float64 nearest to what was written."""

    value: float
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Text:
    """A text literal: one value of a category."""

    value: str
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A column."""

    name: str
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`not a` or `-a`."""

    op: str
    operand: Node
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic or a comparison of two operands."""

    op: str
    left: Node
    right: Node
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Logic:
    """`and` or `or` over two or more operands."""

    op: str
    operands: tuple[Node, ...]
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """`then if test else other`."""

    test: Node
    then: Node
    other: Node
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Member:
    """`item in (literals)` or `item not in (literals)`."""

    item: Node
    literals: tuple[Number | Truth | Text, ...]
    negated: bool = False
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the language over its arguments."""

    function: str
    arguments: tuple[Node, ...]
    span: Span = field(default=(0, 0), compare=False)


Node = Number | Truth | Text | Name | Unary | Binary | Logic | Choice | Member | Call


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression as written, and its tree; equal when the trees are."""

    node: Node
    text: str = field(default="", compare=False)


ARITHMETIC = ("+", "-", "*", "/")
EQUALITY = ("==", "!=")
ORDER = ("<", "<=", ">", ">=")
FUNCTIONS: dict[str, tuple[int, int]] = {  # name: fewest and most arguments
    "min": (1, 2_000),
    "max": (1, 2_000),
    "abs": (1, 1),
    "floor": (1, 1),
    "ceil": (1, 1),
    "sqrt": (1, 1),
    "log": (1, 1),
    "exp": (1, 1),
    "clip": (3, 3),
}
KEYWORDS = frozenset({"and", "or", "not", "if", "else", "in", "true", "false", "True", "False"})
RESERVED = KEYWORDS | FUNCTIONS.keys()


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    match node:
        case Unary():
            return (node.operand,)
        case Binary():
            return (node.left, node.right)
        case Logic():
            return node.operands
        case Choice():
            return (node.then, node.test, node.other)
        case Member():
            return (node.item, *node.literals)
        case Call():
            return node.arguments
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """Every node of the tree, from the top, left to right."""
    yield node
    for child in children(node):
        yield from walk(child)


def names(node: Node) -> frozenset[str]:
    """The columns that the tree reads."""
    return frozenset(found.name for found in walk(node) if isinstance(found, Name))
