"""A service that really listens, on a port of its own, while the test runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from racl.serve.running import server
from racl.serve.service import Service
from racl.serve.settings import Settings

ANY_PORT = Settings(port=0)


@contextmanager
def listening(service: Service, around: Callable[[Any], Any] = lambda app: app) -> Iterator[str]:
    """The address of a service; what is around it sees every request first."""
    running = server(service)
    running.config.app = around(running.config.app)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not running.started:
            assert thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline, "the server did not start in time"
            time.sleep(0.005)
        port = running.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        running.should_exit = True
        thread.join(20)
    assert not thread.is_alive(), "the server did not stop"
