"""Small files of rows in every format, and decisions to write beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from racl.domain.model import Column, Type
from racl.frames import Table
from racl.scale import Rows, open_output, open_rows

FORMATS = ("parquet", "csv", "jsonl")
FARE = Column("fare", Type.NUMBER)
STOPS = Column("stops", Type.INTEGER)
BAG = Column("has_bag", Type.BOOLEAN)
CARRIER = Column("carrier", Type.CATEGORY, values=("AA", "UA"))
COLUMNS = (FARE, STOPS, BAG, CARRIER)
CODES = {"AA": 0, "UA": 1}
ROWS: list[dict[str, Any]] = [
    {"fare": 320.0, "stops": 1, "has_bag": True, "carrier": "AA", "note": "plain"},
    {"fare": 0.1, "stops": 0, "has_bag": False, "carrier": "UA", "note": 'a "b", c'},
    {"fare": 1e20, "stops": None, "has_bag": None, "carrier": None, "note": None},
]
NASTY_TEXTS = (
    "=cmd()|' /C calc'!A0",
    "<img onerror=alert(1)>",
    "\x1b[31m\x07",
    "line\r\nline\rline\n",
    "ä€😀\u2028",
    " pad ",
)


def make(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    """A file of rows in the format that its suffix names."""
    table = pa.Table.from_pylist(rows)
    match path.suffix:
        case ".parquet":
            pq.write_table(table, path)
        case ".csv":
            pacsv.write_csv(table, path)
        case _:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def decision(rows: int) -> dict[str, Any]:
    """The columns of decisions: every other row accepted, the others without plan, value, margin and cost."""
    accepted = np.arange(rows) % 2 == 0
    numbers = pa.array(np.where(accepted, -0.0, 1.0), mask=~accepted)
    words = ["accepted-already-good", "rejected-non-repairable"]
    return {
        "accepted": pa.array(accepted),
        "credit": pa.DictionaryArray.from_arrays(pa.array((~accepted).astype(np.int8)), words),
        "plan": pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int16), mask=~accepted), ["keep"]),
        "value": numbers,
        "margin": numbers,
        "cost": numbers,
    }


def decide(rows: Rows, path: Path, *, typed: tuple[Column, ...] = (), size: int = 1000) -> Path:
    """A file of decisions on all rows but those that are none."""
    with open_output(path, rows, typed=typed) as output:
        for table in rows.batches(size):
            keep = np.array([row not in table.faults for row in range(table.rows)], bool)
            output.write(table, decision(int(keep.sum())), keep)
    return path


def contents(path: Path) -> list[dict[str, Any]]:
    """What a file holds, each value as the reader of its format gives it."""
    match path.suffix:
        case ".parquet":
            return [dict(row) for row in pq.ParquetFile(path).read().to_pylist()]
        case ".csv":
            return [dict(row) for table in open_rows(path).batches() for row in native(table).to_pylist()]
        case _:
            return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def native(table: Table) -> pa.Table:
    """The Arrow table that a table was made of."""
    assert isinstance(table.native, pa.Table)
    return table.native
