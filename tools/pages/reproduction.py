"""Tables of the page on reproduction, from benchmarks/results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools.pages.markdown import table

RESULTS = Path("benchmarks/results")


def found(which: str = "all") -> dict[str, Any]:
    """What a run kept; nothing where there was none."""
    data: dict[str, Any] = json.loads((RESULTS / "reproduction.json").read_text("utf-8"))
    run: dict[str, Any] = data.get(which, {})
    return run


def shown(name: str, which: str = "all") -> str:
    """One of the tables that were kept, with its caption."""
    one = found(which).get("tables", {}).get(name)
    if one is None:
        return "Not measured yet."
    return "\n\n".join(filter(None, [table(one["head"], one["rows"]), one["caption"]]))


def about() -> str:
    """Where and when."""
    run = found()
    real = found("real")
    text = f"Run on {run['date']} ({run['machine']}), racl {run['versions']['racl']}; other work ran on the machine at the time."
    return text + (f" Real tickets: `{real['tickets']}`, {real['date']}." if real else "")


def claims(which: str = "all") -> str:
    """What was claimed, what was found."""
    rows = [
        (one["what"], one["found"], "holds" if one["holds"] else "**does not hold**")
        for one in found(which).get("claims", [])
    ]
    return table(("Claim", "Found", ""), rows)


def main_table() -> str:
    """The main table."""
    return shown("main db1b-dist")


def differences() -> str:
    """What the champion is beside the others."""
    return shown("differences db1b-dist latent-certified")


def summary() -> str:
    """All tiers."""
    return shown("summary")


def ablation() -> str:
    """Settings left out, where personas are many and where they are few."""
    return "\n\n".join(shown(name) for name in ("ablation", "ablation db1b-sparse"))


def levels() -> str:
    """Levels of the certified guard."""
    return shown("levels db1b-curved")


def real() -> str:
    """The main table on real tickets, and its claims."""
    return "\n\n".join([shown("main db1b-dist", "real"), claims("real")])


def certified() -> str:
    """How often the certified bound was exceeded."""
    data = json.loads((RESULTS / "certified.json").read_text("utf-8"))
    rows = []
    for name, one in data["summary"].items():
        tier, alpha = name.split()
        rows.append(
            (
                tier,
                alpha,
                f"{one['runs']}",
                f"{one['exceeded']} ({one['share']:.1%}, {one['low']:.1%} to {one['high']:.1%})",
                f"{one['labels_mean']:.5f}, {one['labels_max']:.5f}",
                f"{one['truth_mean']:.5f}, {one['truth_max']:.5f}",
            )
        )
    head = ("Tier", "alpha", "Runs", "Exceeded", "FVR by labels: mean, most", "FVR by truth: mean, most")
    return f"{table(head, rows)}\n\n{data['date']}, {data['machine']}; rates on {data['fresh_rows']:,} fresh rows of each tier."
