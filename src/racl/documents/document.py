"""What a reader hands back, and how it says where a fault is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from racl.errors import Problem

Path = tuple[str, ...]

DEPTH = 64
SHOWN = 100
NAME = 60
BARE = re.compile(r"[A-Za-z0-9_-]+")
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Document:
    """A file as a mapping, the line of each of its key paths, and everything wrong with it."""

    value: dict[str, object]
    lines: Mapping[Path, int]
    problems: tuple[Problem, ...] = ()
    file: str = ""
    unread: frozenset[Path] = frozenset()  # named in the file but faulty, and so not in `value`

    def line(self, path: Path) -> int:
        """The line of a key path, or of the nearest part of it that the file holds; 0 where there is none."""
        holders = (path[:length] for length in range(len(path), 0, -1))
        return next((self.lines[holder] for holder in holders if holder in self.lines), 0)

    def problem(self, path: Path, what: str, hint: str = "") -> Problem:
        """A fault at a key path of this file."""
        return Problem(dotted(path), what, hint, file=self.file, line=self.line(path))


def dotted(path: Path) -> str:
    """A key path as the file would write it.

    >>> dotted(("repairs", "add bag", "cost"))
    'repairs."add bag".cost'
    """
    return ".".join(map(_part, path))


def _part(name: str) -> str:
    shown = name if len(name) <= NAME else name[:NAME] + "…"
    return name if shown == name and BARE.fullmatch(name) else f'"{shown}"'


def capped(problems: Sequence[Problem], file: str) -> tuple[Problem, ...]:
    """The first hundred problems, and how many more there are."""
    more = len(problems) - SHOWN
    return (*problems[:SHOWN], *([Problem("", f"and {more:,} more", file=file)] if more > 0 else []))


def pointed(problem: Problem, line: str, column: int) -> Problem:
    """The same problem with a caret below one column, counted from 0, of its line, unless that is blank."""
    if not line.strip():
        return problem
    left = max(0, min(column, len(line)) - NAME)
    span = (column - left, column - left + 1)
    shown = line[left : left + 160]
    return Problem(problem.where, problem.what, problem.hint, problem.file, problem.line, shown, span)
