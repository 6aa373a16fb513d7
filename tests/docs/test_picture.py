"""The picture shows what is decided on the ticket of the README."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from racl import Explanation, load_model

ROOT = Path(__file__).parent.parent.parent
SVG = "{http://www.w3.org/2000/svg}"
TICKET = {
    "fare": 220,
    "carrier": "UA",
    "cabin": "main",
    "departs": 9.5,
    "minutes": 150,
    "stops": 0,
    "bags": 0,
}
REQUEST = {"persona": "leisure", "bags_needed": 1, "budget": 50, "threshold": 60}


@pytest.fixture
def explained() -> Explanation:
    model = load_model(ROOT / "examples" / "airline" / "model.json")
    return model.explain({**TICKET, "refundable": False, **REQUEST})


@pytest.fixture
def shown() -> str:
    """The words of the picture."""
    tree = ET.fromstring((ROOT / "docs" / "pictures" / "overview.svg").read_text("utf-8"))  # noqa: S314
    return "\n".join("".join(text.itertext()) for text in tree.iter(f"{SVG}text"))


def test_the_readme_is_about_this_ticket() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    for name, value in {**TICKET, **REQUEST}.items():
        written = f'"{value}"' if isinstance(value, str) else str(value)
        assert re.search(rf'"{name}": {re.escape(written)}[,}}]', page), name


def test_the_picture_shows_the_decision(explained: Explanation, shown: str) -> None:
    decision = explained.decision
    assert decision.accepted
    assert decision.credit.value in shown
    assert f"plan:{decision.plan}" in shown
    assert f"{decision.cost:g} ≤ {REQUEST['budget']}" in shown
    assert f"{decision.value:g} ≥ {REQUEST['threshold']}" in shown


def test_the_picture_shows_why_the_others_are_not_taken(explained: Explanation, shown: str) -> None:
    outcomes = {attempt.repair: attempt.outcome for attempt in explained.repairs}
    keep, upgrade = outcomes["keep"], outcomes["upgrade"]
    assert keep is not None
    assert upgrade is not None
    assert [check.requirement for check in keep.failing] == ["bags"]
    assert upgrade.feasible
    assert f"{upgrade.cost:g} > {REQUEST['budget']}" in shown
