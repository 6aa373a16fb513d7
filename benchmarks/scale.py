"""Files of rows to files of decisions, next to reading and writing alone and to DuckDB and Polars, in one run.

    python benchmarks/scale.py [--rows 1,10,50,100] [--fit 50] [--folder TMP] [-o results.json]

Rows are in millions. Every way runs in a process of its own, in turn with the others, and is timed from its first call to
its end, files warm in the system's cache; peak memory is what the system says of the process. PyArrow reads and writes the
rows without deciding: the rows as they are, and the rows with their decisions; Polars the rows as they are. DuckDB runs the
SQL of `racl sql`, Polars expressions written by hand that leave out refused rows. All of them write the rows' own columns and
the same six, text as text, compressed with Snappy, and all but DuckDB keep the order of the rows; what they write is
compared. None waits until the disk has it, but for racl where that is said: it is how `racl decide` ends.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import scale_report
from airline import rows as airline
from child import STATUS, status
from market import rows as market
from measure import machine, say

import racl

HERE = Path(__file__).parent
MODEL = HERE / "airline" / "model.json"
RESULTS = HERE / "results" / "scale.json"
MILLION = 1_000_000
DISTINCT = 10  # millions of rows; larger files repeat them
COMPARED = (10, 50)  # millions of rows at which others are timed, too
REPEATS = {1: 3, 10: 5, 50: 3}
ROWS_COMPARED = 200_000
KEPT = "racl, kept by the disk"
DECIDING = ("DuckDB", "Polars", KEPT)


# the ways, each in a process of its own --------------------------------------------------------------


def decide(source: str, target: str) -> None:
    racl.decide_files(MODEL, source, target, durable=False)


def decide_durably(source: str, target: str) -> None:
    racl.decide_files(MODEL, source, target)


def copy(source: str, target: str) -> None:
    """PyArrow reads and writes, both on all threads where it can."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(source) as file, pq.ParquetWriter(target, file.schema_arrow) as writer:
        for batch in file.iter_batches(1 << 18):
            writer.write_batch(batch)


def duckdb(source: str, target: str) -> None:
    import duckdb as engine

    model = racl.load_model(MODEL)
    engine.read_parquet(source).create_view("rows")
    query = racl.sql(model, "duckdb").rstrip().rstrip(";")
    engine.sql(f"copy ({query}) to '{target}' (format parquet)")


def polars(source: str, target: str) -> None:
    import polars as pl
    from rivals import expressions

    model = racl.load_model(MODEL)
    frame = pl.scan_parquet(source)
    values = airline.values()
    kept = frame.collect_schema().names()
    enums = [pl.col(name).cast(pl.Enum(named), strict=False) for name, named in values.items()]
    numbers = {one.name: (one.min, one.max) for one in model.domain.columns_read if one.name not in values}
    good = frame.with_columns(enums).filter(~expressions.refused(kept, numbers))
    texts = {"credit": [one.value for one in racl.Credit], "plan": list(model.program.names)}
    named = [pl.col(name).cat.to(pl.Enum(words)) for name, words in texts.items()]
    query = expressions.query(good, model.weights, kept).with_columns(named)
    query.sink_parquet(target, compression="snappy")


def polars_copy(source: str, target: str) -> None:
    import polars as pl

    pl.scan_parquet(source).sink_parquet(target, compression="snappy")


def fit(source: str, target: str) -> None:
    from racl.cli import main

    sys.argv = ["racl"]
    main(["fit", str(market.DOMAIN), source, "-o", target, "--label", "accepted"])


WAYS: dict[str, Callable[[str, str], None]] = {
    "racl": decide,
    KEPT: decide_durably,
    "PyArrow, rows alone": copy,
    "PyArrow, rows and decisions": copy,
    "DuckDB": duckdb,
    "Polars, rows alone": polars_copy,
    "Polars": polars,
    "fit": fit,
}


def child(way: str, source: str, target: str) -> None:
    """One run: seconds by the clock and of the processors, and peak memory."""
    start = resource.getrusage(resource.RUSAGE_SELF)
    before = perf_counter()
    WAYS[way](source, target)
    seconds = perf_counter() - before
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "seconds": seconds,
        "cpu": used.ru_utime + used.ru_stime - start.ru_utime - start.ru_stime,
        "peak": status("VmHWM")
        if STATUS.exists()
        else 1024.0 * used.ru_maxrss,  # which a parent may have raised
    }
    print(json.dumps(found))


def run(way: str, source: Path, target: Path) -> dict[str, float]:
    """What a process measured."""
    asked = [sys.executable, __file__, "--child", way, str(source), str(target)]
    done = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    say(
        f"  {way}: {found['seconds']:.1f} s, {found['cpu']:.1f} s of processors, {found['peak'] / 2**20:.0f} MiB"
    )
    return found


# files -----------------------------------------------------------------------------------------------


def make(folder: Path, millions: int, table: Callable[[int], Any], name: str) -> Path:
    """A file of so many million rows, a million in each group, of which the first ten are different."""
    from racl.scale.encoding import ParquetEncoder
    from racl.scale.unfinished import Unfinished, all_or_nothing

    path = folder / f"{name}-{millions}.parquet"
    first = table(0)
    encoder = ParquetEncoder(first.schema)
    pieces = [encoder.encode(table(seed)) for seed in range(min(DISTINCT, millions))]
    file = Unfinished(path, encoder)
    with all_or_nothing([file]):
        for number in range(millions):
            file.append(pieces[number % len(pieces)])
    return path


