"""Where everything stands in a JSON text: one pass over its tokens, keeping nothing but the open brackets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from racl.documents.document import Path

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]*+)(?:
      (?P<text>"(?:[^"\\]++|\\[\s\S])*+")
    | (?P<mark>[\[\]{}:,])
    | (?P<bare>[^ \t\r\n"\[\]{}:,]++)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A value of the text: its key path, its line, how it begins, and the line that gave its name before."""

    path: Path
    line: int
    token: str
    first: int = 0


@dataclass(slots=True)
class Frame:
    """An open bracket and how far it has come."""

    kind: str
    path: Path
    index: int = 0
    name: str | None = None  # the key whose value comes next
    line: int = 0
    first: int = 0
    seen: dict[str, int] = field(default_factory=dict)

    def take(self, name: str, line: int) -> None:
        """Take a name for the value that comes next."""
        self.first = self.seen.get(name, 0)
        self.seen.setdefault(name, line)
        self.name, self.line = name, line

    def place(self, token: str, line: int) -> Place:
        """The place of the value that begins here."""
        if self.kind == "[":
            return Place((*self.path, str(self.index)), line, token)
        return Place((*self.path, self.name or ""), self.line or line, token, self.first)


def places(text: str) -> Iterator[Place]:
    """Every value below the outermost one, in order; the text is valid JSON or the valid beginning of one."""
    position, line = 0, 1
    frames: list[Frame] = []
    while match := TOKEN.match(text, position):
        position = match.end()
        line += match["space"].count("\n")
        token = match[match.lastgroup or 0]
        top = frames[-1] if frames else Frame("", ())
        if token in ("]", "}"):
            frames = frames[:-1]
        elif token == ",":
            top.index, top.name = top.index + 1, None
        elif match.lastgroup == "text" and top.kind == "{" and top.name is None:
            top.take(unquoted(token), line)
        elif token != ":":
            place = top.place(token, line)
            if top.kind:
                yield place
            if token in ("[", "{"):
                frames.append(Frame(token, place.path if top.kind else ()))


def unquoted(token: str) -> str:
    """The text that a JSON string stands for."""
    return str(json.loads(token)) if "\\" in token else token[1:-1]
