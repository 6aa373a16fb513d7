"""Running the service: models read, uvicorn in front, one structured line for each thing that happens."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable
from typing import Any

import msgspec
import uvicorn

from racl.errors import DataError, Problem, quoted
from racl.model import load_model
from racl.serve.app import App
from racl.serve.protocol import Protocol
from racl.serve.registry import HERE, Registry, Version, first, version_from, warmed
from racl.serve.service import Service
from racl.serve.settings import Settings

TOLD = ("request_id", "method", "path", "status", "ms", "address", "model", "version", "detail")


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


def read_models(paths: Iterable[str]) -> list[Version]:
    """The models in files, one for each domain."""
    found: list[Version] = []
    for path in paths:
        version = warmed(version_from(load_model(path), time.time()))
        if any(one.name == version.name for one in found):
            what = f"two models of the domain {quoted(version.name)}"
            raise DataError([Problem("", what, "serve one, and send the other to /v1/models", file=path)])
        found.append(version)
    return found


def registry_of(versions: Iterable[Version]) -> Registry:
    """A registry that serves these models to whoever needs no key."""
    registry = Registry()
    for version in versions:
        registry.put(HERE, first(version))
    return registry


def server(service: Service) -> uvicorn.Server:
    """The server of a service, not yet running."""
    settings = service.settings
    config = uvicorn.Config(
        App(service),
        host=settings.host,
        port=settings.port,
        http=Protocol.of(settings),
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
    return uvicorn.Server(config)


def run(settings: Settings) -> None:
    """Serve until told to stop."""
    versions = read_models(settings.models)
    log_to_stderr()
    service = Service(settings, registry_of(versions))
    log = logging.getLogger("racl.serve")
    for version in versions:
        log.info("serving", extra={"model": version.name, "version": version.digest})
    log.info("listening", extra={"address": f"http://{settings.host}:{settings.port}/"})
    server(service).run()
    log.info("stopped")
