"""The JSON Schema of a domain file takes what the reader takes, and the faults of form that it can see."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from racl.domain.schema import schema
from strategies.domains import Document
from strategies.drawn import documents

ROOT = Path(__file__).parents[2]
COPY = ROOT / "docs" / "reference" / "domain.schema.json"
DOMAINS = sorted(
    path for folder in ("examples", "tests", "benchmarks") for path in (ROOT / folder).rglob("domain.toml")
)
VALIDATOR = Draft202012Validator(schema())
AIR: Document = {
    "racl": 1,
    "name": "air",
    "candidate": {
        "fare": {"type": "number", "min": 0, "unit": "USD"},
        "stops": "integer",
        "carrier": {"type": "category", "values": ["AA"]},
    },
    "context": {"budget": "number", "threshold": {"type": "number", "default": 1}},
    "requirements": {"direct": "stops == 0"},
    "features": {"price": "fare", "constant": 1},
    "repairs": {"rebook": {"applies": "stops > 0", "sets": {"stops": 0, "carrier": "'AA'"}, "cost": 35}},
    "rule": {"tradeoff": 0.5, "choose": "cheapest", "steps": 2},
}


def changed(path: str, value: Any) -> Document:
    """The domain with one key given another value, or taken out."""
    document: Document = json.loads(json.dumps(AIR))
    *above, last = path.split(".")
    table = document
    for key in above:
        table = table[key]
    if value is None:
        del table[last]
    else:
        table[last] = value
    return document


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


def test_the_copy_among_the_pages_is_current() -> None:
    again = "racl check --schema > docs/reference/domain.schema.json"
    assert COPY.read_text("utf-8") == json.dumps(schema(), indent=2) + "\n", again


@pytest.mark.parametrize("path", DOMAINS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_domain_of_the_repository_is_valid(path: Path) -> None:
    VALIDATOR.validate(tomllib.loads(path.read_text("utf-8")))


def test_there_are_domains_to_try() -> None:
    assert len(DOMAINS) >= 6


@given(documents())
def test_every_domain_that_the_reader_takes_is_valid(document: Document) -> None:
    VALIDATOR.validate(document)


VALID: list[tuple[str, Any]] = [
    ("label", "Tickets"),
    ("context", None),
    ("repairs", None),
    ("rule", None),
    ("candidate.fare.default", 0.5),
    ("candidate.stops", {"type": "integer", "max": 3.5, "description": "changes"}),
    ("requirements.direct", True),
    ("repairs.rebook.cost", "0.25 * fare"),
    ("repairs.rebook.applies", False),
    ("features.price", True),
    ("rule.budget", 40),
]


@pytest.mark.parametrize(("path", "value"), VALID)
def test_what_the_reader_takes_is_valid(path: str, value: Any) -> None:
    VALIDATOR.validate(changed(path, value))


FAULTS: list[tuple[str, Any]] = [
    ("racl", None),
    ("racl", 99),
    ("racl", "1"),
    ("name", "Air Ticket"),
    ("name", "../../x"),
    ("candidate", None),
    ("candidate", {}),
    ("requirements", None),
    ("requirments", {"x": "true"}),
    ("requirements.and", "true"),
    ("requirements.direct flight", "true"),
    ("requirements.direct", 1),
    ("requirements.direct", ""),
    ("requirements.direct", "x" * 10_001),
    ("features", {}),
    ("features.price", ["fare"]),
    ("candidate.fare", "float"),
    ("candidate.fare", "category"),
    ("candidate.fare", {"min": 0}),
    ("candidate.fare.mn", 0),
    ("candidate.fare.min", "0"),
    ("candidate.fare.values", ["AA"]),
    ("candidate.fare.default", "none"),
    ("candidate.carrier.values", None),
    ("candidate.carrier.values", []),
    ("candidate.carrier.values", ["AA", "AA"]),
    ("candidate.carrier.min", 0),
    ("candidate.max", "number"),
    ("repairs.keep", {"sets": {}}),
    ("repairs.rebook.sets", None),
    ("repairs.rebook.set", {}),
    ("repairs.rebook.cost", -1),
    ("repairs.rebook.applies", 1),
    ("rule.choose", "fastest"),
    ("rule.steps", 5),
    ("rule.steps", 0),
    ("rule.steps", 1.5),
    ("rule.tradeoff", -0.5),
    ("rule.tradeoff", "0.5"),
    ("rule.persona", 1),
]


@pytest.mark.parametrize(("path", "value"), FAULTS)
def test_a_typical_fault_is_not_valid(path: str, value: Any) -> None:
    assert not VALIDATOR.is_valid(changed(path, value))
