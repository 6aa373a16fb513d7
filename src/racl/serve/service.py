"""What a running service holds: settings, models, counts."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from racl.serve.counting import Counts
from racl.serve.registry import Registry
from racl.serve.settings import Settings

_numbers = count()
_start = secrets.token_hex(5)


def new_id() -> str:
    """An id that sorts by time and cannot be guessed."""
    return f"{time.time_ns() // 1000:014x}{secrets.token_hex(9)}"


def new_request_id() -> str:
    """An id for the log: of this process, and counted."""
    return f"{_start}{next(_numbers):08x}"


@dataclass
class Service:
    """Everything that answering a request may need."""

    settings: Settings
    registry: Registry = field(default_factory=Registry)
    counts: Counts = field(default_factory=Counts)
    clock: Callable[[], float] = time.time
    stopping: bool = False

    def reasons(self) -> list[str]:
        """Why the service is not ready, if it is not."""
        found = ["shutting down"] if self.stopping else []
        if not self.registry.all():
            found.append("no model is served")
        return found
