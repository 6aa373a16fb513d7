"""What a query may be asked for, what it refuses, and the places where dialects bite."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot

from conformance.cases import NAMES, bits
from query.engines import KEY, Engine, SQLite
from racl import Model, QueryError, load_model, sql
from racl.model import parse_model
from racl.query import DIALECTS
from racl.query.text import number as written

AIRLINE = Path(__file__).parents[2] / "examples/airline/model.json"


@pytest.fixture(scope="module")
def airline() -> Model:
    return load_model(AIRLINE)


def small(**changes: Any) -> Model:
    """A model of one number, one boolean and one text, with some parts as given."""
    domain = {
        "racl": 1,
        "name": "small",
        "candidate": {
            "x": "number",
            "flag": "boolean",
            "word": {"type": "category", "values": ["a", "O'Hare", 'say "x"', "back\\", "{t}", "ä\n€"]},
        },
        "context": {"budget": "number", "threshold": "number"},
        "requirements": {"flag": "flag"},
        "features": {"g": "x", "h": "word == 'back\\\\'"},
        "repairs": {"mend": {"sets": {"flag": "true", "word": "'O\\'Hare'"}, "cost": "1"}},
        "rule": {},
    }
    for section, value in changes.items():
        domain[section] = {**domain[section], **value} if isinstance(value, dict) else value  # type: ignore[dict-item]
    weights = {"bias": 0.1, "weights": {"g": 0.1, "h": 1.0}}
    return parse_model(json.dumps({"racl_model": 1, "domain": domain, "preference": {"all": weights}}))


NUMBERS = (0.1, 1 / 3, 2 / 3, 1e22, 1e300, 5e-324, 2.2250738585072014e-308, 123456.789, 0.30000000000000004)
ROW = {"x": 1.0, "flag": True, "word": "a", "budget": 1.0, "threshold": 0.0}


def agree(engine: Engine, model: Model, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a query, after they were held against the library's decisions to the bit."""
    engine.load(model, rows)
    found = sorted(engine.run(sql(model, engine.dialect)), key=lambda row: row[KEY])
    decisions, refused = model.decide(rows, refused="collect")
    assert [row[KEY] for row in found if row["refused"] is not None] == [one.row for one in refused]
    for number, wanted in zip(decisions.rows, pa.table(decisions.columns()).to_pylist(), strict=True):
        got = {name: found[number][name] for name in NAMES}
        assert {key: bits(value) if isinstance(value, float) else value for key, value in got.items()} == {
            key: bits(value) if isinstance(value, float) else value for key, value in wanted.items()
        }
    return found


# where dialects bite ---------------------------------------------------------------------------------


def test_texts_keep_their_quotes_backslashes_and_lines(engine: Engine) -> None:
    rows = [
        {**ROW, "word": word} for word in ("a", "O'Hare", 'say "x"', "back\\", "{t}", "ä\n€", "back", None)
    ]
    found = agree(engine, small(), rows)
    assert [row["value"] for row in found[:4]] == [0.2, 0.2, 0.2, 1.2]


def test_divisions_by_zero_of_either_sign_are_infinities_and_nan(engine: Engine) -> None:
    model = small(
        requirements={"q": "1 / (x - 1) > 0 or 1 / (0 * x) < 0 or not (x / (x - x) == x / (x - x))"},
        features={"g": "min(max(1 / x, -9), 9)", "h": "x / (0 - x) != 0 / (x * 0)"},
        repairs={"mend": {"sets": {"x": "x / 4"}, "cost": "1 if 1 / -x < 0 else 2"}},
    )
    xs = [0.0, 1.0, -1.0, 2.0, -2.0, 0.1, -0.0, 5e-324]
    lost = {"postgres": (5e-324,), "sqlite": (-0.0,)}.get(
        engine.dialect, ()
    )  # it overflows; it is stored as 0
    rows = [{**ROW, "x": x, "budget": 2.0} for x in xs if str(x) not in map(str, lost)]
    agree(engine, model, rows)


def test_whole_numbers_divide_as_float64(engine: Engine) -> None:
    whole = {"x": {"type": "integer", "min": -8, "max": 8}}
    model = small(candidate=whole, features={"g": "x / 2", "h": "floor(x / 3) + ceil(x / 3)"})
    agree(engine, model, [{**ROW, "x": x} for x in (-7, -1, 0, 1, 3, 7, 8)])


def test_a_choice_between_booleans_and_texts_is_one(engine: Engine) -> None:
    model = small(
        requirements={"flag": "(flag if x > 0 else word == 'a') and (word if flag else 'a') != 'O\\'Hare'"},
        repairs={"mend": {"sets": {"word": "'a' if x > 0 else word", "flag": "not flag"}, "cost": "0.5"}},
        rule={"choose": "cheapest", "tradeoff": 0.25, "steps": 1},
    )
    rows = [
        {**ROW, "x": x, "flag": flag, "word": word}
        for x in (1.0, -1.0)
        for flag in (True, False)
        for word in ("a", "O'Hare")
    ]
    agree(engine, model, rows)


