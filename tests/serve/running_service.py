"""The service as a process of its own, and raw sockets to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from serve.asking import air_model


@dataclass
class Running:
    """A running service."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON of one answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {"content-type": "application/json", **headers})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, json.loads(data) if data else None

    def socket(self) -> socket.socket:
        """A connection of bytes."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Its exit code once it was told to end."""
        self.process.send_signal(number)
        return self.process.wait(30)


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def service(
    folder: Path, *words: str, port: int | None = None, around: tuple[str, ...] = (), **environment: str
) -> Iterator[Running]:
    """The service of the small domain, until the block ends; another program may run it."""
    model = folder / "air.json"
    if not model.exists():
        air_model().save(model)
    number = port or free_port()
    log = folder / f"service-{number}.log"
    with log.open("ab") as out:
        process = subprocess.Popen(
            [*around, sys.executable, "-m", "racl", "serve", str(model), "--port", str(number), *words],
            cwd=folder, stdout=out, stderr=out, env={**os.environ, **environment},
        )  # fmt: skip
    running = Running(process, number, log)
    try:
        wait(running)
        yield running
    finally:
        process.kill()
        process.wait(30)


def wait(running: Running) -> None:
    """Until the service answers."""
    end = time.monotonic() + 30
    while time.monotonic() < end and running.process.poll() is None:
        try:
            if running.ask("GET", "/readyz")[0] == 200:
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(running.log.read_text())
