"""The service as a process: slow clients, signals, crashes, two at one store, its log."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from http.client import HTTPResponse
from pathlib import Path
from typing import IO

import psutil  # type: ignore[import-untyped]
import pytest

from racl.serve.store import keeping, sqlite
from serve.asking import GOOD, air_model
from serve.running_service import Running, free_port, service

HEAD = b"POST /v1/decide HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n"


def test_h06_500_slow_clients_are_closed_and_others_are_unharmed(tmp_path: Path) -> None:
    with service(tmp_path) as running, ExitStack() as held:
        rests = held.enter_context(running.socket())
        rests.sendall(b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        assert rests.recv(1000)
        slow = [held.enter_context(running.socket()) for _ in range(500)]
        begun = time.monotonic()
        for number, one in enumerate(slow):
            one.sendall(HEAD[:20] if number % 2 else HEAD + b"\r\n{")
        for _ in range(20):
            start = time.monotonic()
            assert running.ask("POST", "/v1/decide", {"row": GOOD})[0] == 200
            assert time.monotonic() - start < 1
        for one in slow[:100]:  # a byte now and then does not help
            one.sendall(b"x")
        for one in slow:
            one.settimeout(15)
            try:
                assert not one.recv(1000).startswith(b"HTTP/1.1 200")
            except ConnectionError:
                continue
        assert time.monotonic() - begun < 12
        assert rests.recv(1000) == b""
        assert running.ask("GET", "/healthz")[0] == 200


def test_a_service_that_is_told_to_end_answers_first(tmp_path: Path) -> None:
    with service(tmp_path) as running:
        found: list[int] = []
        rows = {"rows": [GOOD] * 5000}

        def ask() -> None:
            with suppress(ConnectionError):  # it had not come in yet
                found.append(running.ask("POST", "/v1/decide", rows)[0])

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for one in threads:
            one.start()
        time.sleep(0.15)
        assert running.stop(signal.SIGTERM) == 0
        for one in threads:
            one.join()
        log = sqlite.connect(str(tmp_path / "racl.db"))()
        assert keeping.verify(log, None).problems == []
        assert log.run("SELECT COUNT(*) FROM decisions")[0][0] == 5000 * found.count(200)
        assert found
        assert set(found) == {200}


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    told: list[str] = []
    for _ in range(3):
        with service(tmp_path) as running:
            stop = threading.Timer(0.4, running.process.kill)
            stop.start()
            try:
                while True:
                    status, body = running.ask("POST", "/v1/decide", {"row": GOOD})
                    assert status == 200
                    told.append(body["decisions"][0]["id"])
            except (OSError, json.JSONDecodeError):
                pass
    log = sqlite.connect(str(tmp_path / "racl.db"))()
    held = [row[0] for row in log.run("SELECT id FROM decisions")]
    assert len(told) > 10
    assert set(told) <= set(held)
    assert len(set(held)) == len(held) <= len(told) + 3
    assert keeping.verify(log, None).problems == []


def test_two_services_share_a_store(tmp_path: Path) -> None:
    with service(tmp_path) as one, service(tmp_path) as two:
        for _ in range(10):
            for running in (one, two):
                assert running.ask("POST", "/v1/decide", {"row": GOOD})[0] == 200
        log = sqlite.connect(str(tmp_path / "racl.db"))()
        assert keeping.verify(log, None).decisions == 20
        assert keeping.verify(log, None).problems == []


def test_the_log_is_one_line_of_json_for_each_event_whatever_is_sent(tmp_path: Path) -> None:
    with service(tmp_path) as running:
        with running.socket() as raw:
            raw.sendall(b"GET /%0d%0aevil%1b[31m HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
            assert b"404" in raw.recv(1000)
        running.stop()
        lines = [json.loads(line) for line in running.log.read_text().splitlines()]
    assert [line["event"] for line in lines] == ["serving", "listening", "request", "stopped"]
    assert lines[2]["path"] == "/\r\nevil\x1b[31m"


def test_the_service_calls_nobody(tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("there is no strace on this machine: `apt-get install strace`")
    calls = tmp_path / "calls"
    tracer = (
        "strace",
        "-D",
        "-f",
        "-e",
        "trace=connect,sendto,sendmsg",
        "-e",
        "signal=none",
        "-o",
        str(calls),
    )
    with service(tmp_path, around=tracer) as running:
        model = json.loads((tmp_path / "air.json").read_text("utf-8"))
        assert running.ask("POST", "/v1/decide", {"rows": [GOOD] * 3000})[0] == 200
        assert running.ask("POST", "/v1/explain", {"row": GOOD})[0] == 200
        assert running.ask("POST", "/v1/models", model)[0] == 200
        for path in ("/v1/models", "/v1/models/air/vetoes", "/v1/decisions", "/openapi.json"):
            assert running.ask("GET", path)[0] == 200
        with running.socket() as raw:
            raw.sendall(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
            assert b"200 OK" in raw.recv(1000)
        assert running.ask("GET", "/readyz")[0] == 200
        assert running.stop() == 0
    said = calls.read_text()
    assert "exited with 0" in said
    assert [line for line in said.splitlines() if "sin_addr" in line or "sin6_addr" in line] == []


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    port = free_port()
    with service(tmp_path, port=port):
        command = [sys.executable, "-m", "racl", "serve", "air.json", "--port", str(port), "--store", "none"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 2
    assert "in use" in done.stderr
    assert "Traceback" not in done.stderr


def test_several_workers_share_a_store_and_end_together(tmp_path: Path) -> None:
    with service(tmp_path, "--workers", "2") as running:
        for _ in range(20):
            assert running.ask("POST", "/v1/decide", {"row": GOOD})[0] == 200
        end = time.monotonic() + 30
        while running.log.read_text().count('"listening"') < 2 and time.monotonic() < end:
            time.sleep(0.05)
        assert running.stop() == 0
        assert running.log.read_text().count('"stopped"') == 2
    log = sqlite.connect(str(tmp_path / "racl.db"))()
    assert (keeping.verify(log, None).decisions, keeping.verify(log, None).problems) == (20, [])


def one_request(
    body: bytes, *, method: bytes = b"POST", path: bytes = b"/v1/decide", version: bytes = b"1.1"
) -> bytes:
    head = b"%b %b HTTP/%b\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nconnection: keep-alive\r\n"
    return head % (method, path, version) + b"content-length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.parametrize("store", ["racl.db", "none"])
def test_requests_that_come_all_at_once_or_in_pieces_are_answered_in_their_order(
    tmp_path: Path, store: str
) -> None:
    bodies = [json.dumps({"row": {**GOOD, "threshold": number}}).encode() for number in range(12)]
    wanted = [air_model().decide_one({**GOOD, "threshold": number}).margin for number in range(12)]
    for size in (10**6, 700, 97):
        with (
            service(tmp_path, "--store", store) as running,
            running.socket() as raw,
            raw.makefile("rb") as came,
        ):
            sent = b"".join(map(one_request, bodies))
            for place in range(0, len(sent), size):
                raw.sendall(sent[place : place + size])
            assert [json.loads(read(came)[1])["decisions"][0]["margin"] for _ in bodies] == wanted
            raw.sendall(one_request(b"{}") + one_request(b"", method=b"GET", path=b"/healthz"))
            assert [read(came)[0] for _ in range(2)] == [400, 200]
            raw.sendall(one_request(b"", method=b"HEAD", path=b"/healthz"))
            raw.sendall(one_request(bodies[0], version=b"1.0"))
            assert came.read().count(b"HTTP/1.1 200 OK") == 2  # to the end of the connection


def test_answers_that_nobody_takes_do_not_pile_up(tmp_path: Path) -> None:
    with service(tmp_path, "--store", "none") as running, running.socket() as raw:
        running.ask("GET", "/openapi.json")
        process = psutil.Process(running.process.pid)
        before = process.memory_info().rss
        raw.sendall(b"GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" * 3000)
        for _ in range(20):
            assert running.ask("GET", "/healthz")[0] == 200
            assert process.memory_info().rss - before < 32 << 20
            time.sleep(0.05)


def read(came: IO[bytes]) -> tuple[int, bytes]:
    """Status and body of the next answer."""
    status = int(came.readline().split()[1])
    length = next(int(line[15:]) for line in iter(came.readline, b"") if line.startswith(b"content-length:"))
    while came.readline() != b"\r\n":
        continue
    return status, came.read(length)


GARBAGE = {
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 10 + b"\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9\r\n\r\n",
    "a path that is no ASCII": b"GET /\xff\xfe HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
    "a broken chunk": b"POST /v1/decide HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    b"transfer-encoding: chunked\r\n\r\nzz\r\n",
    "two lengths": b"POST /v1/decide HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!",
    "an endless head": b"GET / HTTP/1.1\r\n" + b"x-more: " + b"x" * 200_000,
}


def test_what_is_no_request_is_refused_in_the_one_shape_and_large_bodies_are_not_read(tmp_path: Path) -> None:
    with service(tmp_path) as running:
        process = psutil.Process(running.process.pid)
        running.ask("POST", "/v1/decide", {"row": GOOD})
        before = process.memory_info().rss
        for sent in GARBAGE.values():
            head, _, body = whole(running, sent).partition(b"\r\n\r\n")
            assert head.split()[1] in (b"400", b"431")
            assert set(json.loads(body)["error"]) == {"code", "message", "field", "request_id"}
        large = HEAD.replace(b"5000", b"600000000") + b"\r\n" + b"x" * 30_000_000
        assert b" 413 " in whole(running, large)
        assert process.memory_info().rss - before < 64 << 20
        assert running.ask("POST", "/v1/decide", {"row": GOOD})[0] == 200
        many = json.dumps({"rows": [GOOD] * 1500}).encode()
        with running.socket() as raw:  # head and body in one piece, one after the other
            for _ in range(5):
                raw.sendall(HEAD.replace(b"5000", str(len(many)).encode()) + b"\r\n" + many)
                answer = HTTPResponse(raw)
                answer.begin()
                assert (answer.status, len(json.loads(answer.read())["decisions"])) == (200, 1500)
        places = {(one.laddr.port, one.status) for one in process.net_connections()}
        assert all(port == running.port for port, _ in places)  # nothing goes out


def whole(running: Running, sent: bytes) -> bytes:
    """Everything that comes back until the connection is closed."""
    found = b""
    with running.socket() as one, suppress(ConnectionError):
        threading.Thread(target=send, args=(one, sent)).start()
        while part := one.recv(1 << 16):
            found += part
    return found


def send(one: socket.socket, sent: bytes) -> None:
    """Send as much as is taken."""
    with suppress(OSError):
        one.sendall(sent)
