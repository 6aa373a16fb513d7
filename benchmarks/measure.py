"""Clocks, the machine they ran on, and what is measured as data."""

import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
LIBRARIES = ["racl", "numpy", "numba", "pyarrow", "polars", "pandas", "lightgbm", "xgboost"]
LIBRARIES += ["scikit-learn", "ortools", "dice-ml"]
Call = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one way of deciding takes for a row."""

    name: str
    threads: int
    ns: float  # for each row that was asked for
    rows: int  # that it was timed on
    repeats: int = 1


def say(text: str) -> None:
    """A word on what is going on, for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def seconds(call: Call) -> float:
    """One run; what it returns is thrown away within the time, as its memory must be."""
    before = perf_counter()
    call()
    return perf_counter() - before


def in_turn(calls: Mapping[str, Call], repeats: int) -> dict[str, float]:
    """Median seconds of each call, run in turn so that a slow minute falls on all of them alike."""
    for call in calls.values():
        call()
    taken = [{name: seconds(call) for name, call in calls.items()} for _ in range(repeats)]
    return {name: median(run[name] for run in taken) for name in calls}


def repeats_for(rows: int) -> int:
    """Fewer repeats of longer runs."""
    return 31 if rows <= 200_000 else 15 if rows <= 2_000_000 else 7


def machine() -> dict[str, Any]:
    """What it ran on, when, and how busy that was before."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": cpu(),
        "cores": CORES,
        "memory": f"{memory_bytes() / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "load": [round(load, 2) for load in os.getloadavg()],
        "python": platform.python_version(),
        "versions": {name: found for name in LIBRARIES if (found := installed(name))},
    }


def installed(name: str) -> str | None:
    """The version of a library, if it is there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def cpu() -> str:
    """The processor's name."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text("utf-8").splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def memory_bytes() -> int:
    """All the memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
