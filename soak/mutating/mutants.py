"""Every small change of a module that could be a slip: an operator, a bound, a truth, a number, a branch, a return.

Text that becomes code (the templates of the kernel) is changed operator by operator as well.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}
TEMPLATE = (  # what stands in a text that becomes code, and what is put in its place
    (r" <= ", " < "), (r" < ", " <= "), (r" >= ", " > "), (r" > ", " >= "), (r" == ", " != "),
    (r" & ", " | "), (r" \| ", " & "), (r" and ", " or "), (r" or ", " and "), (r"\bnot ", ""),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r"-np\.inf", "np.inf"), (r"(?<!-)np\.inf", "-np.inf"),
    (r"np\.nan", "0.0"), (r"\bTrue\b", "False"), (r"\bFalse\b", "True"), (r"\bcontinue\b", "pass"), (r"\b0\.0\b", "1.0"),
    (r"(?<![\w.\[{])\d+(?![\w.])", "7"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed module, and where and what the change is."""

    place: str  # function and line
    change: str
    source: str

    @property
    def name(self) -> str:
        """The change in a line."""
        return f"{self.place}: {self.change}"


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a module, those whose text is no Python left out."""
    tree = ast.parse(source)
    original = ast.unparse(tree)
    seen = {original}
    for number, (node, place) in enumerate(nodes(tree)):
        for change, other in changes(node):
            changed = ast.unparse(replaced(tree, number, other))
            if changed not in seen:
                seen.add(changed)
                yield Mutant(place, change, changed)


def nodes(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    """Every node that is code, with its place: no docstring, no annotation."""
    found: list[tuple[ast.AST, str]] = []

    def visit(node: ast.AST, inside: str) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inside = f"{inside}.{node.name}".lstrip(".")
        found.append((node, f"{inside or 'module'}:{getattr(node, 'lineno', 0)}"))
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "names"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not is_docstring(child):
                    visit(child, inside)

    visit(tree, "")
    return found


def is_docstring(node: ast.AST) -> bool:
    """A text that stands alone."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def replaced(tree: ast.Module, number: int, other: ast.AST) -> ast.Module:
    """A copy of the tree with one node changed for another."""
    whole = copy.deepcopy(tree)
    target = nodes(whole)[number][0]
    for parent in ast.walk(whole):
        for name, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, name, other)
            elif isinstance(value, list) and any(one is target for one in value):
                setattr(parent, name, [other if one is target else one for one in value])
    return ast.fix_missing_locations(whole)


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What may stand in place of a node, and the change in words."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            for other in COMPARISONS[type(op)]:
                yield said(node, ast.Compare(node.left, [other()], node.comparators))
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            yield said(node, ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right))
        case ast.BoolOp():
            yield said(node, ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
            for left_out in range(len(node.values)) if len(node.values) > 1 else ():
                rest = [value for place, value in enumerate(node.values) if place != left_out]
                yield said(node, rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest))
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield said(node, node.operand)
        case ast.IfExp():
            yield said(node, node.body)
            yield said(node, node.orelse)
        case ast.If() | ast.While():
            for truth in (True, False) if isinstance(node, ast.If) else (False,):
                yield f"if {ast.unparse(node.test)} → {truth}", with_test(node, truth)
        case ast.comprehension(ifs=[_, *_]):
            yield (
                f"for all, not only if {ast.unparse(node.ifs[0])}",
                ast.comprehension(node.target, node.iter, [], node.is_async),
            )
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            yield said(node, ast.Call(ast.Name(CALLS[name]), node.args, node.keywords))
        case ast.Return(value=value) if value is not None and not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield said(node, ast.Return(ast.Constant(None)))
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield f"{ast.unparse(node)} → left out", ast.Pass()
        case ast.Constant():
            yield from constants(node)


def with_test(node: ast.If | ast.While, truth: bool) -> ast.AST:
    """The same branch under another condition."""
    other = copy.copy(node)
    other.test = ast.Constant(truth)
    return other


def constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    """Another truth, number or text."""
    match node.value:
        case bool():
            yield said(node, ast.Constant(not node.value))
        case int() | float():
            yield said(node, ast.Constant(node.value + 1))
            if node.value not in (0, 1):
                yield said(node, ast.Constant(node.value - 1))
        case str():
            for pattern, other in TEMPLATE:
                for match in re.finditer(pattern, node.value):
                    text = node.value[: match.start()] + other + node.value[match.end() :]
                    yield said(node, ast.Constant(text))


def said(old: ast.AST, new: ast.AST) -> tuple[str, ast.AST]:
    """A change in words, and what it makes of the node."""
    return f"{ast.unparse(old)} → {ast.unparse(ast.fix_missing_locations(new))}", new
