"""A listening service and both clients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from client.asking import Ask, meanwhile, waiting
from client.flaky import Flaky
from serve.asking import remembered, served
from serve.live import ANY_PORT, listening


@pytest.fixture(params=[waiting, meanwhile], ids=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """Asks with one client, then with the other."""
    found: Ask = request.param
    return found


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a service."""
    with listening(served(ANY_PORT)) as found:
        yield found


@pytest.fixture(scope="module")
def shaken() -> Iterator[tuple[str, Flaky]]:
    """A service behind something flaky."""
    flaky = Flaky()
    with listening(served(ANY_PORT), flaky.around) as found:
        yield found, flaky


@pytest.fixture
def flaky(shaken: tuple[str, Flaky]) -> Flaky:
    """What stands before the service, as it starts out."""
    vars(shaken[1]).update(vars(Flaky(shaken[1].app)))
    return shaken[1]


@pytest.fixture
def shaky(shaken: tuple[str, Flaky]) -> str:
    """The address of a service behind something flaky."""
    return shaken[0]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[str]:
    """The address of a service that remembers."""
    with remembered(tmp_path / "racl.db", ANY_PORT) as service, listening(service.service) as found:
        yield found
