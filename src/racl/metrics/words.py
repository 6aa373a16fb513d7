"""Metrics and comparisons as tables of text."""

from __future__ import annotations

from collections.abc import Sequence

from racl.engines.outputs import CREDITS
from racl.explain.layout import columns
from racl.metrics.calibration import Calibration
from racl.metrics.compare import Comparison, Difference
from racl.metrics.rates import Rate
from racl.metrics.report import Group, Metrics

GROUPS = 20  # shown of a column; data has them all
NOTHING = "-"
SIGNIFICANT = 1e-4  # smaller p are not told apart


def metrics_text(metrics: Metrics) -> str:
    """All figures in tables."""
    parts = [_head(metrics), *_figures(metrics), "", *_buckets(metrics)]
    if metrics.confusion is not None:
        parts += ["", *_confusion(metrics.confusion)]
    if metrics.calibration.bins:
        parts += ["", *_calibration(metrics.calibration)]
    for name, groups in metrics.tables.items():
        parts += ["", *_groups(name, groups)]
    return "\n".join(parts)


def _head(metrics: Metrics) -> str:
    counts = metrics.counts
    sets = f" in {counts['choice_sets']:,} choice sets" if counts["choice_sets"] else ""
    lines = [f"{counts['rows']:,} rows{sets}, {counts['refused']:,} more refused"]
    kinds = ("truly_accepted", "repairable_good", "accepted_by_the_model")
    lines.append(", ".join(f"{counts[kind]:,} {kind.replace('_', ' ')}" for kind in kinds))
    odd = counts["labelled_accepted_without_admissible_repair"]
    if odd:
        lines.append(f"{odd:,} rows are labelled accepted though no repair is admissible")
    return "\n".join([*lines, ""])


def _figures(metrics: Metrics) -> list[str]:
    header = ("figure", "value", "95 % interval", "count", "of", "interval by, or why none")
    rows = [(one.name, *figure_cells(one)) for one in metrics.figures.each()]
    return aligned([header, *rows], right=(1, 3, 4))


def figure_cells(rate: Rate) -> tuple[str, str, str, str, str]:
    """Value, interval, count, number and method of a figure."""
    if rate.value is None:
        return NOTHING, NOTHING, NOTHING, NOTHING, rate.method
    return decimal(rate.value), interval(rate.low, rate.high), f"{rate.count:,}", f"{rate.of:,}", rate.method


def decimal(value: float | None) -> str:
    """A figure to four decimals."""
    return NOTHING if value is None else f"{value:.4f}"


def interval(low: float | None, high: float | None) -> str:
    """The ends of an interval."""
    return NOTHING if low is None or high is None else f"{low:.4f} to {high:.4f}"


def probability(value: float | None) -> str:
    """A p."""
    if value is None:
        return NOTHING
    return f"<{SIGNIFICANT:.4f}" if value < SIGNIFICANT else f"{value:.4f}"


def _buckets(metrics: Metrics) -> list[str]:
    header = ("truly", "rows", "accepted", "bucket right")
    rows = [
        (one.name, f"{one.rows:,}", decimal(one.accepted.value), decimal(one.right.value))
        for one in metrics.buckets
    ]
    return aligned([header, *rows], right=(1, 2, 3))


def _confusion(table: tuple[tuple[int, ...], ...]) -> list[str]:
    numbers = [str(number + 1) for number in range(len(CREDITS))]
    rows = [
        (f"{number} {credit.value}", *(f"{cell:,}" for cell in cells))
        for number, credit, cells in zip(numbers, CREDITS, table, strict=True)
    ]
    return aligned([("true credit; across, the model's", *numbers), *rows], right=range(1, len(CREDITS) + 1))


def _calibration(found: Calibration) -> list[str]:
    header = (f"mean {found.scale}", "rows", "labelled accepted", "95 % interval")
    rows = [
        (
            decimal(one.predicted),
            f"{one.rows:,}",
            decimal(one.accepted),
            interval(one.accepted_low, one.accepted_high),
        )
        for one in found.bins
    ]
    return aligned([header, *rows], right=(0, 1, 2))


def _groups(name: str, groups: Sequence[Group]) -> list[str]:
    """The groups, those with the most false vetoes in a hundred first."""
    header = (name, "rows", "FVR", "false vetoes", "of", "FAR", "CreditAcc", "AUROC", "EDR", "ECE")
    worst = sorted(groups, key=lambda one: 1.0 if one.figures.fvr.value is None else -one.figures.fvr.value)
    shown = worst[:GROUPS]
    lines = aligned([header, *map(_group_cells, shown)], right=range(1, len(header)))
    more = len(groups) - len(shown)
    return [*lines, f"and {more:,} more"] if more else lines


def _group_cells(group: Group) -> tuple[str, ...]:
    found = group.figures
    rest = (found.far, found.credit, found.auroc, found.edr, found.ece)
    return (
        group.value,
        f"{group.rows:,}",
        decimal(found.fvr.value),
        f"{found.fvr.count:,}",
        f"{found.fvr.of:,}",
        *(decimal(one.value) for one in rest),
    )


def aligned(rows: Sequence[Sequence[str]], *, right: Sequence[int]) -> list[str]:
    """Rows as columns, those of figures flush right; a column without any figure is left out."""
    every = [list(column) for column in zip(*rows, strict=True)]
    shown = [(number, column) for number, column in enumerate(every) if set(column[1:]) != {NOTHING}]
    padded = [
        [cell.rjust(max(map(len, column))) if number in right else cell for cell in column]
        for number, column in shown
    ]
    return columns(list(zip(*padded, strict=True)), indent=0)


def comparison_text(comparison: Comparison) -> str:
    """All differences in a table."""
    header = (
        "figure",
        *comparison.names,
        "difference",
        "95 % interval",
        "p",
        "only first wrong",
        "only second wrong",
        "McNemar p",
        "why none",
    )
    rows = [_difference_cells(one) for one in comparison.differences]
    head = f"{comparison.rows:,} rows, {comparison.refused:,} more refused"
    foot = f"intervals and p by a paired bootstrap by {comparison.unit}, {comparison.resamples:,} resamples"
    return "\n".join([head, "", *aligned([header, *rows], right=(1, 2, 3, 5, 6, 7, 8)), "", foot])


def _difference_cells(one: Difference) -> tuple[str, ...]:
    return (
        one.name,
        decimal(one.first),
        decimal(one.second),
        decimal(one.value),
        interval(one.low, one.high),
        probability(one.p),
        NOTHING if one.only_first is None else f"{one.only_first:,}",
        NOTHING if one.only_second is None else f"{one.only_second:,}",
        probability(one.mcnemar),
        one.why_none or NOTHING,
    )
