"""Ray with several worker processes."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clusters.cases import (
    AIRLINE,
    FITS,
    KEY,
    answers,
    arrow_rows,
    asked,
    assert_alike,
    fitted,
    labelled,
    tickets_table,
)
from conformance.cases import FOLDERS, Case
from racl import DataError, Model, load_model

ALL = os.environ.get("RACL_ALL_CASES") == "1"
SAMPLE = FOLDERS if ALL else FOLDERS[::16]
case = cache(Case.of)
ray: Any = pytest.importorskip("ray", reason="Ray is not installed here; `make clusters` installs it")


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(AIRLINE / "model.json")


def spread(table: pa.Table, parts: int = 4) -> Any:
    """The rows as a dataset of several blocks."""
    size = max(1, -(-len(table) // parts))
    return ray.data.from_arrow([table.slice(at, size) for at in range(0, len(table), size)])


@pytest.mark.conformance
@pytest.mark.parametrize("folder", SAMPLE, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_ray_gives_the_answers_to_the_bit(folder: Path, cluster: None) -> None:
    import racl.ray

    one = case(folder)
    found = racl.ray.decide(spread(arrow_rows(one)), one.model).take_all()
    assert answers(found) == one.expected


def test_blocks_are_decided_by_several_processes_and_every_row_is_accounted_for(
    cluster: None, model: Model, tmp_path: Path
) -> None:
    import racl.ray

    def with_process(batch: Any) -> Any:
        import time

        (tmp_path / str(os.getpid())).touch()
        until = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) == 1 and time.monotonic() < until:  # for another process
            time.sleep(0.05)
        return batch.append_column("process", pa.array([os.getpid()] * len(batch)))

    decided = racl.ray.decide(spread(tickets_table(model), 8), model)
    found = decided.map_batches(with_process, batch_format="pyarrow", batch_size=None).take_all()
    assert sorted(row[KEY] for row in found) == list(range(400))
    assert len({row["process"] for row in found}) > 1
    wanted = model.decide(tickets_table(model)).plan.tolist()
    assert [row["plan"] for row in sorted(found, key=lambda row: row[KEY])] == wanted


def test_nothing_is_run_before_it_is_asked_for(cluster: None, model: Model) -> None:
    import racl.ray

    def never(batch: Any) -> Any:
        raise AssertionError("read")

    racl.ray.decide(spread(tickets_table(model)).map_batches(never, batch_format="pyarrow"), model)


def test_columns_that_do_not_fit_are_told_on_the_driver(cluster: None, model: Model) -> None:
    import racl.ray

    table = tickets_table(model)
    with pytest.raises(DataError, match="fare: column missing"):
        racl.ray.decide(spread(table.drop_columns(["fare"])), model)
    with pytest.raises(DataError, match="already have a column `plan`"):
        racl.ray.decide(spread(table.rename_columns([*table.column_names[:-1], "plan"])), model)


def test_a_refused_row_is_kept_with_its_reason_or_ends_the_job(cluster: None, model: Model) -> None:
    import racl.ray

    table = tickets_table(model)
    fares = table["fare"].to_pylist()
    fares[7] = -1.0
    wrong = table.set_column(table.column_names.index("fare"), "fare", pa.array(fares))
    found = racl.ray.decide(spread(wrong), model).take_all()
    assert [(row[KEY], row["plan"]) for row in found if row["refused"] is not None] == [(7, None)]
    assert len(found) == 400
    with pytest.raises(Exception, match=r"row 7: fare: `-1.0` is below the minimum 0"):
        racl.ray.decide(spread(wrong, 1), model, refused="raise").take_all()


def in_files(folder: Path, tables: dict[str, pa.Table]) -> Any:
    """Tables as files, read with the name of the file beside each row."""
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
    return ray.data.read_parquet(str(folder), include_paths=True)


def test_a_refused_row_that_ends_the_job_names_its_file(cluster: None, model: Model, tmp_path: Path) -> None:
    import racl.ray

    table = tickets_table(model)
    place = table.column_names.index("fare")
    wrong = table.set_column(place, "fare", pa.array([-1.0 if key == 7 else 99.0 for key in range(400)]))
    rows = in_files(tmp_path, {"a": table, "b": wrong})
    with pytest.raises(Exception, match=r"/b\.parquet: row \d+: fare: `-1.0` is below the minimum 0"):
        racl.ray.decide(rows, model, refused="raise").take_all()


def test_a_block_of_another_schema_is_named_on_the_driver(cluster: None, model: Model) -> None:
    import racl.ray

    table = tickets_table(model)
    parts = {"a": table, "b": table.drop_columns(["fare"])}
    named = [part.append_column("path", pa.array([f"{name}.parquet"] * 400)) for name, part in parts.items()]
    with pytest.raises(Exception, match=r"b\.parquet: fare: column missing"):
        racl.ray.decide(ray.data.from_arrow(named), model).take_all()


def test_a_file_of_another_schema_is_told_on_the_driver(cluster: None, model: Model, tmp_path: Path) -> None:
    import racl.ray

    table = tickets_table(model)
    text = table.set_column(table.column_names.index("fare"), "fare", pa.array(["12 USD"] * 400))
    (tmp_path / "types").mkdir()
    with pytest.raises(Exception, match="fare has incompatible types"):
        racl.ray.decide(in_files(tmp_path / "types", {"a": table, "b": text}), model).take_all()
    (tmp_path / "missing").mkdir()
    fewer = in_files(tmp_path / "missing", {"a": table, "b": table.drop_columns(["fare"])})
    with pytest.raises(Exception, match=r"/b\.parquet: row \d+: fare: null"):
        racl.ray.decide(fewer, model, refused="raise").take_all()


def test_a_worker_without_racl_is_named(cluster: None, model: Model) -> None:
    from racl.batches import batch_function

    decide = batch_function(model)

    def hidden(batch: Any) -> Any:
        import sys

        sys.modules["racl.batches"] = None  # type: ignore[assignment]  # as if it were not installed
        try:
            return decide(batch)
        finally:
            del sys.modules["racl.batches"]

    rows = spread(tickets_table(model))
    with pytest.raises(Exception, match=r"has no module `racl.batches` in .*: install racl on every worker"):
        rows.map_batches(hidden, batch_format="pyarrow", batch_size=None).take_all()


@pytest.mark.parametrize(("learner", "guard"), FITS)
def test_a_fit_gives_the_weights_that_the_rows_give_in_memory(
    cluster: None, model: Model, learner: str, guard: str
) -> None:
    import racl.ray

    table, recipe = labelled(model), asked(learner, guard)
    found = racl.ray.learn(spread(table, 2), model.domain, "label", key=KEY, recipe=recipe)
    assert_alike(found, fitted(model, table, recipe))
