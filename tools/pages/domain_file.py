"""Domain files: tables from the schema, limits from the readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tools.pages.markdown import code, codes, table

from racl.documents import DOMAIN_LIMIT
from racl.domain.check import MAX_STEPS
from racl.domain.model import Type
from racl.domain.schema import schema
from racl.expr.nodes import RESERVED
from racl.expr.parse import MAX_CHARACTERS, MAX_LEVELS, MAX_NODES

Schema = Mapping[str, Any]

TYPES = {
    Type.NUMBER: "a finite float64",
    Type.INTEGER: "a whole number within ±2^53, computed as float64",
    Type.BOOLEAN: "true or false",
    Type.CATEGORY: "text that is one of `values`",
}
KINDS = {"truth": "boolean expression", "number": "number expression", "value": "expression"}
KEYS = ["key", "is", "default", "means"]


def sections() -> str:
    """What stands at the top of the file."""
    whole: Schema = schema()
    rows = [
        [
            code(f"[{name}]" if about["type"] == "object" else name),
            "required" if name in whole["required"] else "",
            about["description"],
        ]
        for name, about in whole["properties"].items()
    ]
    return table(["section or key", "", "holds"], rows)


def types() -> str:
    """The four types."""
    return table(["type", "holds"], [[code(type_), TYPES[type_]] for type_ in Type])


def columns() -> str:
    """The keys of a column."""
    return table(["key", "of", "means"], _column_keys(_definitions()["column"]["anyOf"]))


def _definitions() -> Schema:
    found: Any = schema()["$defs"]
    return dict(found)


def _column_keys(forms: list[Schema]) -> Iterator[list[str]]:
    """Each key, the types that have it, and what it means."""
    tables = [form["properties"] for form in forms if "properties" in form]
    for key in dict.fromkeys(key for one in tables for key in one):
        having = [one for one in tables if key in one]
        of = [one["type"]["const"] for one in having]
        means = having[0][key].get("description", "What the column holds")
        yield [code(key), "all" if len(of) == len(Type) else codes(of), means]


def repair() -> str:
    """The keys of a repair."""
    return table(KEYS, _keys(_definitions()["repair"]))


def rule() -> str:
    """The keys of the rule."""
    whole: Schema = schema()
    return table(KEYS, _keys(whole["properties"]["rule"]))


def _keys(spec: Schema) -> Iterator[list[str]]:
    for key, about in spec["properties"].items():
        default = about.get("default", "required" if key in spec.get("required", []) else "")
        shown = default if default in ("", "required") else code(str(default).lower())
        yield [code(key), _form(about), shown, about["description"]]


def _form(about: Schema) -> str:
    """What stands under a key."""
    if "$ref" in about:
        return KINDS[about["$ref"].rpartition("/")[2]]
    if "enum" in about:
        return " or ".join(map(code, about["enum"]))
    if about["type"] == "integer":
        return f"1 to {MAX_STEPS}"
    words = {"string": "text", "object": "table of expressions"}
    return words.get(about["type"], str(about["type"]))


def reserved() -> str:
    """The words that are no names."""
    return codes(sorted(RESERVED))


def limits() -> str:
    """How large things may be."""
    rows = [
        ["a domain file", f"{DOMAIN_LIMIT // 1024:,} KiB"],
        ["an expression", f"{MAX_CHARACTERS:,} characters, {MAX_NODES:,} nodes, {MAX_LEVELS} levels"],
        ["`steps`", str(MAX_STEPS)],
    ]
    return table(["", "at most"], rows)
