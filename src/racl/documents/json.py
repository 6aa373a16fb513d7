"""A JSON file as a mapping, with the line of every key and every fault that JSON lets be found in one run."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from racl.documents.document import DEPTH, SURROGATE, Document, Path, capped, dotted, pointed
from racl.documents.places import Place, places, unquoted
from racl.errors import Problem, quoted

VALUES = 300_000
SURE_DIGITS = 308  # whole numbers of so many digits are float64s
HALF_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")

# How the reader's message starts; what is wrong; what to try.
FAULTS = (
    ("Expecting value", "a value is expected", "text stands in double quotes"),
    ("Expecting property name", "a name in double quotes is expected", ""),
    ("Expecting ':'", "`:` is expected after the name", ""),
    ("Expecting ','", "`,` or a closing bracket is expected", ""),
    ("Illegal trailing comma", "a comma with nothing after it", ""),
    ("Extra data", "more follows after the end", "a model is one JSON object"),
    ("Unterminated string", "text that is not closed", ""),
    ("Invalid control character", "a control character in a text", r"write it as an escape, as in `\n`"),
    ("Invalid \\", "a backslash that means nothing", r"write `\\`"),
)


def read_json(text: str, file: str = "") -> Document:
    r"""The text as a document; with problems, its value is as far as it goes and not to be used.

    >>> document = read_json('{"a": 1,\n "a": NaN}', "model.json")
    >>> print(*document.problems, sep="\n")
    model.json:2: a: given twice, first in line 1
    model.json:2: a: `NaN` is not a finite number
    """
    if text.count(",") + text.count("[") + text.count("{") > VALUES:
        return _document({}, "", file, [Problem("", f"more than {VALUES:,} values", file=file)])
    strict = Strict()
    try:
        value = strict.loads(text)
    except json.JSONDecodeError as fault:
        return _document({}, "", file, [*_faults(text[: fault.pos], file), _syntax(fault, file)])
    except RecursionError:
        return _document({}, "", file, list(_faults(text, file)) or [_too_deep(file, 0)])
    problems = list(_faults(text, file)) if strict.faulty or _suspect(text, value) else []
    if isinstance(value, dict):
        return _document(value, text, file, problems)
    what = Problem("", "a list or a single value", "a model is one JSON object", file=file, line=1)
    return _document({}, text, file, [what, *problems])


def _document(value: dict[str, object], text: str, file: str, problems: list[Problem]) -> Document:
    return Document(value, Lines(text), capped(problems, file), file)


class Lines(Mapping[Path, int]):
    """The line of every key path, worked out when first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> dict[Path, int]:
        lines: dict[Path, int] = {}
        for place in places(self._text):
            lines.setdefault(place.path, place.line)
        return lines

    def __getitem__(self, path: Path) -> int:
        return self._lines[path]

    def __iter__(self) -> Iterator[Path]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


class Strict:
    """Python's JSON reader, taking note of what it would let pass."""

    def __init__(self) -> None:
        self.faulty = False

    def loads(self, text: str) -> object:
        """The value of the text."""
        value: object = json.loads(
            text,
            object_pairs_hook=self._object,
            parse_constant=self._number,
            parse_float=self._number,
            parse_int=self._whole,
        )
        return value

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        self.faulty = self.faulty or len(value) < len(pairs)
        return value

    def _number(self, token: str) -> float:
        value = float(token)
        self.faulty = self.faulty or not math.isfinite(value)
        return value

    def _whole(self, token: str) -> float:
        if len(token) > SURE_DIGITS and not math.isfinite(self._number(token)):
            return math.inf
        return int(token)


def _suspect(text: str, value: object) -> bool:
    """Whether the text may hold half a character pair, or is nested too deep."""
    half = HALF_ESCAPE.search(text) or not (text.isascii() or SURROGATE.search(text) is None)
    return bool(half) or _deeper(value, DEPTH)


def _deeper(value: object, levels: int) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return parts is not None and (levels == 0 or any(_deeper(part, levels - 1) for part in parts))


def _faults(text: str, file: str) -> Iterator[Problem]:
    """Everything that JSON forbids or this project does, by its key path."""
    for place in places(text):
        found = [*_named(place), *_valued(place)]
        yield from (Problem(dotted(place.path), what, file=file, line=place.line) for what in found)
        if len(place.path) >= DEPTH and place.token in ("[", "{"):
            yield _too_deep(file, place.line)
            return


def _too_deep(file: str, line: int) -> Problem:
    return Problem("", f"brackets nested more than {DEPTH} deep", file=file, line=line)


def _named(place: Place) -> Iterator[str]:
    if place.first:
        yield f"given twice, first in line {place.first}"
    if SURROGATE.search(place.path[-1]):
        yield "a name with half of a character pair"


def _valued(place: Place) -> Iterator[str]:
    token = place.token
    if token in ("NaN", "Infinity", "-Infinity"):
        yield f"{quoted(token)} is not a finite number"
    elif token[0] in "-0123456789" and not math.isfinite(float(token)):
        yield f"{quoted(token)} is larger than any float64"
    elif token[0] == '"' and SURROGATE.search(unquoted(token)):
        yield "text with half of a character pair"


def _syntax(fault: json.JSONDecodeError, file: str) -> Problem:
    known = ((what, hint) for start, what, hint in FAULTS if fault.msg.startswith(start))
    what, hint = next(known, (fault.msg[:1].lower() + fault.msg[1:], ""))
    problem = Problem("", f"{what} in column {fault.colno:,}", hint, file, fault.lineno)
    start = fault.pos - fault.colno + 1
    end = fault.doc.find("\n", fault.pos)
    return pointed(problem, fault.doc[start : end if end >= 0 else len(fault.doc)], fault.colno - 1)
