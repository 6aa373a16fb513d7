"""Parts of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

BAR = "\\|"  # within a cell


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: bool = False) -> str:
    """A table; with `right`, all columns but the first hold numbers."""
    rule = ["---", *(["---:" if right else "---"] * (len(head) - 1))]
    lines = [" | ".join(cell.replace("|", BAR) for cell in row) for row in [head, *rows]]
    return "\n".join([f"| {lines[0]} |", f"|{'|'.join(rule)}|", *(f"| {line} |" for line in lines[1:])])


def code(text: object) -> str:
    """Text as code."""
    return f"`{text}`"


def codes(texts: Iterable[object]) -> str:
    """Several texts as code."""
    return ", ".join(map(code, texts))
