"""What a soak found, kept with the date and the machine for the page that tells of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "soak.json"
sys.path.insert(0, str(ROOT / "benchmarks"))

from measure import CORES, cpu, machine  # noqa: E402

sys.path.pop(0)  # where `serve` is a benchmark; soaks look for the tests of that name

Figures = Mapping[str, object]


def record(what: str, figures: Figures) -> None:
    """Keep the figures of one soak in place of those of its last run."""
    found = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    ran = {"date": machine()["date"].partition(" ")[0], "cpu": cpu(), "cores": CORES}
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps({**found, what: {**ran, **figures}}, indent=1) + "\n", "utf-8")
