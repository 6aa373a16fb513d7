"""Airline offers by the million, from a seed: NumPy columns, and the same rows as a frame of each kind."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = dict[str, NDArray[Any]]

HERE = Path(__file__).parent
PERSONA_SHARES = (0.20, 0.15, 0.20, 0.25, 0.10, 0.10)  # in the order of the domain's values
CARRIER_SHARES = (0.24, 0.08, 0.08, 0.24, 0.20, 0.16)
CABIN_SHARES = (0.30, 0.48, 0.14, 0.08)
CABIN_FARE = np.array([0.8, 1.0, 1.5, 2.6])
STOP_SHARES = (0.45, 0.42, 0.13)
LEVEL = np.array([0.00, 0.02, -0.02, -0.04, 0.00, -0.04])  # what each persona calls good enough


def values() -> dict[str, list[str]]:
    """The declared values of each category, in order: a code is a place in its list."""
    domain = tomllib.loads((HERE / "domain.toml").read_text("utf-8"))
    declared = {**domain["candidate"], **domain["context"]}
    return {name: column["values"] for name, column in declared.items() if "values" in column}


def columns(n: int, seed: int = 0) -> Columns:
    """n rows of 72 bytes: float64 for numbers, one byte for a boolean, int32 codes for a category."""
    rng = np.random.default_rng(seed)
    offered = ticket(n, rng)
    return {**offered, **request(offered, n, rng)}


def ticket(n: int, rng: np.random.Generator) -> Columns:
    """What is offered: dearer when longer, comfortable or non-stop."""
    stops = draw(STOP_SHARES, n, rng).astype(np.float64)
    cabin = draw(CABIN_SHARES, n, rng)
    flight = rng.gamma(4.0, 1.0, n) + 1
    layover = np.where(stops > 0, 15 + 5 * np.floor(rng.gamma(2.0, 9.0, n)), 0.0)
    fare = (60 + 55 * flight - 15 * stops) * CABIN_FARE[cabin] * rng.lognormal(0.0, 0.25, n)
    return {
        "fare": np.clip(np.round(fare, 2), 39.0, 9000.0),
        "stops": stops,
        "layover": np.minimum(layover, 900.0),
        "duration": np.round(flight + stops * 1.25 + layover / 60, 2),
        "departs": np.floor(rng.triangular(0.0, 11.0, 24.0, n) * 4) / 4,
        "has_bag": rng.random(n) < np.where(cabin == 0, 0.1, 0.65),
        "refundable": rng.random(n) < np.where(cabin == 0, 0.0, 0.45),
        "carrier": draw(CARRIER_SHARES, n, rng),
        "cabin": cabin,
    }


def request(offered: Columns, n: int, rng: np.random.Generator) -> Columns:
    """What is asked for: some have little to spend, some want much."""
    persona = draw(PERSONA_SHARES, n, rng)
    generous = rng.random(n) < 0.6
    budget = np.where(generous, 40 + 0.55 * offered["fare"] * rng.random(n), 60 * rng.random(n))
    return {
        "persona": persona,
        "budget": np.round(budget),
        "threshold": np.round(LEVEL[persona] + rng.normal(0.5, 0.12, n), 2),
        "needs_bag": rng.random(n) < 0.45,
        "needs_refund": rng.random(n) < 0.3,
    }


def draw(shares: tuple[float, ...], n: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """n codes with these shares."""
    return np.searchsorted(np.cumsum(shares)[:-1], rng.random(n), side="right").astype(np.int32)


def dictionaries(rows: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """The rows as a dict of arrays, nothing copied: categories are Arrow dictionaries over the codes."""
    import pyarrow as pa

    coded = {
        name: pa.DictionaryArray.from_arrays(pa.array(rows[name]), pa.array(named))
        for name, named in values().items()
    }
    return {**rows, **coded}


def arrow(rows: Mapping[str, NDArray[Any]]) -> Any:
    """The rows as an Arrow table."""
    import pyarrow as pa

    return pa.table(dictionaries(rows))


def pandas(rows: Mapping[str, NDArray[Any]]) -> Any:
    """The rows as a pandas frame, categories as categoricals."""
    import pandas as pd

    coded = {name: pd.Categorical.from_codes(rows[name], named) for name, named in values().items()}
    return pd.DataFrame({**rows, **coded})


def polars(rows: Mapping[str, NDArray[Any]]) -> Any:
    """The rows as a Polars frame, categories as enums."""
    import polars as pl

    enums = [pl.col(name).cast(pl.Enum(named)) for name, named in values().items()]
    return pl.from_arrow(arrow(rows)).with_columns(enums).rechunk()


def python(rows: Mapping[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """The rows as one dict each, as `decide_one` takes them."""
    named = values()
    lists = {
        name: [named[name][code] for code in column.tolist()] if name in named else column.tolist()
        for name, column in rows.items()
    }
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
