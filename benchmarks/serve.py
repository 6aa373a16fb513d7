"""How much the service answers, next to the same framework answering a constant and to bare group commits.

    python benchmarks/serve.py [--seconds 10] [-o results.json]

One run, one worker, wrk on the loopback with 64 connections. `constant` is Starlette and uvicorn, set as they are here,
that read the same body as the same type and answer what never changes; `group commit` writes as many rows to as many
columns, 64 to a transaction, with full sync, and nothing else. Beside it, in process: `decide_one`, and Zen (GoRules)
evaluating an equivalent decision graph.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from timeit import repeat
from typing import Any

from measure import machine

from racl import Model, load_model

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
RESULTS = FOLDER / "results" / "serve.json"
MODEL = ROOT / "examples" / "airline" / "model.json"
CONNECTIONS = 64
BATCH = 1000
ROW: dict[str, Any] = {
    "fare": 320.0, "carrier": "UA", "cabin": "main", "departs": 8.5, "minutes": 190, "stops": 0, "bags": 0,
    "refundable": False, "persona": "family", "budget": 100, "threshold": -2, "travellers": 3, "bags_needed": 2,
}  # fmt: skip
CONSTANT = """
import sys, msgspec, uvicorn
from racl.serve.wire import DecideRequest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
read, answer = msgspec.json.Decoder(DecideRequest).decode, sys.argv[2].encode()
async def decide(request):
    read(await request.body())
    return Response(answer, media_type="application/json")
app = Starlette(routes=[Route("/v1/decide", decide, methods=["POST"])])
uvicorn.run(
    app, port=int(sys.argv[1]), http="httptools", loop="uvloop", ws="none", lifespan="off", log_config=None,
    access_log=False, server_header=False, date_header=False, proxy_headers=False, backlog=2048,
)
"""


@contextmanager
def running(*words: str) -> Iterator[int]:
    """The port of a program that serves; `PORT` among its words is that."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [sys.executable, *(str(port) if word == "PORT" else word for word in words)]
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
        try:
            for _ in range(300):
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield port
        finally:
            process.terminate()
            process.wait(60)


def load(
    port: int, body: object, seconds: float, *, delay: float = 0.0, connections: int = CONNECTIONS
) -> dict[str, float]:
    """What wrk says: requests a second, and the 99th percentile in milliseconds."""
    text = json.dumps(body)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(
            f'wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\nwrk.body = [[{text}]]\n'
        )
        script.write(f"function delay() return {delay:.3f} end\n" if delay else "")
        script.flush()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "--latency", "-s", script.name]
        done = subprocess.run(
            [*command, f"http://127.0.0.1:{port}/v1/decide"], capture_output=True, text=True, check=True
        )
    failed = re.search(r"Non-2xx.*: (\d+)", done.stdout)
    assert failed is None, done.stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])  # type: ignore[index]
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done.stdout).groups()  # type: ignore[union-attr]
    return {"rate": rate, "p99_ms": float(number) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit]}


def group_commits(seconds: float) -> float:
    """Rows a second that SQLite takes, 64 to a transaction, each on the disk before the next."""
    import apsw

    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        database = apsw.Connection(str(Path(folder) / "bare.db"))
        for name, value in (("journal_mode", "wal"), ("synchronous", "full"), ("wal_autocheckpoint", 4000)):
            database.pragma(name, value)
        database.execute(
            "CREATE TABLE bare (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, given TEXT, salts BLOB, link BLOB)"
        )
        text, salts, count = json.dumps(ROW), bytes(16 * 18), 0
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            rows = [(None, f"{count + n:032x}", text, salts, bytes(32)) for n in range(CONNECTIONS)]
            with database:
                database.executemany("INSERT INTO bare VALUES (?, ?, ?, ?, ?)", rows)
            count += CONNECTIONS
        database.close()
    return count / seconds


