"""Runs killed at random moments and gone on with; a fault at every write: the outputs must be those of a quiet run.

    python soak/resume.py [--kills 200] [--seed 0] [--workers N]

Kills are SIGKILL, some of them several to a run. In the second part every write to a file, every wait for the disk and every name
that is given fails in turn, by an error or as on a full disk, a write when half of it is done: nothing may then stand under a
final name but what belongs there, and what is left beside it must be gone on with to the same bytes.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq
from telling.record import record

from racl.errors import DataError

ROOT = Path(__file__).parent.parent
MODEL = ROOT / "examples" / "airline" / "model.json"
ROWS = ROOT / "examples" / "airline" / "rows.csv"
KINDS = (
    ("rows.parquet", "out.parquet"),
    ("rows.csv", "out.csv"),
    ("rows.parquet", "out.csv.gz"),
    ("rows.jsonl", "out.jsonl.zst"),
    ("rows.csv", "out.parquet"),
)
SAID = "said.txt"
CHILD = """
import sys
import racl.scale.carrying, racl.scale.journal, racl.scale.jsonl_files, racl.scale.rows, racl.scale.work
racl.scale.journal.PAUSE = 0.0
racl.scale.carrying.FEW_ROWS = 1
racl.scale.work.BATCH_ROWS = racl.scale.jsonl_files.ROWS_AT_ONCE = 500
from racl.cli import main
sys.exit(main(sys.argv[1:]))
"""


def sources(folder: Path, times: int) -> None:
    """The example's rows many times over, a few of them spoiled, in every format."""
    lines = ROWS.read_text("utf-8").splitlines()
    spoiled = lines[1].replace(lines[1].split(",")[1], "", 1)
    body = [*lines[1:], spoiled] * times
    (folder / "rows.csv").write_text("\n".join([lines[0], *body]) + "\n", "utf-8")
    table = typed(folder / "rows.csv")
    pq.write_table(table, folder / "rows.parquet", row_group_size=500)
    rows = "".join(json.dumps(row) + "\n" for row in table.to_pylist())
    (folder / "rows.jsonl").write_text(rows, "utf-8")


def typed(path: Path) -> pa.Table:
    """The rows with the types that the domain gives them."""
    import racl
    from racl.scale import open_rows
    from racl.scale.typed import typed_rows

    columns = racl.load_model(MODEL).domain.columns_read
    parts = []
    for table in open_rows(path).batches():
        keep = [row for row in range(table.rows) if table.raw("fare", row) is not None or row % 7 == 0]
        parts.append(typed_rows(table, columns).take(pa.array(keep)))
    return pa.concat_tables(parts)


def words(folder: Path, source: str, target: str) -> list[str]:
    """The command."""
    paths = [str(folder / name) for name in (source, target, "refused.csv")]
    return ["decide", str(MODEL), paths[0], "-o", paths[1], "--rejects", paths[2]]


def outputs(folder: Path, target: str) -> tuple[bytes, bytes]:
    """What stands under the final names."""
    return (folder / target).read_bytes(), (folder / "refused.csv").read_bytes()


def run(folder: Path, source: str, target: str, *more: str, after: float | None = None) -> int:
    """How the command ended, killed after some seconds if they are given; what it said is kept beside."""
    asked = [sys.executable, "-c", CHILD, *words(folder, source, target), *more]
    told = {**os.environ, "RACL_TRACEBACK": "1"}
    with (
        (folder / SAID).open("w", encoding="utf-8") as said,
        subprocess.Popen(asked, stderr=said, env=told) as child,
    ):
        if after is not None:
            time.sleep(after)
            child.send_signal(signal.SIGKILL)
        return child.wait()


# kills -----------------------------------------------------------------------------------------------


def kills(folder: Path, numbers: Sequence[int], chance: random.Random) -> Counter[str]:
    """How many runs ended with the same output, how many kills came in time, and how often there was something to go on from."""
    wanted, seconds = {}, {}
    for source, target in KINDS:
        start = time.perf_counter()
        if run(folder, source, target) != 0:
            raise AssertionError(f"{source} to {target} fails by itself")
        seconds[source, target] = time.perf_counter() - start
        wanted[source, target] = outputs(folder, target)
    found: Counter[str] = Counter()
    for number in numbers:
        source, target = KINDS[number % len(KINDS)]
        clear(folder, target)
        for _ in range(1 + (number % 4 == 0)):
            after = chance.uniform(0.4, 1.05) * seconds[source, target]
            found["kills_in_time"] += run(folder, source, target, "--resume", after=after) == -signal.SIGKILL
        found["with_a_journal"] += (folder / f".{target}.journal").exists()
        ended = run(folder, source, target, "--resume")
        good = ended == 0 and outputs(folder, target) == wanted[source, target] and not left(folder)
        found["runs"] += 1
        found["identical"] += good
        if not good:
            print(f"kill {number}: {source} to {target} ended with {ended}, left {left(folder)}")
            print((folder / SAID).read_text("utf-8"), flush=True)
    return found


def all_kills(folder: Path, count: int, seed: int, workers: int) -> Counter[str]:
    """The same by several at a time, each in a folder of its own."""

    def work(worker: int) -> Counter[str]:
        mine = folder / str(worker)
        mine.mkdir()
        sources(mine, 100)
        return kills(mine, range(worker, count, workers), random.Random(f"{seed} {worker}"))

    with ThreadPoolExecutor(workers) as pool:
        return sum(pool.map(work, range(workers)), Counter[str]())


