"""The JSON Schema of a domain file, for editors: names, types and forms, but not what expressions mean."""

from __future__ import annotations

from racl.domain.check import FORMAT, ID, MAX_STEPS
from racl.domain.faults import NAME
from racl.domain.model import KEEP, Choose, Type
from racl.expr.nodes import RESERVED
from racl.expr.parse import MAX_CHARACTERS

Schema = dict[str, object]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
WORDS = {"label": "A short name for people", "description": "What it is, in a sentence"}


def schema() -> Schema:
    """The schema of a domain file as plain data.

    >>> schema()["required"]
    ['racl', 'name', 'candidate', 'requirements', 'features']
    """
    return {
        "$schema": DRAFT,
        "title": "racl domain",
        "description": "A decision problem: what is offered, what it must meet, and which repairs are known",
        **table(_sections(), required=["racl", "name", "candidate", "requirements", "features"]),
        "$defs": {"column": _column(), "repair": _repair(), **_expressions()},
    }


def _sections() -> Schema:
    return {
        "racl": {"const": FORMAT, "type": "integer", "description": "The version of the format"},
        "name": {
            "type": "string",
            "pattern": f"^{ID.pattern}$",
            "description": "Lower-case letters, digits, `-` and `_`",
        },
        **_words(),
        "candidate": _named("column", "What is offered, and what repairs may change", least=1),
        "context": _named("column", "What the request fixes; no repair may change it"),
        "requirements": _named("truth", "Hard: all of these boolean expressions must hold", least=1),
        "features": _named("number", "What preference may look at, one number each", least=1),
        "repairs": _named("repair", "Known changes to a candidate, each with its price", but=[KEEP]),
        "rule": _rule(),
    }


def table(properties: Schema, *, required: list[str], **more: object) -> Schema:
    """A table with these keys and no others."""
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False, **more}
    return {**found, "required": required} if required else found


def _named(kind: str, description: str, *, least: int = 0, but: list[str] | None = None) -> Schema:
    """A section: names of the user's choosing, each for one thing of a kind."""
    name = {"pattern": f"^{NAME.pattern}$", "not": {"enum": sorted(RESERVED) + (but or [])}}
    section: Schema = {"type": "object", "description": description, "propertyNames": name}
    if least:
        section["minProperties"] = least
    return {**section, "additionalProperties": {"$ref": f"#/$defs/{kind}"}}


def _words() -> Schema:
    return {key: {"type": "string", "description": about} for key, about in WORDS.items()}


def _expressions() -> Schema:
    number = ["string", "number", "boolean"]
    return {
        "truth": _expression(["string", "boolean"], "A boolean expression"),
        "number": _expression(number, "An expression of numbers; a boolean counts 0 or 1"),
        "value": _expression(number, "An expression; text stands in quotes of its own: `\"'AA'\"`"),
    }


def _expression(types: list[str], description: str) -> Schema:
    return {"type": types, "minLength": 1, "maxLength": MAX_CHARACTERS, "description": description}


# columns ---------------------------------------------------------------------------------------------


def _column() -> Schema:
    short = {"enum": [type_.value for type_ in Type if type_ is not Type.CATEGORY]}
    return {
        "description": "What may stand in a column: the type alone, or a table",
        "anyOf": [short, *(_typed(type_) for type_ in Type)],
    }


def _typed(type_: Type) -> Schema:
    keys: Schema = {
        "type": {"const": type_.value},
        **_limits(type_),
        "default": {**_default(type_), "description": "Stands in for a null or a missing column"},
        "unit": {"type": "string", "description": "What the numbers count, such as USD or min"},
        **_words(),
    }
    return table(keys, required=["type", "values"] if type_ is Type.CATEGORY else ["type"])


def _limits(type_: Type) -> Schema:
    match type_:
        case Type.CATEGORY:
            about = "All the texts that may stand here; their order has no meaning but for personas"
            items = {"type": "string"}
            return {
                "values": {
                    "type": "array",
                    "items": items,
                    "minItems": 1,
                    "uniqueItems": True,
                    "description": about,
                }
            }
        case Type.BOOLEAN:
            return {}
        case _:
            return {
                "min": {"type": "number", "description": "The least that a row may hold"},
                "max": {"type": "number", "description": "The most that a row may hold"},
            }


def _default(type_: Type) -> Schema:
    words = {Type.CATEGORY: "string", Type.BOOLEAN: "boolean", Type.INTEGER: "integer", Type.NUMBER: "number"}
    return {"type": words[type_]}


# repairs and the rule --------------------------------------------------------------------------------


def _repair() -> Schema:
    cost = {
        "$ref": "#/$defs/number",
        "minimum": 0,
        "default": 0,
        "description": "What it costs, read before it",
    }
    sets = _named("value", "The columns it changes; all expressions read the candidate as it was")
    applies = {"$ref": "#/$defs/truth", "default": True, "description": "When it can be done"}
    return table({**_words(), "applies": applies, "sets": sets, "cost": cost}, required=["sets"])


def _rule() -> Schema:
    keys: Schema = {
        "budget": _context("The most that a plan may cost", "budget"),
        "threshold": _context("The least value that is good enough", "threshold"),
        "persona": {
            "type": "string",
            "default": "persona",
            "description": "The category of [context] that says whose preference counts",
        },
        "tradeoff": {
            "type": "number",
            "minimum": 0,
            "default": 0,
            "description": "How much value one unit of cost takes away",
        },
        "choose": {
            "enum": [choose.value for choose in Choose],
            "default": Choose.BEST.value,
            "description": "Which of the plans that are good enough is taken",
        },
        "steps": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_STEPS,
            "default": 1,
            "description": "How many repairs a plan may compose",
        },
        **_words(),
    }
    return table(keys, required=[], description="How a row is judged")


def _context(description: str, default: str) -> Schema:
    return {
        "$ref": "#/$defs/number",
        "default": default,
        "description": f"{description}; reads [context] alone",
    }