def served(model: Model, seconds: float) -> dict[str, Any]:
    """Everything over HTTP."""
    found = model.decide_one(ROW)
    fields = {
        name: getattr(found, name) for name in ("accepted", "credit", "plan", "value", "margin", "cost")
    }
    answer = json.dumps({"decisions": [{"id": "0" * 32, "model": "air-ticket@000000000000", **fields}]})
    one, many = {"row": ROW}, {"rows": [ROW] * BATCH}
    serve = ("-m", "racl", "serve", str(MODEL), "--port", "PORT", "--store")
    figures: dict[str, Any] = {}
    with running("-c", CONSTANT, "PORT", answer) as constant, running(*serve, "none") as off:
        rounds = [(load(constant, one, seconds), load(off, one, seconds)) for _ in range(3)]
        figures["constant"], figures["off"] = sorted(
            rounds, key=lambda pair: pair[1]["rate"] / pair[0]["rate"]
        )[1]
        figures["off_ratios"] = sorted(pair[1]["rate"] / pair[0]["rate"] for pair in rounds)
        load(off, many, seconds, connections=2)  # while the kernel is compiled
        figures["batch_off"] = load(off, many, seconds, connections=2)["rate"] * BATCH
    with running(*serve, "log.db") as kept:
        rounds_kept = [(group_commits(seconds), load(kept, one, seconds)) for _ in range(3)]
        figures["bare"], figures["on"] = sorted(rounds_kept, key=lambda pair: pair[1]["rate"] / pair[0])[1]
        figures["on_ratios"] = sorted(pair[1]["rate"] / pair[0] for pair in rounds_kept)
        half = CONNECTIONS / (figures["on"]["rate"] / 2) * 1e3
        figures["half"] = load(kept, one, seconds, delay=half)
        load(kept, many, seconds, connections=2)
        figures["batch_on"] = load(kept, many, seconds, connections=2)["rate"] * BATCH
    return figures


# in process ------------------------------------------------------------------------------------------


def small_model() -> Model:
    """The small domain that Zen's graph decides, too."""
    sys.path.insert(0, str(ROOT / "tests"))
    from cli.air import AIR, PREFERENCE
    from racl.domain.files import parse_domain

    return Model.of(parse_domain(AIR), PREFERENCE)


def graph() -> dict[str, Any]:
    """The same decision as a graph of expressions."""
    value = (
        "(persona == 'business' ? 10 - {f} / 100 + (stops == 0 ? 3 : 0) + (carrier == 'AA' ? 0.5 : 0)"
        " : 12 - 2.5 * ({f} / 100) + (stops == 0 ? 1 : 0))"
    )
    lines = {
        "keep_ok": "has_bag or not needs_bag",
        "cost": "35 + 5 * stops",
        "keep_value": value.format(f="fare"),
        "add_value": value.format(f="(fare + 35)"),
        "add_ok": "not has_bag and 35 + 5 * stops <= budget",
    }
    first = [{"id": name, "key": name, "value": text} for name, text in lines.items()]
    plan = (
        "keep_ok and keep_value >= threshold and (not add_ok or keep_value >= add_value) ? 'keep'"
        " : (add_ok and add_value >= threshold ? 'add_bag' : null)"
    )
    nodes = [
        {"id": "in", "type": "inputNode", "name": "in", "position": {"x": 0, "y": 0}},
        node("options", first),
        node("choice", [{"id": "plan", "key": "plan", "value": plan}]),
        {"id": "out", "type": "outputNode", "name": "out", "position": {"x": 0, "y": 0}},
    ]
    order = ["in", "options", "choice", "out"]
    edges = [
        {"id": f"{a}-{b}", "type": "edge", "sourceId": a, "targetId": b} for a, b in itertools.pairwise(order)
    ]
    return {"contentType": "application/vnd.gorules.decision", "nodes": nodes, "edges": edges}


def node(name: str, expressions: list[dict[str, str]]) -> dict[str, Any]:
    content = {"expressions": expressions, "passThrough": True, "executionMode": "single"}
    return {
        "id": name,
        "type": "expressionNode",
        "name": name,
        "position": {"x": 0, "y": 0},
        "content": content,
    }


