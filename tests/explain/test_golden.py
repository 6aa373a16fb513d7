"""Two explanations word for word: a ticket that one repair mends, a computer that three do not save.

After a change that is meant: `python tests/explain/test_golden.py` writes the texts anew; read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import racl

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"

AIRLINE = {
    "fare": 200,
    "carrier": "UA",
    "cabin": "main",
    "departs": 9.5,
    "minutes": 251,
    "stops": 1,
    "layover": 30,
    "bags": 1,
    "refundable": False,
    "persona": "business",
    "budget": 25,
    "threshold": 48,
    "bags_needed": 1,
}
COMPUTER = {
    "socket": "R1",
    "cpu_socket": "R1",
    "cpu_watts": 65,
    "cores": 8,
    "tier": 1,
    "gpu_watts": 90,
    "gpu_mm": 204,
    "case": "mini",
    "psu": 350,
    "cooler": "box",
    "memory": 16,
    "disk": 1.0,
    "purpose": "studio",
    "budget": 150.0,
    "threshold": 47.0,
    "tier_needed": 1,
    "min_memory": 16,
}
ROWS: dict[str, dict[str, object]] = {"airline": AIRLINE, "computer": COMPUTER}


def told(name: str) -> str:
    """The explanation of an example's row."""
    return str(racl.load_model(EXAMPLES / name / "model.json").explain(ROWS[name])) + "\n"


@pytest.mark.parametrize("name", ROWS)
def test_an_explanation_reads_as_it_always_did(name: str) -> None:
    assert told(name) == (HERE / "golden" / f"{name}.txt").read_text("utf-8")


if __name__ == "__main__":
    for name in ROWS:
        (HERE / "golden" / f"{name}.txt").write_text(told(name), "utf-8")
