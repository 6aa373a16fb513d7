"""The airline rule as Polars expressions, by hand: lazy, every thread, all six outputs."""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import polars as pl
from answers import NO_PLAN, Answers
from numpy.typing import NDArray

State = dict[str, pl.Expr]

PLAIN = ["fare", "stops", "layover", "duration", "departs", "has_bag", "refundable", "needs_bag"]
PLAIN += ["needs_refund"]
TRUTHS = ["has_bag", "refundable", "needs_bag", "needs_refund"]
CODED = ["carrier", "cabin", "persona"]
TRUE = pl.lit(value=True)
NOTHING = pl.lit(float("-inf"))  # the value of what is not admissible


def columns() -> State:
    """The row's own columns; a category by its code, which compares fastest."""
    return {name: pl.col(name) for name in PLAIN} | {name: pl.col(name).to_physical() for name in CODED}


def refused(names: Sequence[str], bounds: Mapping[str, tuple[float | None, float | None]]) -> pl.Expr:
    """Rows that may not be decided: a null, a number that is none or out of bounds."""
    tests = [pl.col(name).is_null() for name in names]
    for name, (least, most) in bounds.items():
        if name not in TRUTHS:
            tests.append(~pl.col(name).is_finite())
        tests += [] if least is None else [pl.col(name) < least]
        tests += [] if most is None else [pl.col(name) > most]
    return pl.any_horizontal(*tests)


def menu(x: State) -> list[tuple[pl.Expr, pl.Expr, State]]:
    """For `keep` and each repair: where it applies, what it costs, what it sets."""
    fare, stops, layover, departs, cabin, carrier = (
        x[name] for name in ("fare", "stops", "layover", "departs", "cabin", "carrier")
    )
    bag_fee = pl.when(carrier == 5).then(30.0).otherwise(40.0)
    by_day = departs.clip(7.0, 21.0)
    shorter = pl.max_horizontal(pl.lit(1.0), x["duration"] - 1.5 * stops)
    direct = {"stops": pl.lit(0.0), "layover": pl.lit(0.0), "duration": shorter, "fare": fare * 1.125 + 15}
    both = {"has_bag": TRUE, "refundable": TRUE}
    return [
        (TRUE, pl.lit(0.0), {}),
        (~x["has_bag"], bag_fee + 5 * stops, {"has_bag": TRUE, "fare": fare + bag_fee}),
        (~x["refundable"] & (cabin != 0), 0.25 * fare, {"refundable": TRUE, "fare": fare * 1.125}),
        (
            (stops > 0) & (layover < 45),
            pl.lit(25.0),
            {"layover": layover + 60, "duration": x["duration"] + 1},
        ),
        ((departs < 7) | (departs > 21), 20 + 0.0625 * fare, {"departs": by_day, "fare": fare + 20}),
        ((stops > 0) & (carrier != 2), 30 + 0.25 * fare, direct),
        (cabin == 0, 45 + 0.125 * fare, {"cabin": pl.lit(1), "has_bag": TRUE, "fare": fare + 45}),
        ((cabin <= 1) & (carrier != 5), 60 + 0.375 * fare, {**both, "cabin": pl.lit(2), "fare": fare * 1.25}),
        (~x["has_bag"] | ~x["refundable"], 25 + 0.1875 * fare, {**both, "fare": fare + 25}),
    ]


def feasible(s: State) -> pl.Expr:
    """Whether every requirement holds."""
    return (
        (s["has_bag"] | ~s["needs_bag"])
        & (s["refundable"] | ~s["needs_refund"])
        & ((s["stops"] == 0) | (s["layover"] >= 45))
        & ((s["stops"] <= 1) | (s["persona"] == 5))
        & ((s["departs"] >= 5) & (s["departs"] <= 23))
        & ((s["cabin"] != 0) | ((s["persona"] != 0) & (s["persona"] != 2)))
    )


