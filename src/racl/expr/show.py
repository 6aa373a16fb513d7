"""Tree to text: printing and parsing again gives the same tree."""

from __future__ import annotations

from typing import assert_never

from racl.expr.nodes import Binary, Call, Choice, Logic, Member, Name, Node, Number, Text, Truth, Unary

CHOICE, OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, ATOM = range(9)
LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}


def show(node: Node) -> str:
    """The text of a tree.

    >>> from racl.expr.parse import parse
    >>> show(parse("(fare*2 - 1)/(stops+1)").node)
    '(fare * 2 - 1) / (stops + 1)'
    """
    return _show(node, CHOICE)


def _show(node: Node, least: int) -> str:
    level, text = _render(node)
    return f"({text})" if level < least else text


def _render(node: Node) -> tuple[int, str]:
    """The level of the outermost operation, and the text."""
    match node:
        case Number():
            return (ATOM if node.value >= 0 else SIGN), number(node.value)
        case Truth():
            return ATOM, "true" if node.value else "false"
        case Text():
            return ATOM, text(node.value)
        case Name():
            return ATOM, node.name
        case Unary():
            return (
                (NOT, f"not {_show(node.operand, NOT)}")
                if node.op == "not"
                else (SIGN, f"-{_show(node.operand, SIGN)}")
            )
        case Binary():
            return _binary(node)
        case Logic():
            level = OR if node.op == "or" else AND
            return level, f" {node.op} ".join(_show(operand, level + 1) for operand in node.operands)
        case Choice():
            then, test = _show(node.then, OR), _show(node.test, OR)
            return CHOICE, f"{then} if {test} else {_show(node.other, CHOICE)}"
        case Member():
            listed = ", ".join(_show(literal, CHOICE) for literal in node.literals)
            comma = "," if len(node.literals) == 1 else ""
            return COMPARE, f"{_show(node.item, SUM)} {'not in' if node.negated else 'in'} ({listed}{comma})"
        case Call():
            return (
                ATOM,
                f"{node.function}({', '.join(_show(argument, CHOICE) for argument in node.arguments)})",
            )
        case _:
            assert_never(node)


def _binary(node: Binary) -> tuple[int, str]:
    level = LEVELS.get(node.op, COMPARE)
    left = _show(node.left, level if level != COMPARE else SUM)
    return level, f"{left} {node.op} {_show(node.right, level + 1)}"


def number(value: float) -> str:
    """A number in the fewest digits that read back the same.

    >>> number(35.0), number(0.25)
    ('35', '0.25')
    """
    return (
        str(int(value))
        if value == int(value) and abs(value) < 2**53 and str(value) != "-0.0"
        else repr(value)
    )


def text(value: str) -> str:
    """A text literal in single quotes."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + "".join(c if c.isprintable() else _escape(c) for c in escaped) + "'"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004
