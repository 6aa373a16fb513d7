"""Whether the versions that a memory keeps are what their hashes say, and decisions are filed under the right persona."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from racl.errors import ModelError
from racl.model import parse_model
from racl.serve.store import models
from racl.serve.store.connection import Connection

Key = tuple[str, str, str]  # tenant, model, version
LOST = ModelError([])


class Versions:
    """Every version that is kept, by the column that is its persona; what does not fit is said."""

    def __init__(self, connection: Connection, say: Callable[[str], None]) -> None:
        self.say = say
        self.columns: dict[Key, str | ModelError | None] = {}
        for one in models.versions(connection):
            self.columns[one.tenant, one.model, one.version] = column = persona_column(one)
            if column is LOST:
                say(f"model {one.model}: version {one.version[:12]} was changed")

    def check(self, seq: int, key: Key, persona: str | None, given: Mapping[str, Any]) -> None:
        """Hold a decision to its version: that it is there, and that what is filtered by is what the row says."""
        if key not in self.columns:
            self.say(f"model {key[1]}: version {key[2][:12]}, which decided, is gone")
            self.columns[key] = LOST
        column = self.columns[key]
        if isinstance(column, ModelError):
            return
        hidden = persona is None and any(isinstance(value, dict) for value in given.values())
        if not hidden and persona != (None if column is None else given.get(column)):
            self.say(f"decisions {seq}: its persona was changed")


def persona_column(kept: models.Kept) -> str | ModelError | None:
    """The column that is the persona in a version; `LOST` where the version is not what its hash says."""
    if hashlib.sha256(kept.document.encode()).hexdigest() != kept.version:
        return LOST
    try:
        return parse_model(kept.document).domain.rule.persona
    except ModelError as fault:  # what an older racl took
        return fault


def columns_of(connection: Connection) -> set[str]:
    """Every column of every version that is kept."""
    return {
        name
        for one in models.versions(connection)
        for part in ("candidate", "context")
        for name in json.loads(one.document)["domain"].get(part, ())
    }
