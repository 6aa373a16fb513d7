"""Guards are the paper's, and read nothing but levels that add up."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from learn import worlds
from racl import DataError
from racl.learn.data import anchor_data
from racl.learn.guards import (
    FALLBACKS,
    FIXED,
    GRID,
    NONE,
    Guard,
    Levels,
    Scaling,
    common_levels,
    own_levels,
    scaled,
    weights_of,
)
from racl.learn.learners import Settings, latent
from racl.learn.recipe import Recipe, learn
from racl.learn.sample import Logits, Sample
from racl.learn.sources import InMemory
from racl.options import Floats


def logits(beta: float = 2.0, groups: int = 4, seed: int = 0) -> Logits:
    chance = np.random.default_rng(seed)
    return Logits(chance.normal(size=(groups, 3)), chance.normal(size=groups), np.full(groups, beta))


def anchors(sample: Sample, persona: int) -> tuple[Floats, Floats]:
    """Features and thresholds of the feasible rows of a persona."""
    rows = np.flatnonzero(sample.options.feasible & (sample.options.persona == persona))
    return sample.options.features[sample.options.kept()[rows]], sample.options.threshold[rows]


@pytest.mark.parametrize("guard", [*GRID, Guard(5.0, 0.1), Guard(5.0, 1.0)])
def test_a_score_that_spans_too_much_is_pressed_into_twice_the_span_of_the_thresholds(guard: Guard) -> None:
    sample, found = worlds.sample(2_000), logits()
    scaling = scaled(found, InMemory(sample).levels, guard)
    for persona in range(3):
        features, threshold = anchors(sample, persona)
        plain = (features @ found.u[persona] + found.d[persona]) / found.beta[persona]
        span, width = np.ptp(plain), np.ptp(threshold)
        score = features @ weights_of(found, scaling)[persona, 1:] + weights_of(found, scaling)[persona, 0]
        if span > guard.span * width:
            middle, centre = (plain.max() + plain.min()) / 2, (threshold.max() + threshold.min()) / 2
            assert score == pytest.approx(2 * width / span * (plain - middle) + centre)
            assert np.ptp(score) == pytest.approx(2 * width)
            assert scaling[persona].scaling is Scaling.GUARDED
        else:
            assert score == pytest.approx(plain)
            assert scaling[persona].scaling is Scaling.AFFINE


@pytest.mark.parametrize(("beta", "falls_back"), [(0.2, False), (0.199, True), (0.0, True), (-1.0, True)])
def test_a_coefficient_below_one_over_the_cap_falls_back(beta: float, falls_back: bool) -> None:
    scaling = scaled(logits(beta), InMemory(worlds.sample(500)).levels, Guard(5.0, np.inf))
    assert all((one.scaling is Scaling.NORMALISED) == falls_back for one in scaling)


def test_the_fallbacks_bring_log_odds_to_the_thresholds_each_in_its_way() -> None:
    sample, found = worlds.sample(2_000), logits(-1.0)
    features, threshold = anchors(sample, 0)
    score = {}
    for form in FALLBACKS:
        weights = weights_of(found, scaled(found, InMemory(sample).levels, NONE, fallback=form))[0]
        score[form] = features @ weights[1:] + weights[0]
    assert (score["spread"].mean(), score["spread"].std()) == pytest.approx(
        (threshold.mean(), threshold.std())
    )
    assert (score["span"].min(), score["span"].max()) == pytest.approx((threshold.min(), threshold.max()))
    even = features @ found.u[0] + found.d[0] >= 0
    assert (even == (score["odds"] >= threshold.mean())).all()


def test_where_no_score_falls_back_the_form_of_the_fallback_changes_nothing() -> None:
    found = [
        learn(worlds.market(), worlds.history(3_000), Recipe(guard="validated", fallback=form))
        for form in FALLBACKS
    ]
    assert all((one.weights == found[0].weights).all() for one in found)


def test_a_score_that_fell_back_is_noted() -> None:
    history = worlds.history(3_000)
    shuffled = replace(history, labels=np.random.default_rng(0).permutation(np.asarray(history.labels)))
    found = learn(worlds.market(), shuffled, Recipe(guard="fixed", cap=1e-9, pull=1.0))
    assert any("normalised instead" in note for note in found.record["notes"])
    assert found.record["personas"]["ann"]["scaling"]["scaling"] in ("normalised", "guarded")


def test_the_fixed_guard_is_the_loosest_of_the_grid() -> None:
    assert Guard(max(one.cap for one in GRID), max(one.span for one in GRID)) == FIXED
    assert len(GRID) == 12


# levels ----------------------------------------------------------------------------------------------


def same(first: Levels, second: Levels) -> None:
    for one in fields(Levels):
        assert getattr(first, one.name) == pytest.approx(getattr(second, one.name), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("levels", [own_levels, common_levels])
def test_levels_of_parts_add_up_to_those_of_the_whole(levels) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    rows, found = anchor_data(worlds.sample(3_000)).rows, logits()
    parts = [levels(part, found) for part in rows.parts(700)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    same(total, levels(rows, found))


def test_a_persona_whose_thresholds_do_not_differ_is_set_against_the_rows_of_all() -> None:
    sample = worlds.sample(2_000)
    lone = sample.options.persona == 1
    threshold = np.where(lone, 0.25, sample.options.threshold)
    sample = replace(sample, options=replace(sample.options, threshold=threshold))
    scaling = scaled(logits(), InMemory(sample).levels, Guard(5.0, 5.0))
    assert [one.own for one in scaling] == [True, False, True, False]
    assert scaling[1].threshold_span == np.ptp(anchor_data(sample).rows.threshold)


def test_without_a_feasible_row_there_is_nothing_to_set_a_guard_against() -> None:
    sample = worlds.sample(300, needs_bag=True, bag=False)
    with pytest.raises(DataError, match="no row is feasible as it came"):
        scaled(logits(), InMemory(sample).levels, FIXED)
    assert all(one.scaling is Scaling.AFFINE for one in scaled(logits(), InMemory(sample).levels, NONE))


# selection -------------------------------------------------------------------------------------------


def test_with_a_truth_the_validated_guard_is_chosen_by_regret_without_one_by_false_accepts() -> None:
    history = worlds.history(4_000)
    with_truth = learn(worlds.market(), history, Recipe(guard="validated"), truth=worlds.truth())
    without = learn(worlds.market(), history, Recipe(guard="validated"))
    figures = [[one.name for one in found.chosen.grid[0].figures] for found in (with_truth, without)]
    assert figures == [["FVR", "EDR", "AUROC"], ["FVR", "FAR", "AUROC"]]
    for found in (with_truth, without):
        ranks = [
            (fvr.value, second.value, -auroc.value)  # type: ignore[operator]
            for fvr, second, auroc in (one.figures for one in found.chosen.grid)
        ]
        assert found.chosen.guard == GRID[ranks.index(min(ranks))]


def test_the_pull_is_strong_where_personas_are_alike_and_weak_where_they_differ() -> None:
    frame = worlds.rows(3_000)
    alike = learn(
        worlds.market(),
        replace(
            worlds.history(3_000), labels=worlds.labels(frame, worlds.truth(tuple([worlds.TASTES[0]] * 3)))
        ),
        Recipe(guard="none"),
    )
    differing = learn(worlds.market(), worlds.history(3_000), Recipe(guard="none"))
    assert alike.record["fit"]["pull"] > 10 * differing.record["fit"]["pull"]
    assert len(differing.record["fit"]["pulls"]) > 3


def test_an_infinite_pull_is_one_preference_for_all() -> None:
    found = latent(worlds.sample(1_000), Settings(pull=np.inf))
    assert (found.logits.u == found.logits.u[0]).all()
    assert found.pooled.all()
