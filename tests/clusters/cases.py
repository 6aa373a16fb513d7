"""Rows of the conformance cases and of the airline example as Arrow tables with a key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from conformance.cases import NAMES, Answer, Case, answer
from racl import Model
from racl.domain.model import Type
from racl.learn.asked import Recipe
from racl.learn.history import History, gathered
from racl.learn.recipe import Learned, learn_from
from racl.learn.sources import InMemory, Sources
from racl.learn.spread import aside

KEY = "racl's key"
AIRLINE = Path(__file__).parents[2] / "examples/airline"
TYPES = {
    Type.NUMBER: pa.float64(),
    Type.INTEGER: pa.float64(),
    Type.BOOLEAN: pa.bool_(),
    Type.CATEGORY: pa.string(),
}


def arrow_rows(case: Case) -> pa.Table:
    """The rows of a case."""
    return arrow_table(case.model, case.rows)


def arrow_table(model: Model, rows: list[dict[str, Any]]) -> pa.Table:
    """Rows with the types of the domain, and their numbers."""
    columns = {
        column.name: pa.array([row.get(column.name) for row in rows], TYPES[column.type])
        for column in model.domain.columns
    }
    return pa.table({**columns, KEY: pa.array(range(len(rows)), pa.int32())})


def tickets_table(model: Model) -> pa.Table:
    """The rows of the airline example."""
    from racl.scale import open_rows

    table = next(open_rows(AIRLINE / "rows.csv").batches())
    rows = [
        {column.name: table.read(column, row) for column in model.domain.columns} for row in range(table.rows)
    ]
    return arrow_table(model, rows)


def labelled(model: Model) -> pa.Table:
    """The same with labels: the example's own decisions, some of them turned."""
    table = tickets_table(model)
    chance = np.random.default_rng(3)
    accepted = model.decide(table).accepted ^ (chance.random(len(table)) < 0.2)
    return table.append_column("label", pa.array(accepted))


FITS = [
    ("anchors", "none"),
    ("anchors", "fixed"),
    ("anchors", "validated"),
    ("anchors", "certified"),
    ("latent", "none"),
    ("latent", "fixed"),
    ("latent", "validated"),
    ("latent", "certified"),
]


def asked(learner: str, guard: str) -> Recipe:
    """A recipe that holds rows out where its guard needs them."""
    share = 0.3 if guard in ("validated", "certified") else 0.0
    return Recipe(learner=learner, guard=guard, pull=1.0, held_out=share, alpha=0.3, delta=0.3)


def fitted(model: Model, table: pa.Table, recipe: Recipe) -> Learned:
    """The fit in memory, on the rows that a cluster holds out."""
    sample = gathered(model.domain, History(table, "label")).sample
    out = aside(table[KEY], recipe.share, recipe.seed)
    training, whole = InMemory(sample.take(~out)), InMemory(sample)
    held_out = sample.take(out) if out.any() else None
    return learn_from(Sources(model.domain, training, whole, held_out), recipe)


def assert_alike(found: Learned, wanted: Learned) -> None:
    """The same weights to 1e-9, and the same guard; the record says what was learned from."""
    np.testing.assert_allclose(found.weights, wanted.weights, rtol=1e-9, atol=1e-12)
    assert found.chosen.guard == wanted.chosen.guard
    assert found.record["data"]["fingerprint"].startswith("rows:")
    assert found.record["split"]["held_out"] == wanted.record["split"]["held_out"]


def answers(found: list[dict[str, Any]]) -> list[Answer]:
    """The answers in the order of the rows."""
    found = sorted(found, key=lambda row: int(row[KEY]))
    return [None if row["refused"] is not None else answer(*(row[name] for name in NAMES)) for row in found]
