"""The mapping that a file's statements build up, and who named what first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from racl.documents.document import Path


class Kind(Enum):
    """How a key path came to be."""

    IMPLIED = "on the way to a section"
    SECTION = "by its own header"
    DOTTED = "on the way to a dotted key"
    VALUE = "by a value"


@dataclass(frozen=True, slots=True)
class Clash:
    """A key path that is already taken, and the line that took it."""

    path: Path
    line: int
    kind: Kind


@dataclass(slots=True)
class Node:
    """A key path, how and where it was named, and in which section of the file."""

    kind: Kind
    line: int
    section: int


class Tree:
    """Sections and values as they come in; the first to take a name keeps it."""

    def __init__(self) -> None:
        self.value: dict[str, object] = {}
        self.lines: dict[Path, int] = {}
        self._tables: dict[Path, dict[str, object]] = {(): self.value}
        self._nodes: dict[Path, Node] = {}
        self._section = 0

    def open(self, key: Path, line: int) -> Clash | None:
        """Begin a section."""
        self._section += 1
        for length in range(1, len(key)):
            node = self._nodes.get(key[:length])
            if node is None:
                self._table(key[:length], Kind.IMPLIED, line)
            elif node.kind is Kind.VALUE:
                return Clash(key[:length], node.line, node.kind)
        node = self._nodes.get(key)
        if node is None:
            self._table(key, Kind.SECTION, line)
        elif node.kind is Kind.IMPLIED:
            node.kind, node.line, self.lines[key] = Kind.SECTION, line, line
        else:
            return Clash(key, node.line, node.kind)
        return None

    def take(self, section: Path, key: Path, line: int) -> Clash | None:
        """Keep a name of a section for a value."""
        path = section + key
        for length in range(len(section) + 1, len(path)):
            clash = self._through(path[:length], line)
            if clash is not None:
                return clash
        node = self._nodes.get(path)
        if node is not None:
            return Clash(path, node.line, node.kind)
        self._nodes[path] = Node(Kind.VALUE, line, self._section)
        self.lines[path] = line
        return None

    def put(self, path: Path, value: object) -> None:
        """Give a name that was taken its value."""
        self._tables[path[:-1]][path[-1]] = value

    def _through(self, path: Path, line: int) -> Clash | None:
        """Pass by a table that a dotted key names on its way; only the section that opened one may."""
        node = self._nodes.get(path)
        if node is None:
            self._table(path, Kind.DOTTED, line)
        elif node.kind is Kind.IMPLIED:
            node.kind, node.section = Kind.DOTTED, self._section
        elif node.kind is not Kind.DOTTED or node.section != self._section:
            return Clash(path, node.line, node.kind)
        return None

    def _table(self, path: Path, kind: Kind, line: int) -> None:
        table: dict[str, object] = {}
        self.put(path, table)
        self._tables[path] = table
        self._nodes[path] = Node(kind, line, self._section)
        self.lines[path] = line
