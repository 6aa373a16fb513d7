"""Offers on a small market by the million, and whether they were accepted: what a fit is timed on."""

from pathlib import Path
from typing import Any

import numpy as np

import racl

DOMAIN = Path(__file__).parent / "domain.toml"
TRUTH = {
    "thrifty": {"bias": 0.9, "weights": {"price": -1.0, "bag": 0.2, "quiet": 0.3}},
    "calm": {"bias": 0.3, "weights": {"price": -0.4, "bag": 0.1, "quiet": 1.0}},
    "hurried": {"bias": 0.6, "weights": {"price": -0.6, "bag": 0.5, "quiet": 0.1}},
}
NOISE = 0.1


def arrow(n: int, seed: int) -> Any:
    """n rows as an Arrow table, the last column telling whether each was accepted."""
    import pyarrow as pa

    chance = np.random.default_rng(seed)
    personas = pa.array(list(TRUTH))
    columns = {
        "price": np.round(chance.uniform(0.0, 2.0, n), 3),
        "bag": chance.random(n) < 0.4,
        "quiet": np.round(chance.uniform(0.0, 1.0, n), 3),
        "persona": pa.DictionaryArray.from_arrays(chance.integers(3, size=n, dtype=np.int8), personas),
        "budget": chance.choice([0.0, 0.1, 0.2, 0.4], n),
        "threshold": np.round(chance.uniform(-1.0, 0.8, n), 3),
        "needs_bag": chance.random(n) < 0.5,
    }
    table = pa.table(columns)
    margin = np.nan_to_num(truth().decide(table).margin, nan=-np.inf)
    return table.append_column("accepted", pa.array(margin + chance.logistic(0.0, NOISE, n) >= 0))


def truth() -> Any:
    """The model that the labels come from."""
    return racl.Model.of(racl.load_domain(DOMAIN), TRUTH)
