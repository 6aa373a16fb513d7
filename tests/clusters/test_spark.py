"""Spark with several executors: the conformance cases, streams, and what goes wrong on a worker."""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

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
from conformance.cases import FOLDERS, NAMES, Case
from racl import DataError, Model, load_model
from racl import spark as spark_module

ALL = os.environ.get("RACL_ALL_CASES") == "1"
SAMPLE = FOLDERS if ALL else [*FOLDERS[:60:12], *FOLDERS[60::12]]
SQL_TYPES = {"double": "double", "bool": "boolean", "string": "string", "int32": "int"}
case = cache(Case.of)


def frame(spark: Any, table: Any, parts: int = 2) -> Any:
    """The rows as a DataFrame of several partitions."""
    schema = ", ".join(f"`{field.name}` {SQL_TYPES[str(field.type)]}" for field in table.schema)
    rows = [tuple(row.values()) for row in table.to_pylist()]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, parts), schema)


def rows_of(found: Any) -> Any:
    """The answers of a DataFrame."""
    return answers([row.asDict() for row in found])


@pytest.mark.conformance
@pytest.mark.parametrize("folder", SAMPLE, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_spark_gives_the_answers_to_the_bit(folder: Path, spark: Any) -> None:
    one = case(folder)
    rows = frame(spark, arrow_rows(one)).cache()
    found = {
        how: rows_of(spark_module.decide(rows, one.model, how=how).collect()) for how in ("sql", "arrow")
    }
    assert found == {"sql": one.expected, "arrow": one.expected}


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(AIRLINE / "model.json")


@pytest.fixture(scope="module")
def tickets(spark: Any, model: Model) -> Any:
    return frame(spark, tickets_table(model), 4)


def test_nothing_is_run_before_it_is_asked_for(spark: Any, model: Model, tickets: Any) -> None:
    broken = tickets.selectExpr("*", "raise_error('read') AS never")
    for how in ("sql", "arrow"):
        found = spark_module.decide(broken, model, how=how)
        assert found.columns == [*broken.columns, *NAMES, "refused"]
        with pytest.raises(Exception, match="read"):
            found.collect()


def test_the_query_is_one_method_that_java_compiles(spark: Any, model: Model, tickets: Any) -> None:
    found = spark_module.decide(tickets, model, how="sql")
    plan = spark._jvm.PythonSQLUtils.explainString(found._jdf.queryExecution(), "codegen")
    sizes = [int(size) for size in re.findall(r"maxMethodCodeSize:(\d+)", plan)]
    assert 1_000 < max(sizes) < 20_000  # bytes; somewhat beyond, Java gives up on its better compiler


def test_a_prefix_goes_before_every_new_name(model: Model, tickets: Any) -> None:
    taken = tickets.withColumnRenamed(KEY, "plan")
    with pytest.raises(DataError, match="already have a column `plan`"):
        spark_module.decide(taken, model)
    for how in ("sql", "arrow"):
        found = spark_module.decide(taken, model, how=how, prefix="racl_")
        assert found.columns[-7:] == [f"racl_{name}" for name in (*NAMES, "refused")]
        assert found.where("`racl_accepted`").count() == found.where("`racl_plan` is not null").count() > 0


def test_a_schema_that_does_not_fit_is_told_on_the_driver(model: Model, tickets: Any) -> None:
    wrong = (
        tickets.drop("fare")
        .withColumnRenamed("stops", "Stops")
        .selectExpr("*", "'1' AS minutes_", "1 AS fares")
    )
    wrong = wrong.withColumn("minutes", wrong["minutes_"]).withColumn("refundable", wrong["fares"])
    with pytest.raises(DataError) as fault:
        spark_module.decide(wrong, model)
    assert [problem.where for problem in fault.value.problems] == ["fare", "stops", "minutes", "refundable"]


def test_a_refused_row_is_kept_with_its_reason_or_ends_the_job_naming_its_partition(
    model: Model, tickets: Any
) -> None:
    wrong = tickets.selectExpr("*", f"CASE WHEN `{KEY}` = 399 THEN -1 ELSE fare END AS fare_")
    wrong = wrong.withColumn("fare", wrong["fare_"]).drop("fare_")
    for how in ("sql", "arrow"):
        found = spark_module.decide(wrong, model, how=how)
        refused = found.where("refused IS NOT NULL").collect()
        assert [(row[KEY], row["plan"], row["accepted"]) for row in refused] == [(399, None, None)]
        assert refused[0]["refused"].startswith("fare: ")
        assert found.count() == 400
        with pytest.raises(Exception, match=r"(?s)fare: .*partition 3|partition 3.*fare: "):
            spark_module.decide(wrong, model, how=how, refused="raise").select("accepted").collect()
        assert spark_module.decide(tickets, model, how=how, refused="raise").count() == 400


@pytest.mark.parametrize("how", ["sql", "arrow"])
def test_a_refused_row_that_ends_the_job_names_its_file(
    spark: Any, model: Model, tickets: Any, tmp_path: Path, how: Any
) -> None:
    for name, fare in (("a", "fare"), ("b", f"CASE WHEN `{KEY}` = 7 THEN -1D ELSE fare END AS fare")):
        columns = [f"`{column}`" if column != "fare" else fare for column in tickets.columns]
        tickets.where(f"`{KEY}` < 20").coalesce(1).selectExpr(*columns).write.parquet(str(tmp_path / name))
    rows = spark.read.parquet(str(tmp_path / "a"), str(tmp_path / "b"))
    with pytest.raises(Exception, match=r"(?s)fare: .*/b/part-0|/b/part-0.*fare: ") as fault:
        spark_module.decide(rows, model, how=how, refused="raise").collect()
    assert "/a/part-0" not in str(fault.value)
    sound = spark_module.decide(rows.where(f"`{KEY}` <> 7"), model, how=how, refused="raise")
    assert sound.columns == [*rows.columns, *NAMES, "refused"]
    assert sound.count() == 38


@pytest.mark.parametrize("how", ["sql", "arrow"])
def test_rows_of_two_tables_have_no_file_and_their_own_column_stays(
    model: Model, tickets: Any, how: Any
) -> None:
    both = tickets.crossJoin(tickets.limit(1).selectExpr("1 AS racl_file"))
    found = spark_module.decide(both, model, how=how, refused="raise")
    assert {row["racl_file"] for row in found.collect()} == {1}
    wrong = both.withColumn("fare", -both["fare"] - 1)
    with pytest.raises(Exception, match="fare: "):
        spark_module.decide(wrong, model, how=how, refused="raise").collect()


@pytest.mark.parametrize("how", ["sql", "arrow"])
def test_a_file_of_another_schema_is_named_on_the_driver(
    spark: Any, model: Model, tickets: Any, tmp_path: Path, how: Any
) -> None:
    tickets.coalesce(1).write.parquet(str(tmp_path / "rows"))
    tickets.withColumn("fare", tickets["fare"].cast("string")).coalesce(1).write.mode("append").parquet(
        str(tmp_path / "rows")
    )
    rows = spark.read.schema(tickets.schema).parquet(str(tmp_path / "rows"))
    with pytest.raises(Exception, match=r"rows/part-0.*\.parquet") as fault:
        spark_module.decide(rows, model, how=how).collect()
    assert "fare" in str(fault.value)


def test_whole_numbers_that_no_float64_holds_are_refused(spark: Any, model: Model, tickets: Any) -> None:
    whole = tickets.limit(4).selectExpr("*", f"CAST(9007199254740992 AS bigint) + `{KEY}` AS whole")
    long = whole.drop("departs").withColumnRenamed("whole", "departs")
    found = spark_module.decide(long, unbounded(model, "departs"), how="sql")
    assert [row["refused"] is None for row in found.orderBy(KEY).collect()] == [True, False, True, False]
    again = spark_module.decide(long, unbounded(model, "departs"), how="arrow")
    assert [row["refused"] is None for row in again.orderBy(KEY).collect()] == [True, False, True, False]


def unbounded(model: Model, name: str) -> Model:
    """The model with no bounds on a column."""
    from racl.model import parse_model

    document = json.loads(json.dumps(model.document(), default=dict))
    document["domain"]["candidate"][name] = {"type": "number"}
    return parse_model(json.dumps(document))


def test_streams_are_decided(spark: Any, model: Model, tickets: Any, tmp_path: Path) -> None:
    tickets.write.parquet(str(tmp_path / "in"))
    for how in ("sql", "arrow"):
        stream = (
            spark.readStream.schema(tickets.schema)
            .option("maxFilesPerTrigger", 2)
            .parquet(str(tmp_path / "in"))
        )
        query = (
            spark_module.decide(stream, model, how=how)
            .writeStream.format("parquet")
            .option("path", str(tmp_path / how))
            .option("checkpointLocation", str(tmp_path / f"{how}-marks"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        found = rows_of(spark.read.parquet(str(tmp_path / how)).collect())
        assert found == rows_of(spark_module.decide(tickets, model).collect())


def test_a_worker_without_racl_is_named(spark: Any, model: Model, tickets: Any) -> None:
    from racl.batches import batch_function

    decide = batch_function(model)

    def hidden(batches: Any) -> Any:
        import sys

        sys.modules["racl.batches"] = None  # type: ignore[assignment]  # as if it were not installed
        try:
            for batch in batches:
                yield decide(batch)
        finally:
            del sys.modules["racl.batches"]

    with pytest.raises(Exception, match=r"has no module `racl.batches` in .*: install racl on every worker"):
        tickets.mapInArrow(hidden, tickets.schema).collect()


@pytest.mark.parametrize(("learner", "guard"), FITS)
def test_a_fit_gives_the_weights_that_the_rows_give_in_memory(
    spark: Any, model: Model, learner: str, guard: str
) -> None:
    table, recipe = labelled(model), asked(learner, guard)
    found = spark_module.learn(frame(spark, table), model.domain, "label", key=KEY, recipe=recipe)
    assert_alike(found, fitted(model, table, recipe))
