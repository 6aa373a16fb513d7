"""A service to ask."""

from __future__ import annotations

import pytest

from serve.asking import Asker, served


@pytest.fixture
def ask() -> Asker:
    """A service of the small domain."""
    return Asker(served())