def test_nulls_nan_and_infinities_are_refused(engine: Engine) -> None:
    rows = [{**ROW, "x": x} for x in (1.0, None, math.inf, -math.inf, math.nan)]
    rows += [
        {**ROW, "flag": None},
        {**ROW, "word": None},
        {**ROW, "budget": -1.0},
        {**ROW, "threshold": None},
    ]
    found = agree(engine, small(), rows)
    reasons = [row["refused"] for row in found]
    assert reasons[0] is None
    assert [reason.partition(":")[0] for reason in reasons[1:]] == [
        *"xxxx",
        "flag",
        "word",
        "rule.budget",
        "threshold",
    ]


def test_defaults_stand_in_for_nulls(engine: Engine) -> None:
    columns = {"x": {"type": "number", "default": 2.5}, "flag": {"type": "boolean", "default": False}}
    agree(engine, small(candidate=columns), [{**ROW, "x": None}, {**ROW, "flag": None}, ROW])


def test_duckdb_refuses_nan_that_the_statistics_of_parquet_hide(tmp_path: Path) -> None:
    model = small(candidate={"x": {"type": "number", "min": 0, "max": 10}})
    rows = [{**ROW, "x": x} for x in (1.0, math.nan, 2.0)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    connection = duckdb.connect()
    connection.from_parquet(str(tmp_path / "rows.parquet")).create_view("rows")
    found = connection.execute(sql(model, "duckdb")).fetchall()
    assert [row[-1] for row in found] == [None, "x: not a finite number", None]
    assert [row[-7] for row in found] == [True, None, True]


def test_sqlite_refuses_values_of_other_types() -> None:
    engine = SQLite()
    engine.load(small(), [])
    engine.connection.execute("CREATE TABLE loose (x, flag, word COLLATE NOCASE, budget, threshold)")
    rows: list[tuple[object, ...]] = [
        ("1", 1, "a", 1, 0),
        (True, 1, "a", 1, 0),
        (1, 2, "a", 1, 0),
        (1, "1", "a", 1, 0),
        (1, 0, "A", 1, 0),
    ]
    rows += [(2**53 + 1, 1, "a", 1, 0), (2**53, 1, "a", 1, 0), (b"1", 1, "a", 1, 0), (1, 1, 7, 1, 0)]
    engine.connection.executemany("INSERT INTO loose VALUES (?, ?, ?, ?, ?)", rows)
    found = [row["refused"] for row in engine.run(sql(small(), "sqlite", table="loose"))]
    assert found == [
        "x: not a number",
        None,
        "flag: not a boolean",
        "flag: not a boolean",
        "word: not among the values",
        "x: not exact in float64",
        None,
        "x: not a number",
        "word: not text",
    ]


@pytest.mark.parametrize(
    "value",
    [0.1, 1 / 3, 2 / 3, 1e22, 1e300, 5e-324, 2.2250738585072014e-308, 123456.789, 0.30000000000000004],
)
def test_sqlite_reads_every_number_to_the_bit(value: float) -> None:
    text = written(value, DIALECTS["sqlite"]).sql("sqlite")
    found = SQLite().connection.execute(f"SELECT {text}").fetchone()[0]
    assert bits(found) == bits(value)


def test_stops_with_an_error_where_postgres_overflows(server: Engine) -> None:
    model = small(features={"g": "x * x"})
    server.load(model, [{**ROW, "x": 1e200}])
    with pytest.raises(Exception, match="out of range"):
        server.run(sql(model, "postgres"))
    assert "ends the query with an error where a number overflows" in " ".join(
        sql(model, "postgres").split("\n-- ")
    )


# what may be asked for -------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_reads_its_own_query(dialect: str, airline: Model) -> None:
    columns = [column.name for column in airline.domain.columns]
    text = sql(airline, dialect, columns=columns)
    tree = sqlglot.parse_one(text, dialect=dialect)
    assert [one.alias_or_name for one in tree.args["expressions"]][-7:] == [*NAMES, "refused"]
    assert ("not yet run" in text) is not DIALECTS[dialect].run
    assert "may differ" not in text


def test_a_table_in_a_schema_and_columns_by_name(engine: Engine, airline: Model) -> None:
    engine.load(small(), [ROW], "odd; table")
    found = engine.run(
        sql(small(), engine.dialect, table='"odd; table"', columns=["threshold", *list(ROW)[:4]], prefix="p_")
    )
    assert list(found[0]) == [
        "threshold",
        "x",
        "flag",
        "word",
        "budget",
        *(f"p_{name}" for name in (*NAMES, "refused")),
    ]
    assert 'FROM "main"."rows"' in sql(airline, "duckdb", table="main.rows")


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"dialect": "duckbd"}, "unknown dialect `duckbd` (did you mean `duckdb`?)"),
        ({"dialect": "trino"}, "Trino cannot leave out the columns that the query works with"),
        (
            {"dialect": "duckdb", "table": "rows; drop table x"},
            "`rows; drop table x` is not the name of a table",
        ),
        ({"dialect": "duckdb", "table": "(select 1)"}, "is not the name of a table"),
        ({"dialect": "duckdb", "columns": ["x", "flag"]}, "word: column missing"),
        ({"dialect": "duckdb", "columns": [*ROW, "Plan"]}, "the rows already have a column `plan`"),
        ({"dialect": "duckdb", "prefix": "a b"}, "the prefix `a b` is not of letters"),
    ],
)
def test_a_call_that_cannot_be_met_says_why(asked: dict[str, Any], what: str) -> None:
    with pytest.raises(QueryError) as fault:
        sql(small(), **asked)
    assert what in str(fault.value)


