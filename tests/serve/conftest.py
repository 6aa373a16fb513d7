"""Services to ask, without and with a memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from serve.asking import Asker, remembered, served


@pytest.fixture
def ask() -> Asker:
    """A service of the small domain."""
    return Asker(served())


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where a memory is kept."""
    return tmp_path / "log.db"


@pytest.fixture
def kept(store: Path) -> Iterator[Asker]:
    """A service of the small domain with a memory."""
    with remembered(store) as ask:
        yield ask
