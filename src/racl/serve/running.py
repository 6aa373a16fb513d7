"""Running the service: a socket, uvicorn in one process or several, one structured line for each thing that happens."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import msgspec
import uvicorn

from racl.errors import RaclError
from racl.serve.app import App
from racl.serve.opening import opened_service
from racl.serve.protocol import Protocol
from racl.serve.service import Service
from racl.serve.settings import Settings

GARBAGE = 20_000  # objects between two looks for garbage: a request of many rows makes thousands
TURN = 0.0005  # seconds that one thread keeps the interpreter while the writer waits for it
ACCEPTED = 16  # connections taken in one turn of the loop, which takes one for each socket that listens
LOG = logging.getLogger("racl.serve")
TOLD = (
    "request_id",
    "method",
    "path",
    "status",
    "ms",
    "address",
    "tenant",
    "model",
    "version",
    "detail",
    "refused",
)


class OneLine(logging.Formatter):
    """A log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "at": round(record.created, 3),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in TOLD if hasattr(record, name)}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


def log_to_stderr() -> None:
    """Send what the service and uvicorn tell to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    for name, level in (("racl.serve", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def server(service: Service) -> uvicorn.Server:
    """The server of a service, not yet running."""
    settings = service.settings
    application = App(service)
    config = uvicorn.Config(
        application,
        host=settings.host,
        port=settings.port,
        http=Protocol.of(application),
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=30,
        backlog=2048,
    )
    return Server(config)


class Server(uvicorn.Server):
    """A server that a signal ends in good order, after which the program goes on."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take note of signals, and do not raise them again."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def run(settings: Settings) -> None:
    """Serve until told to stop."""
    log_to_stderr()
    with listening(settings) as listeners:
        if settings.workers == 1:
            work(settings, listeners)
        else:
            supervise(settings, listeners)


@contextmanager
def listening(settings: Settings) -> Iterator[list[socket.socket]]:
    """The socket that is listened at, several times; raises OSError where it cannot be."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host.strip("[]"), settings.port))
        except OSError as fault:
            raise OSError(
                fault.errno, os.strerror(fault.errno or 0), f"{settings.host}:{settings.port}"
            ) from None
        listener.settimeout(0)  # now: its copies have one state, which no worker may change under another
        copies = [listener.dup() for _ in range(1, ACCEPTED)]
        try:
            yield [listener, *copies]
        finally:
            for one in copies:
                one.close()


def work(settings: Settings, listeners: list[socket.socket]) -> None:
    """Serve in this process."""
    sys.setswitchinterval(TURN)
    service = opened_service(settings)
    for (tenant, _), serving in service.registry.all().items():
        told = {"tenant": tenant, "model": serving.active.name, "version": serving.active.digest}
        LOG.info("serving", extra=told)
    port = listeners[0].getsockname()[1]
    gc.freeze()  # models and code are not looked at again
    gc.set_threshold(GARBAGE)
    LOG.info("listening", extra={"address": f"http://{settings.host}:{port}/"})
    try:
        server(service).run(listeners)
    finally:
        if service.memory is not None:
            service.memory.close()
    LOG.info("stopped")


def supervise(settings: Settings, listeners: list[socket.socket]) -> None:
    """Serve in several processes, and start another one for each that ends by itself."""
    stopping: list[int] = []
    running: set[int] = set()

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        stopping.append(number)
        for one in running:
            os.kill(one, signal.SIGTERM)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        while running or not stopping:
            while not stopping and len(running) < settings.workers:
                running.add(started(settings, listeners, before))
            ended, status = os.wait()
            running.discard(ended)
            if not stopping and os.waitstatus_to_exitcode(status) in (1, 2):  # it could not start
                stop(signal.SIGTERM, None)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def started(settings: Settings, listeners: list[socket.socket], before: dict[signal.Signals, Any]) -> int:
    """The number of a new process that serves."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        for number, handler in before.items():
            signal.signal(number, handler)
        work(settings, listeners)
        code = 0
    except RaclError as fault:
        for problem in fault.problems:
            print(problem, file=sys.stderr)  # noqa: T201 - the command's own process does not hear of it
        code = 2
    except Exception:
        LOG.exception("a worker failed")
    finally:
        os._exit(code)
