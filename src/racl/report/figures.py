"""Pictures as SVG text, drawn by Matplotlib where it is installed (the extra `reports`); the same bytes each time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from io import BytesIO, StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.errors import DataError, Problem

Floats = NDArray[np.float64]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f", "#000000")
STYLE: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
}
METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
WIDTH, HEIGHT = 7.2, 3.8  # inches
DOTS = 160  # of an inch of PNG
PNGS: ContextVar[dict[str, bytes] | None] = ContextVar("PNGS", default=None)


@dataclass(frozen=True, eq=False)
class Series:
    """Named values, with the ends of their intervals where there are any; NaN for none."""

    name: str
    x: Sequence[float] | Floats
    y: Sequence[float] | Floats
    low: Sequence[float] | Floats | None = None
    high: Sequence[float] | Floats | None = None


def installed() -> Any:
    """Matplotlib; raises DataError with what to do where it is not there."""
    try:
        import matplotlib as mpl
        import matplotlib.figure
    except ImportError as missing:
        what, hint = "pictures are drawn by Matplotlib, which is not installed", "pip install 'racl[reports]'"
        raise DataError([Problem("report", what, hint)]) from missing
    return mpl


@contextmanager
def as_png_too() -> Iterator[dict[str, bytes]]:
    """While it lasts, every picture is kept as PNG, too, by its name."""
    kept: dict[str, bytes] = {}
    token = PNGS.set(kept)
    try:
        yield kept
    finally:
        PNGS.reset(token)


@contextmanager
def drawing(name: str, *, width: float = WIDTH, height: float = HEIGHT) -> Iterator[tuple[Any, list[str]]]:
    """A Matplotlib figure to draw on; what is appended to the list after the block is its SVG.

    Each picture of a page needs a name of its own, so that the marks within them are not taken for each other's.
    """
    mpl = installed()
    from matplotlib.figure import Figure

    with mpl.rc_context({**STYLE, "svg.hashsalt": name}):
        figure, found = Figure(figsize=(width, height), layout="constrained"), []  # type: tuple[Any, list[str]]
        yield figure, found
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        pngs = PNGS.get()
        if pngs is not None:
            image = BytesIO()
            figure.savefig(image, format="png", dpi=DOTS, metadata={"Software": None})
            pngs[name] = image.getvalue()
    found.append(METADATA.sub("", "<svg" + text.getvalue().partition("<svg")[2]).strip())


def picture(name: str, draw: Callable[[Any], None], *, width: float = WIDTH, height: float = HEIGHT) -> str:
    """What is drawn on one pair of axes, as SVG."""
    with drawing(name, width=width, height=height) as (figure, found):
        draw(figure.add_subplot())
    return found[0]


# kinds of picture ------------------------------------------------------------------------------------


def lines(
    name: str,
    series: Sequence[Series],
    *,
    x: str,
    y: str,
    points: bool = False,
    steps: bool = False,
    marked: Series | None = None,
    levels: Mapping[str, float] | None = None,
) -> str:
    """Curves with bands for intervals, as steps where asked; `marked` are single points, `levels` dashed lines across."""
    style = {"drawstyle": "steps-post" if steps else "default", "marker": "o" if points else None}

    def draw(axes: Any) -> None:
        for number, one in enumerate(series):
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(one.x, one.y, color=colour, label=one.name, markersize=4, **style)
            if one.low is not None and one.high is not None:
                axes.fill_between(one.x, one.low, one.high, color=colour, alpha=0.15, linewidth=0)
        if marked is not None:
            axes.plot(marked.x, marked.y, "D", color="#000000", markersize=7, label=marked.name)
        for label, level in (levels or {}).items():
            axes.axhline(level, color="#555555", linestyle="--", linewidth=1, label=label)
        _named(axes, x, y)

    return picture(name, draw)


def dots(name: str, labels: Sequence[str], series: Sequence[Series], *, x: str, zero: bool = True) -> str:
    """One line a label, on it a dot with its interval for each of the series; `x` of the series are the values."""

    def draw(axes: Any) -> None:
        places = np.arange(len(labels), dtype=np.float64)
        for number, one in enumerate(series):
            at = places + (number - (len(series) - 1) / 2) * 0.7 / max(1, len(series))
            _dots(axes, one, at, COLOURS[number % len(COLOURS)])
        if zero:
            axes.axvline(0.0, color="#555555", linewidth=1)
        axes.set_yticks(places, labels)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        _named(axes, x, "")

    return picture(name, draw, height=max(2.0, 0.9 + 0.17 * len(labels) * max(2, len(series))))


def _dots(axes: Any, one: Series, at: Floats, colour: str) -> None:
    value = np.asarray(one.x, np.float64)
    if one.low is None or one.high is None:
        axes.plot(value, at, "o", color=colour, markersize=4, label=one.name)
        return
    away = np.maximum(0.0, [value - np.asarray(one.low), np.asarray(one.high) - value])
    axes.errorbar(
        value, at, xerr=away, fmt="o", color=colour, markersize=4, elinewidth=1.2, capsize=2, label=one.name
    )


def bars(name: str, labels: Sequence[str], series: Sequence[Series], *, y: str) -> str:
    """Groups of bars, one for each of the series, with intervals; `y` of the series are the values."""

    def draw(axes: Any) -> None:
        places, width = np.arange(len(labels), dtype=np.float64), 0.8 / max(1, len(series))
        for number, one in enumerate(series):
            at = places + (number - (len(series) - 1) / 2) * width
            value, away = np.asarray(one.y, np.float64), None
            if one.low is not None and one.high is not None:
                away = np.maximum(0.0, [value - np.asarray(one.low), np.asarray(one.high) - value])
            colour = COLOURS[number % len(COLOURS)]
            axes.bar(at, value, width, color=colour, yerr=away, capsize=2, label=one.name)
        axes.set_xticks(places, labels)
        axes.grid(visible=False, axis="x")
        _named(axes, "", y)
        legend_above(axes)

    return picture(name, draw)


def histogram(name: str, groups: Mapping[str, Floats], *, x: str, at: float | None = None) -> str:
    """Counts of values, the groups on top of each other; the outermost of a hundred on either side are left out."""

    def draw(axes: Any) -> None:
        every = np.concatenate([*groups.values(), np.empty(0)])
        low, high = np.percentile(every, [1, 99]) if len(every) else (0.0, 1.0)
        edges = np.linspace(low, high if high > low else low + 1.0, 41)
        held = [values[(values >= edges[0]) & (values <= edges[-1])] for values in groups.values()]
        axes.hist(held, edges, stacked=True, color=COLOURS[: len(held)], label=list(groups))
        if at is not None:
            axes.axvline(at, color="#000000", linewidth=1.2)
        _named(axes, x, "rows")

    return picture(name, draw)


def grid(
    name: str,
    values: Floats,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    x: str,
    y: str,
    chosen: tuple[int, int] | None = None,
) -> str:
    """A table of numbers (rows, columns), the greater the darker; a frame around the one that was chosen."""

    def draw(axes: Any) -> None:
        axes.grid(visible=False)
        axes.pcolormesh(np.ma.masked_invalid(values), cmap="Blues", edgecolors="white", linewidth=1)
        axes.invert_yaxis()
        known = values[np.isfinite(values)]
        middle = (known.min() + known.max()) / 2 if len(known) else 0.0
        for (row, column), value in np.ndenumerate(values):
            text = "-" if np.isnan(value) else f"{value:.4f}"
            axes.text(
                column + 0.5,
                row + 0.5,
                text,
                ha="center",
                va="center",
                color="white" if value > middle else "black",
            )
        if chosen is not None:
            from matplotlib.patches import Rectangle

            corner = (chosen[1] + 0.02, chosen[0] + 0.02)
            axes.add_patch(Rectangle(corner, 0.96, 0.96, fill=False, edgecolor=COLOURS[1], linewidth=2.5))
        axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
        axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
        axes.set_xlabel(x)
        axes.set_ylabel(y)

    return picture(name, draw, width=4.6, height=2.8)


def reliability(name: str, series: Sequence[Series]) -> str:
    """Shares that people accept against the probabilities that were said; on the diagonal they mean what they say."""

    def draw(axes: Any) -> None:
        axes.plot([0, 1], [0, 1], color="#999999", linestyle="--", linewidth=1)
        for number, one in enumerate(series):
            value, away = np.asarray(one.y, np.float64), None
            if one.low is not None and one.high is not None:
                away = np.maximum(0.0, [value - np.asarray(one.low), np.asarray(one.high) - value])
            colour = COLOURS[number % len(COLOURS)]
            axes.errorbar(
                one.x, value, yerr=away, marker="o", markersize=4, capsize=2, color=colour, label=one.name
            )
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        _named(axes, "probability said", "share labelled accepted")

    return picture(name, draw, width=5.2, height=4.6)


def _named(axes: Any, x: str, y: str) -> None:
    """Names of the axes, and a legend where there are several things to tell apart."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > 1:
        axes.legend(handles, labels, fontsize=9)


def legend_above(axes: Any) -> None:
    """The legend above the axes, where it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) > 1:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 3, "borderaxespad": 0.2}
        axes.legend(handles, labels, fontsize=9, **place)
