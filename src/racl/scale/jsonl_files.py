"""JSON lines: each a row, read strictly and kept as written; a line that is no row is refused by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from racl.documents import read_json
from racl.frames import Table, read_rows
from racl.scale.json_text import json_fields, json_text
from racl.scale.opening import Meter, opened
from racl.scale.paths import reading
from racl.scale.texts import as_bytes, joined
from racl.values import Fault

LINE_BYTES = 1 << 24
ROWS_AT_ONCE = 1 << 14  # more of them, and Python's search for unused objects takes as long as the reading
BYTES_AT_ONCE = 1 << 24
NESTED = (dict, list)
HUGE = 2.0**63
BYTES = pa.large_binary()
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class NotARowError(ValueError):
    """Something that Python's reader would let pass."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise NotARowError
    return row


def _constant(token: str) -> object:
    raise NotARowError(token)


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def read_line(line: bytes) -> Mapping[str, object] | Fault:
    """The row that a line holds, or why it is none.

    >>> read_line(b'{"fare": 1, "fare": 2}')
    Fault(reason='fare: given twice, first in line 1')
    """
    if len(line) > LINE_BYTES:
        return Fault(f"a line of more than {LINE_BYTES >> 20} MiB")
    simple = _simple_row(line)
    if simple is not None:
        return simple
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return Fault("not UTF-8 text")
    try:
        row = DECODER.decode(text)
    except (ValueError, RecursionError):
        return _reason(text)
    if not isinstance(row, dict):
        return Fault("not a JSON object")
    return _reason(text) if "\\ud" in text.lower() and _has_half_a_pair(row) else row


def _simple_row(line: bytes) -> dict[str, object] | None:
    """The row of a line without escapes, nesting, huge numbers and keys given twice, as most are.

    INVARIANT: what this returns is what Python's own reader would. A key given twice shows in the quotes:
    two for each key and for each text.
    """
    if b"\\" in line:
        return None
    try:
        row = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return None
    if type(row) is not dict or any(type(value) in NESTED or _is_huge(value) for value in row.values()):
        return None
    texts = sum(type(value) is str for value in row.values())
    return row if line.count(b'"') == 2 * (len(row) + texts) else None


def _is_huge(value: object) -> bool:
    return type(value) is float and not -HUGE < value < HUGE  # it may have been a whole number


def _reason(text: str) -> Fault:
    problem = next(iter(read_json(text).problems), None)
    if problem is None:
        return Fault("not JSON")
    return Fault(f"{problem.where}: {problem.what}" if problem.where else problem.what)


def _has_half_a_pair(row: Mapping[str, object]) -> bool:
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def lines_of(path: Path, meter: Meter | None = None) -> Iterator[bytes]:
    """The lines of a file that are not blank, without their ends; of a line too long only its beginning."""
    with opened(path, meter) as file:
        first = True
        while line := file.readline(LINE_BYTES + 1):
            rest = line
            while len(rest) > LINE_BYTES and not rest.endswith(b"\n"):
                rest = file.readline(LINE_BYTES + 1)
            if first:
                line, first = line.removeprefix(BYTE_ORDER_MARK), False
            if line and not line.isspace():
                yield line.rstrip(b"\r\n")


def jsonl_batches(path: Path, rows: int, meter: Meter | None = None) -> Iterator[Table]:
    """The rows of a file, so many at a time, fewer where they are long."""
    lines = lines_of(path, meter)
    while batch := tuple(_some(lines, min(rows, ROWS_AT_ONCE))):
        yield lines_table(batch)


def _some(lines: Iterator[bytes], rows: int) -> Iterator[bytes]:
    room = BYTES_AT_ONCE
    for line in islice(lines, rows):
        yield line
        room -= len(line)
        if room <= 0:
            return


def lines_table(lines: tuple[bytes, ...]) -> Table:
    """The table of some lines."""
    read = [read_line(line) for line in lines]
    faults = {number: row.reason for number, row in enumerate(read) if isinstance(row, Fault)}
    rows = [{} if isinstance(row, Fault) else row for row in read]
    return replace(read_rows(rows), lines=lines, faults=faults)


def jsonl_schema(files: Iterable[Path]) -> pa.Schema:
    """The columns of all the rows of some files, which are read for it, and a type that holds each."""
    kinds: dict[str, set[type]] = {}
    for path in files:
        with reading(path):
            for line in lines_of(path):
                row = read_line(line)
                if not isinstance(row, Fault):
                    for name, value in row.items():
                        kinds.setdefault(name, set()).add(_kind(value))
    return pa.schema([(name, _arrow_type(found - {type(None)})) for name, found in kinds.items()])


def _kind(value: object) -> type:
    beyond_arrow = type(value) is int and not -(2**63) <= value < 2**63
    return str if beyond_arrow else type(value)


def _arrow_type(kinds: set[type]) -> pa.DataType:
    if not kinds:
        return pa.null()
    held = ({bool}, pa.bool_()), ({int}, pa.int64()), ({int, float}, pa.float64())
    return next((type_ for takes, type_ in held if kinds <= takes), pa.string())


def rows_as_arrow(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as columns of these types; in a column of text what is no text stands as JSON."""
    columns = [
        pa.array(_held([row.get(field.name) for row in rows], field.type), field.type) for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _held(values: list[Any], type_: pa.DataType) -> list[object]:
    if type_ == pa.string():
        return [value if value is None or isinstance(value, str) else json_text(value) for value in values]
    if type_ == pa.float64():
        return [None if value is None else float(value) for value in values]
    return values


def jsonl_bytes(rows: pa.Table) -> bytes:
    """A line for each row."""
    return b"".join(as_bytes(joined(["{", json_fields(batch), "}\n"])) for batch in rows.to_batches())


def jsonl_extended(lines: Iterable[bytes], added: pa.Table) -> bytes:
    """Each line as it was written, with more fields at the end of its object."""
    fields = [text for batch in added.to_batches() for text in json_fields(batch).cast(BYTES).to_pylist()]
    return b"".join(map(_extended, lines, fields))


def _extended(line: bytes, fields: bytes) -> bytes:
    body = line.rstrip()[:-1]
    comma = b"" if body.rstrip().endswith(b"{") else b", "
    return b"%b%b%b}\n" % (body, comma, fields)
