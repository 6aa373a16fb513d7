"""The figures of the report, from the results of a study alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from racl.bench.models import MODELS
from racl.bench.tables import MAIN, first_seed, models_of
from racl.bench.tiers import TIERS
from racl.report import figures
from racl.report.figures import COLOURS, Series

Results = Mapping[str, Any]
Figure = tuple[str, str, str]  # name, SVG, what it shows

BY_TIER = (
    "no-repair",
    "soft-penalty",
    "black-box",
    "black-box-repair",
    "anchors-validated",
    "latent-certified",
)
PROBABLE = ("soft-penalty", "black-box", "black-box-repair")
BUCKETS = ("rejected: structure or cost", "rejected: preference")
MARGINS = ("anchors-fixed", "anchors-validated", "latent-certified")
STRESS = {
    "cost-noise": (
        "noise",
        "spread of the factor by which costs are off",
        "Costs that are off by a lognormal factor",
    ),
    "calibration": (
        "noise",
        "spread of the error of each persona's scores",
        "Scores that are off by an amount for each persona",
    ),
    "missing": ("missing", "repairs missing from the menu", "Menus that lack repairs; the mean of several"),
}


def label(model: str) -> str:
    """What a model is called."""
    return MODELS[model].label


def overview() -> Figure:
    """The pipeline: a terminal veto above, repair before veto below."""
    upper = ["candidate\nand context", "violates a\nrequirement?", "veto", "score"]
    lower = [
        "candidate\nand context",
        "every repair\nof the menu",
        "feasible and\nwithin budget?",
        "best by\nguarded score",
        "decision, credit\nand plan",
    ]
    with figures.drawing("overview", width=7.6, height=2.9) as (figure, found):
        axes = figure.add_subplot()
        axes.set(xlim=(0, 10.4), ylim=(0, 4.2))
        axes.axis("off")
        _boxes(axes, upper[:2], 3.2, COLOURS[6])
        _box(axes, 4.9, 3.65, "yes: veto, whatever\ncould be mended", COLOURS[1])
        _box(axes, 4.9, 2.75, "no: score against\nthe threshold", COLOURS[6])
        for to in (3.65, 2.75):
            _arrow(axes, (3.55, 3.2), (4.05, to))
        _boxes(axes, lower, 1.0, COLOURS[0])
        axes.text(0.05, 4.05, "no repair: a violation is terminal", fontsize=9, va="center")
        axes.text(0.05, 1.85, "racl: repair before veto", fontsize=9, va="center")
    return (
        "overview",
        found[0],
        "A rule without repairs ends at a violation; racl looks at what every known, affordable repair would make of it.",
    )


def _boxes(axes: Any, texts: Sequence[str], y: float, colour: str) -> None:
    for place, text in enumerate(texts):
        x = 0.9 + 2.1 * place
        _box(axes, x, y, text, colour)
        if place:
            _arrow(axes, (x - 1.25, y), (x - 0.85, y))


def _box(axes: Any, x: float, y: float, text: str, colour: str) -> None:
    frame = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": colour, "linewidth": 1.4}
    axes.text(x, y, text, ha="center", va="center", fontsize=8.5, bbox=frame)


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "->", "linewidth": 1.1})


def by_tier(results: Results) -> Figure:
    """False veto rates by tier."""
    tiers = results["tiers"]
    series = []
    for model in BY_TIER:
        if all(model in tier.get("figures", {}) for tier in tiers.values()):
            rates = [first_seed(tier["figures"][model])["figures"]["fvr"] for tier in tiers.values()]
            series.append(_rates(label(model), rates))
    names = [TIERS[name].label.replace("-", "-\n", 1) for name in tiers]
    return (
        "fvr-by-tier",
        figures.bars("fvr-by-tier", names, series, y="false veto rate"),
        "False veto rates by tier, with 95 % intervals.",
    )


def _rates(name: str, rates: Sequence[Mapping[str, Any]]) -> Series:
    value, low, high = (
        [np.nan if one[key] is None else float(one[key]) for one in rates] for key in ("value", "low", "high")
    )
    return Series(name, [], value, low, high)


def credit(results: Results, name: str) -> Figure:
    """Credit by bucket."""
    tier = results["tiers"][name]
    models = [model for model in models_of(tier) if _right(tier, model, BUCKETS[0])["value"] is not None]
    series = []
    for bucket in BUCKETS:
        rates = _rates(bucket, [_right(tier, model, bucket) for model in models])
        series.append(Series(bucket, rates.y, [], rates.low, rates.high))
    names = [label(model) for model in models]
    picture = figures.dots("credit-by-bucket", names, series, x="share whose bucket is right", zero=False)
    return "credit-by-bucket", picture, f"{TIERS[name].label}: credit of truly rejected rows by bucket."


def _right(tier: Results, model: str, bucket: str) -> Mapping[str, Any]:
    """How often a model's bucket is right among the rows of one."""
    found = first_seed(tier["figures"][model])["buckets"]
    return next(one["right"] for one in found if one["name"] == bucket)


