"""One value of a row: what is accepted in a column, and why anything else is refused."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import SupportsFloat, SupportsInt, assert_never

from racl.domain.model import Column, Type
from racl.errors import nearest, quoted

EXACT = 2**53  # whole numbers up to here are float64 without loss
DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

Value = float | bool | str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value is refused."""

    reason: str


def read_value(column: Column, raw: object) -> Value | Fault:
    """The value that a column holds for what was given, or the fault.

    >>> read_value(Column("fare", Type.NUMBER, min=0), 320)
    320.0
    >>> read_value(Column("has_bag", Type.BOOLEAN), 1)
    Fault(reason='`1` is not a boolean')
    """
    if raw is None:
        return Fault("null, and the column has no default") if column.default is None else column.default
    match column.type:
        case Type.NUMBER | Type.INTEGER:
            return _number(column, raw)
        case Type.BOOLEAN:
            return _boolean(raw)
        case Type.CATEGORY:
            return _category(column, raw)
        case _:
            assert_never(column.type)


def read_text_value(column: Column, text: str | None) -> Value | Fault:
    """The value of a cell of text, typed by the column; an empty cell is null."""
    if text is None or text == "":
        return read_value(column, None)
    match column.type:
        case Type.NUMBER | Type.INTEGER:
            decimal = DECIMAL.fullmatch(text)
            return _bounded(column, float(text)) if decimal else Fault(f"{quoted(text)} is not a number")
        case Type.BOOLEAN:
            return TRUTHS[text] if text in TRUTHS else Fault(f"{quoted(text)} is not true or false")
        case Type.CATEGORY:
            return _category(column, text)
        case _:
            assert_never(column.type)


def _number(column: Column, raw: object) -> float | Fault:
    if isinstance(raw, bool) or _is_boolean_scalar(raw) or isinstance(raw, str | bytes):
        return Fault(f"{quoted(raw)} is not {_article(column.type)}")
    if isinstance(raw, float):
        return _bounded(column, float(raw))
    if isinstance(raw, Decimal):
        return _bounded(column, _nearest_float(raw))
    if isinstance(raw, int):
        return _whole(column, raw)
    if isinstance(raw, SupportsInt) and _numpy_kind(raw) in ("i", "u"):
        return _whole(column, int(raw))
    if isinstance(raw, SupportsFloat) and _numpy_kind(raw) == "f":
        return _bounded(column, float(raw))
    return Fault(f"{quoted(raw)} is not {_article(column.type)}")


def _nearest_float(raw: Decimal) -> float:
    return math.nan if raw.is_nan() else float(raw)


def _whole(column: Column, raw: int) -> float | Fault:
    try:
        value = float(raw)
    except OverflowError:
        value = math.inf
    if value in (math.inf, -math.inf) or int(value) != raw:
        return Fault(f"{quoted(str(raw) if abs(raw) < 10**60 else 'a huge integer')} is not exact in float64")
    return _bounded(column, value)


def _bounded(column: Column, value: float) -> float | Fault:
    if not math.isfinite(value):
        return Fault(f"{quoted(str(value))} is not a finite number")
    if column.type is Type.INTEGER and (value != math.floor(value) or abs(value) > EXACT):
        return Fault(f"{quoted(str(value))} is not a whole number within 2**53")
    if column.min is not None and value < column.min:
        return Fault(f"{quoted(str(value))} is below the minimum {column.min:g}")
    if column.max is not None and value > column.max:
        return Fault(f"{quoted(str(value))} is above the maximum {column.max:g}")
    return value


def _boolean(raw: object) -> bool | Fault:
    if isinstance(raw, bool) or _is_boolean_scalar(raw):
        return bool(raw)
    return Fault(f"{quoted(raw)} is not a boolean")


def _is_boolean_scalar(raw: object) -> bool:
    return _numpy_kind(raw) == "b"


def _numpy_kind(raw: object) -> str:
    """NumPy's letter for a scalar of its own, told without importing NumPy; nothing of all else."""
    if type(raw).__module__ != "numpy" or type(raw).__name__ == "ndarray":
        return ""
    return str(getattr(getattr(raw, "dtype", None), "kind", ""))


def _category(column: Column, raw: object) -> str | Fault:
    if not isinstance(raw, str):
        return Fault(f"{quoted(raw)} is not text")
    if raw not in column.values:
        hint = nearest(raw, column.values)
        return Fault(f"{quoted(raw)} is not among the values" + (f", {hint}" if hint else ""))
    return str(raw)


def _article(type_: Type) -> str:
    return "an integer" if type_ is Type.INTEGER else "a number"
