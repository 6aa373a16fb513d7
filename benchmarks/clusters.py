"""What deciding adds to reading and writing on Spark and Ray, from Parquet to Parquet, in one run.

    python benchmarks/clusters.py [--rows 10000000] [--repeats 3] [-o results.json]

Each engine reads the same files and writes its own; the identity map hands every Arrow batch to Python and takes it back
as it is. In Spark both are run without writing, too, and rows that have their decisions already are read and written, which
tells what seven more columns cost. Ways of one engine run in turn; times are medians of runs after a first one that is not
counted. Beside the time on the clock stands that of the processors, of all processes of the engine together: it is what is
compared, and what else runs on the machine changes it little.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from airline import rows as airline
from measure import machine, say

import racl

RESULTS = Path(__file__).parent / "results" / "clusters.json"
PART = 500_000  # rows of a file
CORES = 2
SPARK, RAY = "Spark", "Ray Data"
ALONE, IDENTITY = "reading and writing alone", "identity map in Arrow batches"
SQL, ARROW = "racl, SQL", "racl, Arrow batches"
READY = "rows and decisions, ready made: reading and writing alone"
UNWRITTEN = ", nothing written"
TARGETS = [(SPARK, SQL, ALONE, 2.2), (SPARK, ARROW, IDENTITY, 1.3), (RAY, ARROW, IDENTITY, 1.3)]
Ways = dict[str, Callable[[], Any]]


def write_rows(folder: Path, rows: int) -> None:
    """The rows as files of one schema; texts are plain texts, as engines have them."""
    for number, start in enumerate(range(0, rows, PART)):
        table = airline.arrow(airline.columns(min(PART, rows - start), seed=number))
        columns = [
            column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
            for column in table.columns
        ]
        plain = pa.table(columns, table.column_names)
        pq.write_table(plain, folder / f"{number:04}.parquet", row_group_size=PART // 2, compression="snappy")


def spark_ways(folder: Path, out: Path, model: racl.Model) -> Iterator[Ways]:
    """Spark on this machine, one task a core."""
    from pyspark.sql import SparkSession

    import racl.spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "4g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:-DontCompileHugeMethods",
        "spark.sql.parquet.compression.codec": "snappy",
    }
    builder = SparkSession.builder.master(f"local[{CORES}]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    rows = session.read.parquet(str(folder))

    def write(frame: Any) -> Callable[[], None]:
        return lambda: frame.write.mode("overwrite").parquet(str(out / "spark"))

    def leave(frame: Any) -> Callable[[], None]:
        return lambda: frame.write.mode("overwrite").format("noop").save()

    identity = rows.mapInArrow(lambda batches: batches, rows.schema)
    by_arrow = racl.spark.decide(rows, model, how="arrow")
    by_sql = racl.spark.decide(rows, model, how="sql")
    by_sql.write.mode("overwrite").parquet(str(out / "decided"))
    yield {
        ALONE: write(rows),
        IDENTITY: write(identity),
        SQL: write(by_sql),
        ARROW: write(by_arrow),
        IDENTITY + UNWRITTEN: leave(identity),
        ARROW + UNWRITTEN: leave(by_arrow),
        READY: write(session.read.parquet(str(out / "decided"))),
    }
    session.stop()


def ray_ways(folder: Path, out: Path, model: racl.Model) -> Iterator[Ways]:
    """Ray on this machine, one worker a core."""
    import ray

    import racl.ray

    ray.init(num_cpus=CORES, include_dashboard=False, log_to_driver=False, object_store_memory=2 * 2**30)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def write(make: Callable[[Any], Any]) -> Callable[[], None]:
        def run() -> None:
            shutil.rmtree(out / "ray", ignore_errors=True)
            make(ray.data.read_parquet(str(folder))).write_parquet(str(out / "ray"))

        return run

    whole = {"batch_size": None, "batch_format": "pyarrow", "zero_copy_batch": True}
    yield {
        ALONE: write(lambda rows: rows),
        IDENTITY: write(lambda rows: rows.map_batches(lambda batch: batch, **whole)),
        ARROW: write(lambda rows: racl.ray.decide(rows, model)),
    }
    ray.shutdown()


ENGINES: dict[str, Callable[[Path, Path, racl.Model], Iterator[Ways]]] = {SPARK: spark_ways, RAY: ray_ways}


def processor_seconds() -> float:
    """The time of all processes of this program up to now."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


def timed(call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of the processors and of the clock."""
    processors, clock = processor_seconds(), perf_counter()
    call()
    return processor_seconds() - processors, perf_counter() - clock


def measured(rows: int, repeats: int) -> dict[str, dict[str, dict[str, float]]]:
    """Nanoseconds a row of every way of every engine."""
    model = racl.load_model(Path(__file__).parent / "airline" / "model.json")
    found: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="racl-") as scratch:
        folder, out = Path(scratch, "in"), Path(scratch, "out")
        folder.mkdir()
        say(f"writing {rows:,} rows")
        write_rows(folder, rows)
        for name, start in ENGINES.items():
            for ways in start(folder, out, model):
                runs: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
                for number in range(repeats + 1):
                    for way, call in ways.items():
                        taken = timed(call)
                        say(f"{name}: {way}: {taken[0]:.1f} s of the processors, {taken[1]:.1f} s")
                        runs[way] += [taken] if number else []
                found[name] = {
                    way: {
                        what: 1e9 * median(one[place] for one in taken) / rows
                        for place, what in enumerate(("processors", "clock"))
                    }
                    for way, taken in runs.items()
                }
    return found


def page(results: dict[str, Any]) -> str:
    """The results in words."""
    found = results["ns"]
    lines = [
        "| engine | way | ns of the processors a row | ns of the clock a row |",
        "|---|---|---:|---:|",
    ]
    for engine, ways in found.items():
        for way, ns in ways.items():
            lines.append(f"| {engine} | {way} | {ns['processors']:,.0f} | {ns['clock']:,.0f} |")
    lines += ["", "| to be reached, by the processors | measured | |", "|---|---:|---|"]
    for engine, way, base, limit in TARGETS:
        ratio = found[engine][way]["processors"] / found[engine][base]["processors"]
        verdict = "reached" if ratio <= limit else "short"
        lines.append(f"| {engine}: {way} at most {limit} times {base} | {ratio:.2f} | {verdict} |")
    spark = {way: ns["processors"] for way, ns in found[SPARK].items()}
    if READY in spark:
        unwritten = spark[ARROW + UNWRITTEN] / spark[IDENTITY + UNWRITTEN]
        more = spark[READY] - spark[ALONE]
        lines += [
            "",
            f"Seven more columns cost Spark {more:,.0f} ns a row to read and write, whoever makes them.",
        ]
        lines += [
            f"Where nothing is written, racl in Arrow batches takes {unwritten:.2f} times the identity map."
        ]
    told = results["machine"]
    on = f"{told['cores']} cores of {told['cpu']}, {told['date']}, load before: {told['load'][0]}"
    lines += ["", f"{results['rows']:,} airline rows with 8 repairs; {on}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write the results and their page."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    asked = parser.parse_args()
    told = machine()
    results = {"rows": asked.rows, "machine": told, "ns": measured(asked.rows, asked.repeats)}
    asked.output.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    asked.output.with_suffix(".md").write_text(page(results), "utf-8")
    print(page(results))


if __name__ == "__main__":
    main()
