"""The compact protocol of Thrift, in which Parquet writes what its pages hold: read into plain values and written back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)
STOP = 0
DEPTH = 32
SHORT = 15  # from so many entries on, a list's length stands apart
LAST = 10  # bytes of the longest number
FIXED = {DOUBLE: 8, UUID: 16}

Struct: TypeAlias = dict[int, tuple[int, Any]]  # by the number of the field: its type and value


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list or a set: the type of its entries, and these."""

    of: int
    entries: list[Any]


@dataclass(frozen=True, slots=True)
class Mapping:
    """A map: the types of its keys and values, and its pairs."""

    keys: int
    values: int
    pairs: list[tuple[Any, Any]]


class ThriftError(ValueError):
    """Bytes that are no Thrift."""


class Reader:
    """Values one after the other out of bytes; anything that cannot be is a ThriftError."""

    def __init__(self, data: bytes | memoryview, at: int = 0) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        """The next byte."""
        if self.at >= len(self.data):
            raise ThriftError("too short")
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, count: int) -> bytes:
        """The next bytes."""
        found = bytes(self.data[self.at : self.at + count])
        if len(found) < count:
            raise ThriftError("too short")
        self.at += count
        return found

    def varint(self) -> int:
        """The next number without a sign."""
        found = 0
        for place in range(LAST):
            byte = self.byte()
            found |= (byte & 0x7F) << 7 * place
            if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follows
                return found
        raise ThriftError("a number too long")

    def whole(self) -> int:
        """The next number with a sign."""
        found = self.varint()
        return (found >> 1) ^ -(found & 1)

    def struct(self, depth: int = 0) -> Struct:
        """The next struct."""
        if depth > DEPTH:
            raise ThriftError("too deep")
        fields: Struct = {}
        number = 0
        while head := self.byte():
            kind, step = head & 0xF, head >> 4
            number = number + step if step else self.whole()
            fields[number] = (kind, kind == TRUE if kind in (TRUE, FALSE) else self.value(kind, depth))
        return fields

    def value(self, kind: int, depth: int) -> Any:
        """The next value of a kind."""
        match kind:
            case 3:
                return self.byte()
            case 4 | 5 | 6:
                return self.whole()
            case 7 | 13:
                return self.bytes(FIXED[kind])
            case 8:
                return self.bytes(self.varint())
            case 9 | 10:
                return self.sequence(depth)
            case 11:
                return self.mapping(depth)
            case 12:
                return self.struct(depth + 1)
            case _:
                raise ThriftError(f"no type {kind}")

    def entry(self, kind: int, depth: int) -> Any:
        """The next entry of a list or a map."""
        return self.byte() if kind in (TRUE, FALSE) else self.value(kind, depth + 1)

    def sequence(self, depth: int) -> Sequence:
        """The next list."""
        head = self.byte()
        kind, count = head & 0xF, head >> 4
        count = self.varint() if count == SHORT else count
        if depth > DEPTH or count > len(self.data):
            raise ThriftError("too many entries")
        return Sequence(kind, [self.entry(kind, depth) for _ in range(count)])

    def mapping(self, depth: int) -> Mapping:
        """The next map."""
        count = self.varint()
        if depth > DEPTH or count > len(self.data):
            raise ThriftError("too many entries")
        kinds = self.byte() if count else 0
        keys, values = kinds >> 4, kinds & 0xF
        pairs = [(self.entry(keys, depth), self.entry(values, depth)) for _ in range(count)]
        return Mapping(keys, values, pairs)


def written(fields: Struct) -> bytes:
    """A struct as bytes.

    >>> written({1: (I32, 2), 4: (BINARY, b"spark")}).hex()
    '15043805737061726b00'
    """
    out = bytearray()
    _struct(out, fields)
    return bytes(out)


def _varint(out: bytearray, number: int) -> None:
    while number >= 0x80:  # noqa: PLR2004 - the bit that says that more follows
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def _whole(out: bytearray, number: int) -> None:
    _varint(out, (number << 1) ^ (number >> 63))


def _struct(out: bytearray, fields: Struct) -> None:
    before = 0
    for number in sorted(fields):
        kind, value = fields[number]
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        step = number - before
        if 0 < step <= 15:  # noqa: PLR2004 - four bits
            out.append(step << 4 | kind)
        else:
            out.append(kind)
            _whole(out, number)
        if kind not in (TRUE, FALSE):
            _value(out, kind, value)
        before = number
    out.append(STOP)


def _value(out: bytearray, kind: int, value: Any) -> None:
    match kind:
        case 1 | 2 | 3:
            out.append(value)
        case 4 | 5 | 6:
            _whole(out, value)
        case 7 | 13:
            out += value
        case 8:
            _varint(out, len(value))
            out += value
        case 9 | 10:
            _sequence(out, value)
        case 11:
            _mapping(out, value)
        case _ if isinstance(value, bytes):  # a struct that is written already
            out += value
        case _:
            _struct(out, value)


def _sequence(out: bytearray, value: Sequence) -> None:
    count = len(value.entries)
    out.append(min(count, SHORT) << 4 | value.of)
    if count >= SHORT:
        _varint(out, count)
    for entry in value.entries:
        _value(out, value.of, entry)


def _mapping(out: bytearray, value: Mapping) -> None:
    _varint(out, len(value.pairs))
    if value.pairs:
        out.append(value.keys << 4 | value.values)
    for key, one in value.pairs:
        _value(out, value.keys, key)
        _value(out, value.values, one)
