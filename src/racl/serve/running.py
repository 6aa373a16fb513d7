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
from racl.serve.modelling import activated
from racl.serve.protocol import Protocol
from racl.serve.registry import (
    HERE,
    Registry,
    Version,
    first,
    kept_of,
    refresh,
    state_of,
    version_from,
    warmed,
    with_version,
)
from racl.serve.service import Service
from racl.serve.settings import Settings
from racl.serve.store import keys, models
from racl.serve.store.memory import Memory
from racl.serve.store.places import place_of

LOG = logging.getLogger("racl.serve")
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


def served(registry: Registry, memory: Memory | None, versions: Iterable[Version]) -> None:
    """Serve what the memory knows, and the models that were given; a version that was known before changes nothing."""
    connection = memory.readers() if memory else None
    if connection is not None:
        refresh(registry, connection)
        connection.close()
    for version in versions:
        serving = registry.get(HERE, version.name)
        if serving is not None and version.digest in serving.versions:
            continue
        changed = first(version) if serving is None else activated(with_version(serving, version), version)
        registry.put(HERE, changed)
        if memory is not None:
            writing = memory.writer.connect()
            models.keep(writing, kept_of(HERE, version), HERE, version.name, state_of(changed))
            writing.close()


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
    memory = opened(settings)
    service = Service(settings, memory=memory)
    take_keys(service)
    log_to_stderr()
    served(service.registry, memory, versions)
    if memory is not None:
        service.counts.gauges |= memory.gauges()
    for serving in service.registry.of(HERE):
        LOG.info("serving", extra={"model": serving.active.name, "version": serving.active.digest})
    LOG.info("listening", extra={"address": f"http://{settings.host}:{settings.port}/"})
    try:
        server(service).run()
    finally:
        if memory is not None:
            memory.close()
    LOG.info("stopped")


def opened(settings: Settings) -> Memory | None:
    """The memory that the settings name."""
    if settings.store == "none":
        return None
    place = place_of(settings.store, new=True)
    return Memory(place.connect, place.readers, most=settings.max_waiting)


def take_keys(service: Service) -> None:
    """Know the keys of the memory; without any, an address that others can reach is refused."""
    if service.memory is not None:
        connection = service.memory.readers()
        service.keyring.take(keys.all_keys(connection))
        connection.close()
    if service.settings.public and not service.keyring.keys:
        what = "an address that others can reach wants keys, and there are none"
        raise DataError([Problem("racl serve", what, "`racl key add` makes one")])
