"""A small sound domain, and ways to spoil it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from racl import DomainError, Model, ModelError, Problem
from racl.domain.files import parse_domain
from racl.domain.model import Domain
from racl.model import fingerprint, parse_model

Document = dict[str, Any]

AIR = """\
racl = 1
name = "air-ticket"

[candidate]
fare       = { type = "number", min = 0, unit = "USD" }
stops      = { type = "integer", min = 0, max = 4 }
layover    = { type = "number", default = 0 }
has_bag    = "boolean"
refundable = "boolean"
carrier    = { type = "category", values = ["AA", "UA", "WN"] }

[context]
persona      = { type = "category", values = ["business", "leisure"] }
budget       = { type = "number", min = 0 }
threshold    = "number"
needs_bag    = "boolean"

[requirements]
bag        = "has_bag or not needs_bag"
connection = "stops == 0 or layover >= 45"

[features]
price   = "fare / 500"
nonstop = "stops == 0"
aa      = "carrier == 'AA'"

[repairs.add_bag]
label   = "Add a checked bag"
applies = "not has_bag"
sets    = { has_bag = "true", fare = "fare + 35" }
cost    = "35 + 5 * stops"

[repairs.make_refundable]
applies = "not refundable"
sets    = { refundable = "true" }
cost    = "0.25 * fare"
"""

ROW: Document = {
    "fare": 250.0, "stops": 1, "layover": 60.0, "has_bag": False, "refundable": True, "carrier": "AA",
    "persona": "business", "budget": 40.0, "threshold": 0.0, "needs_bag": True,
}  # fmt: skip
WEIGHTS = {"bias": 1.0, "weights": {"price": -1.0, "nonstop": 0.5, "aa": 0.25}}


def spoiled(old: str, new: str, text: str = AIR) -> str:
    """The domain file with one place changed."""
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)


def with_requirement(expression: str) -> str:
    """The domain file with one requirement more, an expression that TOML takes as it is."""
    return spoiled("[features]", f"extra = {json.dumps(expression, ensure_ascii=False)}\n\n[features]")


def line_of(part: str) -> int:
    """The line of the sound file in which this stands first."""
    return AIR[: AIR.index(part)].count("\n") + 1


def refused(text: str) -> tuple[Problem, ...]:
    """The problems for which a domain file is refused."""
    with pytest.raises(DomainError) as fault:
        parse_domain(text, "air.toml")
    return fault.value.problems


def said(problems: tuple[Problem, ...]) -> list[str]:
    """Each problem in one line."""
    lines = [problem.line_text() for problem in problems]
    assert all("\n" not in line for line in lines)
    return lines


def pointed_at(problem: Problem) -> str:
    """The part of the expression below which the caret stands."""
    assert problem.span is not None
    return problem.text[slice(*problem.span)]


def air() -> Domain:
    """The sound domain."""
    return parse_domain(AIR, "air.toml")


def document() -> Document:
    """A sound model of it as a file holds it, with its hash."""
    found: Document = {"racl_model": 1, "domain": dict(air().document)}
    found["preference"] = {
        "business": WEIGHTS,
        "leisure": {"bias": 0.5, "weights": {"price": -2, "nonstop": 0, "aa": 0}},
    }
    found["fit"] = {"learner": "by hand"}
    return json.loads(json.dumps(found | {"sha256": fingerprint(found)}))  # type: ignore[no-any-return]


def model() -> Model:
    """The sound model."""
    return parse_model(json.dumps(document()), "air.json")


def model_refused(text: str) -> list[str]:
    """The lines of the problems for which a model file is refused."""
    with pytest.raises(ModelError) as fault:
        parse_model(text, "air.json")
    return said(fault.value.problems)
