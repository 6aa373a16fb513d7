"""The model of the small domain, and files of a few hundred rows that are treated like large ones."""

from __future__ import annotations

import json

import pytest

from cli.air import AIR, PREFERENCE
from racl.domain.files import parse_domain
from racl.model import Model, parse_model


@pytest.fixture(scope="module")
def model() -> Model:
    document = {"racl_model": 1, "domain": dict(parse_domain(AIR).document), "preference": PREFERENCE}
    return parse_model(json.dumps(document))


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a few hundred rows are treated like large ones."""
    monkeypatch.setattr("racl.scale.carrying.FEW_ROWS", 1)
    monkeypatch.setattr("racl.scale.work.BATCH_ROWS", 100)
    monkeypatch.setattr("racl.scale.jsonl_files.ROWS_AT_ONCE", 100)


@pytest.fixture
def every_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every piece goes into the journal."""
    monkeypatch.setattr("racl.scale.journal.PAUSE", 0.0)
