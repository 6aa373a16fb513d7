"""What the page on where to run takes from measurements: each way beside the others, and a plan for a trillion rows a day."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from tools.pages.markdown import table

RESULTS = Path("benchmarks", "results")
FILES = {
    "racl": "racl, file to file",
    "DuckDB": "racl's SQL in DuckDB, file to file",
    "Polars": "Polars by hand, file to file",
}
ROWS = 10**12  # a day
DAY, HOUR = 86_400, 3_600
SPARE = 3  # times more for peaks, failures and waiting for storage
WIDTH = 130
CORE_HOUR, GIGABYTE_MONTH = 0.05, 0.023  # USD
NOTHING = "Nothing is measured yet."

Found = Mapping[str, Any]


def read(name: str) -> Found:
    """Results of a benchmark, none where it was not run."""
    path = RESULTS / name
    found: Found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def side_by_side() -> str:
    """A row's cost by every way that was measured."""
    rows = [*files(read("scale.json")), *clusters(read("clusters.json"))]
    if not rows:
        return NOTHING
    return table(
        ["way", "rows, millions", "ns of the processors a row", "ns of the clock a row"], rows, right=True
    )


def files(found: Found) -> Iterator[list[str]]:
    """Ways from file to file, at the size at which all of them ran."""
    for millions in ("50", "10"):
        ways = found.get("sizes", {}).get(millions, {}).get("ways", {})
        if set(FILES) <= set(ways):
            for way, name in FILES.items():
                each = [1000 * ways[way][unit] / int(millions) for unit in ("cpu", "seconds")]
                yield [name, millions, *(f"{one:,.0f}" for one in each)]
            return


def clusters(found: Found) -> Iterator[list[str]]:
    """Engines of clusters, on the same kind of rows."""
    millions = f"{found.get('rows', 0) / 1e6:g}"
    for engine, ways in found.get("ns", {}).items():
        for way, taken in ways.items():
            yield [f"{engine}: {way}", millions, *(f"{taken[unit]:,.0f}" for unit in ("processors", "clock"))]


def trillion() -> str:
    """Cores, bytes and cost of a trillion decisions a day."""
    found = read("scale.json").get("sizes", {})
    if not found:
        return NOTHING
    millions = max(found, key=int)
    rows, ways, size = int(millions) * 10**6, found[millions]["ways"], found[millions]["bytes"]
    ns = 1e9 * ways["racl"]["cpu"] / rows
    seconds = ns * ROWS / 1e9
    cores = seconds / DAY
    come, go = (size[way] / rows for way in ("in", "out"))
    every = come * ROWS / DAY / 1e9, go * ROWS / DAY / 1e9  # GB a second
    bullets = (
        (
            f"- **Cores.** {ns:,.0f} ns of a processor a row, file to file, are {seconds:,.0f} seconds for 10^12 rows:"
            f" {seconds / HOUR:,.0f} core-hours, or {cores:.1f} cores that never rest. With a factor of {SPARE} for peaks,"
            f" failures and waiting for storage: {SPARE * cores:.0f} cores."
        ),
        (
            f"- **Bytes.** {come:.0f} bytes a row come in and {go:.0f} go out, compressed: {come:.0f} TB and {go:.0f} TB a day,"
            f" {every[0]:.2f} and {every[1]:.2f} GB a second. That, not the deciding, is what to plan for. With `--columns id`"
            f" about {go - come:.0f} TB go out, with `--only accepted` less than half of all."
        ),
        (
            f"- **Cost.** At {CORE_HOUR} USD a core-hour the deciding costs {seconds / HOUR * CORE_HOUR:.0f} USD a day. Keeping"
            f" {go:.0f} TB costs, at {GIGABYTE_MONTH} USD a GB and month, {go * 1000 * GIGABYTE_MONTH / 30:.0f} USD for each day"
            " that it is kept."
        ),
    )
    told = f"From the figures at {millions} million rows, with a domain of 14 columns, 8 repairs and 12 features:"
    return "\n".join([told, "", *(fill(one, WIDTH, subsequent_indent="  ") for one in bullets)])
