"""Weights are picked alike, whether by comparisons or for eight rows at once."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from racl import Model
from racl.engines import kernel, pick
from racl.model import parse_model
from strategies.agreement import by_definition, by_engine, disagreements, outputs_of
from strategies.rows import Row

ROWS = 1003  # some are left over beside the eights

pytestmark = pytest.mark.kernel


def model(personas: int) -> Model:
    """A model in which every persona has weights of its own."""
    names = [f"p{number}" for number in range(personas)]
    domain = {
        "racl": 1,
        "name": "picking",
        "candidate": {"fare": "number", "bag": "boolean"},
        "context": {
            "persona": {"type": "category", "values": names},
            "budget": "number",
            "threshold": "number",
        },
        "requirements": {"bag": "bag"},
        "features": {"price": "fare / 8", "bag": "bag"},
        "repairs": {"add_bag": {"sets": {"bag": True, "fare": "fare + 1"}, "cost": 1}},
    }
    preference = {
        name: {"bias": 0.1 * number, "weights": {"price": -1.0 / (1 + number), "bag": number}}
        for number, name in enumerate(names)
    }
    return parse_model(json.dumps({"racl_model": 1, "domain": domain, "preference": preference}), "model")


def rows(personas: int) -> list[Row]:
    """Rows of every persona, and of one that is refused."""
    return [
        {
            "fare": float(number % 17),
            "bag": number % 3 == 0,
            "persona": f"p{number % (personas + 1)}",
            "budget": float(number % 2),
            "threshold": 0.25,
        }
        for number in range(ROWS)
    ]


@pytest.fixture(autouse=True)
def compiled_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    monkeypatch.setenv("RACL_CACHE_DIR", str(tmp_path_factory.mktemp("kernels")))
    kernel._compiled.cache_clear()
    yield
    kernel._compiled.cache_clear()


def differing(personas: int) -> list[str]:
    """Where the kernel decides otherwise than the definition."""
    given, asked = model(personas), rows(personas)
    wanted = outputs_of(given, by_definition(given, asked))
    return disagreements(given, asked, wanted, by_engine(given, asked, "kernel", threads=1))


@pytest.mark.parametrize("personas", [2, 5, 8, 9])
def test_each_row_has_the_weights_of_its_persona(personas: int) -> None:
    assert differing(personas) == []


def test_so_it_has_where_no_vector_form_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pick, "permutes", lambda: False)
    assert differing(5) == []


def test_so_it_has_where_the_compiler_does_not_put_the_vector_form_in_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pick, "CALLED", "nothing of the kind")
    assert differing(5) == []