def in_process() -> dict[str, Any]:
    """Microseconds a decision: `decide_one` and Zen, on the same rows, once they agree on all of them."""
    model, chance = small_model(), random.Random(0)
    rows = [
        {
            "fare": float(chance.randint(20, 600)), "stops": chance.randint(0, 3), "has_bag": chance.random() < 0.5,
            "carrier": chance.choice(["AA", "UA"]), "persona": chance.choice(["business", "leisure"]),
            "budget": float(chance.randint(0, 60)), "threshold": float(chance.randint(-3, 10)),
            "needs_bag": chance.random() < 0.5,
        }
        for _ in range(1000)
    ]  # fmt: skip
    figures: dict[str, Any] = {
        "decide_one_us": timed(lambda: [model.decide_one(row) for row in rows]) / len(rows)
    }
    try:
        import zen
    except ImportError:
        return figures
    decision = zen.ZenEngine().create_decision(json.dumps(graph()))
    plans = [decision.evaluate(row)["result"].get("plan") for row in rows]
    assert plans == [model.decide_one(row).plan for row in rows], "Zen decides otherwise"
    figures["zen_us"] = timed(lambda: [decision.evaluate(row) for row in rows]) / len(rows)
    return figures


def timed(act: Any) -> float:
    """Microseconds, the best of five."""
    return min(repeat(act, number=1, repeat=5)) * 1e6


def page(found: dict[str, Any]) -> str:
    """The figures as a table."""
    zen = f"{found['zen_us']:.1f} µs" if "zen_us" in found else "not installed"
    lines = [
        ("the framework, answering a constant", f"{found['constant']['rate']:,.0f} requests a second", ""),
        (
            "decide one row, no memory",
            f"{found['off']['rate']:,.0f}",
            f"{found['off']['rate'] / found['constant']['rate']:.2f} of the constant",
        ),
        ("bare group commit, 64 to a sync", f"{found['bare']:,.0f} rows a second", ""),
        (
            "decide one row, SQLite, full sync",
            f"{found['on']['rate']:,.0f}",
            f"{found['on']['rate'] / found['bare']:.2f} of the bare commits",
        ),
        (
            "the same at half of that load",
            f"{found['half']['rate']:,.0f}",
            f"99% within {found['half']['p99_ms']:.1f} ms",
        ),
        ("1,000 rows a request, no memory", f"{found['batch_off']:,.0f} rows a second", ""),
        ("1,000 rows a request, SQLite", f"{found['batch_on']:,.0f} rows a second", ""),
        ("`decide_one` in process, small domain", f"{found['decide_one_us']:.1f} µs", ""),
        ("Zen in process, the same decisions", zen, ""),
    ]
    spread = (
        ", ".join(f"{one:.2f}" for one in found["off_ratios"]),
        ", ".join(f"{one:.2f}" for one in found["on_ratios"]),
    )
    busy, cores = found["machine"]["load"][0], found["machine"]["cores"]
    told = (
        f"One worker, wrk with {CONNECTIONS} connections on the same machine, the airline example; {cores} cores that other"
        f" work shared (load {busy}). Of three rounds the middle one is shown; the ratios of all were"
        f" {spread[0]} (no memory) and {spread[1]} (SQLite)."
    )
    rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{told}\n\n| what | how much | in proportion |\n|---|--:|---|\n{rows}\n"


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="results; a page goes beside them")
    asked = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed (`apt-get install wrk`)")
    (ROOT / "build").mkdir(exist_ok=True)
    found = {"machine": machine(), **in_process(), **served(load_model(MODEL), asked.seconds)}
    asked.output.write_text(json.dumps(found, indent=1) + "\n")
    asked.output.with_suffix(".md").write_text(page(found))
    print(page(found))


if __name__ == "__main__":
    main()
