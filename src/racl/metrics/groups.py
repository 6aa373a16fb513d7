"""Rows in groups by a column: a group for each value, or, of many numbers, for each of a few ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from racl.frames.beside import Beside, as_numbers, codes
from racl.metrics.calibration import equal_bins
from racl.metrics.measure import Grouping

MANY = 20  # different numbers; of more, ranges are made
RANGES = 5
UNDECLARED = "undeclared"
NULL = "null"


def grouping(found: Beside) -> Grouping:
    """The groups of a column."""
    code, known = codes(found)
    values = as_numbers(found) if len(known) > MANY else None
    return _by_value(code, known) if values is None else _by_range(values)


def _by_value(code: NDArray[np.intp], known: list[object]) -> Grouping:
    names = [_shown(value) for value in known]
    order = sorted(range(len(known)), key=lambda one: (known[one] is None, _key(known[one]), names[one]))
    place = np.empty(len(known), np.intp)
    place[order] = np.arange(len(known))
    return Grouping(place[code], tuple(names[one] for one in order))


def _key(value: object) -> float:
    """Numbers in their order, all else by its text."""
    return float(value) if isinstance(value, int | float) else 0.0


def _shown(value: object) -> str:
    match value:
        case None:
            return NULL
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _by_range(values: NDArray[np.float64]) -> Grouping:
    known = ~np.isnan(values)
    code = np.empty(len(values), np.intp)
    code[known] = equal_bins(values[known], RANGES)
    ranges = int(code[known].max()) + 1
    names = [
        f"{values[known & (code == one)].min():g} to {values[known & (code == one)].max():g}"
        for one in range(ranges)
    ]
    code[~known] = ranges
    return Grouping(code, (*names, NULL) if not known.all() else tuple(names))


def by_persona(persona: NDArray[np.intp], personas: tuple[str, ...]) -> Grouping:
    """The groups of the personas that occur."""
    occurring, code = np.unique(persona, return_inverse=True)
    names = (*personas, UNDECLARED)
    return Grouping(code, tuple(names[one] for one in occurring))
