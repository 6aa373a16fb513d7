"""Python: what `racl` offers, from its sources."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from enum import EnumType
from typing import Any

from tools.pages.markdown import code, table

import racl

BASES = {"RaclError", "Exception", "UserWarning"}
Function = ast.FunctionDef | ast.AsyncFunctionDef
INTERNAL = {
    "Model": {"taste", "program", "kernel", "tame", "weights"},
    "Decisions": {"model", "table", "outputs", "prefix"},
}
GROUPS = {
    "Functions": ["load_domain", "load_model", "decide_files", "evaluate", "compare", "sql"],
    "Models and decisions": ["Model", "Decisions", "Decision", "Credit", "Explanation", "Domain"],
    "Learning": ["RepairClassifier"],
    "Metrics": ["Metrics", "Rate", "Comparison", "Difference"],
    "Asking a service": ["Client", "AsyncClient"],
    "Faults": ["RaclError", "DomainError", "ModelError", "DataError", "RowError", "QueryError"],
    "What they carry": ["Problem", "Refusal", "KernelWarning"],
}


def names() -> str:
    """A section for each group of names."""
    told = [name for group in GROUPS.values() for name in group]
    if sorted(told) != sorted(racl.__all__):
        raise AssertionError("a name of racl.__all__ is in no group, or a group has another")
    parts = []
    for title, group in GROUPS.items():
        parts.append(f"## {title}")
        parts += [part for name in group for part in _named(name, getattr(racl, name))]
    return "\n\n".join(parts)


def _named(name: str, found: Any) -> Iterator[str]:
    source = textwrap.dedent(inspect.getsource(found))
    tree = ast.parse(source).body[0]
    if isinstance(tree, Function):
        yield f"### racl.{name}{_signature(tree)}"
        yield _about(tree)
    if isinstance(tree, ast.ClassDef):
        bases = [base.__name__ for base in found.__bases__ if base.__name__ in BASES]
        yield f"### racl.{name}{f'({bases[0]})' if bases else ''}"
        yield _about(tree)
        parts = _members(tree) if isinstance(found, EnumType) else _parts(tree, source.splitlines())
        rows = [[code(what), about] for key, what, about in parts if key not in INTERNAL.get(name, ())]
        if rows:
            yield table(["", ""], rows)


Part = tuple[str, str, str]  # its name, how it is written, what it is


def _members(tree: ast.ClassDef) -> Iterator[Part]:
    """The values of an enumeration."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(key)], value=value):
                yield key, key, code(ast.literal_eval(value))
            case _:
                pass


def _parts(tree: ast.ClassDef, lines: list[str]) -> Iterator[Part]:
    """Attributes, then properties and methods, in the order of the source."""
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(key), annotation=annotation):
                comment = lines[node.lineno - 1].partition("  # ")[2]
                yield key, f"{key}: {ast.unparse(annotation)}", comment
            case _:
                pass
    methods = [node for node in tree.body if isinstance(node, Function)]
    for method in methods:
        if method.name == "__init__":
            yield from _set(method)
        elif not method.name.startswith("_") and not _decorated(method, "overload"):
            yield method.name, _shown(method), _about(method)


def _set(method: Function) -> Iterator[Part]:
    """The attributes that a constructor sets."""
    for node in method.body:
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=key)]) if not key.startswith("_"):
                yield key, key, ""
            case _:
                pass


def _decorated(node: Function, *names: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id in names for one in node.decorator_list)


def _shown(node: Function) -> str:
    """A method with its signature, a property with its type."""
    if not _decorated(node, "property", "cached_property"):
        waiting = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
        return f"{waiting}{node.name}{_signature(node)}"
    return f"{node.name}: {ast.unparse(node.returns)}" if node.returns else node.name


def _signature(node: Function) -> str:
    arguments = ast.unparse(node.args).removeprefix("self, ").removeprefix("self")
    given = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({arguments}){given}"


def _about(node: Function | ast.ClassDef) -> str:
    """The docstring without its examples, on one line."""
    return " ".join((ast.get_docstring(node) or "").partition("\n>>> ")[0].split())
