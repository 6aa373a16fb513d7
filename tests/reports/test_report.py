"""Pictures are sound SVG, the same each time; pages need nothing else and escape what users write."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable

import numpy as np
import pytest

from racl.errors import DataError
from racl.report import figures
from racl.report.figures import Series
from racl.report.page import Page, Part, Picture, Plain, Section, Table, Text, html

ONE = Series("one & only", [0.0, 1.0, 2.0], [0.1, 0.5, 0.2], [0.0, 0.4, 0.1], [0.2, 0.6, 0.3])
TWO = Series("$two_x$", [0.0, 1.0, 2.0], [0.3, float("nan"), 0.1])
LABELS = ["a", "<b>", "$c$"]
PICTURES: dict[str, Callable[[], str]] = {
    "lines": lambda: figures.lines("p", [ONE, TWO], x="x", y="y", points=True, marked=TWO, levels={"at": 0.3}),
    "dots": lambda: figures.dots("p", LABELS, [Series("s", ONE.y, (), ONE.low, ONE.high), Series("t", TWO.y, ())], x="x"),
    "bars": lambda: figures.bars("p", LABELS, [ONE, TWO], y="y"),
    "histogram": lambda: figures.histogram("p", {"a": np.arange(9.0), "b": np.ones(3)}, x="x", at=1.0),
    "empty histogram": lambda: figures.histogram("p", {"a": np.empty(0)}, x="x"),
    "grid": lambda: figures.grid("p", np.array([[0.1, np.nan]]), rows=["r"], columns=["a", "b"], x="x", y="y", chosen=(0, 1)),
    "reliability": lambda: figures.reliability("p", [ONE, TWO]),
}  # fmt: skip


@pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES.keys())
def test_a_picture_is_sound_svg_and_the_same_each_time(draw: Callable[[], str]) -> None:
    drawn = draw()
    assert ET.fromstring(drawn).tag.endswith("svg")  # noqa: S314 - our own
    assert drawn == draw()
    assert "<metadata" not in drawn


def test_words_stay_words_in_a_picture() -> None:
    drawn = PICTURES["lines"]()
    assert "one &amp; only" in drawn
    assert "$two_x$" in drawn


def test_marks_of_two_pictures_have_names_of_their_own() -> None:
    def marks(name: str) -> set[str]:
        return set(re.findall(r'id="([mp]\w{10})"', figures.lines(name, [ONE], x="x", y="y", points=True)))

    assert marks("a")
    assert not marks("a") & marks("b")


def test_a_page_needs_nothing_else_and_escapes_what_is_said() -> None:
    parts: list[Part] = [
        Text("<script>alert(1)</script>"),
        Plain("a < b"),
        Table(["<h>", "n"], [["&", "1"]], right=(1,), caption="<c>"),
        Picture(PICTURES["grid"](), "<caption>"),
    ]
    page = html(Page("<title>", "about & more", [Section("<heading>", parts)]))
    for text in ("script>alert", "<h>", "<c>", "<caption>", "<heading>", "<title><"):
        assert text not in page.replace("&lt;script&gt;", "")
    assert not re.findall(r"""(?:src|href)=["'](?!#)""", page.replace("xlink:href", "href"))
    assert "<script" not in page
    assert "url(http" not in page
    assert '<td class="n">1</td>' in page
    body = page.partition("\n")[2].replace('<meta charset="utf-8">', "")
    ET.fromstring(re.sub(r"<meta [^>]*>", "", body))  # noqa: S314 - our own


def test_without_matplotlib_the_fault_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DataError, match="reports"):
        figures.lines("p", [ONE], x="x", y="y")
