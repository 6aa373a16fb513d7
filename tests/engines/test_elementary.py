"""`log` and `exp` are within one unit in the last place, and the same bits in every engine."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from racl import elementary
from racl.model import parse_model
from strategies.agreement import by_definition, by_engine, differing, outputs_of

EXACT = Context(prec=60, Emin=-10_000, Emax=10_000)
LEAST, MOST = 5e-324, math.nextafter(math.inf, 0.0)
SPECIAL = (
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    LEAST,
    -LEAST,
    2.2250738585072014e-308,
    MOST,
    -MOST,
    1.0,
    -1.0,
    0.5,
    1.5,
    -2.5,
)


def units(found: float, exact: Decimal) -> float:
    """How far a number is from the exact one, in units of its last place."""
    unit = Fraction(math.ulp(float(exact)))
    return float(abs(Fraction(found) - Fraction(exact)) / unit)


def logarithms(count: int) -> list[float]:
    """Numbers of every size, more of them where a logarithm is hard: around 1 and the edges of the halves."""
    chance = random.Random(1)
    wide = [math.ldexp(0.5 + chance.random() / 2, chance.randint(-1074, 1024)) for _ in range(count)]
    near = [1.0 + chance.uniform(-1, 1) * 10.0 ** -chance.randint(0, 16) for _ in range(count)]
    edge = [
        0.7071067811865476 * math.ldexp(1 + chance.uniform(-1e-9, 1e-9), chance.randint(-9, 9))
        for _ in range(count)
    ]
    return [x for x in (*wide, *near, *edge, LEAST, MOST) if 0.0 < x < math.inf]


def exponents(count: int) -> list[float]:
    """Numbers whose exponential is a float, more of them around 0 and around halves of ln 2."""
    chance = random.Random(2)
    wide = [chance.uniform(-745.2, 709.8) for _ in range(count)]
    near = [chance.uniform(-1, 1) * 10.0 ** -chance.randint(0, 18) for _ in range(count)]
    edge = [
        (chance.randint(-1000, 1000) + 0.5) * math.log(2) * (1 + chance.uniform(-1e-12, 1e-12))
        for _ in range(count)
    ]
    return [x for x in (*wide, *near, *edge) if -708.0 < x < 709.78]


def test_log_is_within_one_unit_in_the_last_place() -> None:
    assert max(units(elementary.log(x), EXACT.ln(Decimal(x))) for x in logarithms(4_000) if x != 1.0) <= 1.0


def test_exp_is_within_one_unit_in_the_last_place() -> None:
    assert max(units(elementary.exp(x), EXACT.exp(Decimal(x))) for x in exponents(4_000)) <= 1.0


def test_exp_fades_out_evenly_below_the_smallest_normal_number() -> None:
    values = [-708.0 - 0.01 * n for n in range(3_800)]
    found = [elementary.exp(x) for x in values]
    assert (
        max(units(one, EXACT.exp(Decimal(x))) for x, one in zip(values, found, strict=True) if x > -745.1)
        <= 1.0
    )
    assert found == sorted(found, reverse=True)
    assert elementary.exp(-745.14) == 0.0


@pytest.mark.parametrize(
    ("x", "log", "exp"),
    [
        (0.0, -math.inf, 1.0),
        (-0.0, -math.inf, 1.0),
        (1.0, 0.0, math.e),
        (-1.0, math.nan, 1 / math.e),
        (math.inf, math.inf, math.inf),
        (-math.inf, math.nan, 0.0),
        (math.nan, math.nan, math.nan),
        (LEAST, -744.4400719213812, 1.0),
        (MOST, 709.782712893384, math.inf),
        (710.0, math.log(710.0), math.inf),
        (709.782712893384, math.log(709.782712893384), MOST),
    ],
)
def test_edges_of_log_and_exp(x: float, log: float, exp: float) -> None:
    for found, wanted in ((elementary.log(x), log), (elementary.exp(x), exp)):
        assert found == pytest.approx(wanted, rel=1e-12, nan_ok=True)
        assert math.isfinite(found) == math.isfinite(wanted)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
@example(1.0, math.nextafter(1.0, 2.0))
def test_log_and_exp_never_fall(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert elementary.exp(low) <= elementary.exp(high)
    if low > 0.0:
        assert elementary.log(low) <= elementary.log(high)


@given(st.floats(), st.floats())
def test_scalars_do_what_numpy_does(a: float, b: float) -> None:
    pairs: list[tuple[Callable[..., float], Callable[..., np.floating], tuple[float, ...]]] = [
        (elementary.divide, np.divide, (a, b)),
        (elementary.floor, np.floor, (a,)),
        (elementary.ceil, np.ceil, (a,)),
        (elementary.sqrt, np.sqrt, (a,)),
    ]
    with np.errstate(all="ignore"):
        for ours, theirs, given_ in pairs:
            found, wanted = ours(*given_), float(theirs(*map(np.float64, given_)))
            assert found == wanted or (math.isnan(found) and math.isnan(wanted))
            assert math.isnan(found) or math.copysign(1.0, found) == math.copysign(1.0, wanted)


def test_smaller_and_larger_keep_the_first_unless_the_second_is_strictly_so() -> None:
    nan = math.nan
    assert math.isnan(elementary.smaller(nan, 1.0))
    assert math.isnan(elementary.larger(nan, 1.0))
    assert elementary.smaller(1.0, nan) == elementary.larger(1.0, nan) == 1.0
    assert math.copysign(1.0, elementary.smaller(0.0, -0.0)) == 1.0
    assert math.copysign(1.0, elementary.larger(-0.0, 0.0)) == -1.0


FUNCTIONS = (
    "log(x)",
    "exp(x)",
    "sqrt(x)",
    "floor(x)",
    "ceil(x)",
    "abs(x)",
    "1 / x",
    "x / 3",
    "min(x, 0)",
    "max(0, x)",
    "-x",
    "x * x",
)


@pytest.mark.kernel
def test_every_engine_computes_the_same_bits() -> None:
    """Each function as a feature where it is finite, compared with -1 where it is not."""
    features = {
        f"g{n}": f"{text} if {text} - {text} == 0 else {text} < -1" for n, text in enumerate(FUNCTIONS)
    }
    domain = {
        "racl": 1, "name": "bits", "candidate": {"x": "number"}, "context": {"budget": "number", "threshold": "number"},
        "requirements": {"any": "x == x"}, "features": features,
    }  # fmt: skip
    chance = random.Random(3)
    values = [
        chance.choice((chance.uniform(-800, 800), chance.lognormvariate(0, 9), *SPECIAL))
        for _ in range(3_000)
    ]
    rows = [{"x": x, "budget": 0.0, "threshold": 0.0} for x in values]
    for feature in features:
        weights = {name: 1.0 if name == feature else 0.0 for name in features}
        model = parse_model(
            json.dumps(
                {"racl_model": 1, "domain": domain, "preference": {"all": {"bias": 0.0, "weights": weights}}}
            )
        )
        wanted = outputs_of(model, by_definition(model, rows))
        for engine in ("rows", "arrays", "kernel"):
            assert differing(wanted, by_engine(model, rows, engine)) == [], feature
