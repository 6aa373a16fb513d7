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


def settled() -> str:
    """How the level was settled on training rows, and what came of it on rows that nobody had seen."""
    data = json.loads((RESULTS / "level.json").read_text("utf-8"))
    stages = [(name, data[name]) for name in ("first", "second") if name in data]
    chosen = [
        (
            name,
            alpha,
            f"{one['vetoes']:,} of {one['of']:,}",
            f"{one['fvr']:.4f}",
            f"{one['high']:.4f}",
            f"{one['edr']:.4f}",
        )
        for name, stage in stages
        for alpha, one in stage["settled"]["together"].items()
    ]
    head = ("Stage", "alpha", "False vetoes", "FVR", "Upper limit", "EDR")
    rows = [confirmation(name, one) for name, stage in stages for one in stage["confirmed"]]
    seen = ("Stage", "Seed", "alpha", "FVR", "EDR less the best baseline's", "AUROC less the best baseline's")
    said = ", ".join(f"{stage['settled']['level']:g} in the {name} stage" for name, stage in stages)
    return "\n\n".join(
        [table(head, chosen), f"Chosen: {said}.", table(seen, rows), f"{data['date']}, {data['machine']}."]
    )


def confirmation(stage: str, one: dict[str, Any]) -> tuple[str, ...]:
    """One draw: false vetoes, and regret and ranking beside the baseline that is best at each on this draw."""
    ours = next(name for name in one["figures"] if name not in one["paired"])
    others = {name: figures for name, figures in one["figures"].items() if name != ours}
    fvr = one["figures"][ours]["fvr"]
    cells = []
    for kind, best in (("edr", min), ("auroc", max)):
        name = best(others, key=lambda other: others[other][kind]["value"])
        found = next(each for each in one["paired"][name] if each["name"] == kind.upper())
        cells.append(
            f"{found['first']:.4f} and {found['second']:.4f}; {found['value']:+.4f} ({found['low']:+.4f} to {found['high']:+.4f})"
        )
    return (
        stage,
        f"{one['seed']}",
        f"{one['level']:g}",
        f"{fvr['value']:.4f} ({fvr['count']:,} of {fvr['of']:,})",
        *cells,
    )


def pooling() -> str:
    """Pooling and its ablations, paired on the same rows, and over tiers drawn anew, with and without a guard."""
    return "\n\n".join([shown("pooling"), why("pooling"), why("unguarded")])


def why(name: str) -> str:
    """One of the experiments on why this run differs."""
    data = json.loads((RESULTS / "why.json").read_text("utf-8"))
    one = data["tables"].get(name)
    if one is None:
        return "Not measured yet."
    return f"{table(one['head'], one['rows'])}\n\n{one['caption']} {data['date']}."


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
