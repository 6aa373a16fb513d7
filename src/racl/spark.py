"""Decisions in Spark: a DataFrame in, a DataFrame out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from racl.batches import WhatRefused, added_schema, batch_function
from racl.domain.model import Column, Domain, Type
from racl.errors import DataError, Problem, QueryError, quoted
from racl.frames import check_names, check_new_names
from racl.learn.asked import Recipe
from racl.learn.cluster import learn_on
from racl.learn.recipe import Learned
from racl.learn.spread import FOUND, Columns
from racl.model import Model

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from racl.query.statement import Query

How = Literal["auto", "sql", "arrow"]
TYPES = {
    Type.NUMBER: ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal"),
    Type.INTEGER: ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal"),
    Type.BOOLEAN: ("boolean",),
    Type.CATEGORY: ("string", "varchar", "char"),
}
ADDED = (
    "accepted boolean, credit string, plan string, value double, margin double, cost double, refused string"
)


def decide(
    df: DataFrame, model: Model, *, how: How = "auto", prefix: str = "", refused: WhatRefused = "keep"
) -> DataFrame:
    """The rows with their decisions, worked out when they are asked for; works on streams, too.

    how="sql" is Spark's own SQL; how="arrow" the compiled kernel in Arrow batches, in Python workers that have racl
    installed; "auto" is SQL wherever that gives the same bits. A refused row has nulls for the decision and the reason
    in `refused`; with refused="raise" it ends the job.
    """
    if how not in ("auto", "sql", "arrow"):
        raise ValueError(f"how is {how!r}; it may be 'auto', 'sql' or 'arrow'")
    if refused not in ("keep", "raise"):
        raise ValueError(f"refused is {refused!r}; it may be 'keep' or 'raise'")
    _check(df, model, prefix)
    query = None if how == "arrow" else _query(df, model, prefix, exactly=how == "auto")
    if query is None:
        return _by_arrow(df, model, prefix, refused)
    found = df.sparkSession.sql(_escaped(str(query)), **{TABLE: df})
    return found if refused == "keep" else _raising(found, prefix)


TABLE = "racl_input"


def _check(df: DataFrame, model: Model, prefix: str) -> None:
    """Raises DataError with all that is wrong with the columns."""
    problems = [*check_names(df.columns, model.domain.columns_read)]
    problems += check_new_names(df.columns, [prefix + field.name for field in added_schema()])
    types = {field.name: field.dataType.simpleString() for field in df.schema}
    for column in model.domain.columns_read:
        if column.name in types:
            problems.extend(_type_problem(column, types[column.name]))
    if problems:
        raise DataError(problems)


def _type_problem(column: Column, type_: str) -> Iterator[Problem]:
    if type_.partition("(")[0] not in (*TYPES[column.type], "void"):
        wanted = {Type.BOOLEAN: "a boolean", Type.CATEGORY: "text"}.get(column.type, "a number")
        yield Problem(column.name, f"the column is {quoted(type_)}, and {wanted} is wanted", "cast it first")


# SQL ---------------------------------------------------------------------------------------------------


def _query(df: DataFrame, model: Model, prefix: str, *, exactly: bool) -> Query | None:
    """The query, or nothing where SQL cannot say it, or not to the bit, and that is asked for."""
    from racl.query import query

    wide = [field.name for field in df.schema if field.dataType.simpleString() == "bigint"]
    try:
        found = query(model, "spark", table=TABLE, columns=df.columns, wide=wide, prefix=prefix)
    except QueryError:
        if exactly:
            return None
        raise
    return found if found.exact or not exactly else None


def _escaped(query: str) -> str:
    """The query as a template in which the table alone is filled in."""
    return query.replace("{", "{{").replace("}", "}}").replace(f"`{TABLE}`", f"{{{TABLE}}}")


def _raising(df: DataFrame, prefix: str) -> DataFrame:
    """The rows, where none is refused; else the job ends, saying where."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as f

    reason, file = f.col(f"`{prefix}refused`"), f.input_file_name()
    where = [
        f.lit("a row is refused: "),
        reason,
        f.lit(", in partition "),
        f.spark_partition_id().cast("string"),
    ]
    named = f.when(file != "", f.concat(f.lit(", in "), file)).otherwise(f.lit(""))
    try:
        return df.where(reason.isNull() | f.raise_error(f.concat(*where, named)).cast("boolean"))
    except AnalysisException:  # rows of several tables: Spark does not tell files
        return df.where(reason.isNull() | f.raise_error(f.concat(*where)).cast("boolean"))


