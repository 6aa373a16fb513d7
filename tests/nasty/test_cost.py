"""A refusal is cheap: measured in a process of its own, after one sound call has loaded what is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from nasty.air import AIR, ROW, document, with_requirement
from nasty.test_domain_files import NOT_FILES
from nasty.test_expressions import CODE
from nasty.test_models import NO_MODELS

MEASURE = """if True:
    import contextlib, io, json, resource, sys, time
    from racl.cli import main

    def call(words):
        tries = [once(words)]
        while min(one[1] for one in tries) > 0.1 and len(tries) < 3:  # somebody else may have been busy
            tries.append(once(words))
        return min(tries, key=lambda one: one[1])

    def once(words):
        start = time.process_time()
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            code = main(words)
        return code, time.process_time() - start

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    sound, *nasty = json.load(sys.stdin)
    for words in sound:
        call(words)
    before = peak()
    found = [(words, *call(words)) for words in nasty]
    json.dump({"calls": found, "kib": peak() - before}, sys.stdout)
"""
LONG = [
    "(" * 5000 + "has_bag" + ")" * 5000, "not " * 100_000 + "has_bag", "-" * 100_000 + "fare > 1", "fare > 1" + " + 1" * 100_000,
    "fare" + "." * 100_000, "fare > 1" + "+1" * 4_900, "9**9**9 > fare", "'a' * 10000000000 == carrier", "fare < " + "9" * 5000,
    "-" * 9_000 + "1 > 0", "[" * 4_000 + "]" * 4_000, "fare in (" + "1," * 4_900 + ")", "min(" * 60 + "fare" + ")" * 60,
]  # fmt: skip


def spoilt_domains(folder: Path) -> list[Path]:
    """Domain files that are to be refused."""
    found = []
    for number, kind in enumerate(NOT_FILES):
        if "name" not in kind:
            place = folder / f"d{number}"
            place.mkdir()
            found.append(NOT_FILES[kind](place))
    texts = [with_requirement(text) for text in (*CODE, *LONG)]
    texts.append(AIR + "".join(f'[repairs.r{n}]\nsets = {{ nope = "true" }}\n' for n in range(5_000)))
    texts.append(AIR + "[repairs.x]\n" + "sets = 1\n" * 100_000)
    texts.append(
        AIR.replace("[features]", "".join(f'x{n} = "fare > "\n' for n in range(3_000)) + "[features]")
    )
    for number, text in enumerate(texts):
        path = folder / f"t{number}.toml"
        path.write_text(text)
        found.append(path)
    return found


def spoilt_models(folder: Path) -> list[Path]:
    """Model files that are to be refused."""
    found = []
    for number, kind in enumerate(NO_MODELS):
        path = folder / f"m{number}.json"
        path.write_bytes(NO_MODELS[kind](folder / "ran"))
        found.append(path)
    return found


def test_a_refusal_costs_less_than_100_ms_and_64_mib(tmp_path: Path) -> None:
    sound = {"domain.toml": AIR, "model.json": json.dumps(document()), "rows.jsonl": json.dumps(ROW) + "\n"}
    for name, text in sound.items():
        (tmp_path / name).write_text(text)
    domain, model, rows = (str(tmp_path / name) for name in sound)
    sound_calls = [["check", domain], ["decide", model, rows]]
    calls = [["check", str(path)] for path in spoilt_domains(tmp_path)]
    calls += [["decide", str(path), rows] for path in spoilt_models(tmp_path)]
    calls += [["decide", model, str(tmp_path / "none.jsonl")], ["decide", model, str(tmp_path)]]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE],
        input=json.dumps([sound_calls, *calls]),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    measured = json.loads(done.stdout)
    assert [words for words, code, _ in measured["calls"] if code != 2] == []
    assert [(words, seconds) for words, _, seconds in measured["calls"] if seconds > 0.1] == []
    assert measured["kib"] < 64 * 1024