def score(s: State, w: list[pl.Expr]) -> pl.Expr:
    """The weighted features, added in their order; choosing by a truth costs half of multiplying with it."""
    terms = [
        w[1] * (s["fare"] / 400),
        w[2] * (s["duration"] / 6),
        w[3] * s["stops"],
        when(s["stops"] == 0, w[4]),
        w[5] * (pl.min_horizontal(s["layover"], pl.lit(240.0)) / 60),
        when(s["departs"] < 8, w[6]),
        when(s["departs"] > 20, w[7]),
        when(s["has_bag"], w[8]),
        when(s["refundable"], w[9]),
        when(s["cabin"] >= 2, w[10]),
        when((s["carrier"] == 2) | (s["carrier"] == 5), w[11]),
        when(s["carrier"] <= 1, w[12]),
    ]
    return reduce(add, terms, w[0])


def when(test: pl.Expr, then: pl.Expr) -> pl.Expr:
    """A weight where the feature is true."""
    return pl.when(test).then(then).otherwise(0.0)


def first(tests: list[pl.Expr], choices: list[pl.Expr]) -> pl.Expr:
    """The choice of the first test that holds; the last choice needs none."""
    found = choices[-1]
    for test, choice in reversed(list(zip(tests, choices[:-1], strict=True))):
        found = pl.when(test).then(choice).otherwise(found)
    return found


def query(frame: Any, weights: NDArray[np.float64], kept: Sequence[str] = ()) -> pl.LazyFrame:
    """From rows to the six outputs, in four stages; perhaps with some of the rows' own columns before them."""
    x = columns()
    w = [pl.col(f"w{at}") for at in range(weights.shape[1])]
    tables = [pl.lit(pl.Series(f"w{at}", column)) for at, column in enumerate(weights.T)]
    options = [
        (applies & feasible({**x, **sets}), cost, score({**x, **sets}, w)) for applies, cost, sets in menu(x)
    ]
    values = [first([ok & (cost <= pl.col("budget"))], [value, NOTHING]) for ok, cost, value in options]
    names = [f"v{code}" for code in range(len(options))]
    is_best = [pl.col(name) == pl.col("value") for name in names[:-1]]
    return (
        frame.lazy()
        .with_columns(table.gather(x["persona"]) for table in tables)
        .with_columns(
            *(value.alias(name) for name, value in zip(names, values, strict=True)),
            kept=feasible(x),
            repairable=pl.any_horizontal(*(ok for ok, _, _ in options)),
        )
        .with_columns(value=pl.max_horizontal(*names))
        .with_columns(
            best=first(is_best, [pl.lit(code, pl.UInt8) for code in range(len(options))]),
            accepted=pl.col("value") >= pl.col("threshold"),
            any=pl.col("value") > NOTHING,
        )
        .select(*kept, *outputs([cost for _, cost, _ in options]))
    )


def outputs(costs: list[pl.Expr]) -> list[pl.Expr]:
    """The six outputs, out of each repair's value and the best of them."""
    best, value, threshold = pl.col("best"), pl.col("value"), pl.col("threshold")
    good = pl.col("v0") >= threshold
    accepted, repairable, any_, kept = (pl.col(name) for name in ("accepted", "repairable", "any", "kept"))
    tests = [accepted & good, accepted, ~repairable, ~any_, kept]
    price = first([best == code for code in range(len(costs) - 1)], costs)
    return [
        accepted,
        first(tests, [pl.lit(code, pl.UInt8) for code in range(6)]).alias("credit"),
        pl.when(accepted).then(best).alias("plan"),
        pl.when(any_).then(value).alias("value"),
        pl.when(any_).then(value - threshold).alias("margin"),
        pl.when(any_).then(price).alias("cost"),
    ]


def decide(frame: Any, weights: NDArray[np.float64], *, engine: str = "auto") -> Any:
    """The six outputs as a Polars frame."""
    return query(frame, weights).collect(engine=engine)


def answers(found: Any) -> Answers:
    """The six outputs as plain arrays."""
    floats = (found[name].fill_null(np.nan).to_numpy() for name in ("value", "margin", "cost"))
    plan = found["plan"].fill_null(NO_PLAN).to_numpy()
    return Answers(found["accepted"].to_numpy(), found["credit"].to_numpy(), plan, *floats)
