"""Mutation testing of the definition and of the generator of kernels: do the tests notice a slip?

Each mutant is tried in a forked process; one that passes every trial survives, and is said. Survivors that were looked
at stand in soak/survivors.txt, each with the reason; any other is new.

    python soak/mutation.py --modules semantics --every 20    # a short one
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "soak"), str(ROOT / "tests")]

from mutating import trials  # noqa: E402
from mutating.mutants import Mutant, mutants  # noqa: E402
from telling.record import record  # noqa: E402

MODULES = {
    "semantics": "racl.semantics",
    "kernel_source": "racl.engines.kernel_source",
    "search_source": "racl.engines.search_source",
}
SURVIVORS = ROOT / "soak" / "survivors.txt"
LONGEST = 300.0  # seconds that a mutant may take at least; one that takes longer hangs, and so is noticed
HOUR = 3600.0
WANTED = 0.95


@dataclass
class Score:
    """What became of the mutants of a module."""

    tried: int = 0
    killed: int = 0
    survivors: list[str] = field(default_factory=list)

    def add(self, name: str, *, survived: bool) -> None:
        """Count one more."""
        self.tried += 1
        self.killed += not survived
        self.survivors += [name] if survived else []


def file_of(module: str) -> Path:
    """Where a module's text is."""
    return ROOT / "src" / Path(*module.split(".")).with_suffix(".py")


def forked(act: str, module: str, mutant: Mutant | None = None) -> int:
    """The id of a process that does it, and ends with 0 if the mutant survives."""
    child = os.fork()
    if child:
        return child
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2) if act == "try" else ():
        os.dup2(nowhere, stream)
    os.environ["RACL_CACHE_DIR"] = tempfile.mkdtemp(prefix="racl-mutant-", dir=trials.FOLDER)
    try:
        if act == "remember":
            trials.remember((1,))
            trials.remember(trials.SEVERAL)
            os._exit(0)
        os._exit(
            0 if trials.survives(module, mutant.source if mutant else file_of(module).read_text()) else 1
        )
    finally:
        os._exit(2)


def ended(child: int, deadline: float) -> int | None:
    """The exit code of a process, -1 where it was stopped; none while it works."""
    found, status = os.waitpid(child, os.WNOHANG)
    if found:
        return os.waitstatus_to_exitcode(status)
    if time.monotonic() < deadline:
        return None
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


def outcomes(module: str, every: list[Mutant], workers: int, longest: float) -> Iterator[tuple[Mutant, bool]]:
    """Every mutant, and whether it survives."""
    waiting, running = list(reversed(every)), dict[int, tuple[Mutant, float]]()
    while waiting or running:
        while waiting and len(running) < workers:
            mutant = waiting.pop()
            running[forked("try", module, mutant)] = (mutant, time.monotonic() + longest)
        time.sleep(0.02)
        for child, (mutant, deadline) in list(running.items()):
            code = ended(child, deadline)
            if code is not None:
                del running[child]
                yield mutant, code == 0


def looked_at() -> set[str]:
    """The survivors of which it is known why."""
    lines = SURVIVORS.read_text().splitlines() if SURVIVORS.exists() else []
    return {line.split(" | ")[0].strip() for line in lines if line and not line.startswith("#")}


def plain(name: str) -> str:
    """A mutant's name without its line, which moves."""
    place, _, change = name.partition(": ")
    return f"{place.rsplit(':', 1)[0]}: {change}"


def preload() -> None:
    """What every process would import anyway; nothing of racl, which each imports with its mutant."""
    import llvmlite.binding  # noqa: F401
    import msgspec  # noqa: F401
    import numba  # noqa: F401
    import numpy as np  # noqa: F401
    import pandas as pd  # noqa: F401
    import polars as pl  # noqa: F401
    import pyarrow.compute  # noqa: F401


def scored(name: str, asked: argparse.Namespace) -> Score:
    """Try the mutants of a module."""
    module, score, start = MODULES[name], Score(), time.monotonic()
    every = list(mutants(file_of(module).read_text(encoding="utf-8")))[:: asked.every]
    child = forked("show", module)
    while (code := ended(child, start + HOUR)) is None:
        time.sleep(0.05)
    if code != 0:
        raise SystemExit(f"{name}: the trials fail without a mutant")
    longest = max(LONGEST, 5 * (time.monotonic() - start))  # a busy machine is no hanging mutant
    known = looked_at()
    for mutant, survived in outcomes(module, every, asked.workers, longest):
        score.add(mutant.name, survived=survived)
        if survived:
            word = "survived" if f"{name} {plain(mutant.name)}" in known else "SURVIVED"
            print(f"{word} {name} {mutant.name}", flush=True)
    minutes = (time.monotonic() - start) / 60
    fresh = [one for one in score.survivors if f"{name} {plain(one)}" not in known]
    figures = {
        "tried": score.tried,
        "killed": score.killed,
        "survivors": len(score.survivors),
        "new": len(fresh),
    }
    record(f"mutation {name}", figures | {"every": asked.every, "minutes": round(minutes, 1)})
    print(
        f"{name}: {score.killed} of {score.tried} killed, {score.killed / score.tried:.1%}, {minutes:.1f} minutes",
        flush=True,
    )
    return score


def main() -> int:
    """Try every mutant; 1 if too many survive."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--modules", nargs="+", default=list(MODULES), choices=MODULES)
    parser.add_argument("--every", type=int, default=1, help="try every so many mutants only")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    os.chdir(ROOT)
    trials.FOLDER.mkdir(parents=True, exist_ok=True)
    preload()
    os.waitpid(forked("remember", ""), 0)
    scores = [scored(name, asked) for name in asked.modules]
    killed, tried = (sum(getattr(score, one) for score in scores) for one in ("killed", "tried"))
    print(f"in all: {killed} of {tried} killed, {killed / tried:.1%}")
    return 0 if killed >= WANTED * tried else 1


if __name__ == "__main__":
    sys.exit(main())