# Arrow -------------------------------------------------------------------------------------------------

GATHERED = (
    50_000  # rows that are decided at once; Spark sends a fifth of that, for which calls alone cost as much
)


def _by_arrow(df: DataFrame, model: Model, prefix: str, refused: WhatRefused) -> DataFrame:
    from pyspark.sql.types import StructType

    added = StructType.fromDDL(ADDED)
    for field in added:
        field.name = prefix + field.name
    schema = StructType([*df.schema.fields, *added.fields])
    rows = _with_files(df) if refused == "raise" else df
    file = "" if rows is df else FILE
    decide_batch = batch_function(model, prefix=prefix, refused=refused, file=file)
    return rows.mapInArrow(batches_function(decide_batch, without=file), schema)


FILE = "racl_file"


def _with_files(df: DataFrame) -> DataFrame:
    """The rows, each with the name of its file, where Spark can tell."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as f

    try:
        return df if FILE in df.columns else df.withColumn(FILE, f.input_file_name())
    except AnalysisException:
        return df


def batches_function(
    decide_batch: Callable[[Any], Any], *, without: str = "", gathered: int = GATHERED
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function over all batches of a partition, several at a time; what goes wrong in one names the partition."""

    def decided(held: list[Any]) -> Any:  # INVARIANT: names nothing of this module
        import pyarrow as pa

        try:
            found = decide_batch(pa.Table.from_batches(held).combine_chunks())
        except Exception as fault:  # noqa: BLE001 - whatever it is, the driver is to hear where
            from pyspark import TaskContext

            context = TaskContext.get()
            place = "a partition" if context is None else f"partition {context.partitionId()}"
            raise RuntimeError(f"in {place}: {fault}") from None
        kept = found.drop_columns([without]) if without in found.column_names else found
        return kept.combine_chunks().to_batches()

    def decide_batches(batches: Iterator[Any]) -> Iterator[Any]:
        held: list[Any] = []
        for batch in batches:
            held.append(batch)
            if sum(one.num_rows for one in held) >= gathered:
                yield from decided(held)
                held = []
        if held:
            yield from decided(held)

    return decide_batches


# learning ----------------------------------------------------------------------------------------------


def learn(
    df: DataFrame,
    domain: Domain,
    labels: str,
    *,
    recipe: Recipe | None = None,
    choice_set: str | None = None,
    weight: str | None = None,
    key: str | None = None,
    refused: Literal["raise", "collect"] = "raise",
) -> Learned:
    """A model learned where the rows are: every step of the fit one pass over the partitions, whose sums are added up.

    `key` names each row: by it, or by whole choice sets, rows are held out for the guard. Rows are kept by Spark while the
    fit lasts.
    """
    columns = Columns(labels=labels, choice_set=choice_set, weight=weight, key=key)
    problems = check_names(df.columns, domain.columns_read)
    if problems:
        raise DataError(problems)
    kept = df.select(*(f"`{name}`" for name in columns.names(domain) if name in df.columns)).persist()
    try:
        return learn_on(Partitions(kept), domain, columns, recipe, refused=refused)
    finally:
        kept.unpersist()


@dataclass(frozen=True)
class Partitions:
    """The partitions of a DataFrame."""

    df: DataFrame

    def over(self, work: Callable[[Any], pa.Table], *, rows: bool = False) -> Iterator[pa.Table]:
        """What a function of Arrow tables gives for each partition: numbers, or some of its rows."""
        found = self.df.mapInArrow(_whole_partition(work), self.df.schema if rows else f"{FOUND} binary")
        yield found.toArrow()


def _whole_partition(work: Callable[[Any], Any]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def over(batches: Iterator[Any]) -> Iterator[Any]:  # INVARIANT: names nothing of this module
        import pyarrow as pa

        held = list(batches)
        if held:
            from pyspark import TaskContext

            try:
                yield from work(pa.Table.from_batches(held)).to_batches()
            except Exception as fault:  # noqa: BLE001 - whatever it is, the driver is to hear where
                context = TaskContext.get()
                place = "a partition" if context is None else f"partition {context.partitionId()}"
                raise RuntimeError(f"in {place}: {fault}") from None

    return over
