"""A small domain, a model and rows, in files of every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

AIR = """\
racl = 1
name = "air"

[candidate]
fare    = { type = "number", min = 0, unit = "USD" }
stops   = { type = "integer", min = 0, max = 4 }
has_bag = "boolean"
carrier = { type = "category", values = ["AA", "UA"] }

[context]
persona   = { type = "category", values = ["business", "leisure"] }
budget    = { type = "number", min = 0 }
threshold = "number"
needs_bag = { type = "boolean", default = false }

[requirements]
bag = "has_bag or not needs_bag"

[features]
price   = "fare / 100"
nonstop = "stops == 0"
aa      = "carrier == 'AA'"

[repairs.add_bag]
label   = "Add a bag"
applies = "not has_bag"
sets    = { has_bag = "true", fare = "fare + 35" }
cost    = "35 + 5 * stops"
"""
PREFERENCE = {
    "business": {"bias": 10, "weights": {"price": -1, "nonstop": 3, "aa": 0.5}},
    "leisure": {"bias": 12, "weights": {"price": -2.5, "nonstop": 1, "aa": 0}},
}
ROWS: list[dict[str, Any]] = [
    {"id": "a", "fare": 320.1, "stops": 0, "has_bag": True, "carrier": "AA", "persona": "business",
     "budget": 40.0, "threshold": 5.0, "needs_bag": True},
    {"id": "b", "fare": 80.0, "stops": 1, "has_bag": False, "carrier": "UA", "persona": "leisure",
     "budget": 40.0, "threshold": 5.0, "needs_bag": True},
    {"id": "c", "fare": 80.0, "stops": 1, "has_bag": False, "carrier": "UA", "persona": "leisure",
     "budget": 39.0, "threshold": 5.0, "needs_bag": True},
    {"id": "d", "fare": 900.0, "stops": 2, "has_bag": False, "carrier": "UA", "persona": "leisure",
     "budget": 100.0, "threshold": 5.0, "needs_bag": False},
]  # fmt: skip
CREDITS = [
    "accepted-already-good",
    "accepted-repairable-good",
    "rejected-repairable-over-budget",
    "rejected-feasible-suboptimal",
]


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


Racl = Callable[..., Done]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Rows in a file of the format that its suffix says."""
    match path.suffix:
        case ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        case ".csv":
            lines = [",".join(rows[0]), *(",".join(map(cell, row.values())) for row in rows)]
            path.write_text("\n".join(lines) + "\n", "utf-8")
        case _:
            pq.write_table(pa.Table.from_pylist(rows), path)


def cell(value: object) -> str:
    """A value as CSV has it."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
