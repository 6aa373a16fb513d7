"""From settings to a service: models read, memory opened, keys known."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from racl.errors import DataError, Problem, quoted
from racl.model import load_model
from racl.serve.modelling import activated
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


def opened_service(settings: Settings, clock: Callable[[], float] = time.time) -> Service:
    """The service, ready to answer."""
    versions = read_models(settings.models, clock())
    memory = opened(settings)
    service = Service(settings, memory=memory, clock=clock)
    take_keys(service)
    served(service.registry, memory, versions)
    if memory is not None:
        service.counts.gauges |= memory.gauges()
    return service


def read_models(paths: Iterable[str], now: float) -> list[Version]:
    """The models in files, one for each domain."""
    found: list[Version] = []
    for path in paths:
        version = warmed(version_from(load_model(path), now))
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
