"""Start-up and peak memory, each measured in processes of their own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import time
from typing import Any

import numpy as np
from airline import rows as airline
from measure import say

CHILD = Path(__file__).parent / "child.py"
READY_ROWS = 200_000
OUT_BYTES = 27  # accepted, credit, plan at one byte; value, margin, cost at eight


def run(*task: str, cache: Path | None = None) -> dict[str, float]:
    """What a child process has measured, with kernels kept in a folder of its own if one is given."""
    env = {**os.environ, "RACL_CACHE_DIR": str(cache)} if cache else None
    done = subprocess.run([sys.executable, CHILD, *task], check=True, capture_output=True, text=True, env=env)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def save(folder: Path, rows: airline.Columns) -> None:
    """One file a column, which is read back without a copy to spare."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, column in rows.items():
        np.save(folder / f"{name}.npy", column)


def save_arrow(file: Path, rows: airline.Columns) -> None:
    """One Arrow file, which opens at once."""
    from pyarrow import ipc

    table = airline.arrow(rows)
    with ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def import_seconds(repeats: int = 9) -> float:
    """Median of `import racl` with files in the system's cache."""
    say("import racl")
    run("importing")
    return median(run("importing")["import"] for _ in range(repeats))


def ready_seconds(repeats: int = 7) -> dict[str, float]:
    """Medians of a process that imports, loads a model and decides rows, the kernel in the cache."""
    say(f"a second process decides {READY_ROWS:,} rows")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        save_arrow(folder / "rows.arrow", airline.columns(READY_ROWS, seed=2))
        first = started(folder)
        return {**medians([started(folder) for _ in range(repeats)]), "compiling": first["total"]}


def started(folder: Path) -> dict[str, float]:
    """What a child has measured, and all that lies between asking for it and its last decision."""
    asked = time()
    found = run("ready", str(folder), cache=folder / "kernels")
    begun, ended = found.pop("started"), found.pop("ended")
    return {"python": begun - asked, **found, "total": ended - asked}


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    """The median of each figure."""
    return {name: median(one[name] for one in runs) for name in runs[0]}


def memory(rows: int) -> dict[str, Any]:
    """Peak memory of deciding these rows against the bytes that go in and come out."""
    say(f"peak memory of {rows:,} rows")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        columns = airline.columns(rows, seed=3)
        save(folder, columns)
        save(folder / "few", {name: column[:READY_ROWS] for name, column in columns.items()})
        data = sum(column.nbytes for column in columns.values()) + OUT_BYTES * rows
        del columns
        found = run("memory", str(folder))
    grown = found["peak"] - found["before"]
    return {**found, "data": data, "ratio": grown / data, "ratio_with_process": found["peak"] / data}
