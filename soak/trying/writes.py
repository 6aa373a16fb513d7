"""Small runs of the service whose writes fail: by a limit on the size of files, or by strace in the place of the disk."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from racl.serve.store import keeping
from racl.serve.store.places import place_of
from serve.asking import GOOD, Asker, remembered

DECISIONS = 20  # of a run
CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate")
FAULTS = ("EIO", "ENOSPC")
LASTING = 4  # of so many failures one goes on to the end of the run
Found = dict[str, Any]


class Told:
    """What was found of many runs."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self.problems: list[str] = []

    def take(self, name: str, store: Path, status: int) -> None:
        """Hold one run to the log that it left: what was acknowledged is there, and the chain is whole."""
        told = json.loads(store.with_suffix(".json").read_text())
        connection = place_of(str(store)).connect()
        held = {str(one[0]) for one in connection.run("SELECT id FROM decisions")}
        whole = keeping.verify(connection, None).problems
        connection.close()
        refused = told["statuses"].count(503)
        self.found.update({"runs": 1, "refused": refused, "acknowledged": len(told["ids"])})
        if status or whole or not set(told["ids"]) <= held or set(told["statuses"]) - {200, 503}:
            self.problems.append(f"{name}: {status} {told['statuses']} {whole}")

    def all(self) -> Found:
        """The counts, and what went wrong."""
        return {**self.found, "problems": self.problems}


def limited(folder: Path, scale: float) -> Found:
    """Every write of a small run fails in turn: no file may grow beyond a limit, which moves on by a quarter page."""
    step, told = max(1024, round(1024 / max(scale, 0.01))), Told()
    for limit in range(90_000, 260_000, step):
        store = folder / f"limit-{limit}.db"
        told.take(f"limit {limit}", store, in_a_child(store, lambda most=limit: allow(most)))  # type: ignore[misc]
    return told.all()


def allow(most: int) -> None:
    """Let no file grow beyond so many bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


def broken(folder: Path, scale: float) -> Found:
    """Every write and every sync of a small run fails in turn, once or from then on."""
    if shutil.which("strace") is None:
        return {"skipped": "strace is not installed", "problems": []}
    told, step = Told(), max(1, round(1 / scale))
    for call in CALLS:
        for number in range(1, 10_000, step):
            fault, lasting = FAULTS[number % len(FAULTS)], "+" if number % LASTING == 0 else ""
            name = f"{call}-{number}{lasting}-{fault}"
            store, trace = folder / f"{name}.db", folder / f"{name}.trace"
            status = in_a_child(
                store, traced_by(f"inject={call}:error={fault}:when={number}{lasting}", trace)
            )
            if "INJECTED" not in trace.read_text():
                break
            told.take(name, store, status)
            told.found[call] += 1
    return told.all()


def traced_by(inject: str, out: Path) -> Callable[[], None]:
    """What lets strace fail the calls of this process from now on."""

    def attach() -> None:
        command = ["strace", "-f", "-e", inject.replace("inject=", "trace=").partition(":")[0], "-e", inject]
        pid = os.getpid()
        subprocess.Popen([*command, "-o", str(out), "-p", str(pid)], stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not all(tracers(pid)) and time.monotonic() < end:
            time.sleep(0.005)

    return attach


def tracers(pid: int) -> Iterator[bool]:
    """Of each thread of a process, whether it is traced."""
    for one in Path(f"/proc/{pid}/task").iterdir():
        yield "TracerPid:\t0\n" not in (one / "status").read_text()


def in_a_child(store: Path, spoil: Callable[[], None]) -> int:
    """How a process ended that decided a few times after its writes were spoiled; it tells of them beside the store."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    code = 1
    try:
        with remembered(store) as ask:
            spoil()
            told = some_decisions(ask)
            with suppress(ValueError):
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            store.with_suffix(".json").write_text(json.dumps(told))
        code = 0
    finally:
        os._exit(code)


def some_decisions(ask: Asker) -> Found:
    """The statuses of a few decisions, and the ids of those that were answered."""
    statuses, ids = [], []
    for _ in range(DECISIONS):
        answer = ask("POST", "/v1/decide", {"row": GOOD})
        statuses.append(answer.status)
        if answer.status == 200:
            ids.append(answer.json["decisions"][0]["id"])
    return {"statuses": statuses, "ids": ids}