def reliability(results: Results, name: str) -> Figure:
    """What probabilities mean."""
    tier = results["tiers"][name]
    series = []
    for model in PROBABLE:
        if model in tier["figures"]:
            bins = first_seed(tier["figures"][model])["calibration"]["bins"]
            series.append(_bins(label(model), bins))
    return (
        "calibration",
        figures.reliability("calibration", series),
        f"{TIERS[name].label}: of the rows to which a probability was given, how many are labelled accepted.",
    )


def _bins(name: str, bins: Sequence[Mapping[str, float]]) -> Series:
    x, y, low, high = (
        [one[key] for one in bins] for key in ("predicted", "accepted", "accepted_low", "accepted_high")
    )
    return Series(name, x, y, low, high)


def margins(results: Results, name: str) -> Figure:
    """What margins mean: a step at 0 where scores are calibrated."""
    tier = results["tiers"][name]
    series = [
        _bins(label(model), first_seed(tier["figures"][model])["calibration"]["bins"])
        for model in MARGINS
        if model in tier["figures"]
    ]
    picture = figures.lines(
        "margins", series, x="margin (mean of a tenth of the rows)", y="share labelled accepted", points=True
    )
    return (
        "margins",
        picture,
        f"{TIERS[name].label}: shares accepted against margins. A calibrated score steps from 0 to 1 at a margin of 0.",
    )


def operating(results: Results) -> Figure:
    """Operating points: lower left is better."""
    found = results["tiers"][MAIN].get("operating", {})
    series = []
    for model, by_seed in found.items():
        points = first_seed(by_seed)  # from one end of the sweep to the other
        series.append(Series(label(model), [one["fvr"] for one in points], [one["edr"] for one in points]))
    paper = results["paper"]["tiers"][MAIN]
    theirs = [paper[model] for model in ("anchors-validated", "anchors-fixed", "black-box-repair")]
    marked = Series("the paper's three", [one["fvr"] for one in theirs], [one["edr"] for one in theirs])
    picture = figures.lines("operating", series, x="FVR", y="EDR", points=True, marked=marked)
    return (
        "operating",
        picture,
        "Operating points: margins for racl, probabilities for RepairSearch. Lower left is better.",
    )


def _plain(axis: Any) -> None:
    """Numbers of an axis in plain digits, whatever its scale."""
    axis.set_major_formatter(lambda value, _: f"{value:g}")


def costs(results: Results) -> Figure:
    """Who is cheapest at which ratio of costs."""
    found = first_seed(results["tiers"][MAIN]["costs"])
    shown = ("black-box", "black-box-repair", "anchors-fixed", "anchors-validated", "latent-certified")

    def draw(axes: Any) -> None:
        for number, model in enumerate(one for one in shown if one in found["cost"]):
            axes.loglog(found["ratios"], found["cost"][model], color=COLOURS[number], label=label(model))
        axes.axvline(
            results["paper"]["break_even"],
            color="#555555",
            linestyle="--",
            linewidth=1,
            label="the paper's break-even",
        )
        _plain(axes.xaxis)
        _plain(axes.yaxis)
        axes.set_xlabel("cost of false vetoes / cost of regret")
        axes.set_ylabel("cost")
        figures.legend_above(axes)

    return (
        "costs",
        figures.picture("costs", draw),
        "The cost of each model, by the ratio of what false vetoes and regret cost.",
    )


def stress(results: Results, kind: str, figure: str) -> Figure:
    """One kind of stress and one figure."""
    key, x, caption = STRESS[kind]
    found = results["tiers"][MAIN][kind]
    series = []
    for model, by_seed in found.items():
        points = first_seed(by_seed)
        series.append(Series(label(model), [one[key] for one in points], [one[figure] for one in points]))
    name = f"{kind}-{figure}"
    return (
        name,
        figures.lines(name, series, x=x, y=figure.upper(), points=True),
        f"{caption}: {figure.upper()}.",
    )


