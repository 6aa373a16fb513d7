"""TOML text cut into statements, in one pass, whatever the text.

Python's reader gives no positions and stops at the first fault; cut up, each statement is read on its own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field

from racl.documents.document import DEPTH, Path
from racl.errors import Problem

STATEMENTS = 2_500
PLACES = 50_000
PARTS = 8
WORD = 1_000

TOKEN = re.compile(
    r"""[ \t]*+(?:
      (?P<newline>\n(?:[ \t]*+\n)*+)
    | (?P<comment>\#[^\n]*+)
    | (?P<long>\"{3}|'{3})
    | (?P<text>"(?:[^"\\\n]++|\\[^\n])*+"?|'[^'\n]*+'?)
    | (?P<mark>[\[\]{},=.])
    | (?P<bare>[^ \t\n"'\#\[\]{},=.]++)
    )""",
    re.VERBOSE,
)
LONG = {
    '"""': re.compile(r'(?:[^"\\]++|\\[\s\S]|"(?!""))*+"""(?:"{1,2})?'),
    "'''": re.compile(r"(?:[^']++|'(?!''))*+'''(?:'{1,2})?"),
}
BLANK = re.compile(r"(?:[ \t]*+(?:\#[^\n]*+)?\n)*+(?:[ \t]*+(?:\#[^\n]*+)?\Z)?")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
KEY = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\[^\n])*+"|'[^'\n]*+')"""
# A line that cannot go on a list: `name =`, or a section's header.
NEXT = re.compile(
    rf"[ \t]*+(?:{KEY}(?:[ \t]*+\.[ \t]*+{KEY})*+[ \t]*+="
    rf"|\[\[?(?!(?:true|false|inf|nan)\b)[A-Za-z_][\w-]*+(?:\.[\w-]++)*+\]\]?[ \t]*+(?:\#|$))",
    re.MULTILINE,
)
HEADER = re.compile(r"[ \t]*\[", re.MULTILINE)


class TooMuchError(Exception):
    """The text passes a limit and is not read at all."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


@dataclass(frozen=True, slots=True)
class Twice:
    """A name that one inline table holds twice."""

    path: Path
    first: int
    line: int


@dataclass(slots=True)
class Statement:
    """One header or one `name = value`, and the lines of what stands inside."""

    start: int
    line: int
    stop: int = 0
    kind: str = ""  # `[` a header, `[[` one of a list, `=` a name and its value
    key: Path = ()
    places: dict[Path, int] = field(default_factory=dict)
    twice: list[Twice] = field(default_factory=list)
    spread: int = 0  # the line of an inline table that goes on below it
    lengthy: int = 0  # the line of a number, or a word outside of quotes, that is too long to be read
    unclosed: int = 0  # the line of text in three quotes that never ends


@dataclass(slots=True)
class Frame:
    """An open list or inline table, or the statement itself, and how far its current key has come."""

    kind: str
    base: Path
    parts: list[str] = field(default_factory=list)
    valued: bool = False
    dot: bool = True
    index: int = 0
    seen: dict[Path, tuple[bool, int]] = field(default_factory=dict)

    def path(self) -> Path:
        """The key path of the value that comes next."""
        return (*self.base, str(self.index)) if self.kind == "[" else (*self.base, *self.parts)


class Scanner:
    """A place in a text that moves forward, statement by statement."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.line = 1
        self.control: list[int] = []  # lines of comments with a control character
        self._endless: set[str] = set()
        self._places = 0
        self._last = ""

    def statements(self) -> Iterator[Statement]:
        """Every statement in turn; none is longer than what its own brackets and quotes hold together."""
        count = 0
        while self._skip_blank():
            count += 1
            if count > STATEMENTS:
                raise TooMuchError(Problem("", f"more than {STATEMENTS:,} statements", line=self.line))
            yield self._header() if HEADER.match(self.text, self.position) else self._pair()

    def _skip_blank(self) -> bool:
        match = BLANK.match(self.text, self.position)
        skipped = match.group() if match else ""
        if CONTROL.search(skipped):
            lines = enumerate(skipped.split("\n"), self.line)
            self.control.extend(line for line, part in lines if CONTROL.search(part))
        self.position += len(skipped)
        self.line += skipped.count("\n")
        return self.position < len(self.text)

    def _header(self) -> Statement:
        start, self.position = self.position, self._line_end()
        source = self.text[start : self.position].lstrip(" \t")
        statement = Statement(start, self.line, self.position, "[[" if source.startswith("[[") else "[")
        frame = Frame("", ())
        for match in TOKEN.finditer(source, len(statement.kind)):
            token = match.group(match.lastindex or 0)
            if token in ("]", "[") or match.lastgroup == "comment":
                break
            self._key(token, frame)
        statement.key = tuple(frame.parts)
        return statement

    def _key(self, token: str, frame: Frame) -> None:
        """One more token of a key."""
        if token == ".":
            frame.dot = True
        elif frame.dot:
            frame.parts.append(_name(token))
            frame.dot = False
            self._count()
        if len(frame.parts) > PARTS:
            raise TooMuchError(Problem("", f"a name of more than {PARTS} parts", line=self.line))

    def _count(self) -> None:
        self._places += 1
        if self._places > PLACES:
            raise TooMuchError(Problem("", f"more than {PLACES:,} names and values", line=self.line))

    def _line_end(self) -> int:
        end = self.text.find("\n", self.position)
        return len(self.text) if end < 0 else end

    def _pair(self) -> Statement:
        statement = Statement(self.position, self.line)
        frames = [Frame("", ())]
        self._last = ""
        while match := TOKEN.match(self.text, self.position):
            kind, token = match.lastgroup, match.group(match.lastindex or 0)
            if kind == "newline" and self._ends(frames, statement, match.end()):
                break
            self.position = match.end()
            if kind == "long":
                token = self._long(token, statement)
            self._take(kind or "", token, frames, statement)
        else:
            self.position = len(self.text)
        statement.stop = self.position
        statement.key = tuple(frames[0].parts)
        statement.kind = "=" if frames[0].valued else ""
        return statement

    def _long(self, quotes: str, statement: Statement) -> str:
        """Text in three quotes; if it never ends, what is left of its line."""
        start = self.position
        match = None if quotes in self._endless else LONG[quotes].match(self.text, start)
        if match is None:
            self._endless.add(quotes)
            statement.unclosed = statement.unclosed or self.line
            self.position = self._line_end()
        else:
            self.position = match.end()
        return self.text[start - 3 : self.position]

    def _ends(self, frames: list[Frame], statement: Statement, following: int) -> bool:
        """Whether a line break ends the statement, rightly or because something was left open."""
        match frames[-1].kind:
            case "[":
                return NEXT.match(self.text, following) is not None
            case "{" if self._last in ("{", ","):
                statement.spread = statement.spread or self.line
                return HEADER.match(self.text, following) is not None
            case "{":
                # A table that is already known to spread may well close on a line of its own.
                return not statement.spread or HEADER.match(self.text, following) is not None
            case _:
                return True

    def _take(self, kind: str, token: str, frames: list[Frame], statement: Statement) -> None:
        match kind:
            case "newline":
                self.line += token.count("\n")
                return
            case "comment":
                return
            case "mark":
                self._mark(token, frames, statement)
            case _:
                if kind == "bare" and len(token) > WORD:
                    statement.lengthy = statement.lengthy or self.line
                self._word(token, frames, statement)
                self.line += token.count("\n")
        self._last = token

    def _word(self, token: str, frames: list[Frame], statement: Statement) -> None:
        top = frames[-1]
        if top.kind == "[":
            self._place(frames[-1].path(), statement)
        elif not top.valued:
            self._key(token, top)

    def _mark(self, token: str, frames: list[Frame], statement: Statement) -> None:
        top = frames[-1]
        match token:
            case "[" | "{":
                self._open(token, frames, statement)
            case "]" | "}" if top.kind + token in ("[]", "{}"):
                frames.pop()
            case "," if top.kind == "[":
                top.index += 1
            case "," if top.kind == "{":
                top.parts, top.valued, top.dot = [], False, True
            case "=" if top.kind != "[" and not top.valued:
                top.valued = True
                self._named(top, statement)
            case "." if top.kind != "[" and not top.valued:
                self._key(token, top)

    def _open(self, token: str, frames: list[Frame], statement: Statement) -> None:
        if len(frames) > DEPTH:
            raise TooMuchError(Problem("", f"brackets nested more than {DEPTH} deep", line=self.line))
        if frames[-1].kind == "[":
            self._place(frames[-1].path(), statement)
        frames.append(Frame(token, frames[-1].path()))

    def _named(self, top: Frame, statement: Statement) -> None:
        """Record a name, unless its table already holds it."""
        path = top.path()
        self._place(path, statement)
        if top.kind != "{":
            return
        first = _already(top, path)
        if first:
            statement.twice.append(Twice(path, first, self.line))
            return
        for length in range(len(top.base) + 1, len(path)):
            top.seen.setdefault(path[:length], (False, self.line))
            statement.places.setdefault(path[:length], self.line)
        top.seen[path] = (True, self.line)

    def _place(self, path: Path, statement: Statement) -> None:
        self._count()
        statement.places.setdefault(path, self.line)


def _already(top: Frame, path: Path) -> int:
    """The line on which an inline table gave this name, or a part of it, a value; 0 if it did not."""
    for length in range(len(top.base) + 1, len(path)):
        taken, line = top.seen.get(path[:length], (False, 0))
        if taken:
            return line
    return top.seen.get(path, (False, 0))[1]


def _name(token: str) -> str:
    """A part of a key without its quotes."""
    if token[0] == '"' and "\\" in token:
        try:
            return next(iter(tomllib.loads(f"{token} = 0")))
        except tomllib.TOMLDecodeError:
            return token
    return token[1:-1] if token[0] in "\"'" else token
