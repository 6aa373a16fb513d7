"""Ways to decide the same airline rows, side by side: which there are, and how each is run and checked."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import floor
import numpy as np
from airline import rows as airline
from answers import Answers, differences, of_decisions, preference
from measure import CORES, Call, Timing, in_turn, say
from rivals import columns, loop

MODEL = airline.HERE / "model.json"
CHECKED = 100_000
THREADS = sorted({1, CORES})
POOL = ThreadPoolExecutor(CORES)

Calls = dict[tuple[str, int], Call]  # by name and number of threads


@dataclass(frozen=True)
class Field:
    """Rows of one size, the model that decides them, and what has been checked on them so far."""

    model: Any
    rows: airline.Columns
    checks: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def frame(self) -> dict[str, Any]:
        """The rows as they are handed to the library: a dict of arrays, categories as Arrow dictionaries."""
        return airline.dictionaries(self.rows)

    @cached_property
    def decided(self) -> Answers:
        """The library's answers to the first of the rows."""
        frame = airline.dictionaries(self.first(CHECKED))
        return of_decisions(self.model.decide(frame, engine="kernel"), repairs())

    def first(self, n: int) -> airline.Columns:
        """The first rows."""
        return {name: column[:n] for name, column in self.rows.items()}

    def check(self, name: str, rival: Answers, *, bits: bool) -> None:
        """That a rival has decided the same; if not, its time would mean nothing, and the run ends."""
        n = min(len(rival.accepted), CHECKED)
        differing = differences(self.decided.head(n), rival.head(n), bits=bits)
        assert not differing, f"{name} decides otherwise than racl in {differing} of {n:,} rows"
        apart = float(np.nanmax(np.abs(self.decided.value[:n] - rival.value[:n]), initial=0.0))
        self.checks[name] = {"rows": n, "equal": "all six, to the bit" if bits else "accepted, credit, plan"}
        self.checks[name]["value_apart"] = apart


def repairs() -> list[str]:
    """The names of the menu."""
    return [*json.loads(MODEL.read_text("utf-8"))["domain"]["repairs"]]


def lookup() -> loop.Weights:
    """Bias and weights of each persona."""
    stored = json.loads(MODEL.read_text("utf-8"))["preference"]
    return {persona: [one["bias"], *one["weights"].values()] for persona, one in stored.items()}


def timed(calls: Calls, n: int, repeats: int) -> Iterator[Timing]:
    """Each call's median, all of them in turn."""
    say(f"  {repeats} times in turn: {', '.join(sorted({name for name, _ in calls}))}")
    for (name, threads), taken in in_turn(calls, repeats).items():
        yield Timing(name, threads, taken / n * 1e9, n, repeats)


def floors(given: Field) -> Calls:
    """The least that any way could take."""
    ways = {"floor, outputs reused": floor.prepared, "floor, new outputs": floor.fresh}
    return {
        (name, threads): make(given.rows, threads=threads, pool=POOL)
        for name, make in ways.items()
        for threads in THREADS
    }


def ours(given: Field, frame: Any, engine: str, threads: int) -> Call:
    """The library on a frame: refused rows looked for, six outputs written."""
    return lambda: given.model.decide(frame, engine=engine, threads=threads)


def kernels(given: Field) -> Calls:
    """The library's machine code."""
    return {("racl kernel", threads): ours(given, given.frame, "kernel", threads) for threads in THREADS}


def other_frames(given: Field) -> Calls:
    """The same from other kinds of frame."""
    kinds = {"Arrow table": airline.arrow, "Polars frame": airline.polars, "pandas frame": airline.pandas}
    return {
        (f"racl kernel, {kind}", CORES): ours(given, make(given.rows), "kernel", CORES)
        for kind, make in kinds.items()
    }


def numpys(given: Field) -> Calls:
    """NumPy: the library's own and by hand."""
    rows, weights = given.rows, preference(MODEL)
    given.check("NumPy", columns.decide_blocks(rows, weights), bits=True)
    return {
        ("racl arrays (NumPy)", 1): ours(given, given.frame, "arrays", 1),
        ("NumPy, whole columns", 1): lambda: columns.decide(rows, weights),
        ("NumPy, blocks", 1): lambda: columns.decide_blocks(rows, weights),
        ("NumPy, blocks", CORES): lambda: columns.decide_blocks(rows, weights, pool=POOL),
    }


def polars(given: Field) -> Calls:
    """Polars by hand, on its two engines; it divides by a constant by multiplying, so last places differ."""
    from rivals import expressions

    frame, weights = airline.polars(given.rows), preference(MODEL)
    found = expressions.decide(frame.head(CHECKED), weights, engine="streaming")
    given.check("Polars", expressions.answers(found), bits=False)

    def call(engine: str) -> Call:
        return lambda: expressions.decide(frame, weights, engine=engine)

    return {("Polars, streaming", CORES): call("streaming"), ("Polars, in memory", CORES): call("in-memory")}
