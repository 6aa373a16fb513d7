"""Rows of the small domain in files, and what an output holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from racl.scale import open_rows

ENDINGS = ("parquet", "csv", "jsonl", "csv.gz", "jsonl.zst")
EVERY = pytest.mark.parametrize("ending", ENDINGS)


def table(rows: int, *, wrong: tuple[int, ...] = ()) -> pa.Table:
    """Rows of the small domain, of which some have no fare."""
    columns: dict[str, Any] = {
        "id": [f"r{row}" for row in range(rows)],
        "fare": [None if row in wrong else 20.0 + 7 * (row % 131) for row in range(rows)],
        "stops": [row % 3 for row in range(rows)],
        "has_bag": [row % 2 == 0 for row in range(rows)],
        "carrier": ["AA" if row % 5 else "UA" for row in range(rows)],
        "persona": ["business" if row % 7 else "leisure" for row in range(rows)],
        "budget": [float(row % 60) for row in range(rows)],
        "threshold": [float(row % 11) for row in range(rows)],
        "needs_bag": [row % 3 == 0 for row in range(rows)],
    }
    return pa.table(columns)


def write(path: Path, rows: pa.Table, group: int = 100) -> Path:
    match path.suffixes[0]:
        case ".parquet":
            pq.write_table(rows, path, row_group_size=group)
        case ".csv":
            lines = [",".join(rows.column_names)]
            lines += [",".join(map(cell, row.values())) for row in rows.to_pylist()]
            path.write_text("\n".join(lines) + "\n")
        case _:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    return path


def cell(value: object) -> str:
    return "" if value is None else str(value)


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of an output, in the types of Parquet."""
    if path.suffix == ".parquet":
        return [dict(row) for row in pq.read_table(path).to_pylist()]
    found = [row for part in open_rows(path).batches() for row in rows_of(part.native)]
    return [{name: plain(name, value) for name, value in row.items()} for row in found]


def rows_of(native: Any) -> list[dict[str, Any]]:
    return list(native.to_pylist() if isinstance(native, pa.Table) else native)


def plain(name: str, value: Any) -> Any:
    if not isinstance(value, str) or name in {"id", "carrier", "persona", "credit", "plan"}:
        return value
    return json.loads(value.lower())
