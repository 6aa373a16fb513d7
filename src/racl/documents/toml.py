"""A TOML file as a mapping, with the line of every key and every fault in one run."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from racl.documents.document import SURROGATE, Document, Path, capped, dotted
from racl.documents.faults import explained
from racl.documents.statements import WORD, Scanner, Statement, TooMuchError
from racl.documents.tree import Clash, Kind, Tree
from racl.errors import Problem, quoted

WHOLE = 1 << 63  # TOML's integers have 64 bits
REPEATED = ("Duplicate inline table key", "Cannot overwrite", "Cannot mutate")


def read_toml(text: str, file: str = "") -> Document:
    r"""The text as a document; what is faulty is left out of its value and named in its problems.

    >>> document = read_toml("[rule]\nsteps = 2\nsteps = 3", "air.toml")
    >>> document.value, document.line(("rule", "steps"))
    ({'rule': {'steps': 2}}, 2)
    >>> print(*document.problems)
    air.toml:3: rule.steps: given twice, first in line 2
    """
    half = None if text.isascii() else SURROGATE.search(text)
    if half:
        line = text.count("\n", 0, half.start()) + 1
        return Document({}, {}, (Problem("", "half of a character pair", file=file, line=line),), file)
    reader = Reader(text.replace("\r\n", "\n"), file)
    try:
        reader.read()
    except TooMuchError as limit:
        return Document({}, {}, (limit.problem.at(file, limit.problem.line),), file)
    return reader.document()


class Reader:
    """A document as far as it has been read."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.tree = Tree()
        self.section: Path | None = ()  # None: in a section that cannot be kept
        self.problems: list[Problem] = []
        self.unread: set[Path] = set()

    def read(self) -> None:
        """Take in every statement; a fault in one leaves the others as they are."""
        scanner = Scanner(self.text)
        for statement in list(scanner.statements()):
            source = self.text[statement.start : statement.stop].rstrip(" \t\n")
            if statement.kind.startswith("["):
                self._header(statement, source)
            else:
                self._pair(statement, source)
        for line in scanner.control:
            self._add((), "a control character in a comment", line)
        if not self.problems:
            self._compare()

    def document(self) -> Document:
        """What was read, its problems in the order of their lines."""
        problems = capped(sorted(self.problems, key=lambda problem: problem.line), self.file)
        return Document(self.tree.value, self.tree.lines, problems, self.file, frozenset(self.unread))

    def _add(self, path: Path, what: str, line: int, hint: str = "") -> None:
        self.problems.append(Problem(dotted(path), what, hint, self.file, line))

    def _header(self, statement: Statement, source: str) -> None:
        key = statement.key
        self.section = key if statement.kind == "[" and key else None
        if statement.kind == "[[":
            hint = "give each a name, as in `[repairs.add_bag]`"
            self._add(key, "a list of sections is not part of the format", statement.line, hint)
            return
        self._parsed(source, key, statement.line)
        if not key:
            return
        clash = self.tree.open(key, statement.line)
        if clash is not None:
            self._clash(clash, key, statement.line)
            self.section = None if clash.kind is Kind.VALUE else key

    def _clash(self, clash: Clash, path: Path, line: int) -> None:
        if clash.path == path:
            self._add(path, f"given twice, first in line {clash.line}", line)
        else:
            self._add(path, f"{quoted(dotted(clash.path))} is already given in line {clash.line}", line)

    def _parsed(
        self, source: str, path: Path, line: int, *, repeated: bool = False
    ) -> dict[str, object] | None:
        """One statement alone, or None and a problem; a repetition that is already named is none."""
        try:
            return tomllib.loads(source)
        except (ValueError, RecursionError) as fault:
            if not (repeated and str(fault).startswith(REPEATED)):
                self.problems.append(explained(fault, source, Problem(dotted(path), "", "", self.file, line)))
            return None

    def _pair(self, statement: Statement, source: str) -> None:
        if statement.kind != "=":
            self._value(statement, source, self.section or ())
            return
        path = (*(self.section or ()), *statement.key)
        count = len(self.problems)
        value = self._value(statement, source, path)
        if self.section is None or not statement.key:
            return
        clash = self.tree.take(self.section, statement.key, statement.line)
        if clash is not None:
            self._clash(clash, path, statement.line)
            return
        for place, line in statement.places.items():
            self.tree.lines.setdefault((*self.section, *place), line)
        if len(self.problems) == count:
            self.tree.put(path, value)
        else:
            self.unread.add(path)

    def _value(self, statement: Statement, source: str, path: Path) -> object:
        """The value of a statement; whatever is wrong with it is added to the problems."""
        if self._unreadable(statement, path):
            return None
        prefix = self.section or ()
        for twice in statement.twice:
            self._add((*prefix, *twice.path), f"given twice, first in line {twice.first}", twice.line)
        value: object = self._parsed(source, path, statement.line, repeated=bool(statement.twice))
        for name in statement.key:
            value = value.get(name) if isinstance(value, dict) else None
        for place in _oversized(value, path):
            line = statement.places.get(place[len(prefix) :], statement.line)
            self._add(place, "a whole number that does not fit 64 bits", line)
        return value

    def _unreadable(self, statement: Statement, path: Path) -> bool:
        """Whether the scanner has already seen that a statement cannot be read, which is a problem."""
        faults = (
            (statement.lengthy, f"a number or a word of more than {WORD:,} characters", ""),
            (statement.unclosed, "text in three quotes that is not closed", ""),
            (statement.spread, "an inline table that goes on below its line", f"write `[{dotted(path)}]`"),
        )
        for line, what, hint in faults:
            if line:
                self._add(path, what, line, hint)
                return True
        return False

    def _compare(self) -> None:
        """The last word is the reader's own, on the text as a whole."""
        try:
            whole = tomllib.loads(self.text)
        except (ValueError, RecursionError) as fault:
            self.problems.append(explained(fault, self.text, Problem("", "", "", self.file, 1)))
            return
        if repr(whole) != repr(self.tree.value):
            self._add((), "can be read in two ways", 1, "write it more plainly")


def _oversized(value: object, path: Path) -> Iterator[Path]:
    """Where a value holds whole numbers beyond 64 bits."""
    match value:
        case bool():
            return
        case int():
            if not -WHOLE <= value < WHOLE:
                yield path
        case dict():
            for name, part in value.items():
                yield from _oversized(part, (*path, name))
        case list():
            for index, part in enumerate(value):
                yield from _oversized(part, (*path, str(index)))
