"""Three-step plans over sixteen repairs: the kernel against CP-SAT, which is to find the same values."""

import json
from typing import Any

import numpy as np
from configurator import rows as configurator
from measure import CORES, Call, in_turn, say, seconds

MODEL = configurator.HERE / "model.json"
ROWS = 200_000
SOLVED = 500


def measured(load: Any) -> dict[str, Any]:
    """Microseconds a row of both, and how many values were compared."""
    say(f"three-step plans over sixteen repairs: {ROWS:,} rows; CP-SAT {SOLVED}")
    model = load(MODEL)
    frame = configurator.dictionaries(configurator.columns(ROWS))

    def decide(threads: int) -> Call:
        return lambda: model.decide(frame, engine="kernel", threads=threads)

    calls = {"kernel_one": decide(1), "kernel_all": decide(CORES)}
    taken = {name: spent / ROWS * 1e6 for name, spent in in_turn(calls, 5).items()}
    return {**taken, **solved(model), "rows": ROWS}


def solved(model: Any) -> dict[str, Any]:
    """CP-SAT on a few of the rows, each value compared."""
    from rivals import plans

    rows = configurator.columns(SOLVED)
    stored = json.loads(MODEL.read_text("utf-8"))["preference"].values()
    weights = [[int(one["bias"]), *map(int, one["weights"].values())] for one in stored]
    asked = plans.integers(rows)
    found: list[tuple[int | None, float]] = []

    def solve() -> None:
        found[:] = [plans.best(x, weights[x["purpose"]]) for x in asked]

    spent = sorted(seconds(solve) for _ in range(3))[1]
    values = np.array([np.nan if value is None else value for value, _ in found])
    ours = np.asarray(model.decide(configurator.dictionaries(rows), engine="kernel").value, float)
    equal = (values == ours) | (np.isnan(values) & np.isnan(ours))
    assert equal.all(), f"CP-SAT finds other values than racl in {(~equal).sum()} of {SOLVED} rows"
    alone = sum(taken for _, taken in found)
    return {"cp_sat": spent / SOLVED * 1e6, "cp_sat_solving": alone / SOLVED * 1e6, "equal_values": SOLVED}
