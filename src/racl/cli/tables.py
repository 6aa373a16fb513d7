"""Aligned columns of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

GAP = "  "
NOTHING = "-"  # stands in a cell of which there is nothing to say


def aligned(rows: Sequence[Sequence[str]], width: int, *, right: Sequence[int] = ()) -> str:
    """Rows as columns below the first row, no wider than asked where the words allow it.

    A column of which no row has anything to say is left out; `right` numbers the columns of figures.

    >>> print(aligned([("repair", "changes"), ("add_bag", "bag, price"), ("upgrade", "seats")], width=15))
    repair   changes
    add_bag  bag,
             price
    upgrade  seats
    """
    every = list(zip(*rows, strict=True))
    shown = [number for number, column in enumerate(every) if set(column[1:]) != {NOTHING}]
    columns = [every[number] for number in shown]
    widths = _widths(columns, width)
    figures = [number in right for number in shown]
    return "\n".join(line for row in zip(*columns, strict=True) for line in _lines(row, widths, figures))


def _widths(columns: Sequence[Sequence[str]], width: int) -> list[int]:
    """What the columns need; the widest give way until all fit, but the first and no word is ever cut."""
    widths = [max(map(len, column)) for column in columns]
    words = [[len(word) for cell in column for word in cell.split()] for column in columns[1:]]
    least = [widths[0], *map(max, words)]
    for _ in range(sum(widths) + len(GAP) * (len(widths) - 1) - width):
        widest = max(range(len(widths)), key=lambda one: (widths[one] > least[one], widths[one]))
        if widths[widest] == least[widest]:
            break
        widths[widest] -= 1
    return widths


def _lines(row: Sequence[str], widths: Sequence[int], figures: Sequence[bool]) -> Iterator[str]:
    cells = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*cells, fillvalue=""):
        placed = zip(parts, widths, figures, strict=True)
        yield GAP.join(
            part.rjust(width) if right else part.ljust(width) for part, width, right in placed
        ).rstrip()


def _wrapped(cell: str, width: int) -> list[str]:
    lines = [""]
    for word in cell.split():
        longer = f"{lines[-1]} {word}".lstrip()
        lines[-1:] = [longer] if len(longer) <= width or not lines[-1] else [lines[-1], word]
    return lines
