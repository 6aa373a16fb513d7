"""What every part of reading a domain does: naming places, collecting faults, reading tables and names."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from racl.documents import Document
from racl.errors import Problem, nearest, quoted
from racl.expr.nodes import RESERVED

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

Path = tuple[str, ...]
Table = Mapping[str, object]


MOST = 100  # faults said of one document


class EnoughError(Exception):
    """More faults than anybody reads."""


@dataclass
class Faults:
    """The faults found so far in one document."""

    document: Document
    problems: list[Problem] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.problems.extend(self.document.problems)

    def say(self, path: Path, what: str, hint: str = "") -> None:
        """A fault at a key path."""
        self.add(self.document.problem(path, what, hint).at(self.document.file, self.line(path)))

    def add(self, problem: Problem) -> None:
        """A fault; past the first hundred, reading stops."""
        if len(self.problems) >= MOST:
            raise EnoughError
        self.problems.append(problem)

    def line(self, path: Path) -> int:
        """The line of a key path, or of the nearest one above it."""
        return self.document.line(path) or 1

    def missing(self, key: str) -> bool:
        """Not in the file at all, as against there and faulty."""
        return key not in self.document.value and (key,) not in self.document.unread

    def sorted_problems(self) -> list[Problem]:
        """The faults in the order of the file, each once."""
        return sorted(dict.fromkeys(self.problems), key=lambda problem: problem.line)

    def known(self, path: Path, table: Table, keys: tuple[str, ...]) -> None:
        """Every key of the table must be one of these."""
        for key in table:
            if key not in keys:
                hint = nearest(key, keys) or "the keys here are " + ", ".join(f"`{known}`" for known in keys)
                self.say((*path, key), f"unknown key {quoted(key)}", hint)

    def table(self, path: Path, value: object) -> Table:
        """The value as a table; empty where it is none."""
        if isinstance(value, Mapping):
            return value
        self.say(path, f"{quoted(value)} stands where a table is wanted")
        return {}

    def section(self, name: str) -> Table:
        """A section's entries; names that are not names are faults, but their entries are checked all the same."""
        table = self.table((name,), self.document.value.get(name, {}))
        for key in table:
            self.name((name, key), key)
        return table

    def name(self, path: Path, name: str) -> None:
        """A column, requirement, feature or repair must have a name that expressions can use."""
        if not NAME.fullmatch(name):
            self.say(
                path, f"{quoted(name)} is not a name", "letters, digits and `_`, not beginning with a digit"
            )
        elif name in RESERVED:
            self.say(path, f"`{name}` is a word of the expression language", "choose another name")

    def words(self, path: Path, value: object) -> str:
        """The value as text; empty where it is none."""
        if isinstance(value, str):
            return value
        self.say(path, f"{quoted(value)} is not text")
        return ""


def finite(value: float) -> bool:
    """A number that float64 holds."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
