"""Columns as JSON: the text of each value, and rows as objects."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from racl.scale.texts import TEXT, joined

ESCAPED = r'[\x00-\x1f"\\]'
WHOLE = r"^(-?\d+)$"


def json_fields(rows: pa.RecordBatch) -> pa.Array:
    """For each row its fields as they stand between the braces of an object.

    >>> json_fields(pa.record_batch({"fare": [0.1, 320.0], "carrier": ["AA", None]})).to_pylist()
    ['"fare": 0.1, "carrier": "AA"', '"fare": 320.0, "carrier": null']
    """
    parts: list[Any] = []
    for name, column in zip(rows.schema.names, rows.columns, strict=True):
        parts += [", " if parts else "", f"{json_text(name)}: ", json_texts(column)]
    return joined(parts)


def json_texts(column: pa.Array) -> pa.Array:
    """The JSON text of each value of a column."""
    if isinstance(column, pa.DictionaryArray):
        texts = json_texts(column.dictionary).take(column.indices)
    elif any(holds(column.type) for holds in (pt.is_boolean, pt.is_integer, pt.is_decimal)):
        texts = column.cast(TEXT)
    elif pt.is_floating(column.type):
        texts = _numbers(column.cast(pa.float64()))
    elif pt.is_string(column.type) or pt.is_large_string(column.type) or pt.is_string_view(column.type):
        texts = _strings(column.cast(TEXT))
    else:
        texts = pa.array([_other(value) for value in column.to_pylist()], TEXT)
    return texts.fill_null("null")


def _numbers(column: pa.Array) -> pa.Array:
    finite = pc.if_else(pc.is_finite(column), column, None)
    return pc.replace_substring_regex(finite.cast(TEXT), WHOLE, r"\1.0")


def _strings(column: pa.Array) -> pa.Array:
    if pc.any(pc.match_substring_regex(column, ESCAPED)).as_py():
        return pa.array([None if text is None else json_text(text) for text in column.to_pylist()], TEXT)
    return joined(['"', column, '"'])


def _other(value: object) -> str | None:
    return None if value is None else json_text(value)


def json_text(value: object) -> str:
    """The JSON text of one value as Python has it; what JSON cannot say is null or text."""
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case list() | tuple():
            return [_plain(part) for part in value]
        case Mapping():
            return {str(key): _plain(part) for key, part in value.items()}
        case bytes():
            return base64.b64encode(value).decode()
        case _:
            return value.isoformat() if hasattr(value, "isoformat") else str(value)
