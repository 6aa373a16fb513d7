"""Rivals that take microseconds to milliseconds a row: the tree ensembles, and those that go row by row."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from typing import Any

from airline import rows as airline
from answers import preference
from contest import MODEL, Field, lookup
from measure import CORES, Timing, say, seconds
from rivals import loop, trees

TRAINING = 200_000
LOOP_ROWS, ENGINE_ROWS, SOLVER_ROWS, DICE_ROWS = 20_000, 2_000, 200, 200
ONE_ROWS = 5_000
DICE = Path(__file__).parent / "rivals" / "counterfactuals.py"


def scorers() -> Iterator[tuple[str, trees.Scorer, Any]]:
    """The tree ensembles that are installed, trained."""
    table = trees.table(airline.columns(TRAINING, seed=1))
    good = trees.labels(table, preference(MODEL))
    for name, (fit, kind) in trees.SCORERS.items():
        say(f"  train {name} on {len(table):,} options")
        try:
            yield name, fit(table, good, CORES), kind
        except ImportError as missing:
            say(f"  left out: {missing}")


def scoring(score: trees.Scorer, rows: airline.Columns, kind: Any, name: str) -> tuple[Timing, float]:
    """Scoring alone, of every admissible repair, and how many of these a row has."""
    n = len(rows["fare"])
    repeats = 1 if n > 1_000_000 else 3
    say(f"  {repeats} times: {name}")
    runs = [trees.seconds(score, rows, kind) for _ in range(repeats)]
    return Timing(name, CORES, median(spent for spent, _ in runs) / n * 1e9, n, repeats), runs[0][1] / n


def python_loop(given: Field) -> Timing:
    """The loop by hand."""
    listed, weights = loop.listed(given.first(LOOP_ROWS)), lookup()
    given.check("Python loop", loop.answers(loop.decide(listed, weights)), bits=True)
    taken = median(seconds(lambda: loop.decide(listed, weights)) for _ in range(7))
    return Timing("Python loop", 1, taken / LOOP_ROWS * 1e9, LOOP_ROWS, 7)


def plain_engine(given: Field, engine: str) -> Timing:
    """The library's own engines that go row by row."""
    frame = airline.dictionaries(given.first(ENGINE_ROWS))
    taken = median(seconds(lambda: given.model.decide(frame, engine=engine)) for _ in range(5))
    return Timing(f"racl {engine}", 1, taken / ENGINE_ROWS * 1e9, ENGINE_ROWS, 5)


def cp_sat(given: Field) -> Timing:
    """OR-Tools CP-SAT to proven optimality, its models built within the time."""
    from rivals import solver

    listed, weights = loop.listed(given.first(SOLVER_ROWS)), lookup()
    given.check("CP-SAT", loop.answers(solver.decide(listed, weights)), bits=False)
    taken = median(seconds(lambda: solver.decide(listed, weights)) for _ in range(3))
    return Timing("CP-SAT", 1, taken / SOLVER_ROWS * 1e9, SOLVER_ROWS, 3)


def dice(python: str) -> tuple[Timing, dict[str, Any]] | None:
    """DiCE's random search, in an interpreter that has it."""
    asked = [python, DICE, str(DICE_ROWS), "random"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        say(f"  left out: {done.stderr.strip().splitlines()[-1]}")
        return None
    found = json.loads(done.stdout.splitlines()[-1])
    return Timing("DiCE", 1, found["mean"] * 1e9, DICE_ROWS), found


def one_row(model: Any) -> dict[str, float]:
    """Microseconds of `decide_one`, its checks included, over different rows, everything warm."""
    say("one row at a time through decide_one")
    rows = airline.python(airline.columns(ONE_ROWS, seed=4))
    for row in rows:
        model.decide_one(row)
    taken = []
    for row in rows:
        before = perf_counter_ns()
        model.decide_one(row)
        taken.append((perf_counter_ns() - before) / 1000)
    return {"median": median(taken), "p99": sorted(taken)[ONE_ROWS * 99 // 100], "rows": ONE_ROWS}
