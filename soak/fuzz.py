"""Coverage-guided fuzzing of what reads a user's text: expressions, domain files, model files.

Nothing but clean errors may come of any bytes, and none may take longer than 100 ms. Each target runs in a process of
its own; an input that fails is kept in build/soak/fuzz, and said.

    python soak/fuzz.py --seconds 20 --targets expressions    # a short one
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import atheris

FUZZING = "--one" in sys.argv  # otherwise nothing is instrumented: it starts others, or measures

with atheris.instrument_imports(include=["racl"]) if FUZZING else nullcontext():
    from racl.documents.reading import decoded
    from racl.domain.files import parse_domain
    from racl.domain.model import Domain
    from racl.engines.rows import closure
    from racl.errors import DomainError, ModelError, Problem
    from racl.expr.nodes import Expression
    from racl.expr.parse import parse
    from racl.expr.show import show
    from racl.expr.types import BOOLEAN, NUMBER, Kind, Sort, sort_of
    from racl.model import parse_model
    from racl.program import lower
    from racl.semantics import Preference, Taste

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "soak"))

from telling.record import record  # noqa: E402

FOLDER = ROOT / "build" / "soak" / "fuzz"
LIMIT = 1 << 20
SLOW = 0.1  # seconds
SORTS = {
    "fare": NUMBER,
    "stops": NUMBER,
    "has_bag": BOOLEAN,
    "carrier": Sort(Kind.CATEGORY, ("AA", "UA", "O'Hare")),
}
WORDS = """and or not if else in true false True False min( max( abs( floor( ceil( sqrt( log( exp( clip( == != <= >= fare
stops has_bag carrier 'AA' "UA" 1e308 0.1 lambda class None is [candidate] [context] [requirements] [features]
[repairs.x] [rule] type values number integer boolean category default sets applies cost tradeoff choose cheapest steps
budget threshold persona racl_model preference preference_default weights bias sha256 fit domain NaN Infinity"""


def sound(problems: tuple[Problem, ...]) -> None:
    """Every problem says something, in a line, with its place within the text."""
    if not problems:
        raise AssertionError("refused without a reason")
    for problem in problems:
        if not problem.line_text().isprintable() or not problem.what or "\n" in problem.line_text():
            raise AssertionError(f"not one line: {problem!r}")
        if problem.span is not None:
            start, stop = problem.span
            if not 0 <= start <= stop <= len(problem.text) + 1 or len(problem.caret().split("\n")) != 2:
                raise AssertionError(f"no place: {problem!r}")


def expressions(data: bytes) -> None:
    """Any text is a tree that prints and reads back, or has faults."""
    found = parse(data.decode("utf-8", "replace"))
    if not isinstance(found, Expression):
        sound(found)
        return
    again = parse(show(found.node))
    if len(show(found.node)) <= 10_000 and not (isinstance(again, Expression) and again.node == found.node):
        raise AssertionError(f"{show(found.node)!r} reads as {again!r}")
    problems = sort_of(found, SORTS)[1]
    if problems:
        sound(problems)


def domains(data: bytes) -> None:
    """Any file is a domain that can be lowered, or has faults."""
    text = decoded(data, LIMIT)
    if isinstance(text, Problem):
        return
    try:
        domain = parse_domain(text, "air.toml")
    except DomainError as fault:
        sound(fault.problems)
        return
    decidable(domain)


def decidable(domain: Domain) -> None:
    """The engines take whatever the checker lets pass."""
    preference = Preference(0.0, (1.0,) * len(domain.features))
    decide = closure(lower(domain), Taste(dict.fromkeys(domain.personas, preference)), tame=False)
    decide({column.name: 1.0 for column in domain.columns})


def models(data: bytes) -> None:
    """Any file is a model, or has faults."""
    text = decoded(data, LIMIT)
    if isinstance(text, Problem):
        return
    try:
        parse_model(text, "air.json")
    except ModelError as fault:
        sound(fault.problems)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "expressions": expressions,
    "domains": domains,
    "models": models,
}


# what to begin with -------------------------------------------------------------------------------


def seeds(target: str) -> Iterator[bytes]:
    """Sound inputs, for the fuzzer to spoil."""
    files = [*ROOT.glob("examples/*/*"), *ROOT.glob("tests/conformance/cases/*/*[05]/*")]
    suffix = ".json" if target == "models" else ".toml"
    texts = [
        path.read_bytes() for path in sorted(files) if path.suffix == suffix and path.name != "rows.json"
    ]
    if target != "expressions":
        yield from texts
        return
    for text in texts:
        domain = parse_domain(text.decode())
        yield from (requirement.holds.text.encode() for requirement in domain.requirements)
        yield from (feature.value.text.encode() for feature in domain.features)


def prepared(target: str) -> tuple[Path, Path]:
    """The folder of inputs to begin with, and the file of words."""
    corpus = FOLDER / target / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(target)):
        (corpus / f"seed{number:04}").write_bytes(seed)
    words = FOLDER / "words.txt"
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in WORDS.split())
    words.write_text("".join(f'"{word}"\n' for word in escaped))
    return corpus, words


# running ------------------------------------------------------------------------------------------


def timed(target: str) -> Callable[[bytes], None]:
    """The target; an input that is slow is run again by itself, without the fuzzer's own work in it."""

    def one(data: bytes) -> None:
        if once(target, data) > SLOW:
            seconds = measured(target, data)
            if seconds > SLOW:
                raise AssertionError(f"{seconds * 1000:.0f} ms")

    return one


def measured(target: str, data: bytes) -> float:
    """How long an input takes in a process that is not instrumented: the least of three."""
    path = FOLDER / f"slow-{os.getpid()}"
    path.write_bytes(data)
    call = [sys.executable, __file__, "--targets", target, "--measure", str(path)]
    return float(subprocess.run(call, capture_output=True, text=True, check=True).stdout)


def once(target: str, data: bytes) -> float:
    """The seconds that one run takes."""
    start = time.process_time()
    TARGETS[target](data)
    return time.process_time() - start


def fuzz(target: str, seconds: int) -> None:
    """Fuzz one target in this process; ends it."""
    corpus, words = prepared(target)
    options = [
        f"-max_total_time={seconds}",
        f"-artifact_prefix={FOLDER / target}/",
        f"-dict={words}",
        "-timeout=10",
    ]
    options += ["-max_len=20000", "-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], timed(target))
    atheris.Fuzz()


def main() -> int:
    """Every target for its time; 1 if any failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--targets", nargs="+", default=list(TARGETS), choices=TARGETS)
    parser.add_argument("--one", choices=TARGETS, help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        fuzz(asked.one, asked.seconds)
    if asked.measure:
        print(min(once(asked.targets[0], asked.measure.read_bytes()) for _ in range(3)))
        return 0
    failed = []
    for target in asked.targets:
        call = [sys.executable, __file__, "--one", target, "--seconds", str(asked.seconds)]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        said = [
            line
            for line in done.stderr.splitlines()
            if "stat::" in line or "ERROR" in line or "Error" in line
        ]
        units = re.search(r"number_of_executed_units: (\d+)", done.stderr)
        figures = {
            "seconds": asked.seconds,
            "inputs": int(units[1]) if units else 0,
            "failed": bool(done.returncode),
        }
        record(f"fuzz {target}", figures)
        print(json.dumps({"target": target, "exit": done.returncode}), *said[-12:], sep="\n  ", flush=True)
        if done.returncode:
            print(done.stderr[-4000:], done.stdout[-4000:])
            failed.append(target)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
