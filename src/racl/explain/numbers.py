"""Values as text: exact where they were given or decide, rounded where they only help to follow."""

from __future__ import annotations

import math

from racl.expr.show import number, text
from racl.values import Value

ROUNDED = 4  # decimals


def exact(value: float) -> str:
    """A number that reads back as the same float64.

    >>> exact(55.0), exact(0.1 + 0.2)
    ('55', '0.30000000000000004')
    """
    return number(value) if math.isfinite(value) else str(value)


def rounded(value: float) -> str:
    """A number to four decimals, or four digits where it is small.

    >>> rounded(57.216666), rounded(35.0), rounded(0.00012345), rounded(-0.0)
    ('57.2167', '35', '0.0001234', '0')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    if abs(value) < 1:
        return f"{value:.{ROUNDED}g}"
    return f"{value:.{ROUNDED}f}".rstrip("0").rstrip(".") if abs(value) < 1e12 else exact(value)  # noqa: PLR2004


def amount(value: float, unit: str = "", *, precise: bool = True) -> str:
    """A number with its unit."""
    return f"{exact(value) if precise else rounded(value)} {unit}".rstrip()


def shown(value: Value, unit: str = "") -> str:
    """A value of a column, as an expression would write it."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return text(value)
        case _:
            return amount(float(value), unit)


def aligned(numbers: list[str]) -> list[str]:
    """Numbers padded so that their points stand below each other.

    >>> aligned(["10.5", "-3", ""])
    ['10.5', '-3  ', '    ']
    """
    wholes = [len(one.partition(".")[0]) for one in numbers]
    left = max(wholes, default=0)
    lines = [" " * (left - whole) + one for whole, one in zip(wholes, numbers, strict=True)]
    width = max(map(len, lines), default=0)
    return [line.ljust(width) for line in lines]


def count(number_: int, one: str, many: str = "") -> str:
    """How many of a thing.

    >>> count(1, "repair"), count(1200, "repair")
    ('1 repair', '1,200 repairs')
    """
    return f"{number_:,} {one if number_ == 1 else many or one + 's'}"
