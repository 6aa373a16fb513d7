"""What is filled into pages that are otherwise written by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import perm
from pathlib import Path
from typing import Any

from tools.pages.markdown import code, table

from racl.decide import COMPILE_AT
from racl.domain.check import MAX_STEPS

RESULTS = Path("benchmarks", "results", "decide.json")
WAYS = {
    "racl kernel": "`kernel`",
    "racl arrays (NumPy)": "`arrays`",
    "racl rows": "`rows`",
    "racl definition": "`definition`",
}
ONCE = [  # group, name, what it is, factor, unit
    ("one_row", "median", "one row through `decide_one`, median", 1.0, "µs"),
    ("import", "", "`import racl`", 1e3, "ms"),
    ("ready", "total", "a second process, from its start to 200,000 rows decided", 1e3, "ms"),
    ("plans", "kernel_1", "a row under 16 repairs and three steps, one thread", 1.0, "µs"),
]
MENUS = (4, 8, 16, 32, 64)


def plans() -> str:
    """How many plans there are, by repairs and steps."""
    steps = range(1, MAX_STEPS + 1)
    rows = [[str(menu), *(f"{_plans(menu, most):,}" for most in steps)] for menu in MENUS]
    return table(["repairs", *(f"{most} step{'s' * (most > 1)}" for most in steps)], rows, right=True)


def _plans(repairs: int, steps: int) -> int:
    return sum(perm(repairs, step) for step in range(steps + 1))


def sizes() -> str:
    """From how many rows on the kernel is chosen."""
    rows = [
        [
            f"{repairs} repairs, {steps} step{'s' * (steps > 1)}",
            f"{_plans(repairs, steps):,}",
            f"{_least(repairs, steps):,}",
        ]
        for repairs, steps in [(2, 1), (8, 1), (8, 2), (16, 3)]
    ]
    head = ["domain", "plans a row", "`kernel` from so many rows"]
    return f"From {COMPILE_AT:,} on it is the kernel.\n\n{table(head, rows, right=True)}"


def _least(repairs: int, steps: int) -> int:
    return -(-COMPILE_AT // _plans(repairs, steps))


def measured() -> str:
    """What the benchmark found, if it was run."""
    if not RESULTS.exists():
        return "Nothing is measured yet."
    found = json.loads(RESULTS.read_text("utf-8"))
    machine = found["machine"]
    told = (
        f"Measured on {machine['date'].partition(' ')[0]}: {machine['cpu']}, {machine['cores']} cores, {machine['memory']}, "
        f"Python {machine['python']}. Nanoseconds a row, refused rows looked for and all six outputs written:"
    )
    sizes_ = sorted(map(int, found["timings"]))
    head = ["engine", "threads", *(f"{size:,} rows" for size in sizes_)]
    tables = [
        table(head, _timings(found, sizes_), right=True),
        table(["row by row, from a frame", "rows", "ns a row"], _row_by_row(found), right=True),
        table(["measured apart", ""], _once(found), right=True),
    ]
    return "\n\n".join([told, *tables])


def _timings(found: Any, sizes_: list[int]) -> Iterator[list[str]]:
    """A line for each engine and number of threads."""
    ways = {(one["name"], one["threads"]) for size in sizes_ for one in found["timings"][str(size)]}
    for name, shown in WAYS.items():
        for threads in sorted(count for way, count in ways if way == name):
            yield [shown, str(threads), *(_cell(found, size, name, threads) for size in sizes_)]


def _row_by_row(found: Any) -> Iterator[list[str]]:
    """The engines that read a frame cell by cell, on a few rows."""
    for one in found["row_by_row"]:
        if one["name"] in WAYS:
            yield [WAYS[one["name"]], f"{one['rows']:,}", _number(one["ns"])]


def _cell(found: Any, size: int, name: str, threads: int) -> str:
    ns = [
        one["ns"] for one in found["timings"][str(size)] if (one["name"], one["threads"]) == (name, threads)
    ]
    return _number(ns[0]) if ns else ""


def _once(found: Any) -> Iterator[list[str]]:
    for group, name, what, factor, unit in ONCE:
        value = found["once"].get(group)
        value = value.get(name) if isinstance(value, dict) else value
        if value is not None:
            yield [what, f"{_number(value * factor)} {unit}"]


def _number(value: float) -> str:
    """Three figures, thousands parted."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def choices() -> str:
    """The index of decisions."""
    pages = sorted(Path("docs", "decisions").glob("[0-9]*.md"))
    lines = [path.read_text("utf-8").partition("\n")[0].removeprefix("# ") for path in pages]
    return "\n".join(
        f"- {code(path.name[:4])} [{line}]({path.name})" for path, line in zip(pages, lines, strict=True)
    )