def plain(seed: int) -> Any:
    """A million airline rows, text as text."""
    import pyarrow as pa

    table = airline.arrow(airline.columns(MILLION, seed))
    fields = [
        pa.field(field.name, pa.string() if pa.types.is_dictionary(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def compared(decided: Path, other: Path, way: str) -> None:
    """Raise unless two files have the same decisions, but for a row in a million that rounding turns."""
    import numpy as np
    import pyarrow.parquet as pq

    mine, theirs = credits_of(decided), credits_of(other)
    turned = sum(abs(mine.get(name, 0) - theirs.get(name, 0)) for name in {*mine, *theirs})
    if sum(mine.values()) != sum(theirs.values()) or turned * MILLION > 2 * sum(mine.values()):
        raise SystemExit(f"{way} gives other credits")
    names = pq.read_schema(decided).names if way != "DuckDB" else []  # which may bring rows in another order
    first, second = (next(pq.ParquetFile(path).iter_batches(ROWS_COMPARED)) for path in (decided, other))
    count = min(len(first), len(second))
    for name in names:
        found = [batch.slice(0, count).column(name) for batch in (first, second)]
        one, two = (column.to_numpy(zero_copy_only=False) for column in found)
        same = np.isclose(one, two, 1e-9, 1e-9, equal_nan=True) if one.dtype.kind == "f" else one == two
        if np.count_nonzero(~same) > 1:
            raise SystemExit(f"{way} has another {name}")


def credits_of(path: Path) -> dict[str, int]:
    """How many rows of a file have each credit."""
    import pyarrow.parquet as pq

    counts = pq.read_table(path, columns=["credit"]).column(0).cast("string").value_counts()
    return {one["values"]: one["counts"] for one in counts.to_pylist()}


# the run ---------------------------------------------------------------------------------------------


def timed(folder: Path, millions: int) -> dict[str, Any]:
    """Every way at one size, in turn."""
    say(f"{millions} million rows")
    source = make(folder, millions, plain, "rows")
    decided, target = folder / "decided.parquet", folder / "other.parquet"
    ways = [way for way in WAYS if way != "fit"] if millions in COMPARED else ["racl", KEPT]
    runs: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for _ in range(REPEATS.get(millions, 1)):
        for way in ways:
            given = decided if way.endswith("decisions") else source
            runs[way].append(run(way, given, decided if way == "racl" else target))
            if way in DECIDING:
                asked = [sys.executable, __file__, "--compare", way, str(decided), str(target)]
                subprocess.run(asked, check=True)
    sizes = {"in": source.stat().st_size, "out": decided.stat().st_size}
    for path in (source, decided, target):
        path.unlink(missing_ok=True)
    found = {
        way: {name: median(one[name] for one in taken) for name in taken[0]} for way, taken in runs.items()
    }
    return {"ways": found, "bytes": sizes}


def fitted(folder: Path, millions: int) -> dict[str, float]:
    """A fit of so many million rows, which lie on disk."""
    say(f"a fit of {millions} million rows")
    source = make(folder, millions, lambda seed: market.arrow(MILLION, seed), "market")
    found = run("fit", source, folder / "model.json")
    source.unlink()
    return {**found, "rows": millions * MILLION, "date": machine()["date"]}


def arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument(
        "--rows", default="1,10,50,100", help="millions of rows, with commas; '' for the fit alone"
    )
    parser.add_argument("--fit", type=int, default=50, help="millions of rows to learn from; 0 for none")
    parser.add_argument("--folder", type=Path, help="where there is room for some gigabytes")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="results; a page goes beside them")
    parser.add_argument("--child", nargs=3, metavar=("WAY", "IN", "OUT"), help=argparse.SUPPRESS)
    parser.add_argument("--compare", nargs=3, metavar=("WAY", "ONE", "OTHER"), help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    given = arguments()
    if given.child:
        child(*given.child)
        return
    if given.compare:
        way, *paths = given.compare
        compared(*map(Path, paths), way)
        return
    folder = Path(tempfile.mkdtemp(prefix="racl-scale-", dir=given.folder))
    found: dict[str, Any] = {"machine": machine(), "sizes": {}, "fit": None}
    if given.output.exists():
        earlier = json.loads(given.output.read_text("utf-8"))
        found = earlier | ({"machine": found["machine"]} if given.rows else {})
    try:
        run("racl", make(folder, 1, plain, "warm"), folder / "warm.out.parquet")  # compiles the kernel
        for millions in [int(size) for size in given.rows.split(",") if size]:
            found["sizes"][str(millions)] = timed(folder, millions)
            kept(given.output, found)
        if given.fit:
            found["fit"] = fitted(folder, given.fit)
            kept(given.output, found)
    finally:
        shutil.rmtree(folder)
    print(scale_report.markdown(found))


def kept(path: Path, found: dict[str, Any]) -> None:
    """The results so far, as data and as a page."""
    found["load_after"] = [round(load, 2) for load in os.getloadavg()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    path.with_suffix(".md").write_text(scale_report.markdown(found), "utf-8")


if __name__ == "__main__":
    main()