def test_too_many_plans_for_one_query_are_refused() -> None:
    repairs = {f"r{n}": {"sets": {"x": f"x + {n}"}, "cost": n} for n in range(9)}
    with pytest.raises(QueryError, match="plans for each row, more than the 400"):
        sql(small(repairs=repairs, rule={"steps": 3}), "duckdb")


def test_a_dialect_that_cannot_tell_the_sign_of_zero_refuses_to_divide_by_it() -> None:
    with pytest.raises(QueryError, match="cannot tell from 0"):
        sql(small(features={"g": "1 / -x"}), "bigquery")
    assert "IEEE" not in sql(small(features={"g": "1 / max(x, 1)"}), "bigquery")


def test_columns_that_differ_in_case_alone_are_refused_where_they_are_one() -> None:
    model = small(candidate={"X": "number"}, features={"g": "x + X"})
    with pytest.raises(QueryError, match="are one and the same in DuckDB"):
        sql(model, "duckdb")
    assert '"X"' in sql(model, "postgres")


def test_log_and_exp_are_said_to_differ_in_the_last_place(engine: Engine) -> None:
    model = small(features={"g": "log(x)", "h": "exp(x) / 10"}, requirements={"q": "not (log(x) > 99)"})
    assert "except that exp and log may differ in the last place" in sql(model, engine.dialect).replace(
        "\n-- ", " "
    )
    rows = [{**ROW, "x": x} for x in (0.5, 1.0, 2.0, 10.0)]
    engine.load(model, rows)
    found = sorted(engine.run(sql(model, engine.dialect)), key=lambda row: row[KEY])
    assert [row["value"] for row in found] == pytest.approx(model.decide(rows).value, rel=1e-14)


def test_functions_of_what_they_are_not_defined_for_give_nan_and_infinities(engine: Engine) -> None:
    tests = {
        "q": "not (sqrt(x) >= 0) or not (log(x) < 9) or exp(1000 * x) > 1e300 or log(abs(x) - abs(x)) < -9"
    }
    features = {"g": "1 if sqrt(-x) == sqrt(-x) else 0", "h": "floor(x) + ceil(x) + abs(x)"}
    agree(
        engine,
        small(requirements=tests, features=features),
        [{**ROW, "x": x} for x in (-2.5, -1.0, 0.0, 0.5, 4.0)],
    )


def test_a_default_preference_without_personas_changes_nothing(engine: Engine) -> None:
    document = json.loads(json.dumps(small().document(), default=dict))
    document["preference_default"] = {"bias": 9.0, "weights": {"g": -1.0, "h": 2.0}}
    agree(engine, parse_model(json.dumps(document)), [ROW])


def personas(second: float) -> Model:
    """A model of two personas, of features that differ in case alone."""
    document = json.loads(json.dumps(small().document(), default=dict))
    document["domain"]["features"]["G"] = "word == 'a'"
    document["domain"]["context"]["who"] = {"type": "category", "values": ["some", "others"]}
    document["domain"]["rule"]["persona"] = "who"
    weights = [{"bias": 0.5, "weights": {"g": one, "h": 1.0, "G": one}} for one in (0.25, second)]
    document["preference"] = dict(zip(("some", "others"), weights, strict=True))
    return parse_model(json.dumps(document))


def test_spark_looks_up_all_that_differs_between_personas_at_once() -> None:
    text = sql(personas(0.75), "spark")
    assert text.count("STRUCT(0.25D AS g_1, 0.25D AS G_3)") == 1
    assert text.count("STRUCT(0.75D AS g_1, 0.75D AS G_3)") == 1
    assert "racl_weights.g_1" in text
    assert "racl_weights" in sqlglot.parse_one(text, read="spark").sql("spark")
    assert "racl_weights" not in sql(personas(0.25), "spark")
    assert "racl_weights" not in sql(small(), "spark")


def test_personas_have_their_own_weights(engine: Engine) -> None:
    agree(
        engine,
        personas(0.75),
        [{**ROW, "x": x, "who": who} for x in (-3.0, 2.0) for who in ("some", "others")],
    )


def test_a_column_named_like_a_decision_is_refused_without_a_prefix(engine: Engine) -> None:
    model = small(candidate={"plan": "number"}, features={"g": "x + plan"})
    with pytest.raises(QueryError, match="the rows already have a column `plan`"):
        sql(model, engine.dialect)
    engine.load(model, [{**ROW, "plan": 7.0}])
    found = engine.run(sql(model, engine.dialect, prefix="p_"))
    assert (found[0]["plan"], found[0]["p_plan"]) == (7.0, "keep")
