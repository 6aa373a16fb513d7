"""The report of the demonstration: one HTML page that needs nothing else."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import racl

ROW, LEFT, WIDTH, FULL = 34, 270, 860, 400

STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d2328; --soft: #5b656d; --rule: #d9d5cb;
        --accepted: #14766a; --rejected: #b0562a; --card: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181b; --ink: #e7e5df; --soft: #9aa4ab; --rule: #333a40;
          --accepted: #4fb9a8; --rejected: #e08a5b; --card: #1b2024; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .6rem; }
p { margin: .4rem 0; max-width: 44rem; }
.soft { color: var(--soft); }
.chart { overflow-x: auto; }
svg { width: 100%; min-width: 36rem; height: auto; display: block; }
svg text { fill: var(--ink); font: 15px system-ui, sans-serif; }
svg .soft { fill: var(--soft); }
.accepted { fill: var(--accepted); }
.rejected { fill: var(--rejected); }
article { background: var(--card); border: 1px solid var(--rule); border-radius: 6px;
          padding: 1rem 1.1rem; margin: 0 0 1rem; }
h3 { font-size: 1rem; margin: 0 0 .6rem; }
pre { margin: 0; overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; }
"""


@dataclass(frozen=True)
class Explained:
    """One decision in words."""

    row: int
    credit: str
    explanation: racl.Explanation


@dataclass(frozen=True)
class Report:
    """What the demonstration found."""

    counts: Mapping[str, int]
    explained: Sequence[Explained]
    pace: str
    seconds: str
    machine: str
    date: str


def machine() -> str:
    """What the demonstration ran on."""
    return f"{processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def processor() -> str:
    """The processor's name, where the system tells it."""
    table = Path("/proc/cpuinfo")
    lines = table.read_text("utf-8").splitlines() if table.exists() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def bar(place: int, credit: str, count: int, *, total: int, most: int) -> str:
    """One line of the chart: the credit, its bar, its count."""
    y, width = place * ROW, max(1.0, FULL * count / most)
    kind = credit.split("-", 1)[0]
    return (
        f'<text x="0" y="{y + 21}">{escape(credit)}</text>'
        f'<rect class="{kind}" x="{LEFT}" y="{y + 5}" width="{width:.1f}" height="{ROW - 10}" rx="2"/>'
        f'<text x="{LEFT + width + 8:.1f}" y="{y + 21}">{count:,} '
        f'<tspan class="soft">{count / total:.1%}</tspan></text>'
    )


def chart(counts: Mapping[str, int]) -> str:
    """Counts by credit as bars."""
    total, most = sum(counts.values()), max(counts.values())
    bars = "\n".join(bar(i, *one, total=total, most=most) for i, one in enumerate(counts.items()))
    spoken = "; ".join(f"{credit} {count:,}" for credit, count in counts.items())
    size = f"0 0 {WIDTH} {ROW * len(counts)}"
    return f'<svg viewBox="{size}" role="img" aria-label="Rows by credit: {spoken}">\n{bars}\n</svg>'


def article(one: Explained) -> str:
    return (
        f"<article><h3>Row {one.row:,}: {escape(one.credit)}</h3>"
        f'<pre tabindex="0">{escape(str(one.explanation).rstrip())}</pre></article>'
    )


def page(report: Report) -> str:
    """The page."""
    total = sum(report.counts.values())
    mended = report.counts["accepted-repairable-good"]
    names = ("Pace", "Total time", "Machine", "Date")
    facts = zip(names, (report.pace, report.seconds, report.machine, report.date), strict=True)
    listed = "".join(f"<dt>{name}</dt><dd>{escape(fact)}</dd>" for name, fact in facts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{total:,} airline tickets, decided</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{total:,} airline tickets, decided</h1>
<p>{mended:,} of them are accepted only after a change that the traveller's budget allows.</p>
<p class="soft">The tickets are generated and the weights hand-written: no traveller was asked.</p>
<h2>Rows by credit</h2>
<div class="chart">{chart(report.counts)}</div>
<h2>Three decisions explained</h2>
{"".join(article(one) for one in report.explained)}
<h2>The run</h2>
<dl>{listed}</dl>
</main>
</body>
</html>
"""
