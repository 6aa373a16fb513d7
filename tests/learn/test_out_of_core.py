"""What is learned from files that do not fit into memory is what is learned in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from learn import worlds
from racl.cli import main
from racl.errors import DataError, Refusal, RowError
from racl.learn.history import History
from racl.learn.out_of_core import sources_of_files
from racl.learn.recipe import Learned, Recipe, learn, learn_from
from racl.learn.spool import narrow
from racl.model import load_model
from racl.scale import open_rows

ROWS = 6000
GUARDS = ("none", "fixed", "validated", "certified")


@pytest.fixture(autouse=True)
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some thousand rows are treated like millions."""
    for module in ("data", "spool", "out_of_core"):
        monkeypatch.setattr(f"racl.learn.{module}.SMALL", 700)
    monkeypatch.setattr("racl.learn.out_of_core.STRETCH", 900)


def frame(**more: Any) -> pa.Table:
    history = worlds.history(ROWS)
    assert isinstance(history.frame, dict)
    return pa.table({**history.frame, "accepted": np.asarray(history.labels), **more})


def from_files(path: Path, recipe: Recipe, **named: Any) -> Learned:
    rows = open_rows(path)
    history = History(None, "accepted", **named)
    with sources_of_files(worlds.market(), rows, history, recipe) as sources:
        return learn_from(sources, recipe)


def check_same(found: Learned, wanted: Learned) -> None:
    np.testing.assert_allclose(found.weights, wanted.weights, rtol=1e-9, atol=1e-12)
    assert found.chosen.guard == wanted.chosen.guard
    assert found.record["rows"] == wanted.record["rows"]
    assert found.record["split"] == wanted.record["split"]


@pytest.mark.parametrize("learner", ["anchors", "latent"])
@pytest.mark.parametrize("guard", GUARDS)
def test_weights_are_those_of_a_fit_in_memory(tmp_path: Path, learner: str, guard: str) -> None:
    table = frame()
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=1000)
    recipe = Recipe(learner=learner, guard=guard, alpha=0.1)
    check_same(
        from_files(tmp_path / "rows.parquet", recipe),
        learn(worlds.market(), History(table, "accepted"), recipe),
    )


@pytest.mark.parametrize("guard", ["none", "certified"])
def test_choice_sets_and_weights_count_as_they_do_in_memory(tmp_path: Path, guard: str) -> None:
    sets = [f"set {row // 3 % 1500}" for row in range(ROWS)]
    table = frame(request=sets, weight=np.arange(ROWS) % 4 / 2.0)
    pq.write_table(table, tmp_path / "rows.parquet")
    recipe = Recipe(guard=guard, alpha=0.1, held_out=0.3)
    check_same(
        from_files(tmp_path / "rows.parquet", recipe, choice_set="request", weight="weight"),
        learn(worlds.market(), History(table, "accepted", "request", "weight"), recipe),
    )


def test_of_many_rows_no_more_are_held_out_than_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("racl.learn.sources.MOST_HELD_OUT", 900)
    table = frame()
    pq.write_table(table, tmp_path / "rows.parquet")
    recipe = Recipe(guard="validated", held_out=0.5)
    found = from_files(tmp_path / "rows.parquet", recipe)
    check_same(found, learn(worlds.market(), History(table, "accepted"), recipe))
    assert found.record["split"]["held_out"] == 900


def test_refused_rows_are_raised_or_handed_over(tmp_path: Path) -> None:
    table = frame()
    at = table.column_names.index("threshold")
    spoiled = np.where(np.arange(ROWS) % 500 == 7, np.nan, table.column(at).to_numpy())
    table = table.set_column(at, "threshold", pa.array(spoiled))
    pq.write_table(table, tmp_path / "rows.parquet")
    recipe = Recipe(guard="certified", alpha=0.1)
    with pytest.raises(RowError) as caught:
        from_files(tmp_path / "rows.parquet", recipe)
    assert (caught.value.count, caught.value.refusals[1].row) == (12, 507)
    refused: list[Refusal] = []
    rows = open_rows(tmp_path / "rows.parquet")
    with sources_of_files(
        worlds.market(), rows, History(None, "accepted"), recipe, refuse=refused.extend
    ) as sources:
        found = learn_from(sources, recipe)
    wanted = learn(worlds.market(), History(table, "accepted", refused="collect"), recipe)
    check_same(found, wanted)
    assert [one.row for one in refused] == list(range(7, ROWS, 500))


@pytest.mark.parametrize("more", [{"request": None}, {"accepted": None}])
def test_a_null_among_labels_or_choice_sets_is_named(tmp_path: Path, more: dict[str, None]) -> None:
    sets = pa.array([None if row == 4321 else row for row in range(ROWS)])
    table = frame(request=sets) if "request" in more else frame().drop_columns("accepted")
    if "accepted" in more:
        table = table.append_column(
            "accepted", pa.array([None if row == 4321 else True for row in range(ROWS)])
        )
    pq.write_table(table, tmp_path / "rows.parquet")
    named = {"choice_set": "request"} if "request" in more else {}
    with pytest.raises(DataError, match="row 4321"):
        from_files(tmp_path / "rows.parquet", Recipe(), **named)


