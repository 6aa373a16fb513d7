"""What is filled into pages that are otherwise written by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import perm
from pathlib import Path
from typing import Any

from tools.pages.markdown import code, table

from racl.decide import COMPILE_AT, ROW_BY_ROW, compile_at
from racl.domain.check import MAX_STEPS

RESULTS = Path("benchmarks", "results", "decide.md")
FITTED = RESULTS.with_name("fit.md")
SOAKED = Path("benchmarks", "results", "soak.json")
RAN = ("date", "cpu", "cores")
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
            f"{-(-compile_at(repairs, steps) // _plans(repairs, steps)):,}",
        ]
        for repairs, steps in [(2, 1), (8, 1), (8, 2), (16, 3), (16, 4), (64, 2)]
    ]
    head = ["domain", "plans a row", "`kernel` from so many rows"]
    told = (
        f"From {COMPILE_AT:,} on it is the kernel, and from more where plans of several steps over a large menu make "
        f"the kernel long to compile. Up to {ROW_BY_ROW} rows plans of several steps are searched by `rows`."
    )
    return f"{told}\n\n{table(head, rows, right=True)}"


def measured() -> str:
    """The page that the benchmark wrote, if it was run."""
    return RESULTS.read_text("utf-8").strip() if RESULTS.exists() else "Nothing is measured yet."


def fitting() -> str:
    """What the benchmark of fitting found, if it was run."""
    return FITTED.read_text("utf-8").rstrip() if FITTED.exists() else "Nothing is measured yet."


def served() -> str:
    """The page that the benchmark of the service wrote, if it was run."""
    page = RESULTS.with_name("serve.md")
    return page.read_text("utf-8").strip() if page.exists() else "Nothing is measured yet."


def soaked() -> str:
    """What the long tests found when they were last run."""
    if not SOAKED.exists():
        return "Nothing was run yet."
    found = json.loads(SOAKED.read_text("utf-8"))
    rows = [
        [what, one["date"], f"{one['cpu']}, {one['cores']} cores", _figures(one)]
        for what, one in found.items()
    ]
    return table(["what", "date", "machine", "found"], rows)


def _figures(one: Mapping[str, Any]) -> str:
    """The figures of one run in words."""
    counts = {key.replace("_", " "): value for key, value in one.items() if key not in RAN}
    return ", ".join(f"{key} {_shown(value)}" for key, value in counts.items())


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def clusters() -> str:
    """The page that the benchmark of clusters wrote, if it was run."""
    page = RESULTS.with_name("clusters.md")
    return page.read_text("utf-8").strip() if page.exists() else "Nothing is measured yet."


def scale() -> str:
    """The page that the benchmark of files wrote, if it was run."""
    page = RESULTS.with_name("scale.md")
    return page.read_text("utf-8").strip() if page.exists() else "Nothing is measured yet."


def choices() -> str:
    """The index of decisions."""
    pages = sorted(Path("docs", "decisions").glob("[0-9]*.md"))
    lines = [path.read_text("utf-8").partition("\n")[0].removeprefix("# ") for path in pages]
    return "\n".join(
        f"- {code(path.name[:4])} [{line}]({path.name})" for path, line in zip(pages, lines, strict=True)
    )
