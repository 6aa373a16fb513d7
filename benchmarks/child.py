"""Start-up and peak memory, which want a process of their own; run by processes.py, prints JSON."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, time

STARTED = time()
HERE = Path(__file__).parent
STATUS = Path("/proc/self/status")


def importing() -> dict[str, float]:
    """`import racl` in a fresh interpreter."""
    before = perf_counter()
    import racl  # noqa: F401

    return {"import": perf_counter() - before}


def ready(folder: Path) -> dict[str, float]:
    """Import, model and first decisions; reading the rows is told apart."""
    before = perf_counter()
    import racl

    imported = perf_counter()
    model = racl.load_model(HERE / "airline" / "model.json")
    loaded = perf_counter()
    rows = mapped(folder / "rows.arrow")
    read = perf_counter()
    model.decide(rows, engine="kernel")
    decided = perf_counter()
    return {
        "started": STARTED,
        "ended": time(),
        "import": imported - before,
        "model": loaded - imported,
        "rows": read - loaded,
        "decide": decided - read,
    }


def memory(folder: Path) -> dict[str, float]:
    """The highest resident memory while deciding, and what the process held before it had rows."""
    import racl

    model = racl.load_model(HERE / "airline" / "model.json")
    few = stored(folder / "few")
    model.decide(few, engine="kernel")
    before = resident()
    rows = stored(folder)
    given = resident()
    reset_peak()
    decisions = model.decide(rows, engine="kernel")
    return {"before": before, "given": given, "peak": status("VmHWM"), "rows": float(len(decisions.accepted))}


def fitting(folder: Path) -> dict[str, float]:
    """The highest resident memory while fitting, and what the process held before it had rows."""
    from rivals import regressions

    regressions.racl(regressions.held(regressions.problem(50_000)))
    before = resident()
    held = regressions.held(regressions.load(folder))
    arrays = [getattr(held.rows, name) for name in held.rows.__dataclass_fields__]
    data = float(sum(array.nbytes for array in arrays))
    given = resident()
    reset_peak()
    regressions.racl(held)
    peak = status("VmHWM")
    ratio = (peak - before) / data
    return {
        "before": before,
        "given": given,
        "peak": peak,
        "data": data,
        "ratio": ratio,
        "rows": float(len(held.rows)),
    }


def mapped(file: Path) -> object:
    """Rows in an Arrow file, read without a copy."""
    from pyarrow import ipc, memory_map

    return ipc.open_file(memory_map(str(file))).read_all()


def stored(folder: Path) -> dict[str, object]:
    """Rows saved by processes.py, as the dict of arrays that all measurements use."""
    import numpy as np
    from airline.rows import dictionaries

    return dictionaries({path.stem: np.load(path) for path in folder.glob("*.npy")})


def resident() -> float:
    """Bytes in memory now."""
    return status("VmRSS")


def status(key: str) -> float:
    """A figure of the kernel's account of this process, in bytes."""
    lines = STATUS.read_text("utf-8").splitlines()
    return 1024.0 * next(int(line.split()[1]) for line in lines if line.startswith(key + ":"))


def reset_peak() -> None:
    """Forget the highest memory so far."""
    Path("/proc/self/clear_refs").write_text("5", "utf-8")


TASKS: dict[str, Callable[..., dict[str, float]]] = {
    "importing": importing,
    "ready": ready,
    "memory": memory,
    "fitting": fitting,
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*map(Path, sys.argv[2:]))))
