"""Decide a million airline tickets, count them by credit, explain three, write a report: `python examples/demo.py`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from time import perf_counter

import make_rows
import numpy as np
import pyarrow as pa
from demo_report import Explained, Report, machine, page, today
from numpy.typing import NDArray

import racl

AIRLINE = Path(__file__).parent / "airline"
CREDITS = (
    "accepted-already-good",
    "accepted-repairable-good",
    "rejected-non-repairable",
    "rejected-repairable-over-budget",
    "rejected-feasible-suboptimal",
    "rejected-repairable-suboptimal",
)
EXPLAINED = ("accepted-repairable-good", "rejected-repairable-over-budget", "rejected-repairable-suboptimal")
BAR = 30
PACED = 5  # runs, of which the fastest counts


@dataclass(frozen=True)
class Run:
    """Decisions and how long they took, in seconds."""

    credit: NDArray[np.object_]  # (n,)
    counts: dict[str, int]
    first: float
    again: float


def say(text: str) -> None:
    """Progress, for a person who waits; nothing in a pipe."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def tickets(n: int) -> pa.Table:
    """Generated tickets, text as dictionaries."""
    table = make_rows.rows(make_rows.airline, n, seed=1)
    text = [i for i, kind in enumerate(table.schema.types) if pa.types.is_string(kind)]
    for i in text:
        table = table.set_column(i, table.schema.names[i], table.column(i).dictionary_encode())
    return table


def seconds(work: Callable[[], object]) -> float:
    """How long some work takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def decide(model: racl.Model, table: pa.Table) -> Run:
    """Decides all rows, first with what has to be compiled, then for the pace."""
    first = seconds(lambda: model.decide(table))
    again = min(seconds(lambda: model.decide(table)) for _ in range(PACED))
    credit = model.decide(table).credit
    counts = {name: int((credit == name).sum()) for name in CREDITS}
    return Run(credit, counts, first, again)


def explained(model: racl.Model, table: pa.Table, run: Run) -> list[Explained]:
    """The first row of each credit worth a look, in words."""
    found = []
    for credit in EXPLAINED:
        row = int(np.argmax(run.credit == credit))
        found.append(Explained(row, credit, model.explain(table.slice(row, 1).to_pylist()[0])))
    return found


def told(one: Explained) -> str:
    """An explained decision in a few lines; the report has all of it."""
    words = one.explanation
    turns = {"Budget": words.turning_budget.words, "Threshold": words.turning_threshold.words}
    said = [words.reason, words.choice, *(f"{name}: {turn}." for name, turn in turns.items())]
    folded = [fill(text, 98, initial_indent="  ", subsequent_indent="  ") for text in said if text]
    return "\n".join([f"row {one.row:,}: {one.credit}", *folded])


def counted(counts: dict[str, int]) -> str:
    """Counts by credit, with bars."""
    total, most = sum(counts.values()), max(counts.values())
    lines = [
        f"{credit:<33}{count:>10,}{count / total:>8.1%}  {'#' * round(BAR * count / most)}"
        for credit, count in counts.items()
    ]
    return "\n".join([f"{'credit':<33}{'rows':>10}{'share':>8}", *lines, f"{'all':<33}{total:>10,}"])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="how many tickets (1000000)")
    parser.add_argument("--out", type=Path, default=Path("demo-report"), help="folder of the report")
    return parser.parse_args()


def main() -> None:
    """The whole demonstration."""
    start = perf_counter()
    asked = arguments()
    say("making the tickets ...")
    table = tickets(asked.rows)
    model = racl.load_model(AIRLINE / "model.json")
    say("deciding ...")
    run = decide(model, table)
    say("")
    pace = f"{asked.rows / run.again:,.0f} rows per second"
    print(f"{asked.rows:,} airline tickets under examples/airline/model.json\n\n{counted(run.counts)}\n")
    three = explained(model, table, run)
    for one in three:
        print(f"{told(one)}\n")
    total = perf_counter() - start
    print(f"{pace}: {run.again:.3f} s for all, the fastest of {PACED} runs")
    print(f"the first time, which may compile: {run.first:.2f} s")
    print(f"total time: {total:.1f} s, the making of the tickets included")
    report = Report(run.counts, three, pace, f"{total:.1f} s", machine(), today())
    print(f"report: {write(report, asked.out)}")


def write(report: Report, folder: Path) -> Path:
    """The report as a page of its own, and where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.html"
    path.write_text(page(report), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
