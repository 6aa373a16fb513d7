"""The page of a fit: what was learned from which rows, and pictures of weights, margins, calibration and guard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from racl.learn.asked import Recipe
from racl.learn.certify import Certificate, shortfalls, upper_bound
from racl.learn.recipe import Learned
from racl.learn.validation import validation
from racl.learn.words import PERSONAS, told
from racl.metrics.calibration import Calibration, calibration
from racl.metrics.groups import by_persona
from racl.metrics.trial import Trial
from racl.metrics.words import decimal, figure_cells, interval
from racl.options import Floats
from racl.report import figures
from racl.report.figures import Series
from racl.report.page import Page, Part, Picture, Plain, Section, Table, Text

POINTS = 400  # of a curve
NORMAL = 1.959964  # standard errors on either side that hold 95 %


def fit_page(learned: Learned, recipe: Recipe, *, name: str) -> Page:
    """The whole page."""
    trial = validation(learned.sources, recipe, learned.chosen)
    sections = [Section("What was learned", [Plain(told(learned.model))]), weights(learned)]
    if trial is None:
        sections.append(Section("How good it is", [Text("No row was held out: nothing is measured.")]))
    else:
        sections += [margins(trial), operating(trial), probabilities(trial, learned, recipe)]
    sections += guard(learned)
    about = f"{learned.model.domain.name}, learned by `{recipe.learner}` under the guard `{recipe.guard}`"
    return Page(name, about, sections)


def weights(learned: Learned) -> Section:
    """The weights of the personas with the most rows, beside each other."""
    domain, known = learned.model.domain, learned.record["personas"]
    names = sorted(domain.personas, key=lambda one: -known[one].get("rows", 0.0))[:PERSONAS]
    features = [one.name for one in domain.features]
    series = [_weights(learned, domain.personas.index(one), one, known[one]) for one in names]
    drawn = figures.dots("weights", features, series, x="weight")
    caption = "Weights of the features, with 95 % intervals where they were learned."
    if len(domain.personas) > len(names):
        caption += f" The {len(names)} personas with the most rows, of {len(domain.personas):,}."
    return Section("Weights by persona", [Picture(drawn, caption)])


def _weights(learned: Learned, number: int, name: str, known: Mapping[str, Any]) -> Series:
    found, errors = learned.weights[number, 1:], known.get("standard_errors")
    if errors is None:
        return Series(name, found, ())
    away = NORMAL * np.array([np.nan if one is None else one for one in errors["weights"].values()])
    return Series(name, found, (), found - away, found + away)


# on held-out rows ------------------------------------------------------------------------------------


def margins(trial: Trial) -> Section:
    """How far from the threshold held-out rows are, by what people said."""
    margin, labels = trial.judged.margin, trial.truth.labels
    known = np.isfinite(margin)
    groups = {"labelled accepted": margin[known & labels], "labelled rejected": margin[known & ~labels]}
    drawn = figures.histogram("margins", groups, x="margin: value less threshold", at=0.0)
    caption = f"{int(known.sum()):,} held-out rows with an admissible repair; what lies right of the line is accepted."
    return Section("Margins", [Picture(drawn, caption)])


def operating(trial: Trial) -> Section:
    """What other margins would have done: fewer false vetoes for more false accepts."""
    good, bad = trial.truth.repairable_good, ~trial.truth.accepted
    if not (good.any() and bad.any()):
        text = "There are no held-out rows of both kinds: those that a false veto loses, and those rightly rejected."
        return Section("Operating curve", [Text(text)])
    margin = np.where(np.isnan(trial.judged.margin), -np.inf, trial.judged.margin)
    vetoed, accepted = np.sort(margin[good]), np.sort(margin[bad])
    levels = np.unique(np.concatenate([vetoed, accepted]))
    levels = levels[np.isfinite(levels)]
    levels = np.append(levels[np.linspace(0, len(levels) - 1, min(POINTS, len(levels))).astype(int)], np.inf)
    fvr = np.searchsorted(vetoed, levels) / len(vetoed)
    far = 1 - np.searchsorted(accepted, levels) / len(accepted)
    here = Series("this model", [float((accepted >= 0).mean())], [float((vetoed < 0).mean())])
    drawn = figures.lines(
        "operating",
        [Series("other margins", far, fvr)],
        x="false accept rate",
        y="false veto rate",
        marked=here,
    )
    caption = (
        f"Every margin that could have been asked for, on {len(vetoed):,} repairable-good and {len(accepted):,} rejected"
        " held-out rows; lower left is better."
    )
    return Section("Operating curve", [Picture(drawn, caption)])


def probabilities(trial: Trial, learned: Learned, recipe: Recipe) -> Section:
    """Whether the probabilities mean what they say, for all and for each persona."""
    found = calibration(trial, seed=recipe.seed, resamples=200)
    if trial.judged.probability is None:
        return Section("Calibration", [Text("Weights were given: there are no probabilities.")])
    personas = learned.model.domain.personas
    parts: list[Part] = [Picture(diagram(found), _caption(found))]
    if len(personas) > 1:
        by = by_persona(trial.truth.persona, personas)
        each = [
            (name, calibration(trial.take(by.code == number), seed=recipe.seed, resamples=200))
            for number, name in enumerate(by.names)
        ]
        largest = sorted(each, key=lambda one: -sum(bin_.rows for bin_ in one[1].bins))[:PERSONAS]
        parts += [Picture(by_name("personas", largest), "The same for each persona."), _errors(largest)]
    return Section("Calibration", parts)


def diagram(found: Calibration) -> str:
    """A reliability diagram."""
    return by_name("calibration", [("all", found)])


def by_name(name: str, each: Sequence[tuple[str, Calibration]]) -> str:
    """Reliability diagrams in one picture; only one of its own has intervals."""
    alone = len(each) == 1
    series = []
    for label, found in each:
        bins = found.bins
        ends = (
            [[one.accepted_low for one in bins], [one.accepted_high for one in bins]]
            if alone
            else [None, None]
        )
        series.append(
            Series(label, [one.predicted for one in bins], [one.accepted for one in bins], ends[0], ends[1])
        )
    return figures.reliability(name, series)


def _caption(found: Calibration) -> str:
    value, ends, *_ = figure_cells(found.ece)
    return (
        "Held-out rows in bins of about equal size, with 95 % Wilson intervals; on the dashed line probabilities mean"
        f" what they say. Expected calibration error {value} ({ends}). The guard's margin is no part of a probability."
    )


def _errors(each: Sequence[tuple[str, Calibration]]) -> Table:
    rows = [
        (
            name,
            f"{sum(one.rows for one in found.bins):,}",
            decimal(found.ece.value),
            interval(found.ece.low, found.ece.high),
        )
        for name, found in each
    ]
    return Table(("persona", "rows", "ECE", "95 % interval"), rows, right=(1, 2, 3))


# the guard -------------------------------------------------------------------------------------------


def guard(learned: Learned) -> Iterator[Section]:
    """What the guard was chosen by."""
    found = learned.record["guard"]
    if found.get("grid"):
        names = [name for name in found["grid"][0] if name not in ("A", "S")]
        yield Section("The guard's grid", [_grid(found, name) for name in names])
    if learned.chosen.certificate is not None and learned.sources.held_out is not None:
        yield Section("The certified margin", [_certificate(learned, learned.chosen.certificate)])


def _grid(found: Mapping[str, Any], name: str) -> Picture:
    caps, spans = (sorted({one[key] for one in found["grid"]}) for key in ("A", "S"))
    table = np.full((len(caps), len(spans)), np.nan)
    for one in found["grid"]:
        value = one[name]["value"]
        table[caps.index(one["A"]), spans.index(one["S"])] = np.nan if value is None else value
    drawn = figures.grid(
        f"grid-{name}",
        table,
        rows=[f"{cap:g}" for cap in caps],
        columns=[f"{span:g}" for span in spans],
        x="S, the cap on the span of scores",
        y="A, the cap on 1 / beta",
        chosen=(caps.index(found["A"]), spans.index(found["S"])),
    )
    return Picture(drawn, f"{name} on validation rows; the guard that was chosen has a frame.")


def _certificate(learned: Learned, found: Certificate) -> Picture:
    short = _shortfalls(learned, found)
    levels = np.unique(np.concatenate([[0.0, found.margin, 1.5 * found.margin], short[short > 0]]))
    lost = np.array([int((short > level).sum()) for level in levels])
    bound = np.array([upper_bound(int(count), len(short), found.delta) for count in lost])
    share = lost / max(1, len(short))
    drawn = figures.lines(
        "certificate",
        [Series("lost", levels, share), Series(f"bound at confidence {1 - found.delta:g}", levels, bound)],
        x="margin added to the score",
        steps=True,
        y="share of false vetoes",
        marked=Series("the margin", [found.margin], [found.bound]),
        levels={f"alpha {found.alpha:g}": found.alpha},
    )
    caption = (
        f"{found.units:,} independent held-out rows that a false veto would lose: the smallest margin under which the bound"
        " is at most alpha is taken."
    )
    return Picture(drawn, caption)


def _shortfalls(learned: Learned, found: Certificate) -> Floats:
    """How far below the threshold the held-out units were before the margin was added, one of each choice set."""
    from racl.learn.certify import one_of_each

    held_out = learned.sources.held_out
    if held_out is None:
        raise AssertionError("a certificate comes from held-out rows")
    before = learned.weights.copy()
    before[:, 0] -= found.margin
    seed = int(learned.record["settings"]["seed"])
    rows = one_of_each(held_out.choice_set, np.random.default_rng(seed))
    return shortfalls(held_out.take(rows), before)
