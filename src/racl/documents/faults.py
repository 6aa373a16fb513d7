"""What Python's TOML reader objects to, in the user's words and with a caret."""

from __future__ import annotations

import re

from racl.documents.document import pointed
from racl.errors import Problem, quoted

QUOTE = "text and expressions stand in quotes"

UNCLOSED = "a list that is not closed", "`]` or `,` is expected here"

# How the reader's message starts; what is wrong; what to try.
FAULTS = (
    ("Invalid value", "not a value", QUOTE),
    ("Expected newline or end of document after", "more follows after the value", QUOTE),
    ("Unclosed array", *UNCLOSED),
    ("Unclosed inline table", "an inline table that is not closed", "`}` or `,` is expected here"),
    ("Expected '=' after a key", "`=` is expected after the name", ""),
    ("Expected ']' at the end of a table", "`]` is expected after the section's name", ""),
    ("Invalid initial character for a key", "a name is expected here", ""),
    ("Invalid statement", "neither a section nor a name and its value", "`[section]` or `name = value`"),
    ("Unterminated string", "text that is not closed", "text ends on its line, with the quote it began with"),
    ("Expected", "text that is not closed", ""),
    ("Unescaped '\\' in a string", "a backslash that means nothing", r"write `\\`, or use single quotes"),
    ("Invalid hex value", "an escape that names no character", ""),
    ("Escaped character is not", "an escape that names no character", ""),
    ("Illegal character", "a control character", "write it as an escape, as in `\\t`"),
    ("Found invalid character", "a control character", ""),
    ("Invalid date or datetime", "not a date", QUOTE),
)

PLACE = re.compile(r"\A(.*) \(at (?:line (?P<line>\d+), column (\d+)|end of document)\)\Z", re.DOTALL)


def explained(fault: Exception, source: str, problem: Problem) -> Problem:
    """The problem, which names where the source begins, with what is wrong and in which line and column."""
    place = PLACE.match(str(fault))
    if place is None:
        what = "brackets nested too deep" if isinstance(fault, RecursionError) else quoted(str(fault))
        return Problem(problem.where, what, "", problem.file, problem.line)
    words, line, column = place.groups()
    if line is None:
        line, column = source.count("\n") + 1, len(source) - source.rfind("\n")
    what, hint = _words(words, source, ended=place["line"] is None)
    return _at(problem, what, hint, source, int(line), int(column))


def _at(problem: Problem, what: str, hint: str, source: str, line: int, column: int) -> Problem:
    text = source.split("\n", line)[line - 1]
    found = Problem(problem.where, what, hint, problem.file, problem.line + line - 1)
    return pointed(found, text, column - 1)


def _words(message: str, source: str, *, ended: bool) -> tuple[str, str]:
    if message == "Invalid value" and ended:
        return UNCLOSED if source.endswith(("[", ",")) else ("a value is missing", "")
    if message.startswith("Expected newline") and source.lstrip(" \t").startswith("["):
        return "more follows after the section's name", ""
    for start, what, hint in FAULTS:
        if message.startswith(start):
            return what, hint
    return message[:1].lower() + message[1:], ""
