"""What each dialect of SQL can say, and how: a line in a table each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum


class Own(StrEnum):
    """How the table's own columns come through without being named."""

    STRUCT = "a row is a value, and `value.*` its columns"
    PACKED = "`struct(table.*)` is a value, and `value.*` its columns"
    COMPOSITE = "a row is a value, and `(value).*` its columns"
    EXCLUDED = "all columns but those that were added"
    ROWID = "a join by the number of the row"
    NAMED = "not at all: they have to be named"


class Nan(StrEnum):
    """What NaN is to a comparison."""

    IEEE = "neither less, nor equal, nor greater"
    LARGEST = "larger than all numbers and equal to itself"
    NULL = "it is null"


class Literals(StrEnum):
    """How a float64 is written."""

    EXPONENT = "0.1e0"
    SUFFIX = "0.1D"
    CAST = "CAST(0.1 AS DOUBLE PRECISION)"
    PLAIN = "0.1"


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect of SQL as it bears on a decision."""

    name: str  # as sqlglot has it
    label: str
    own: Own
    nan: Nan
    literals: Literals
    divides: bool = False  # by zero, to infinities and NaN
    minus_zero: str = ""  # -0.0 as text, where text tells it from 0.0, or the function that does
    keeps_sign: bool = False  # ABS(-0.0) is -0.0
    skips_nulls: bool = False  # GREATEST and LEAST do
    whole_floor: bool = False  # FLOOR and CEIL give integers
    strict: bool = False  # stops at an overflow, and at the logarithm of a negative number
    fenced: bool = (
        False  # a subquery is merged into the one around it, its columns repeated, unless held back
    )
    barrier: str = (
        ""  # a function of no argument, at least 0, past which no filter is moved, its columns repeated
    )
    loose_types: bool = False  # a column may hold values of any type
    stands_in: bool = (
        False  # each step of an expression asks for null: where a row is refused, a value stands in
    )
    structs: bool = False  # values together are one value, looked up at once
    upper: bool = False  # names without quotes are in capitals
    folds_case: bool = False  # names that differ in case alone are one
    finite: str = ""  # the function that tells finite numbers, where comparing is not enough
    greatest: tuple[str, str] = ("GREATEST", "LEAST")
    run: bool = False  # the tests of this library run its queries on the engine


SPARK = Dialect(
    "spark",
    "Spark",
    Own.PACKED,
    Nan.LARGEST,
    Literals.SUFFIX,
    minus_zero="-0.0",
    skips_nulls=True,
    whole_floor=True,
    barrier="SPARK_PARTITION_ID",
    stands_in=True,
    structs=True,
    folds_case=True,
    run=True,
)
DIALECTS: Mapping[str, Dialect] = {
    one.name: one
    for one in (
        Dialect(
            "duckdb",
            "DuckDB",
            Own.STRUCT,
            Nan.LARGEST,
            Literals.EXPONENT,
            divides=True,
            skips_nulls=True,
            folds_case=True,
            finite="ISFINITE",  # comparisons are folded away by the statistics of Parquet, which know no NaN
            run=True,
        ),
        Dialect(
            "postgres",
            "PostgreSQL",
            Own.COMPOSITE,
            Nan.LARGEST,
            Literals.CAST,
            minus_zero="-0",
            skips_nulls=True,
            strict=True,
            fenced=True,
            run=True,
        ),
        Dialect(
            "sqlite",
            "SQLite",
            Own.ROWID,
            Nan.NULL,
            Literals.PLAIN,
            minus_zero="ATAN2",
            keeps_sign=True,
            fenced=True,
            loose_types=True,
            folds_case=True,
            greatest=("MAX", "MIN"),
            run=True,
        ),
        SPARK,
        replace(SPARK, name="databricks", label="Databricks", run=False),
        Dialect(
            "bigquery", "BigQuery", Own.STRUCT, Nan.IEEE, Literals.EXPONENT, strict=True, folds_case=True
        ),
        Dialect("snowflake", "Snowflake", Own.EXCLUDED, Nan.LARGEST, Literals.CAST, strict=True, upper=True),
        Dialect("trino", "Trino", Own.NAMED, Nan.IEEE, Literals.EXPONENT, divides=True, folds_case=True),
        Dialect("clickhouse", "ClickHouse", Own.EXCLUDED, Nan.IEEE, Literals.CAST, divides=True),
    )
}
