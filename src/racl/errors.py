"""What went wrong, where, and what to try: one value for a fault, a handful of exceptions to carry them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace

SHOWN = 60  # characters of a user's text in a message


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with what the user wrote.

    >>> print(Problem("repairs.add_bag.cost", "unknown name `bagfee`", "did you mean `bag_fee`?"))
    repairs.add_bag.cost: unknown name `bagfee` (did you mean `bag_fee`?)
    """

    where: str
    what: str
    hint: str = ""
    file: str = ""
    line: int = 0
    text: str = ""
    span: tuple[int, int] | None = None

    def line_text(self) -> str:
        """The fault in one line: `FILE:LINE: where: what (hint)`."""
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        parts = [part for part in (place, self.where, self.what) if part]
        return printable(": ".join(parts) + (f" ({self.hint})" if self.hint else ""))

    def caret(self) -> str:
        """The expression with a caret under the place, in two indented lines; empty where there is none."""
        if self.span is None:
            return ""
        start, stop = self.span
        left = max(0, start - 60)
        shown = printable(self.text[left : left + 100])
        offset = len(printable(self.text[left:start]))
        width = max(1, min(len(printable(self.text[start:stop])), len(shown) - offset))
        return f"    {shown}\n    {' ' * offset}{'^' * width}"

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.line_text(), self.caret())))

    def at(self, file: str, line: int) -> Problem:
        """The same problem with its file and line."""
        return replace(self, file=file, line=line)


def printable(text: str) -> str:
    """Text that stays on one line and cannot redraw the terminal."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def quoted(value: object) -> str:
    """User text between backticks, shortened."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:  # an integer of more digits than Python prints
        text = "a huge number"
    return f"`{text[:SHOWN]}…`" if len(text) > SHOWN else f"`{text}`"


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word, or nothing.

    >>> nearest("has_bga", ["has_bag", "fare"])
    'did you mean `has_bag`?'
    """
    folded = {word.casefold(): word for word in known}
    match = difflib.get_close_matches(name[:100].casefold(), list(folded), n=1, cutoff=0.6)
    return f"did you mean `{folded[match[0]]}`?" if match else ""


class RaclError(Exception):
    """Something that the user can mend; carries every problem found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class DomainError(RaclError):
    """A domain file that cannot be read as one."""


class ModelError(RaclError):
    """A model file that cannot be read as one."""


class DataError(RaclError):
    """Rows, or a file of rows, that cannot be read or written."""


class QueryError(RaclError):
    """A model that a dialect of SQL cannot say, or a query that is not asked for as it should be."""


class KernelWarning(UserWarning):
    """The kernel could not be compiled; NumPy decides instead, with the same answers, more slowly."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one row was refused: its number, the column, repair or rule at fault, and the reason."""

    row: int
    column: str
    reason: str

    def problem(self) -> Problem:
        """The refusal as a problem."""
        return Problem(f"row {self.row}: {self.column}" if self.column else f"row {self.row}", self.reason)


class RowError(RaclError):
    """Refused rows: the first ten and the count of all."""

    def __init__(self, refusals: Iterable[Refusal], count: int = 0) -> None:
        self.refusals = tuple(refusals)
        self.count = count or len(self.refusals)
        super().__init__(refusal.problem() for refusal in self.refusals[:10])

    def __str__(self) -> str:
        rows = "row" if self.count == 1 else "rows"
        more = f" (the first {len(self.problems)} shown)" if self.count > len(self.problems) else ""
        return "\n".join([f"{self.count} {rows} refused{more}", *map(str, self.problems)])