def clear(folder: Path, target: str) -> None:
    """Begin anew."""
    for name in (target, "refused.csv", *left(folder)):
        (folder / name).unlink(missing_ok=True)


def left(folder: Path) -> list[str]:
    """Files that are not to stay."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


# faults ----------------------------------------------------------------------------------------------


class Failing:
    """A file of which the n-th write of all fails when half of it is done."""

    left = 0
    fault = errno.EIO

    def __init__(self, file: Any) -> None:
        self.file = file

    @staticmethod
    def due() -> bool:
        """Whether it is the turn of this operation to fail."""
        Failing.left -= 1
        return Failing.left == 0

    @staticmethod
    def fail() -> None:
        """The fault."""
        raise OSError(Failing.fault, os.strerror(Failing.fault))

    def write(self, data: Any) -> int:
        """Write, or fail."""
        if Failing.due():
            self.file.write(memoryview(data)[: len(data) // 2])
            Failing.fail()
        return int(self.file.write(data))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def failing(operation: Callable[..., Any], *, of_files: bool = False) -> Callable[..., Any]:
    """An operation on the disk that fails when it is its turn; folders may be spared, whose faults nobody is told of."""

    def tried(*given: Any) -> Any:
        spared = of_files and not stat.S_ISREG(os.fstat(given[0]).st_mode)
        if not spared and Failing.due():
            Failing.fail()
        return operation(*given)

    return tried


def faults(folder: Path) -> tuple[int, int]:
    """How many operations were made to fail, and after how many something was wrong."""
    tried = wrong = 0
    for source, target in KINDS:
        clear(folder, target)
        Failing.left = 0
        decide(folder, source, target)
        wanted = outputs(folder, target)
        for fault in (errno.EIO, errno.ENOSPC):
            for number in each_operation(folder, source, target, fault):
                tried += 1
                found = after_a_fault(folder, source, target, wanted)
                wrong += bool(found)
                if found:
                    print(f"operation {number} of {source} to {target}: {found}")
        wrong += outputs(folder, target) != wanted
    return tried, wrong


def after_a_fault(folder: Path, source: str, target: str, wanted: tuple[bytes, bytes]) -> str:
    """What is wrong with what a run left behind, if anything is."""
    for name, data in zip((target, "refused.csv"), wanted, strict=True):
        if (folder / name).exists() and (folder / name).read_bytes() != data:
            return f"{name} is wrong"
    kept = left(folder)
    if not kept:
        there = [name for name in (target, "refused.csv") if (folder / name).exists()]
        return f"{there} stand there alone" if there else ""
    Failing.left = 0
    decide(folder, source, target, resume=True)
    return "" if outputs(folder, target) == wanted and not left(folder) else f"{kept} were not gone on with"


def each_operation(folder: Path, source: str, target: str, fault: int) -> Iterator[int]:
    """Once for each operation of a run, that one having failed; ends when a run gets by without."""
    number = 0
    while True:
        number += 1
        clear(folder, target)
        Failing.left, Failing.fault = number, fault
        try:
            decide(folder, source, target)
        except DataError:
            yield number
        else:
            if Failing.left > 0:
                return
            raise AssertionError(f"operation {number} failed and nobody was told")


def decide(folder: Path, source: str, target: str, *, resume: bool = False) -> None:
    """Decide in this process."""
    import racl

    out, aside = folder / target, folder / "refused.csv"
    racl.decide_files(MODEL, folder / source, out, rejects=aside, resume=resume)


def patched() -> None:
    """Every file that is written, waited for or named is one that may fail; pieces are small."""
    import racl.scale.carrying
    import racl.scale.journal
    import racl.scale.jsonl_files
    import racl.scale.unfinished
    import racl.scale.work

    racl.scale.journal.PAUSE = 0.0
    racl.scale.carrying.FEW_ROWS = 1
    racl.scale.work.BATCH_ROWS = racl.scale.jsonl_files.ROWS_AT_ONCE = 500
    opened = racl.scale.unfinished._opened
    racl.scale.unfinished._opened = lambda part: Failing(opened(part))
    os.fsync = failing(os.fsync, of_files=True)
    Path.replace = failing(Path.replace)  # type: ignore[method-assign]
    write = racl.scale.journal.Journal._write

    def journal_write(self: Any, entry: Any) -> None:
        if self.file is not None and not isinstance(self.file, Failing):
            self.file = Failing(self.file)
        write(self, entry)

    racl.scale.journal.Journal._write = journal_write  # type: ignore[method-assign]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="runs at the same time")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="racl-soak-"))
    start = time.perf_counter()
    try:
        found = all_kills(folder, given.kills, given.seed, given.workers)
        print("kills:", dict(found), flush=True)
        told = {name: found[name] for name in ("runs", "kills_in_time", "with_a_journal", "identical")}
        record("files killed", {**told, "minutes": round((time.perf_counter() - start) / 60, 1)})
        start = time.perf_counter()
        sources(folder, 4)
        patched()
        tried, wrong = faults(folder)
        print(f"faults: {tried} operations made to fail, {wrong} wrong")
        minutes = round((time.perf_counter() - start) / 60, 1)
        Failing.left = 0
        record("files failing", {"operations": tried, "wrong": wrong, "minutes": minutes})
    finally:
        shutil.rmtree(folder)
    sys.exit(found["identical"] < given.kills or wrong > 0)


if __name__ == "__main__":
    main()
