"""Fits by sums of parts, as a cluster makes them: the same weights as in memory."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from racl import Model, RowError, load_model
from racl.learn.asked import Recipe, RecipeError
from racl.learn.cluster import learn_on
from racl.learn.cross import chosen_shape
from racl.learn.curves import curves_of
from racl.learn.history import History, gathered
from racl.learn.recipe import Learned, learn, learn_from
from racl.learn.sample import Sample
from racl.learn.sources import InMemory, Sources
from racl.learn.spread import Columns, aside

EXAMPLE = Path(__file__).parents[2] / "examples/airline/model.json"
COLUMNS = Columns(labels="label", choice_set="request", key="key")


@dataclass(frozen=True)
class Parts:
    """A cluster of one process, whose parts come in any order."""

    tables: list[pa.Table]

    def over(self, work: Callable[[Any], pa.Table], *, rows: bool = False) -> Iterator[pa.Table]:
        return (work(table) for table in self.tables)


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(EXAMPLE)


@pytest.fixture(scope="module")
def table(model: Model) -> pa.Table:
    """Rows of the airline with labels by the example's own taste and some noise."""
    from racl.scale import open_rows

    read = next(open_rows(EXAMPLE.parent / "rows.csv").batches())
    own = [{one.name: read.read(one, row) for one in model.domain.columns} for row in range(read.rows)]
    chance = np.random.default_rng(5)
    rows: list[dict[str, Any]] = []
    for number in range(3000):
        row = dict(own[number % len(own)])
        row["fare"] = float(str(row["fare"])) * chance.uniform(0.6, 1.4)
        row["budget"] = chance.uniform(0, 120)
        row["threshold"] = chance.normal(0, 0.8)
        rows.append(row)
    decided, refused = model.decide(rows, refused="collect")
    assert not refused
    margin = np.nan_to_num(decided.margin, nan=-5.0)
    label = margin + chance.logistic(0, 1.0, len(margin)) > 0
    extra = {
        "label": label,
        "key": range(len(rows)),
        "request": [f"r{number // 4}" for number in range(len(rows))],
    }
    return (
        pa.Table.from_pylist(rows)
        .append_column("label", pa.array(extra["label"]))
        .append_column("key", pa.array(extra["key"], pa.int64()))
        .append_column("request", pa.array(extra["request"]))
    )


@pytest.fixture(scope="module")
def parts(table: pa.Table) -> Parts:
    cuts = [0, 700, 1400, 1400, 2100, len(table)]
    found = [table.slice(first, last - first) for first, last in itertools.pairwise(cuts)]
    return Parts([found[number] for number in (3, 0, 4, 2, 1)])


def in_memory(model: Model, table: pa.Table, recipe: Recipe) -> Learned:
    """The fit in memory, on the rows that the cluster would hold out."""
    sample: Sample = gathered(model.domain, History(table, "label", "request")).sample
    out = aside(table["request"], recipe.share, recipe.seed)
    assert 0.5 < out.mean() / recipe.share < 1.5
    zero = recipe.anchors_from == "zero-budget"
    training, whole = InMemory(sample.take(~out), zero), InMemory(sample, zero)
    return learn_from(Sources(model.domain, training, whole, sample.take(out), None, {}), recipe)


def shaped_in_memory(model: Model, table: pa.Table, recipe: Recipe) -> Learned:
    """The same with shapes, chosen by the rows to fit on."""
    sample = gathered(model.domain, History(table, "label", "request")).sample
    out = aside(table["request"], recipe.share, recipe.seed)
    curves = curves_of(recipe.curves)
    assert curves is not None
    shape = chosen_shape(model.domain, sample.take(~out), recipe, curves)
    extended = shape(sample)
    training, whole = InMemory(extended.take(~out)), InMemory(extended)
    held_out = extended.take(out) if out.any() else None
    return learn_from(Sources(shape.domain, training, whole, held_out, None, {}, "", shape), recipe)


@pytest.mark.parametrize("learner", ["latent", "anchors"])
@pytest.mark.parametrize("guard", ["none", "fixed", "validated", "certified"])
def test_sums_of_parts_give_the_weights_that_the_rows_give_in_memory(
    learner: str, guard: str, model: Model, table: pa.Table, parts: Parts
) -> None:
    recipe = Recipe(learner=learner, guard=guard, alpha=0.2, pull=None if guard == "fixed" else 1.0)
    found = learn_on(parts, model.domain, COLUMNS, recipe)
    wanted = in_memory(model, table, recipe)
    assert found.fitted is not None
    assert wanted.fitted is not None
    # in memory the last step of the anchors needs no pass, so its gain is not among the losses
    assert found.fitted.losses[-1] == pytest.approx(wanted.fitted.losses[-1], rel=1e-7)
    rtol = 1e-3 if (learner, guard) == ("latent", "certified") else 1e-9  # there a minimum lies on a kink
    np.testing.assert_allclose(found.weights, wanted.weights, rtol=rtol, atol=1e-12)
    assert found.chosen.guard == wanted.chosen.guard
    assert found.fitted.pull == wanted.fitted.pull


