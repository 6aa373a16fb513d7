"""Lines of plain text: fields under a name, columns, and folding at the width of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

WIDTH = 96
GAP = "  "  # between columns
GLUE = "\x1f"  # a space at which no line is folded


def glued(text: str) -> str:
    """Text that stays on one line."""
    return text.replace(" ", GLUE)


def unglued(line: str) -> str:
    """A line as it is printed."""
    return line.replace(GLUE, " ")


def folded(text: str, *, indent: int, hang: int = 0) -> list[str]:
    """Text over as many lines as it takes, the later ones further in."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


def field(name: str, text: str, *, indent: int = 2, width: int = 12) -> list[str]:
    """A name, and beside it a text that folds under itself; nothing where there is no text.

    >>> field("cost", "25 USD")
    ['  cost        25 USD']
    """
    return folded(name.ljust(width) + text, indent=indent, hang=width) if text else []


def columns(rows: Sequence[Sequence[str]], *, indent: int = 2) -> list[str]:
    """Rows of cells, each column as wide as its widest cell.

    >>> columns([["a", "bb", "c"], ["aaa", "b", "cc"]])
    ['  a    bb  c', '  aaa  b   cc']
    """
    return [(" " * indent + GAP.join(cells)).rstrip() for cells in _padded(rows)]


def notes(rows: Sequence[Sequence[str]], *, indent: int = 2) -> list[str]:
    """Columns; where they are too wide, the last goes below the one before it, both folded."""
    lines = columns(rows, indent=indent)
    if max(map(len, lines), default=0) <= WIDTH:
        return lines
    return [line for cells in _padded(rows) for line in _below(cells, indent)]


def _below(cells: Sequence[str], indent: int) -> Iterator[str]:
    *front, text, last = cells
    start = "".join(cell + GAP for cell in front)
    yield from folded(start + text.rstrip(), indent=indent, hang=len(start))
    yield from folded(last.rstrip(), indent=indent + len(start) + len(GAP))


def _padded(rows: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        yield [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
