"""Finished work kept on disk: one file a cell, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from racl.learn.record import plain
from racl.metrics.judged import Judged

Result = Mapping[str, Any]
NAMES = ("accepted", "value", "margin", "bucket", "credit", "probability")  # of decisions, plain arrays
TEXTS = ("best", "plan")  # names of plans, kept as codes


@dataclass(frozen=True)
class Store:
    """A folder of finished cells; what they depend on is in their mark."""

    folder: Path
    mark: str  # of everything that all cells depend on

    def path(self, name: str, kind: str) -> Path:
        """The file of a cell."""
        return self.folder / f"{name}-{self.mark}.{kind}"

    def result(self, name: str, make: Callable[[], Result]) -> Result:
        """The result of a cell, made where it is not there."""
        path = self.path(name, "json")
        if path.exists():
            found: Result = json.loads(path.read_text("utf-8"))
            return found
        made = plain(dict(make()))
        written(path, json.dumps(made, allow_nan=False).encode())
        return dict(made)

    def decided(self, name: str, make: Callable[[], tuple[Judged, Result]]) -> tuple[Judged, Result]:
        """The decisions of a cell and what goes with them, made where they are not there."""
        path = self.path(name, "npz")
        if path.exists():
            with np.load(path, allow_pickle=False) as held:
                return judged_of(dict(held)), json.loads(str(held["record"]))
        judged, record = make()
        record = plain(dict(record))
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, **arrays_of(judged), record=np.array(json.dumps(record)))
        part.replace(path)
        return judged, record


def written(path: Path, data: bytes) -> None:
    """The data under that name, wholly or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f"{path.suffix}.part")
    part.write_bytes(data)
    part.replace(path)


def mark_of(*parts: object) -> str:
    """A short mark that changes with any of the parts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def arrays_of(judged: Judged) -> dict[str, Any]:
    """Decisions as arrays without objects."""
    found = {name: array for name in NAMES if (array := getattr(judged, name)) is not None}
    for name in TEXTS:
        texts = getattr(judged, name)
        if texts is not None:
            found[name] = np.array(["" if text is None else text for text in texts], np.str_)
    return found


def judged_of(held: Mapping[str, Any]) -> Judged:
    """Decisions from such arrays."""
    found: dict[str, Any] = {name: held.get(name) for name in NAMES}
    for name in TEXTS:
        texts = held.get(name)
        found[name] = None if texts is None else np.array([str(one) or None for one in texts], object)
    return Judged(**found)
