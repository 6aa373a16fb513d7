"""The page of an evaluation: all figures, whether probabilities mean what they say, and who gets the false vetoes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from racl.metrics.calibration import Calibration
from racl.metrics.compare import Comparison
from racl.metrics.rates import Rate
from racl.metrics.report import Group, Metrics
from racl.metrics.words import figure_cells
from racl.report import figures
from racl.report.figures import Series
from racl.report.page import Page, Picture, Plain, Section, Text

SHOWN = 20  # groups of a column, those with the most false vetoes in a hundred
BY_PROBABILITY = "probability"


def evaluation_page(metrics: Metrics, comparison: Comparison | None, *, name: str) -> Page:
    """The whole page."""
    sections = [
        Section("Figures", [Plain(str(metrics))]),
        Section("Calibration", [calibrated(metrics.calibration)]),
    ]
    sections += [section for column, groups in metrics.tables.items() for section in by_group(column, groups)]
    if comparison is not None:
        sections.append(Section(f"{comparison.names[0]} and {comparison.names[1]}", [Plain(str(comparison))]))
    return Page(
        name, f"{metrics.counts['rows']:,} rows, {metrics.counts['refused']:,} more refused", sections
    )


def calibrated(found: Calibration) -> Picture | Text:
    """A reliability diagram; where no probabilities are given, how often people accept at each margin."""
    if not found.bins:
        return Text("There is no row with a margin.")
    if found.scale == BY_PROBABILITY:
        value, ends, *_ = figure_cells(found.ece)
        caption = (
            "Rows in bins of about equal size, with 95 % Wilson intervals; on the dashed line probabilities mean what they"
            f" say. Expected calibration error {value} ({ends})."
        )
        return Picture(figures.reliability("calibration", [binned("all", found)]), caption)
    drawn = figures.lines(
        "calibration",
        [binned("all", found)],
        x="mean margin: value less threshold",
        y="share labelled accepted",
        points=True,
        levels={"even": 0.5},
    )
    caption = (
        "Rows in bins of about equal size, with 95 % Wilson intervals. No probabilities are given (--probability), so"
        " that there is no calibration error; the curve should cross the dashed line near a margin of 0."
    )
    return Picture(drawn, caption)


def binned(name: str, found: Calibration) -> Series:
    """The bins of a reliability diagram."""
    bins = found.bins
    return Series(
        name,
        [one.predicted for one in bins],
        [one.accepted for one in bins],
        [one.accepted_low for one in bins],
        [one.accepted_high for one in bins],
    )


def by_group(column: str, groups: Sequence[Group]) -> Iterator[Section]:
    """The false vetoes and false accepts of each group, with intervals, and its calibration."""
    measured = [one for one in groups if one.figures.fvr.value is not None]
    shown = sorted(measured, key=lambda one: -(one.figures.fvr.value or 0.0))[:SHOWN]
    if not shown:
        return
    rates = [
        rated("FVR", [one.figures.fvr for one in shown]),
        rated("FAR", [one.figures.far for one in shown]),
    ]
    labels = [f"{one.value} ({one.figures.fvr.of:,})" for one in shown]
    drawn = figures.dots(f"by-{column}", labels, rates, x="rate", zero=False)
    more = f" The worst {SHOWN} of {len(measured):,}." if len(measured) > SHOWN else ""
    caption = f"False vetoes and false accepts by {column}, with 95 % intervals; in brackets, repairable-good rows.{more}"
    parts = [Picture(drawn, caption)]
    bent = [one for one in shown if one.calibration.scale == BY_PROBABILITY and one.calibration.bins]
    if bent:
        series = [_plain(binned(one.value, one.calibration)) for one in bent[: len(figures.COLOURS)]]
        parts.append(
            Picture(figures.reliability(f"calibration-{column}", series), f"Calibration by {column}.")
        )
    yield Section(f"By {column}", parts)


def _plain(series: Series) -> Series:
    return Series(series.name, series.x, series.y)


def rated(name: str, found: Sequence[Rate]) -> Series:
    """A dot for each rate; NaN where it has no value."""
    table = np.array([[one.value, one.low, one.high] for one in found], np.float64)
    return Series(name, table[:, 0], (), table[:, 1], table[:, 2])
