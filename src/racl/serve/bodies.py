"""Bodies of requests: JSON read strictly, a fault with its pointer for whatever else comes."""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from msgspec import UNSET

from racl.documents.places import places
from racl.errors import quoted
from racl.serve.faults import RequestError, invalid, pointer

if TYPE_CHECKING:
    from collections.abc import Hashable

T = TypeVar("T")

PLAIN = msgspec.json.Decoder()
DEEP = 64  # brackets within brackets
CALLS = 5_000  # nested calls for which there is stack
BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}]', re.DOTALL)
STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|(\[\.\.\.\])")
NAMED = re.compile(r"\AObject (?:contains unknown field|missing required field) `(.*)`", re.DOTALL)


def read_body(body: bytes, kind: type[T]) -> T:
    """The value of a body; raises RequestError where it is not that, or says anything twice."""
    check_depth(body)
    quick = reader(cast("Hashable", kind))
    if quick is not None:
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            value: T = quick.decode(body)
            escaped = b"\\" in body and b"\\u0000" in body
            if not escaped and body.count(b":") == names(value):
                return value
    plain = decoded(body)
    look_closer(body)
    return typed(plain, kind)


@cache
def reader(kind: Hashable) -> msgspec.json.Decoder[Any] | None:
    """A reader straight to a type, if its fields tell which of them were given."""
    defaults = getattr(kind, "__struct_defaults__", ())
    return msgspec.json.Decoder(kind) if all(one is UNSET for one in defaults) else None


def names(value: Any) -> int:
    """How many names stand in a value, its rows among it, where nothing lies deeper: no fewer are in its text."""
    count = 0
    for given in msgspec.structs.astuple(value):
        if given is UNSET:
            continue
        count += 1
        if given.__class__ is dict:
            count += len(given)
        elif given.__class__ is list:
            alike = set(map(type, given)) == {dict}
            count += sum(map(len, given if alike else [one for one in given if one.__class__ is dict]))
    return count


def check_depth(body: bytes) -> None:
    """Refuse deep nesting while a compiler lets calls nest deeper than readers of JSON, which recurse, have stack for."""
    if sys.getrecursionlimit() <= CALLS:
        return
    depth = 0
    for found in BRACKET.finditer(body):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
        if depth > DEEP:
            raise invalid(f"brackets nested more than {DEEP} deep", code="malformed")


def decoded(body: bytes) -> Any:
    """The value of a text in JSON."""
    try:
        return PLAIN.decode(body)
    except msgspec.ValidationError:
        raise invalid("a number larger than any float64", code="malformed") from None
    except msgspec.DecodeError as fault:
        what = str(fault).removeprefix("JSON is malformed: ").lower()
        raise invalid(f"not JSON: {what}", code="malformed") from None
    except UnicodeDecodeError:
        raise invalid("not UTF-8", code="malformed") from None
    except RecursionError:
        raise invalid(f"brackets nested more than {DEEP} deep", code="malformed") from None


class _Strict:
    """Takes note of what the quick reader lets pass."""

    def __init__(self) -> None:
        self.twice = False

    def pairs(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        self.twice = self.twice or len(value) < len(pairs)
        return value


def look_closer(body: bytes) -> None:
    """Refuse names given twice, deep nesting and NUL in a text."""
    text, strict = body.decode(), _Strict()
    value = json.loads(text, object_pairs_hook=strict.pairs)
    if strict.twice:
        found = next((place for place in places(text) if place.first), None)
        path = found.path if found else ()
        raise invalid(f"{quoted(path[-1] if path else '')} is given twice", pointer(*path), "duplicate")
    look_into(value, ())


def look_into(value: object, path: tuple[str | int, ...]) -> None:
    """Refuse deep nesting and NUL in a text, wherever it stands."""
    if len(path) > DEEP:
        raise invalid(f"brackets nested more than {DEEP} deep", pointer(*path[:3]), "malformed")
    match value:
        case str():
            if "\0" in value:
                raise invalid("text with a NUL", pointer(*path), "malformed")
        case dict():
            for name, one in value.items():
                look_into(name, path)
                look_into(one, (*path, name))
        case list():
            for number, one in enumerate(value):
                look_into(one, (*path, number))


def typed(value: Any, kind: type[T], *, strict: bool = True) -> T:
    """The value as one of the types of the wire; raises RequestError with the pointer."""
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as fault:
        raise refused(str(fault)) from None


def refused(message: str) -> RequestError:
    """What a value that is not of its type is answered."""
    what, _, where = message.partition(" - at ")
    path: list[str | int] = []
    for name, number, unknown in STEP.findall(where.strip("`")):
        if unknown:
            break
        path.append(name or int(number))
    named = NAMED.match(what)
    if named:
        path.append(named[1])
    code = "unknown_field" if what.startswith("Object contains unknown") else "wrong_type"
    return invalid(what[:1].lower() + what[1:], pointer(*path), code)


def text_of(body: bytes) -> str:
    """A body as text; raises RequestError where it is none."""
    check_depth(body)
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise invalid("not UTF-8", code="malformed") from None
