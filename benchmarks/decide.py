"""How fast racl decides, next to the floor and to other ways of deciding the same rows, in one run.

    python benchmarks/decide.py [--rows 100000,1000000,10000000] [--only kernel,polars] [-o results.json]

Every way is given the rows in the form that suits it best, before the clock starts, and runs warm; times are
medians. The library looks for refused rows and writes six outputs a row; rivals written by hand write the
same six and skip the looking; tree ensembles do nothing but score the admissible repairs, enumerated for them
beforehand; CP-SAT builds and solves one model a row. A rival that implements the rule must decide as racl
does, or the run fails. Rivals that are not installed are left out with a word.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import contest
import processes
import report
import slow
import steps
from airline import rows as airline
from measure import Timing, machine, repeats_for, say

import racl

RESULTS = Path(__file__).parent / "results" / "decide.json"
SIZES = "100000,1000000,10000000"
QUICK = {
    "floor": contest.floors,
    "kernel": contest.kernels,
    "frames": contest.other_frames,
    "polars": contest.polars,
}
MEDIUM = {"numpy": contest.numpys}
ROW_BY_ROW: dict[str, Callable[[contest.Field], Timing]] = {
    "loop": slow.python_loop,
    "rows": lambda given: slow.plain_engine(given, "rows"),
    "definition": lambda given: slow.plain_engine(given, "definition"),
    "cpsat": slow.cp_sat,
}
ONCE: dict[str, Callable[[Any, int], Any]] = {
    "one_row": lambda model, _: slow.one_row(model),
    "import": lambda *_: processes.import_seconds(),
    "ready": lambda *_: processes.ready_seconds(),
    "memory": lambda _, rows: processes.memory(rows),
    "plans": lambda *_: steps.measured(racl.load_model),
}
GROUPS = [*QUICK, *MEDIUM, "trees", *ROW_BY_ROW, "dice", *ONCE]


def arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--rows", default=SIZES, help=f"numbers of rows, with commas (default: {SIZES})")
    parser.add_argument("--only", default=",".join(GROUPS), help=f"some of: {','.join(GROUPS)}")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="results; a page goes beside them")
    parser.add_argument(
        "--note", default="", help="a word on the run for its page: what else the machine did"
    )
    parser.add_argument("--dice", default=sys.executable, help="an interpreter that has DiCE")
    given = parser.parse_args()
    given.sizes, given.only = [int(size) for size in given.rows.split(",")], given.only.split(",")
    if unknown := set(given.only) - set(GROUPS):
        parser.error(f"no such measurement: {', '.join(sorted(unknown))}")
    return given


def batch(given: contest.Field, only: list[str]) -> Iterator[Timing]:
    """Everything that decides millions of rows; what is compared most closely is run in turn."""
    n = len(given.rows["fare"])
    quick = {way: call for key, make in QUICK.items() if key in only for way, call in make(given).items()}
    yield from contest.timed(quick, n, repeats_for(n))
    for key, make in MEDIUM.items():
        if key in only:
            yield from attempt(lambda make=make: contest.timed(make(given), n, max(3, repeats_for(n) // 3)))


def attempt(measure: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """What is measured, or a word on what is not installed."""
    try:
        yield from measure()
    except ImportError as missing:
        say(f"  left out: {missing}")


def row_by_row(given: contest.Field, arguments: argparse.Namespace, once: dict[str, Any]) -> Iterator[Timing]:
    """Everything that is too slow for more than a few rows."""
    for key, measure in ROW_BY_ROW.items():
        if key in arguments.only:
            say(f"row by row: {key}")
            yield from attempt(lambda measure=measure: iter([measure(given)]))
    if "dice" in arguments.only:
        say("row by row: DiCE")
        if found := slow.dice(arguments.dice):
            once["dice"] = found[1]
            yield found[0]


def scored(sizes: list[int], timings: dict[str, list[Timing]], once: dict[str, Any]) -> None:
    """The tree ensembles, each trained once and timed at every size."""
    for name, score, kind in slow.scorers():
        for size in sizes:
            timing, options = slow.scoring(score, airline.columns(size), kind, name)
            timings[str(size)].append(timing)
            once["options_a_row"] = {"admissible": options}


def measured(arguments: argparse.Namespace) -> report.Results:
    """The whole run."""
    found: report.Results = {"machine": machine(), "note": arguments.note, "timings": {}, "row_by_row": []}
    found |= {"once": {}, "checks": {}}
    model = racl.load_model(contest.MODEL)
    for size in arguments.sizes:
        say(f"{size:,} rows")
        given = contest.Field(model, airline.columns(size), found["checks"])
        found["timings"][str(size)] = list(batch(given, arguments.only))
    if "trees" in arguments.only:
        scored(arguments.sizes, found["timings"], found["once"])
    few = contest.Field(model, airline.columns(contest.CHECKED), found["checks"])
    found["row_by_row"] = list(row_by_row(few, arguments, found["once"]))
    for key, measure in ONCE.items():
        if key in arguments.only:
            found["once"][key] = measure(model, max(arguments.sizes))
    return found


def main() -> None:
    given = arguments()
    found = json.loads(json.dumps(measured(given), default=asdict))
    found["targets"] = [asdict(target) | {"verdict": target.verdict} for target in report.targets(found)]
    page = report.markdown(found)
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    given.output.with_suffix(".md").write_text(page, "utf-8")
    print(page)


if __name__ == "__main__":
    main()
