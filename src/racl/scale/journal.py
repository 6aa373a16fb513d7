"""How far a run has come, kept beside its output: what a killed run needs to go on where it was."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from racl.errors import DataError, Problem
from racl.scale.paths import writing
from racl.scale.unfinished import Unfinished, beside

PAUSE = 10.0  # seconds between two entries
KIND = "racl journal 1"


@dataclass
class Journal:
    """A line that says what is being done, then a line every few seconds: how much of it is."""

    path: Path  # of the output
    task: Mapping[str, Any]
    files: Sequence[Unfinished]
    file: BinaryIO | None = None
    told: list[int] = field(default_factory=list)  # how many groups of each file are in it already
    last: float = field(default_factory=monotonic)
    entries: int = 0
    complete: bool = False  # whether it says that all is written

    @property
    def place(self) -> Path:
        """Where it stands."""
        return beside(self.path, "journal")

    def begin(self) -> None:
        """Start anew."""
        with writing(self.path):
            self.file = self.place.open("wb")
        self.told = [0] * len(self.files)
        self._write({"kind": KIND, "task": self.task})

    def note(self, pieces: int, tally: Mapping[str, Any], *, complete: bool = False) -> None:
        """Take down that so many pieces are written, if it is time."""
        if not complete and monotonic() - self.last < PAUSE:
            return
        if not complete:
            for file in self.files:
                file.settle()
        states = [
            {
                "size": file.size,
                "rows": file.rows,
                "groups": [base64.b64encode(group).decode() for group in file.groups[known:]],
            }
            for file, known in zip(self.files, self.told, strict=True)
        ]
        self._write({"pieces": pieces, "tally": tally, "files": states, "complete": complete})
        self.told = [len(file.groups) for file in self.files]
        self.last = monotonic()
        self.entries += 1
        self.complete = complete

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self.file is not None:
            with writing(self.path):
                self.file.write(json.dumps(entry).encode() + b"\n")
                self.file.flush()

    def go_on(self) -> tuple[int, Mapping[str, Any]] | None:
        """What a run before this one has done: pieces and counts; nothing where there was none.

        Raises where that run did something else, or read something else.
        """
        found = entries_of(self.path, self.task)
        if not found:
            return None
        lines, entries = found
        done = self._last_whole(entries[1:])
        if done is None:
            return None
        kept, entry = done
        with writing(self.path):
            self.file = self.place.open("r+b")
            self.file.truncate(sum(len(line) for line in lines[: kept + 2]))
            self.file.seek(0, os.SEEK_END)
        self.told = [len(file.groups) for file in self.files]
        self.entries = kept + 1
        return entry["pieces"], entry["tally"]

    def _last_whole(self, entries: list[dict[str, Any]]) -> tuple[int, dict[str, Any]] | None:
        """The last entry that the files still bear out."""
        for number in reversed(range(len(entries))):
            if all(
                file.go_on(state["size"], state["rows"], _groups(entries[: number + 1], at))
                for at, (file, state) in enumerate(zip(self.files, entries[number]["files"], strict=True))
            ):
                return number, entries[number]
        return None

    def close(self) -> None:
        """Nothing more is taken down."""
        if self.file is not None:
            self.file.close()

    def remove(self) -> None:
        """Nothing is left to go on from."""
        self.close()
        self.place.unlink(missing_ok=True)


def entries_of(path: Path, task: Mapping[str, Any]) -> tuple[list[bytes], list[dict[str, Any]]] | None:
    """The lines of the journal of an output, and what they say; raises where it is one of something else."""
    lines: list[bytes] = []
    entries: list[dict[str, Any]] = []
    with suppress(OSError):
        lines = beside(path, "journal").read_bytes().splitlines(keepends=True)
    with suppress(ValueError):  # a line that was not written to its end
        entries += (json.loads(line) for line in lines if line.endswith(b"\n"))
    if not entries or entries[0].get("kind") != KIND:
        return None
    if entries[0]["task"] != task:
        raise DataError([Problem("", _difference(entries[0]["task"], task), HINT, str(path))])
    return lines, entries


def ended(path: Path, task: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The counts of a run that had written all there is."""
    found = entries_of(path, task)
    last = found[1][-1] if found else {}
    return last["tally"] if last.get("complete") else None


HINT = "without `--resume` it begins anew"


def _groups(entries: Sequence[Mapping[str, Any]], file: int) -> list[bytes]:
    return [base64.b64decode(group) for entry in entries for group in entry["files"][file]["groups"]]


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What is not as it was."""
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if "inputs" in names:
        known = {tuple(one) for one in before["inputs"]}
        changed = [one[0] for one in now["inputs"] if tuple(one) not in known] or ["a file is missing that"]
        return f"cannot be resumed: {changed[0]} is not what it was when the run began"
    return f"cannot be resumed: {', '.join(names)} not as in the run before"
