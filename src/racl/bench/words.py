"""The results of a study as a terminal shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from racl.bench import tables
from racl.bench.claims import claims
from racl.bench.models import MODELS
from racl.bench.tiers import TIERS

Results = Mapping[str, Any]
KINDS = {"fvr": "FVR", "far": "FAR", "edr": "EDR", "credit": "CreditAcc", "plan": "PlanAcc", "auroc": "AUROC"}


def spoken(results: Results) -> str:
    """A table for each tier, the paper's numbers beside ours, and the claims."""
    parts = [of_tier(results, name) for name in results["tiers"]]
    return "\n\n".join([*parts, claimed(results)])


def of_tier(results: Results, name: str) -> str:
    """The main table of a tier."""
    tier, paper = results["tiers"][name], results["paper"]["tiers"].get(name, {})
    rows = [["", *KINDS.values()]]
    for model in tables.models_of(tier):
        found = tables.first_seed(tier["figures"][model])["figures"]
        rows.append([MODELS[model].label, *(tables.number(found[kind]["value"]) for kind in KINDS)])
        if model in paper:
            rows.append(["  paper", *(tables.number(paper[model].get(kind)) for kind in KINDS)])
    test = tier["composition"]["test"]
    about = f"{TIERS[name].label}: {test['rows']:,} test rows, {test['repairable_good']:,} repairable-good"
    return f"{about}\n{aligned(rows)}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns, the first to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = (
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def claimed(results: Results) -> str:
    """The claims, and whether they hold."""
    return "\n".join(
        f"{'holds' if one.holds else 'FAILS':<6} {one.what}: {one.found}" for one in claims(results)
    )
