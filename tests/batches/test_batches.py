"""The function that engines map: the conformance cases through it, and what it carries."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import pyarrow as pa
import pytest

from clusters.cases import AIRLINE, KEY, answers, arrow_rows, tickets_table
from conformance.cases import FOLDERS, Case
from racl import DataError, Model, RowError, load_model
from racl.batches import ADDED, batch_function

case = cache(Case.of)


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(AIRLINE / "model.json")


@pytest.mark.conformance
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_batches_get_the_answers_to_the_bit(folder: Path) -> None:
    one = case(folder)
    rows, decide = arrow_rows(one), batch_function(one.model)
    assert answers(decide(rows).to_pylist()) == one.expected
    batches = [decide(batch) for batch in rows.to_batches(max_chunksize=15)]
    assert all(isinstance(batch, pa.RecordBatch) for batch in batches)
    assert answers(pa.Table.from_batches(batches).to_pylist()) == one.expected


def test_the_function_carries_the_model_as_json_and_travels(model: Model) -> None:
    decide = batch_function(model)
    carried = {cell.cell_contents for cell in decide.__closure__ or ()}
    assert {one for one in carried if not one.startswith("{")} == {"", "keep"}
    written = cloudpickle.dumps(decide)
    assert b"fare" in written
    assert len(written) < len(max(carried, key=len)) + 2_000
    table = tickets_table(model)
    assert cloudpickle.loads(written)(table).equals(decide(table))


def test_no_rows_have_the_schema_of_many(model: Model) -> None:
    rows = tickets_table(model)
    schema = pa.schema([*rows.schema, *ADDED])
    decide = batch_function(model)
    assert decide(rows).schema.equals(schema)
    assert decide(rows.slice(0, 0)).schema.equals(schema)


def test_a_refused_row_keeps_its_place_or_raises(model: Model) -> None:
    rows = tickets_table(model)
    fares = [None, *rows["fare"].to_pylist()[1:]]
    wrong = rows.set_column(rows.column_names.index("fare"), "fare", pa.array(fares))
    found = batch_function(model)(wrong)
    assert found["refused"].null_count == 399
    assert found[KEY].to_pylist() == list(range(400))
    assert [found[name][0].as_py() for name in ADDED.names] == [
        *[None] * 6,
        "fare: null, and the column has no default",
    ]
    assert found.slice(1).select(ADDED.names).equals(batch_function(model)(rows).slice(1).select(ADDED.names))
    with pytest.raises(RowError, match="row 0: fare: null"):
        batch_function(model, refused="raise")(wrong)


def test_columns_that_do_not_fit_are_named(model: Model) -> None:
    rows = tickets_table(model)
    with pytest.raises(DataError, match="fare: column missing"):
        batch_function(model)(rows.drop_columns(["fare"]))
    taken = rows.rename_columns([*rows.column_names[:-1], "cost"])
    with pytest.raises(DataError, match="already have a column `cost`"):
        batch_function(model)(taken)
    assert "p_cost" in batch_function(model, prefix="p_")(taken).column_names


def test_a_worker_without_racl_is_named(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    decide: Any = batch_function(model)
    monkeypatch.setitem(sys.modules, "racl.batches", None)
    with pytest.raises(
        RuntimeError, match=r"has no module `racl.batches` in .*: install racl on every worker"
    ):
        decide(tickets_table(model))


def test_an_error_names_the_file_of_its_row_where_a_column_tells_it(model: Model) -> None:
    rows = tickets_table(model).slice(0, 3)
    wrong = rows.set_column(rows.column_names.index("fare"), "fare", pa.array([1.0, -1.0, None]))
    named = wrong.append_column("path", pa.array(["a.parquet", "b.parquet", "c.parquet"]))
    with pytest.raises(DataError) as fault:
        batch_function(model, refused="raise", file="path")(named)
    first, second = map(str, fault.value.problems)
    assert first.startswith("b.parquet: row 1: fare: `-1.0` is below")
    assert second.startswith("c.parquet: row 2: fare: null")
    with pytest.raises(DataError, match=r"^a\.parquet: fare: column missing"):
        batch_function(model, file="path")(named.drop_columns(["fare"]))
    assert (
        batch_function(model, file="path")(named).column_names[: len(named.column_names)]
        == named.column_names
    )
