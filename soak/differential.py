"""Ten million rows over thousands of domains drawn at random: every engine against the definition, to the bit.

Each seed is a domain and its rows. Closure, arrays and the text of the kernel, run by Python, decide all of them, the
compiled kernel those of every tenth domain. Where an engine differs, the seed and the row are said. What is done is kept
in a file, and a second start goes on from there.

    python soak/differential.py --domains 200 --decisions 100000    # a short one
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "soak"), str(ROOT / "tests")]

from telling.record import Figures, record  # noqa: E402

from racl import Decision  # noqa: E402
from racl import decide as deciding  # noqa: E402
from racl.domain.effects import plans_per_row  # noqa: E402
from strategies.agreement import by_definition, by_engine, disagreements, outputs_of  # noqa: E402
from strategies.chance import Seeded  # noqa: E402
from strategies.domains import any_model  # noqa: E402
from strategies.interpreted import by_text  # noqa: E402
from strategies.rows import any_rows  # noqa: E402

STATE = ROOT / "build" / "soak" / "differential.json"
PLANS = 40_000  # rows times plans of one domain: fewer rows where there are many plans
MINUTE = 60.0
ENOUGH = 100  # differences to stop at


@dataclass
class Tally:
    """What has been compared."""

    domains: int = 0
    rows: int = 0
    decisions: int = 0  # rows that the definition does not refuse
    kernels: int = 0
    compiled_rows: int = 0
    credits: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        """Count what another has seen too."""
        for name, value in vars(other).items():
            if name == "credits":
                self.credits = {
                    key: self.credits.get(key, 0) + value.get(key, 0) for key in self.credits | value
                }
            else:
                setattr(self, name, getattr(self, name) + value)


def compared(seed: int, kernel_every: int) -> Tally:
    """One domain: its rows by every engine."""
    chance = Seeded.of(seed)
    model = any_model(chance)
    rows = any_rows(chance, model, max(200, min(4_000, PLANS // plans_per_row(model.domain))))
    found = by_definition(model, rows)
    wanted = outputs_of(model, found)
    tally = Tally(domains=1, rows=len(rows), decisions=sum(isinstance(one, Decision) for one in found))
    for one in found:
        key = one.credit.value if isinstance(one, Decision) else "refused"
        tally.credits[key] = tally.credits.get(key, 0) + 1
    closure = [repr(model._closure(row)) for row in rows]
    wrong = [row for row, (a, b) in enumerate(zip(closure, found, strict=True)) if a != repr(b)]
    tally.differences += [
        f"seed {seed}, closure, row {row} {rows[row]}: {found[row]}; {closure[row]}" for row in wrong[:3]
    ]
    said = disagreements(model, rows, wanted, by_engine(model, rows, "arrays"))
    said += disagreements(model, rows, wanted, by_text(model, rows))
    if seed % kernel_every == 0:
        tally.kernels, tally.compiled_rows = 1, len(rows)
        deciding.BLOCK = (1 << 17, 100, 7)[seed // kernel_every % 3]
        said += disagreements(
            model, rows, wanted, by_engine(model, rows, "kernel", threads=1 + seed // kernel_every % 2)
        )
    tally.differences += [f"seed {seed}: {one}" for one in said]
    return tally


def seeds_compared(seeds: list[int], kernel_every: int) -> Tally:
    """Several domains, in a process of its own."""
    warnings.simplefilter("error")
    tally = Tally()
    for seed in seeds:
        try:
            tally.add(compared(seed, kernel_every))
        except Exception as fault:  # noqa: BLE001 - whatever it is, it is a difference
            tally.differences.append(f"seed {seed}: {type(fault).__name__}: {fault}"[:2000])
    return tally


def told(tally: Tally) -> str:
    """Where it stands, in a line."""
    return (
        f"{tally.domains:,} domains, {tally.decisions:,} decisions on {tally.rows:,} rows, {tally.kernels:,} kernels on "
        f"{tally.compiled_rows:,} rows, {len(tally.differences)} differences, {tally.seconds / MINUTE:.1f} minutes"
    )


def figures(tally: Tally) -> Figures:
    """What is kept of a run."""
    counts = {
        name: getattr(tally, name) for name in ("domains", "decisions", "rows", "kernels", "compiled_rows")
    }
    return counts | {"differences": len(tally.differences), "minutes": round(tally.seconds / MINUTE, 1)}


def batches(first: int, size: int) -> Iterator[list[int]]:
    """Seeds, some at a time."""
    return (list(range(start, start + size)) for start in count(first, size))


def run(asked: argparse.Namespace) -> Tally:
    """Compare until enough is done."""
    state = json.loads(asked.state.read_text()) if asked.state.exists() and not asked.anew else {}
    tally, first = Tally(**state.get("tally", {})), state.get("next", asked.first)
    before, start, next_word = tally.seconds, time.monotonic(), 0.0
    queue = batches(first, asked.batch)
    asked.state.parent.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(asked.workers) as pool:
        while (tally.domains < asked.domains or tally.decisions < asked.decisions) and len(
            tally.differences
        ) < ENOUGH:
            # a round of batches at a time, so that what is kept has no gaps
            round_ = [next(queue) for _ in range(asked.workers * 2)]
            running: set[Future[Tally]] = {
                pool.submit(seeds_compared, seeds, asked.kernel_every) for seeds in round_
            }
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for task in done:
                    tally.add(task.result())
            tally.seconds = before + time.monotonic() - start
            asked.state.write_text(json.dumps({"next": round_[-1][-1] + 1, "tally": asdict(tally)}))
            if time.monotonic() > next_word:
                print(told(tally), flush=True)
                next_word = time.monotonic() + MINUTE
    return tally


def main() -> int:
    """Compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--domains", type=int, default=5_000)
    parser.add_argument("--decisions", type=int, default=10_000_000)
    parser.add_argument(
        "--kernel-every", type=int, default=10, help="the kernel decides every so many domains"
    )
    parser.add_argument("--first", type=int, default=1_000_000, help="the first seed")
    parser.add_argument("--batch", type=int, default=5, help="domains that a process takes at a time")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--state", type=Path, default=STATE, help="where to keep what is done")
    parser.add_argument("--anew", action="store_true", help="begin from the first seed")
    asked = parser.parse_args()
    os.environ.setdefault("RACL_CACHE_DIR", str(asked.state.parent / "kernels"))
    tally = run(asked)
    print("done:", told(tally))
    record("differential", figures(tally))
    for credit, rows in sorted(tally.credits.items()):
        print(f"  {rows:12,} {credit}")
    for difference in tally.differences:
        print("DIFFERENCE", difference)
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