def guard_grid(results: Results, learner: str) -> Figure:
    """False veto rates of the grid of guards."""
    found = [one for one in first_seed(results["tiers"][MAIN]["grid"][learner]) if one["A"] is not None]
    caps, spans = (sorted({one[key] for one in found}) for key in ("A", "S"))
    values = np.array(
        [[next(o["test"]["fvr"] for o in found if (o["A"], o["S"]) == (a, s)) for s in spans] for a in caps]
    )
    name = f"guard-grid-{learner}"
    picture = figures.grid(
        name, values, rows=[f"{a:g}" for a in caps], columns=[f"{s:g}" for s in spans], x="S", y="A"
    )
    return name, picture, f"FVR of `{learner}` on test rows under each guard of the grid."


def curve(results: Results, against: str) -> Figure:
    """A learning curve with the bound's shape, scaled to its first point."""
    found = results["tiers"][MAIN]["curve"][against]
    x = [one[against] for one in found]
    seen = np.array([one["excess"] for one in found])
    error = np.array([one["error"] for one in found])
    shape = np.array([one["shape"] for one in found])
    scale = float((seen @ shape) / (shape @ shape))
    symbol = {"rows": "rows n", "features": "features p", "repairs": "repairs K"}[against]

    def draw(axes: Any) -> None:
        axes.errorbar(
            x, seen, yerr=1.96 * error, fmt="o-", color=COLOURS[0], capsize=2, markersize=4, label="seen"
        )
        axes.plot(
            x, scale * shape, "--", color=COLOURS[1], label="shape of the bound, root of p log K / n, scaled"
        )
        axes.set_xscale("log", base=2)
        axes.set_xticks(x, [f"{one:g}" for one in x])
        axes.minorticks_off()
        if against == "rows":
            axes.set_yscale("log", subs=(2, 5))
            _plain(axes.yaxis)
            axes.yaxis.set_minor_formatter(axes.yaxis.get_major_formatter())
        else:
            axes.set_ylim(bottom=0)
        axes.set_xlabel(symbol)
        axes.set_ylabel("decisions that are wrong")
        axes.legend(fontsize=9)

    name = f"curve-{against}"
    return name, figures.picture(name, draw, height=3.2), f"Wrong decisions after learning, against {symbol}."


def gap(results: Results) -> Figure:
    """The false-veto gap against budgets."""
    series = []
    for name, tier in results["tiers"].items():
        points = tier["gap"]
        share = [one["repairable_good"] / max(1, one["accepted"]) for one in points]
        series.append(Series(TIERS[name].label, [one["budget"] for one in points], share))
    picture = figures.lines(
        "gap", series, x="budgets, in parts of what they are", y="share of what is good", points=True
    )
    return (
        "gap",
        picture,
        "The false-veto gap: of the rows that are truly good, those that a terminal veto loses.",
    )


def lemma(results: Results) -> Figure:
    """The lemma's bound and what is seen."""
    points = first_seed(results["tiers"][MAIN]["lemma"])["uniform"]
    x = [one["delta"] for one in points]
    series = [
        Series("bound", x, [one["bound"] for one in points]),
        Series("seen", x, [one["seen"] for one in points]),
    ]
    picture = figures.lines(
        "lemma", series, x="greatest error of a score", y="share of decisions that differ", points=True
    )
    return (
        "lemma",
        picture,
        "The lemma: how many decisions may differ where scores are off by so much, and how many do.",
    )


def all_figures(results: Results) -> dict[str, Figure]:
    """Every figure that the results have the numbers for, by name."""
    made: list[Callable[[], Figure]] = [overview, partial(by_tier, results), partial(gap, results)]
    main = results["tiers"].get(MAIN, {})
    if main:
        made += [partial(draw, results, MAIN) for draw in (credit, reliability, margins)]
    if "costs" in main:
        made += [partial(draw, results) for draw in (operating, costs, lemma)]
        made += [
            partial(stress, results, kind, one) for kind in STRESS if kind in main for one in ("fvr", "edr")
        ]
        made += [partial(guard_grid, results, learner) for learner in main.get("grid", {})]
        made += [partial(curve, results, against) for against in main.get("curve", {})]
    return {figure[0]: figure for figure in (make() for make in made)}
