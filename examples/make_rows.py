"""Make the rows of the four examples: `python examples/make_rows.py`, the same rows each time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

Column = NDArray[Any]
Columns = dict[str, Column]

HERE = Path(__file__).parent
SEED = 2027


@dataclass(frozen=True)
class Draw:
    """Draws of n values each."""

    rng: np.random.Generator
    n: int

    def one_of(self, weights: Mapping[Any, float]) -> Column:
        """Values, each as often as its weight says."""
        share = np.array(list(weights.values()))
        return self.rng.choice(np.array(list(weights)), self.n, p=share / share.sum())

    def true(self, share: float) -> Column:
        """Truths, this share of them true."""
        return self.rng.random(self.n) < share

    def whole(self, low: int, high: int) -> Column:
        """Whole numbers from low to high, both included."""
        return self.rng.integers(low, high + 1, self.n)

    def number(self, low: float, high: float, *, step: float) -> Column:
        """Numbers from low to high in even steps."""
        return self.whole(round(low / step), round(high / step)) * step

    def normal(self, centre: float, spread: float, *, low: float, high: float, step: float = 1) -> Column:
        """Numbers around a centre, clipped and rounded to even steps."""
        drawn = np.clip(self.rng.normal(centre, spread, self.n), low, high)
        return np.round(drawn / step) * step


def by(keys: Column, choices: Mapping[str, Any]) -> Column:
    """For each row the choice that its key names."""
    return np.select([keys == key for key in choices], list(choices.values()))


def known(values: Column, where: Column) -> Column:
    """The values, and a null elsewhere."""
    return np.ma.masked_array(values, ~where)


def flights(draw: Draw, persona: Column) -> Columns:
    """Tickets as a search engine finds them; those who fly for work look at better cabins."""
    stops = draw.one_of({0: 0.4, 1: 0.45, 2: 0.15})
    layover = draw.number(25, 150, step=5)
    minutes = draw.normal(200, 90, low=60, high=600) + stops * (layover + 25)
    for_work = draw.one_of({"basic": 0.08, "main": 0.57, "premium": 0.25, "first": 0.1})
    for_fun = draw.one_of({"basic": 0.45, "main": 0.45, "premium": 0.08, "first": 0.02})
    cabin = np.where(persona == "business", for_work, for_fun)
    extra = by(cabin, {"basic": -50, "main": 0, "premium": 140, "first": 420})
    return {
        "fare": draw.normal(330, 120, low=120, high=900) + extra,
        "carrier": draw.one_of({"AA": 0.25, "DL": 0.25, "UA": 0.22, "WN": 0.18, "B6": 0.1}),
        "cabin": cabin,
        "departs": draw.number(5.5, 20.5, step=0.25),
        "minutes": minutes.astype(int),
        "stops": stops,
        "layover": known(layover, stops > 0),
        "bags": draw.whole(0, 1),
        "refundable": draw.true(0.4) & (cabin != "basic"),
    }


def airline(draw: Draw) -> Columns:
    """Tickets for three kinds of traveller, most of them missing something."""
    persona = draw.one_of({"business": 0.3, "leisure": 0.4, "family": 0.3})
    group = {"business": 1, "leisure": draw.whole(1, 2), "family": draw.whole(3, 5)}
    bags = {"business": draw.whole(0, 1), "leisure": draw.whole(0, 2), "family": draw.whole(1, 3)}
    return flights(draw, persona) | {
        "persona": persona,
        "budget": draw.normal(90, 60, low=0, high=300, step=5),
        "threshold": draw.normal(42, 9, low=20, high=70),
        "travellers": by(persona, group),
        "bags_needed": by(persona, bags),
        "needs_refund": draw.true(0.2),
        "arrive_by": known(draw.number(12, 22, step=0.5), draw.true(0.3)),
        "loyalty": draw.one_of({"none": 0.6, "AA": 0.15, "DL": 0.15, "UA": 0.1}),
    }


def rooms(draw: Draw, guest: Column, people: Column) -> Columns:
    """Rooms as hotels sell them: one in four a bed short."""
    rating = draw.normal(8, 0.9, low=4, high=9.8, step=0.1)
    return {
        "rate": draw.normal(120, 40, low=45, high=320),
        "sleeps": np.maximum(1, people - draw.true(0.25)),
        "area": draw.normal(20, 5, low=12, high=60) + by(guest, {"business": 0, "couple": 2, "family": 10}),
        "view": draw.one_of({"yard": 0.25, "street": 0.4, "garden": 0.2, "sea": 0.15}),
        "board": draw.one_of({"none": 0.5, "breakfast": 0.35, "half": 0.1, "full": 0.05}),
        "cancellation": draw.one_of({"never": 0.35, "a week before": 0.35, "a day before": 0.3}),
        "rating": known(rating, draw.true(0.9)),
        "centre_km": draw.number(0.1, 6, step=0.1),
        "parking": draw.true(0.5),
        "open_until": draw.one_of({20: 0.15, 22: 0.4, 24: 0.3, 30: 0.15}),
    }


def hotel(draw: Draw) -> Columns:
    """Rooms for three kinds of guest."""
    guest = draw.one_of({"business": 0.3, "couple": 0.35, "family": 0.35})
    people = by(guest, {"business": 1, "couple": 2, "family": draw.whole(3, 5)})
    return rooms(draw, guest, people) | {
        "guest": guest,
        "nights": draw.whole(1, 6),
        "people": people,
        "goodwill": draw.normal(70, 45, low=0, high=250, step=5),
        "threshold": draw.normal(50, 6, low=30, high=70),
        "by_car": draw.true(0.3),
        "arrives": draw.number(14, 24.5, step=0.5),
        "wants_board": draw.one_of({"none": 0.6, "breakfast": 0.3, "half": 0.1}),
        "plans_change": draw.true(0.2),
    }


def parts(draw: Draw) -> Columns:
    """Baskets of parts, each chosen without a look at the others; but most boards fit."""
    tier = draw.one_of({0: 0.25, 1: 0.35, 2: 0.3, 3: 0.1})
    sockets = {"K4": 0.4, "K5": 0.45, "R1": 0.15}
    socket = draw.one_of(sockets)
    return {
        "socket": socket,
        "cpu_socket": np.where(draw.true(0.85), socket, draw.one_of(sockets)),
        "cpu_watts": draw.one_of({65: 0.45, 105: 0.3, 125: 0.15, 170: 0.1}),
        "cores": draw.one_of({4: 0.2, 6: 0.3, 8: 0.25, 12: 0.15, 16: 0.1}),
        "tier": tier,
        "gpu_watts": known(10 + 80 * tier, tier > 0),
        "gpu_mm": known(115 + 65 * tier + draw.whole(0, 30), tier > 0),
        "case": draw.one_of({"mini": 0.4, "mid": 0.45, "full": 0.15}),
        "psu": draw.one_of({350: 0.3, 450: 0.35, 550: 0.2, 750: 0.15}),
        "cooler": draw.one_of({"box": 0.5, "tower": 0.35, "water": 0.15}),
        "memory": draw.one_of({8: 0.3, 16: 0.45, 32: 0.25}),
        "disk": draw.one_of({0.5: 0.3, 1: 0.4, 2: 0.2, 4: 0.1}),
    }


def computer(draw: Draw) -> Columns:
    """Baskets for three purposes."""
    purpose = draw.one_of({"games": 0.45, "studio": 0.3, "office": 0.25})
    return parts(draw) | {
        "purpose": purpose,
        "budget": draw.normal(300, 220, low=0, high=1000, step=10),
        "threshold": draw.normal(45, 8, low=20, high=70),
        "tier_needed": by(purpose, {"games": draw.whole(1, 3), "studio": draw.whole(1, 2), "office": 0}),
        "min_memory": draw.one_of({8: 0.4, 16: 0.4, 32: 0.2}),
    }


def workers(draw: Draw) -> Columns:
    """Students free in the afternoon, parents from eight, and those with a full contract."""
    worker = draw.one_of({"student": 0.35, "parent": 0.3, "full_time": 0.35})
    planned = {"student": draw.whole(0, 18), "parent": draw.whole(6, 24), "full_time": draw.whole(20, 36)}
    afternoons, from_eight = draw.one_of({0: 0.4, 13: 0.6}), draw.one_of({8: 0.7, 0: 0.3})
    return {
        "worker": worker,
        "months": draw.rng.exponential(18, draw.n).astype(int),
        "certified": draw.true(0.5),
        "week_hours": by(worker, planned),
        "contract": by(worker, {"student": 20, "parent": 25, "full_time": 40}),
        "free_from": by(worker, {"student": afternoons, "parent": from_eight, "full_time": 0}),
        "has_car": draw.true(0.4),
    }


def shifts(draw: Draw) -> Columns:
    """Open shifts, each offered to one worker."""
    return {
        "starts": draw.one_of({6: 0.25, 9: 0.2, 12: 0.15, 14: 0.2, 17: 0.15, 22: 0.05}),
        "hours": draw.number(4, 10, step=0.5),
        "pause": draw.one_of({0: 0.1, 15: 0.2, 30: 0.5, 45: 0.2}),
        "role": draw.one_of({"till": 0.35, "floor": 0.35, "forklift": 0.18, "guard": 0.12}),
        "rest": known(draw.number(7, 40, step=0.5), draw.true(0.75)),
        "weekend": draw.true(0.3),
        "wage": draw.number(13.5, 22, step=0.5),
        **workers(draw),
        "notice": draw.whole(3, 120),
        "day_budget": draw.number(20, 160, step=5),
        "spent": draw.number(0, 60, step=5),
        "usual": draw.normal(46, 7, low=25, high=65),
    }


def rows(make: Callable[[Draw], Columns], n: int, *, seed: int = SEED) -> pa.Table:
    """A table of n rows; numbers to six places, so that 0.1 is written 0.1."""
    columns = make(Draw(np.random.default_rng(seed), n))
    floats = {name: np.round(x, 6) for name, x in columns.items() if x.dtype.kind == "f"}
    return pa.table({name: pa.array(x) for name, x in (columns | floats).items()})


def write(table: pa.Table, path: Path) -> None:
    """The table as the file's name says."""
    match path.suffix:
        case ".csv":
            pa_csv.write_csv(table, path, pa_csv.WriteOptions(quoting_style="none", quoting_header="none"))
        case ".parquet":
            pq.write_table(table, path, compression="zstd")
        case _:
            lines = (json.dumps(row) + "\n" for row in table.to_pylist())
            path.write_text("".join(lines), encoding="utf-8")


EXAMPLES: dict[str, tuple[Callable[[Draw], Columns], str, str, int]] = {
    "airline/rows.csv": (airline, "ticket", "T", 400),
    "hotel/rows.parquet": (hotel, "room", "H", 300),
    "computer/rows.jsonl": (computer, "basket", "C", 300),
    "shifts/rows.csv": (shifts, "offer", "S", 300),
}


def example(file: str) -> pa.Table:
    """The rows of one example, named in a column of which the domain knows nothing."""
    make, column, letter, n = EXAMPLES[file]
    names = pa.array([f"{letter}{i:03d}" for i in range(n)])
    return rows(make, n).add_column(0, column, names)


def main(folder: Path = HERE) -> None:
    """Write the rows of every example."""
    for file in EXAMPLES:
        write(example(file), folder / file)


if __name__ == "__main__":
    main()
