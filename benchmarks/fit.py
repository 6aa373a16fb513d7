"""How fast racl fits a logistic regression for each persona, next to other ways to the same optimum, in one run.

    python benchmarks/fit.py [--rows 50000,5000000] [--only racl,newton-cholesky] [-o results.json]

Every way is given the rows in the form that suits it best, before the clock starts: racl all of them in one table, rivals a
table for each persona with the threshold as one more column. Nothing is penalised, so that there is one optimum for all. It
is found apart, by Newton's method in plain NumPy until the gradient vanishes; how far each way ends from it stands beside
its time. Times are medians of runs in turn. Memory is measured in a process of its own.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import report
from measure import installed, machine, say, seconds
from processes import run
from rivals import regressions
from rivals.regressions import FEATURES, PERSONAS, Problem

RESULTS = Path(__file__).parent / "results" / "fit.json"
SIZES = "50000,5000000"
OURS = ("racl", "racl, warm")
MEMORY = "memory"
EXACT = 1e-6  # of the reference's coefficients
TIMES = 4.0
DATA = 1.2
LARGE = 1_000_000
LIMIT = 12.0  # seconds of a run from which one is enough


@dataclass(frozen=True, slots=True)
class Fit:
    """One way to the optimum."""

    name: str
    seconds: float  # median
    cpu: float  # seconds of all cores, of the last run
    repeats: int
    apart: float  # the largest distance of a coefficient from the reference's
    gradient: float  # the largest slope that is left, a row


def arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    names = [*OURS, *regressions.WAYS, MEMORY]
    parser.add_argument("--rows", default=SIZES, help=f"numbers of rows, with commas (default: {SIZES})")
    parser.add_argument(
        "--only", default=",".join(names).replace(", ", "; "), help=f"some of: {'; '.join(names)}"
    )
    parser.add_argument("--repeats", type=int, default=5, help="runs of each way that takes little")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="results; a page goes beside them")
    given = parser.parse_args()
    given.sizes = [int(size) for size in given.rows.split(",")]
    given.only = [
        name.strip().replace("; ", ", ") for name in given.only.replace("; warm", ", warm").split(",") if name
    ]
    return given


def calls(problem: Problem, only: list[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Each way, as a call that gives coefficients (personas, features + 2)."""
    if "racl" in only:
        held = regressions.held(problem)
        yield "racl", lambda: regressions.racl(held)
        few = regressions.held(problem.first(min(50_000, problem.rows // 2)))
        start = regressions.racl_fitted(few)
        yield "racl, warm", lambda: regressions.racl(held, start)
    for name, make in regressions.WAYS.items():
        if name in only:
            try:
                yield name, make(problem)
            except ImportError as missing:
                say(f"  left out: {missing}")


def measured(problem: Problem, only: list[str], repeats: int) -> Iterator[Fit]:
    """All ways in turn; what takes long is run less often."""
    say(f"{problem.rows:,} rows: the reference")
    reference = regressions.reference(problem)
    ways, found, taken, spent = dict(calls(problem, only)), {}, {}, {}
    for turn in range(
        int(problem.rows > LARGE), repeats + 1
    ):  # the first warms up, of so many rows none needs to
        for name, call in ways.items():
            if turn > 1 and taken.get(name) and max(taken[name]) > LIMIT:
                continue
            say(f"  {name}, {turn} of {repeats}")
            before, kept = process_time(), []
            took = seconds(lambda call=call, kept=kept: kept.append(call()))
            spent[name], found[name] = process_time() - before, kept[0]
            taken.setdefault(name, []).extend([took] if turn else [])
    for name, coefficients in found.items():
        apart = float(np.abs(coefficients - reference).max())
        slope = regressions.gradient(problem, coefficients)
        yield Fit(name, median(taken[name]), spent[name], len(taken[name]), apart, slope)


def memory(rows: int) -> dict[str, float]:
    """The highest memory of a fit, beside its data."""
    say(f"memory of {rows:,} rows")
    with tempfile.TemporaryDirectory() as folder:
        regressions.problem(rows).save(Path(folder))
        return run("fitting", folder)


def targets(found: dict[str, Any]) -> list[report.Target]:
    """What was to be reached, at the largest number of rows."""
    size = max(map(int, found["fits"]))
    fits = {one["name"]: one for one in found["fits"][str(size)]}
    exact = {name: one for name, one in fits.items() if name not in OURS and one["apart"] <= EXACT}
    fastest = min((one["seconds"] for one in exact.values()), default=None)
    ours, warm = (fits.get(name, {}) for name in OURS)
    what = "the fastest rival that ends at the optimum, against racl"
    ratio = found.get("memory", {}).get("ratio")
    at, times = f"{size:,} rows", {"limit": TIMES, "unit": "times", "at_most": False}
    return [
        report.Target(f"{what}, {at}", report.ratio(fastest, ours.get("seconds")), **times),
        report.Target(
            f"started from 50,000 of them, {at}", report.ratio(fastest, warm.get("seconds")), **times
        ),
        report.Target("racl's coefficients from the reference's", ours.get("apart"), EXACT, ""),
        report.Target("memory at its highest, against the data", ratio, DATA, "times"),
    ]


def markdown(found: dict[str, Any]) -> str:
    """The whole page."""
    head = [
        "a logistic regression for each persona",
        "s",
        "s of CPU",
        "runs",
        "from the optimum",
        "slope left a row",
    ]
    parts = [report.told(found), f"{FEATURES} features and the threshold, {PERSONAS} personas."]
    parts.append(report.table(["to be reached", "", "measured", ""], [one.cells for one in targets(found)]))
    for size, fits in found["fits"].items():
        rows = [
            [one["name"], report.number(one["seconds"]), report.number(one["cpu"]), str(one["repeats"]),
             f"{one['apart']:.1e}", f"{one['gradient']:.1e}"] for one in fits
        ]  # fmt: skip
        parts.append(f"{int(size):,} rows:\n\n{report.table(head, rows)}")
    if held := found.get("memory"):
        parts.append(
            f"Memory of a fit of {held['rows']:,.0f} rows: {held['data'] / 1e6:,.0f} MB of data as they are handed over,"
            f" {held['peak'] / 1e6:,.0f} MB at the highest, {held['before'] / 1e6:,.0f} MB of it before there were data."
        )
    return "\n\n".join(parts) + "\n"


def main() -> None:
    given = arguments()
    told = machine()
    told["versions"] |= {
        name: found for name in ("glum", "statsmodels", "scipy") if (found := installed(name))
    }
    found: dict[str, Any] = {"machine": told, "fits": {}}
    for size in given.sizes:
        fits = measured(regressions.problem(size), given.only, given.repeats)
        found["fits"][str(size)] = [asdict(one) for one in fits]
    if MEMORY in given.only:
        found["memory"] = memory(max(given.sizes))
    found["targets"] = [asdict(target) | {"verdict": target.verdict} for target in targets(found)]
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    given.output.with_suffix(".md").write_text(markdown(found), "utf-8")
    print(markdown(found))


if __name__ == "__main__":
    sys.exit(main())