@pytest.mark.parametrize("values", [[0.0, 1.0, -3.0], [0.5, 1e30], [0.1, 0.2], [np.pi], [1e300, 2.0]])
def test_what_is_kept_in_fewer_bytes_is_the_same_numbers(values: list[float]) -> None:
    given = np.array(values)
    assert np.array_equal(narrow(given).astype(np.float64), given)


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("most", [1500, 10**6])
def test_weights_that_are_given_get_the_guard_that_they_get_in_memory(
    tmp_path: Path, guard: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("racl.learn.sources.MOST_HELD_OUT", most)
    table = frame()
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=1000)
    known = learn(worlds.market(), History(table, "accepted"), Recipe(guard="none")).model
    recipe = Recipe(learner="known", known=known, guard=guard, alpha=0.1)
    found = from_files(tmp_path / "rows.parquet", recipe)
    check_same(found, learn(worlds.market(), History(table, "accepted"), recipe))
    assert found.record["split"]["held_out"] == min(ROWS, most)
    assert found.record["split"]["training"] == ROWS


@pytest.mark.parametrize("learner", ["anchors", "latent"])
@pytest.mark.parametrize("guard", ["none", "certified"])
@pytest.mark.parametrize("sets", [False, True])
@pytest.mark.parametrize("few", [False, True])
def test_shapes_are_those_that_are_learned_in_memory(
    tmp_path: Path, learner: str, guard: str, sets: bool, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if few:
        monkeypatch.setattr("racl.learn.cross.ROWS", 900)
    table = frame(request=[f"set {row * 7 % 2000}" for row in range(ROWS)], weight=np.arange(ROWS) % 3 / 1.0)
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=1000)
    named: dict[str, Any] = {"choice_set": "request", "weight": "weight"} if sets else {}
    feature = worlds.market().features[0].name
    curves = {"knots": (0, 2), "penalties": (1.0, 10.0), "monotone": {feature: -1}}
    recipe = Recipe(learner=learner, guard=guard, alpha=0.2, curves=curves, pull=1.0)
    found = from_files(tmp_path / "rows.parquet", recipe, **named)
    wanted = learn(worlds.market(), History(table, "accepted", **named), recipe)
    assert found.record["curves"] == wanted.record["curves"]
    assert found.model.domain == wanted.model.domain
    check_same(found, wanted)


@pytest.mark.parametrize("guard", GUARDS)
def test_labels_of_the_plan_that_was_shown_teach_what_they_teach_in_memory(
    tmp_path: Path, guard: str
) -> None:
    table = frame()
    first = learn(worlds.market(), History(table, "accepted"), Recipe(guard="none")).model
    plans = [
        None if row % 5 == 2 else plan
        for row, plan in enumerate(first.decide(table).columns()["plan"].to_pylist())
    ]
    told = pa.array(
        [None if row % 11 == 3 else bool(one) for row, one in enumerate(table["accepted"].to_pylist())]
    )
    at = table.column_names.index("accepted")
    table = table.set_column(at, "accepted", told).append_column("shown", pa.array(plans, pa.string()))
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=1000)
    recipe = Recipe(guard=guard, alpha=0.2)
    found = from_files(tmp_path / "rows.parquet", recipe, shown="shown")
    check_same(found, learn(worlds.market(), History(table, "accepted", shown="shown"), recipe))
    assert found.record["rows"]["used"] < ROWS


def test_rows_of_which_nothing_was_shown_teach_nothing(tmp_path: Path) -> None:
    table = frame(shown=pa.array([None] * ROWS, pa.string()))
    pq.write_table(table, tmp_path / "rows.parquet")
    with pytest.raises(DataError, match="no row has both a plan that was shown and a label"):
        from_files(tmp_path / "rows.parquet", Recipe(), shown="shown")


@pytest.mark.parametrize("guard", ["certified", "fixed"])
def test_the_command_learns_the_same_on_disk(tmp_path: Path, guard: str) -> None:
    (tmp_path / "market.toml").write_text(
        worlds.TEXT.format(personas=json.dumps(list(worlds.PERSONAS)), tradeoff=0.0)
    )
    pq.write_table(frame(), tmp_path / "rows.parquet")
    models = []
    for more in ([], ["--on-disk", "--rejects", str(tmp_path / "no.csv")]):
        out = tmp_path / "model.json"
        words = ["fit", str(tmp_path / "market.toml"), str(tmp_path / "rows.parquet"), "-o", str(out)]
        assert main([*words, "--label", "accepted", "--guard", guard, "--alpha", "0.1", *more]) == 0
        models.append(load_model(out))
    np.testing.assert_allclose(models[1].weights, models[0].weights, rtol=1e-9, atol=1e-12)
    assert (tmp_path / "no.csv").read_text() == "row,column,reason\n"
