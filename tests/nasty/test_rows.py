"""Nasty rows: refused by every engine alike, and whatever lies exactly at a bar decided alike."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nasty.air import AIR, ROW, Document, model, spoiled
from racl import DataError, Decision, Decisions, Model, Refusal, RowError, semantics
from racl.domain.files import parse_domain
from racl.model import Engine
from racl.semantics import Taste

air_model = cache(model)
ENGINES = ["definition", "rows", "arrays", pytest.param("kernel", marks=pytest.mark.kernel)]
engines = pytest.mark.parametrize("engine", ENGINES)


def outcome(row: Document, engine: Engine, among: Model | None = None) -> Decision | Refusal:
    """What an engine says of a row that stands between two sound ones."""
    one = among or air_model()
    decisions, refused = one.decide([ROW, row, ROW], refused="collect", engine=engine)
    assert len(decisions) + len(refused) == 3
    if refused:
        refusal: Refusal = refused[0]
        assert len(refused) == 1
        assert refusal.row == 1
        assert list(decisions.rows) == [0, 2]
        return refusal
    return one_of(decisions, 1)


def one_of(decisions: Decisions, row: int) -> Decision:
    six = [
        decisions.columns()[name].to_pylist()[row]
        for name in ("accepted", "credit", "plan", "value", "margin", "cost")
    ]
    return Decision(*six)


NO_NUMBERS = {
    "null": (None, "null, and the column has no default"),
    "nan": (math.nan, "`nan` is not a finite number"),
    "inf": (math.inf, "`inf` is not a finite number"),
    "-inf": (-math.inf, "`-inf` is not a finite number"),
    "text": ("250", "`250` is not a number"),
    "true": (True, "`True` is not a number"),
    "bytes": (b"1", "`b'1'` is not a number"),
    "2**53 + 1": (2**53 + 1, "`9007199254740993` is not exact in float64"),
    "10**400": (10**400, "`a huge integer` is not exact in float64"),
    "decimal nan": (Decimal("NaN"), "`nan` is not a finite number"),
    "decimal 1e400": (Decimal("1e400"), "`inf` is not a finite number"),
    "complex": (1j, "`1j` is not a number"),
    "a list": ([1.0], "`[1.0]` is not a number"),
    "below": (-0.5, "`-0.5` is below the minimum 0"),
}


@engines
@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_a_number_that_is_none_is_refused(kind: str, engine: Engine) -> None:
    """R01."""
    value, reason = NO_NUMBERS[kind]
    assert outcome(ROW | {"fare": value}, engine) == Refusal(1, "fare", reason)


@engines
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("stops", 1.5), ("stops", 5), ("stops", -1), ("stops", "1"), ("has_bag", 1), ("has_bag", "true"), ("has_bag", None),
        ("has_bag", 0.0), ("carrier", "ZZ"), ("carrier", "AA "), ("carrier", "aa"), ("carrier", None), ("carrier", 1),
        ("carrier", "\ud800"), ("persona", "crew"), ("persona", None), ("needs_bag", "no"), ("layover", math.nan),
    ],
)  # fmt: skip
def test_what_a_column_does_not_hold_is_refused_and_never_coerced(
    column: str, value: object, engine: Engine
) -> None:
    """R01, R06."""
    found = outcome(ROW | {column: value}, engine)
    assert isinstance(found, Refusal)
    assert found.column == column


def test_a_default_stands_in_for_null_and_for_nothing_but_null() -> None:
    """R01."""
    for engine in ("definition", "rows", "arrays"):
        found = outcome(ROW | {"layover": None}, engine)
        assert isinstance(found, Decision)
        assert found.credit == "rejected-non-repairable"
        assert isinstance(outcome(ROW | {"layover": math.inf}, engine), Refusal)


@engines
@pytest.mark.parametrize("bar", ["budget", "threshold"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None])
def test_a_bar_that_is_not_finite_is_refused(bar: str, value: object, engine: Engine) -> None:
    """R02."""
    found = outcome(ROW | {bar: value}, engine)
    assert isinstance(found, Refusal)
    assert found.column == bar


def computed_bars() -> Model:
    """A model whose bars are worked out from the row, so that columns do not guard them."""
    text = spoiled('budget       = { type = "number", min = 0 }', 'budget = "number"')
    rule = '[rule]\nbudget = "budget - 10"\nthreshold = "threshold / (budget - 5)"\n'
    return Model(parse_domain(f"{text}\n{rule}"), air_model().taste)


@engines
def test_a_bar_that_is_worked_out_is_refused_too(engine: Engine) -> None:
    """R02."""
    one = computed_bars()
    for budget, threshold, column in (
        (9.75, 0.0, "rule.budget"),
        (5.0, 0.0, "rule.budget"),
        (-1e9, 1.0, "rule.budget"),
    ):
        found = outcome(ROW | {"budget": budget, "threshold": threshold}, engine, one)
        assert isinstance(found, Refusal)
        assert found.column == column
    huge = outcome(ROW | {"budget": 5.0 + 10.0, "threshold": 1.7e308 * 5}, engine, one)
    assert isinstance(huge, Refusal)
    zero = outcome(ROW | {"budget": 10.0, "threshold": 0.0}, engine, one)
    assert isinstance(zero, Decision)
    assert zero.credit == "rejected-repairable-over-budget"


@engines
def test_minus_zero_is_zero(engine: Engine) -> None:
    """R02."""
    plain = outcome(ROW | {"budget": 0.0, "threshold": 0.0, "has_bag": True}, engine)
    assert (
        outcome(ROW | {"budget": -0.0, "threshold": -0.0, "has_bag": True, "layover": 60.0}, engine) == plain
    )
    assert isinstance(plain, Decision)


@engines
def test_exactly_at_the_bar_is_within_and_one_float_beyond_is_not(engine: Engine) -> None:
    """R03."""
    value = semantics_value()
    at = outcome(ROW | {"budget": 40.0, "threshold": value}, engine)
    assert (at.accepted, at.plan, at.margin) == (True, "add_bag", 0.0)  # type: ignore[union-attr]
    above = outcome(ROW | {"budget": 40.0, "threshold": math.nextafter(value, math.inf)}, engine)
    assert above.credit == "rejected-repairable-suboptimal"  # type: ignore[union-attr]
    short = outcome(ROW | {"budget": math.nextafter(40.0, 0.0), "threshold": value}, engine)
    assert short.credit == "rejected-repairable-over-budget"  # type: ignore[union-attr]


def semantics_value() -> float:
    found = semantics.decide(air_model().domain, air_model().taste, ROW | {"threshold": -1e6})
    assert isinstance(found, Decision)
    assert found.value is not None
    return found.value


TIES = """
[repairs.second]
sets = { layover = "45" }
[repairs.first]
sets = { layover = "46" }
"""


@engines
def test_of_equals_the_first_declared_wins(engine: Engine) -> None:
    """R03."""
    one = Model(parse_domain(AIR + TIES), Taste(air_model().taste.personas))
    found = outcome(ROW | {"layover": 0.0, "needs_bag": False}, engine, one)
    assert (found.plan, found.cost) == ("second", 0.0)  # type: ignore[union-attr]
    found = outcome(ROW | {"needs_bag": False}, engine, one)
    assert found.plan == "keep"  # type: ignore[union-attr]


# frames -------------------------------------------------------------------------------------------

ARROW: list[tuple[str, Any, object, object]] = [
    ("fare", pa.float32(), np.float32(0.1), float(np.float32(0.1))),
    ("fare", pa.float16(), np.float16(0.1), float(np.float16(0.1))),
    ("fare", pa.uint8(), 250, 250.0),
    ("fare", pa.int8(), 100, 100.0),
    ("fare", pa.int64(), 2**53, float(2**53)),
    ("fare", pa.int64(), 2**53 + 1, None),
    ("fare", pa.int64(), 2**60, float(2**60)),
    ("fare", pa.int64(), 2**63 - 1, None),
    ("fare", pa.uint64(), 2**63, float(2**63)),
    ("fare", pa.uint64(), 2**63 + 1, None),
    ("fare", pa.uint64(), 2**64 - 1, None),
    ("fare", pa.decimal128(20, 2), Decimal("250.10"), 250.10),
    ("fare", pa.decimal256(60, 20), Decimal("0.1"), 0.1),
    ("fare", pa.string(), "250", None),
    ("fare", pa.bool_(), True, None),
    ("stops", pa.int64(), 2**53 + 1, None),
    ("stops", pa.float32(), 1.0, 1.0),
    ("stops", pa.float64(), 1.5, None),
    ("stops", pa.decimal128(5, 1), Decimal("1.0"), 1.0),
    ("carrier", pa.large_string(), "UA", "UA"),
    ("carrier", pa.string_view(), "UA", "UA"),
    ("carrier", pa.dictionary(pa.int8(), pa.string()), "UA", "UA"),
    ("carrier", pa.dictionary(pa.int32(), pa.large_string()), "UA", "UA"),
    ("carrier", pa.dictionary(pa.int32(), pa.string()), "UA ", None),
    ("carrier", pa.binary(), b"UA", None),
    ("has_bag", pa.int8(), 1, None),
    ("has_bag", pa.string(), "true", None),
]


@pytest.mark.parametrize(("column", "type_", "value", "meant"), ARROW, ids=lambda one: str(one)[:30])
@pytest.mark.parametrize("frame", ["arrow", "chunks", "dict"])
def test_a_column_is_widened_exactly_or_refused(
    column: str, type_: Any, value: object, meant: object, frame: str
) -> None:
    """R04."""
    columns = {name: pa.array([one] * 3) for name, one in ROW.items()}
    columns[column] = pa.array([value] * 3, type_)
    table = pa.table(columns)
    if frame == "chunks":
        table = pa.concat_tables([table.slice(0, 1), table.slice(1, 1), table.slice(2, 1)])
    given = dict(zip(table.column_names, table.columns, strict=True)) if frame == "dict" else table
    for engine in ("definition", "rows", "arrays"):
        decisions, refused = air_model().decide(given, refused="collect", engine=engine)
        assert len(refused) == (3 if meant is None else 0)
        if meant is not None:
            wanted = semantics.decide(air_model().domain, air_model().taste, ROW | {column: meant})
            assert [one_of(decisions, row) for row in range(3)] == [wanted] * 3
        else:
            assert {refusal.column for refusal in refused} == {column}


def frames(columns: dict[str, list[object]]) -> list[Any]:
    return [columns, pd.DataFrame(columns), pl.DataFrame(columns, strict=False), pa.table(columns)]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ({"Fare": "fare"}, "fare: column missing (did you mean `Fare`?)"),
        ({"farre": "fare"}, "fare: column missing (did you mean `farre`?)"),
        ({"": "fare"}, "fare: column missing"),
        ({"LAYOVER": "layover"}, "layover: column missing (did you mean `LAYOVER`?)"),
    ],
)
def test_a_missing_or_misspelt_column_is_refused_before_the_first_row(
    spoil: dict[str, str], said: str
) -> None:
    """R05."""
    new_names = {old: new for new, old in spoil.items()}
    columns = {new_names.get(name, name): [value] for name, value in ROW.items()}
    for frame in frames(columns):
        with pytest.raises(DataError) as fault:
            air_model().decide(frame)
        assert [problem.line_text() for problem in fault.value.problems] == [said]


def test_every_missing_column_is_named_in_one_run_and_a_default_needs_no_column() -> None:
    """R05."""
    columns = {name: [value] for name, value in ROW.items() if name not in ("fare", "carrier", "layover")}
    for frame in frames(columns):
        with pytest.raises(DataError) as fault:
            air_model().decide(frame)
        assert [problem.where for problem in fault.value.problems] == ["fare", "carrier"]


def test_a_column_that_is_there_twice_is_refused() -> None:
    """R05."""
    table = pa.table([pa.array([value]) for value in (*ROW.values(), 1.0)], [*ROW, "fare"])
    pandas = table.to_pandas()
    for frame in (table, pandas):
        with pytest.raises(DataError, match="fare: 2 columns of this name"):
            air_model().decide(frame)


def test_columns_that_the_domain_does_not_declare_are_passed_through_untouched() -> None:
    """R05, R07."""
    text = ["=cmd()", "<img onerror=x>", "\x00\x1b[2J\r\n", "\u202e"]
    columns = {name: [value] * 4 for name, value in ROW.items()} | {
        "note": text,
        "Fare": [None, 1, "a", b"b"],
    }
    out = air_model().decide(pd.DataFrame(columns)).to_native()
    assert list(out.columns)[: len(columns)] == list(columns)
    assert list(out["note"]) == text
    assert list(out["Fare"]) == columns["Fare"]


def test_refusing_says_the_first_ten_and_the_count_of_all() -> None:
    """R01."""
    rows = [ROW | {"fare": None if row % 2 else 250.0} for row in range(40)]
    with pytest.raises(RowError) as fault:
        air_model().decide(rows)
    assert fault.value.count == 20
    assert [refusal.row for refusal in fault.value.refusals] == list(range(1, 20, 2))
    assert str(fault.value).startswith("20 rows refused (the first 10 shown)\nrow 1: fare: null")


def test_reasons_stay_on_one_line_and_short_whatever_the_value() -> None:
    """R07."""
    for value in ("\r\n\x1b[2J" * 1000, "a" * 10**6, ["\n"] * 10_000, {"\n": "\n"}):
        with pytest.raises(RowError) as fault:
            air_model().decide_one(ROW | {"carrier": value})
        (problem,) = fault.value.problems
        assert len(problem.line_text()) < 500
        assert problem.line_text().isprintable()


@pytest.mark.parametrize("row", [None, 5, "fare", [ROW], object()], ids=lambda row: type(row).__name__)
def test_what_is_no_row_at_all_is_said_to_be_none(row: Any) -> None:
    """R06."""
    for ask in (air_model().decide_one, air_model().explain):
        with pytest.raises(DataError, match="is not a row"):
            ask(row)