def test_without_rows_held_out_the_weights_are_those_of_a_plain_fit(
    model: Model, table: pa.Table, parts: Parts
) -> None:
    recipe = Recipe(guard="fixed", held_out=0.0, pull=1.0)
    found = learn_on(parts, model.domain, Columns(labels="label", key="key"), recipe)
    wanted = learn(model.domain, History(table, "label"), recipe)
    np.testing.assert_allclose(found.weights, wanted.weights, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("learner", ["latent", "anchors"])
@pytest.mark.parametrize("guard", ["fixed", "validated"])
def test_curves_are_those_that_the_rows_give_in_memory(
    learner: str, guard: str, model: Model, table: pa.Table, parts: Parts
) -> None:
    curves = {"knots": (0, 2), "penalties": (1.0, 10.0), "products": [("price", "hours")]}
    recipe = Recipe(learner=learner, guard=guard, alpha=0.2, curves=curves, pull=1.0, held_out=0.0)
    if guard == "validated":
        recipe = replace(recipe, held_out=0.2)
    found = learn_on(parts, model.domain, COLUMNS, recipe)
    wanted = shaped_in_memory(model, table, recipe)
    assert found.record["curves"] == wanted.record["curves"]
    assert len(found.model.domain.features) > len(model.domain.features)
    np.testing.assert_allclose(found.weights, wanted.weights, rtol=1e-9, atol=1e-12)


def test_the_fingerprint_is_that_of_the_rows_whatever_their_parts_and_order(
    model: Model, table: pa.Table, parts: Parts
) -> None:
    recipe = Recipe(guard="none", learner="anchors", pull=1.0, held_out=0.0)

    def fingerprint(*tables: pa.Table) -> str:
        found = learn_on(Parts([*tables]), model.domain, COLUMNS, recipe).record["data"]["fingerprint"]
        assert isinstance(found, str)
        return found

    mark = fingerprint(*parts.tables)
    assert mark.startswith("rows:")
    assert fingerprint(table.take(np.random.default_rng(0).permutation(len(table)))) == mark
    label, fare = (table.column_names.index(name) for name in ("label", "fare"))
    turned = [not one if number == 17 else one for number, one in enumerate(table["label"].to_pylist())]
    dearer = [one + (number == 17) for number, one in enumerate(table["fare"].to_pylist())]
    others = {
        fingerprint(table.slice(1)),
        fingerprint(table, table.slice(0, 1)),
        fingerprint(table.set_column(label, "label", pa.array(turned))),
        fingerprint(table.set_column(fare, "fare", pa.array(dearer))),
    }
    assert len(others | {mark}) == 5


def test_what_travels_is_json_alone(parts: Parts, model: Model) -> None:
    carried: list[Any] = []

    @dataclass(frozen=True)
    class Watched:
        def over(self, work: Callable[[Any], pa.Table], *, rows: bool = False) -> Iterator[pa.Table]:
            carried.extend(cell.cell_contents for cell in work.__closure__ or ())
            return parts.over(work)

    learn_on(Watched(), model.domain, COLUMNS, Recipe(guard="none", learner="anchors", pull=1.0))
    assert carried
    assert all(isinstance(one, str) and one.startswith("{") for one in carried)


def test_a_recipe_that_holds_rows_out_needs_a_key(parts: Parts, model: Model) -> None:
    with pytest.raises(RecipeError, match="nothing tells rows apart"):
        learn_on(parts, model.domain, Columns(labels="label"), Recipe())


def test_refused_rows_end_the_fit_or_are_left_out(table: pa.Table, model: Model) -> None:
    fares = table["fare"].to_pylist()
    fares[3] = -1.0
    wrong = table.set_column(table.column_names.index("fare"), "fare", pa.array(fares))
    cluster = Parts([wrong.slice(0, 2000), wrong.slice(2000)])
    with pytest.raises(RowError, match="row 3: fare"):
        learn_on(cluster, model.domain, COLUMNS, Recipe(guard="none", learner="anchors", pull=1.0))
    found = learn_on(
        cluster, model.domain, COLUMNS, Recipe(guard="none", learner="anchors", pull=1.0), refused="collect"
    )
    rest = table.filter(pa.array(np.arange(len(table)) != 3))
    wanted = in_memory(model, rest, Recipe(guard="none", learner="anchors", pull=1.0))
    np.testing.assert_allclose(found.weights, wanted.weights, rtol=1e-9, atol=1e-12)


def test_rows_held_out_are_the_same_on_every_machine() -> None:
    names = pa.chunked_array([["a", "b"], ["a", None]])
    assert aside(names, 0.0, 0).tolist() == [False] * 4
    assert aside(names, 1.0, 0).tolist() == [True] * 4
    found = aside(pa.array([f"r{number}" for number in range(20)]), 0.3, 7)
    assert np.flatnonzero(found).tolist() == [3, 7, 8, 11, 14, 18, 19]


def test_a_worker_without_racl_is_named(parts: Parts, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "racl.learn.spread", None)
    with pytest.raises(
        RuntimeError, match=r"has no module `racl.learn.spread` in .*: install racl on every worker"
    ):
        learn_on(parts, model.domain, COLUMNS, Recipe(guard="none", learner="anchors", pull=1.0))
