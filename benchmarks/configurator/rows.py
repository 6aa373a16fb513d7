"""Baskets of computer parts from a seed: NumPy columns of whole numbers; many a basket does not fit."""

from pathlib import Path
from typing import Any

import numpy as np
from airline.rows import Columns
from numpy.typing import NDArray

HERE = Path(__file__).parent
PURPOSES = ["games", "studio", "office"]


def columns(n: int, seed: int = 0) -> Columns:
    """n rows: float64 for whole numbers, one byte for a boolean, int32 codes for the purpose."""
    rng = np.random.default_rng(seed)
    basket = parts(n, rng)
    wanted = request(basket, n, rng)
    return {name: wide(column) for name, column in {**basket, **wanted}.items()}


def wide(column: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as float64, which is what is computed with; the rest as it is."""
    return column.astype(np.float64) if column.dtype == np.int64 else column


def parts(n: int, rng: np.random.Generator) -> Columns:
    """What is in the basket."""
    cores = 4 * rng.integers(1, 7, n)
    graphics = 10 * rng.integers(0, 25, n)
    watts = 80 + 8 * cores + 2 * graphics
    heat = 30 + 6 * cores
    return {
        "cores": cores,
        "graphics": graphics,
        "card_slots": rng.integers(0, 3, n),
        "card_mm": 140 + graphics // 2 + 10 * rng.integers(0, 5, n),
        "case_mm": 180 + 20 * rng.integers(0, 11, n),
        "ram": 8 * 2 ** rng.integers(0, 4, n),
        "ram_slots": rng.integers(0, 5, n),
        "disk": rng.integers(0, 5, n),
        "bays": rng.integers(0, 4, n),
        "watts": watts,
        "supply": watts + 10 * rng.integers(-5, 40, n),
        "heat": heat,
        "cooling": heat + 5 * rng.integers(-10, 25, n),
        "noise": rng.integers(18, 40, n),
        "wifi": rng.random(n) < 0.5,
        "warranty": rng.random(n) < 0.3,
    }


def request(basket: Columns, n: int, rng: np.random.Generator) -> Columns:
    """What is asked for."""
    return {
        "purpose": rng.integers(0, 3, n).astype(np.int32),
        "budget": 10 * rng.integers(0, 80, n),
        "threshold": 10 * rng.integers(0, 120, n),
        "fitting": 5 * rng.integers(0, 7, n),
        "needs_ram": np.minimum(basket["ram"] + 16 * rng.integers(-4, 4, n), 160).clip(0),
        "needs_graphics": (basket["graphics"] + 10 * rng.integers(-15, 7, n)).clip(0),
        "needs_wifi": rng.random(n) < 0.4,
    }


def dictionaries(rows: Columns) -> dict[str, Any]:
    """The rows as a dict of arrays, the purpose as an Arrow dictionary over its codes."""
    import pyarrow as pa

    purpose = pa.DictionaryArray.from_arrays(pa.array(rows["purpose"]), pa.array(PURPOSES))
    return {**rows, "purpose": purpose}
