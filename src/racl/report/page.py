"""A page: headings, text, tables and pictures in one HTML file, with nothing to load from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff;
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #ddd; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .92rem; }
th, td { padding: .22rem .7rem; border-bottom: 1px solid #e4e4e4; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid #bbb; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; } figcaption, .note { color: #555; font-size: .9rem; }
.scroll { overflow-x: auto; } pre { background: #f6f6f6; padding: .6rem .8rem; overflow-x: auto; font-size: .88rem; }
"""


NOTE, FIGURE = ' class="note"', ' class="n"'


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str
    note: bool = False


@dataclass(frozen=True, slots=True)
class Plain:
    """Lines as a terminal shows them."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below a head; `right` numbers the columns of figures."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[int] = ()
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, as `racl.report.figures` draws it, and what it shows in words."""

    svg: str
    caption: str


Part = Text | Plain | Table | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """Parts below a heading."""

    heading: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole report."""

    title: str
    about: str
    sections: Sequence[Section]


def html(page: Page) -> str:
    """The page as one file; all text in it is escaped."""
    body = "\n".join(_section(one) for one in page.sections)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(page.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<h1>{escape(page.title)}</h1>\n<p class="note">{escape(page.about)}</p>\n{body}\n</body>\n</html>\n'
    )


def _section(section: Section) -> str:
    parts = "\n".join(map(_part, section.parts))
    return f"<section>\n<h2>{escape(section.heading)}</h2>\n{parts}\n</section>"


def _part(part: Part) -> str:
    match part:
        case Text(text, note):
            return f"<p{NOTE if note else ''}>{escape(text)}</p>"
        case Plain(text):
            return f"<pre>{escape(text)}</pre>"
        case Table():
            return _table(part)
        case Picture(svg, caption):
            return f"<figure>\n{svg}\n<figcaption>{escape(caption)}</figcaption>\n</figure>"


def _table(table: Table) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        shown = (
            f"<{tag}{FIGURE if number in table.right else ''}>{escape(cell)}</{tag}>"
            for number, cell in enumerate(cells)
        )
        return f"<tr>{''.join(shown)}</tr>"

    rows = "\n".join(line(row, "td") for row in table.rows)
    caption = f"<p{NOTE}>{escape(table.caption)}</p>" if table.caption else ""
    return f'<div class="scroll"><table>\n{line(table.head, "th")}\n{rows}\n</table></div>{caption}'
