"""Rows that are hard to learn from end in a sane model or in a clear error, never in one that accepts everything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from learn import worlds
from racl import DataError, Model
from racl.documents import Document
from racl.domain.files import domain_of
from racl.learn.learners import Settings, anchors, latent
from racl.learn.recipe import History, Recipe, learn
from racl.learn.sample import Sample

PLAIN = Recipe(guard="none", held_out=0.0)


def history_of(frame: dict[str, Any], noise: float = 0.05) -> History:
    return History(frame, worlds.labels(frame, worlds.truth(), noise))


def with_features(**more: str) -> Any:
    domain = worlds.market()
    features: Any = domain.document["features"]
    return domain_of(Document({**domain.document, "features": {**features, **more}}, {}))


def figures(model: Model, frame: dict[str, Any]) -> tuple[float, float]:
    """The shares of rows accepted by the model, and decided as the truth decides them."""
    accepted = model.decide(frame).accepted
    return float(accepted.mean()), float((accepted == worlds.truth().decide(frame).accepted).mean())


# fits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [anchors, latent])
def test_regularisation_draws_weights_to_nothing_and_none_leaves_them_alone(learner: Any) -> None:
    sample = worlds.sample(2_000)
    sizes = [
        float(np.abs(learner(sample, Settings(ridge=ridge, pull=0.0)).logits.u).sum())
        for ridge in (0.0, 1.0, 1e2, 1e6)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 1e-2 * sizes[0]


def test_without_a_ridge_anchors_are_the_logistic_regression_of_others() -> None:
    sample = worlds.sample(4_000, noise=0.5)
    options = sample.options
    rows = np.flatnonzero(options.feasible & (options.persona == 1))
    features = options.features[options.kept()[rows]]
    columns = np.column_stack([features, -options.threshold[rows]])
    other = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1_000).fit(columns, sample.accepted[rows])
    found = anchors(sample, Settings(ridge=0.0, pull=0.0)).logits
    assert np.append(found.u[1], found.beta[1]) == pytest.approx(other.coef_[0], rel=1e-4, abs=1e-4)
    assert found.d[1] == pytest.approx(other.intercept_[0], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("learner", ["anchors", "latent"])
def test_labels_that_can_be_separated_give_finite_weights_that_separate_them(learner: str) -> None:
    frame = worlds.rows(3_000, budget=0.0 if learner == "anchors" else 0.2)
    found = learn(worlds.market(), history_of(frame, noise=0.0), replace(PLAIN, learner=learner))
    assert np.abs(found.weights).max() < 100
    assert figures(found.model, frame)[1] > 0.99


def test_two_features_that_are_one_share_its_weight() -> None:
    frame = worlds.rows(3_000)
    single = learn(worlds.market(), history_of(frame), PLAIN)
    double = learn(with_features(again="price"), history_of(frame), PLAIN)
    assert double.weights[:, 4] == pytest.approx(double.weights[:, 1], rel=1e-3)
    assert double.weights[:, 1] + double.weights[:, 4] == pytest.approx(single.weights[:, 1], rel=0.02)
    same = double.model.decide(frame).accepted == single.model.decide(frame).accepted
    assert same.mean() > 0.99


def test_a_feature_that_does_not_vary_gets_no_weight() -> None:
    frame = worlds.rows(3_000)
    found = learn(with_features(always="7"), history_of(frame), PLAIN)
    assert (found.weights[:, 4] == 0.0).all()
    assert found.weights[:, :4] == pytest.approx(
        learn(worlds.market(), history_of(frame), PLAIN).weights, rel=1e-6
    )


def test_features_of_very_different_sizes_are_learned_alike() -> None:
    frame = worlds.rows(3_000)
    found = learn(with_features(huge="price * 1e9", tiny="quiet / 1e9"), history_of(frame), PLAIN)
    assert figures(found.model, frame)[1] > 0.97


def test_numbers_whose_squares_are_none_are_an_error() -> None:
    frame = worlds.rows(500)
    frame["threshold"] = frame["threshold"] * 1e200
    with pytest.raises(DataError, match="squares overflow"):
        learn(worlds.market(), history_of(frame), PLAIN)


# thresholds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("guard", ["fixed", "validated"])
def test_a_guard_refuses_thresholds_without_spread(guard: str) -> None:
    frame = worlds.rows(2_000, threshold=-0.2)
    with pytest.raises(DataError, match=r"every threshold is -0\.2"):
        learn(worlds.market(), history_of(frame), Recipe(guard=guard))


@pytest.mark.parametrize("guard", ["none", "certified"])
def test_without_a_guard_one_threshold_is_learned_for_and_said_so(guard: str) -> None:
    frame = worlds.rows(10_000, threshold=-0.2)
    found = learn(worlds.market(), history_of(frame), Recipe(guard=guard, held_out=0.4))
    accepted, right = figures(found.model, frame)
    assert right > 0.9
    assert 0.2 < accepted < 0.9
    assert any("thresholds do not vary" in note for note in found.record["notes"])


def test_costs_cannot_be_traded_off_against_a_threshold_without_spread() -> None:
    frame = worlds.rows(2_000, threshold=-0.2)
    with pytest.raises(DataError, match="every threshold is"):
        learn(worlds.market(tradeoff=0.5), history_of(frame), PLAIN)


def test_a_traded_off_cost_is_a_known_offset_of_the_score() -> None:
    domain = worlds.market(tradeoff=0.7)
    truth = Model(domain, worlds.truth().taste)
    frame = worlds.rows(20_000)
    found = learn(domain, History(frame, worlds.labels(frame, truth)), PLAIN)
    for row, taste in zip(found.weights, worlds.TASTES, strict=False):
        assert row == pytest.approx(taste, abs=0.1)


# personas --------------------------------------------------------------------------------------------


def test_a_persona_with_ten_rows_borrows_from_the_others() -> None:
    frame = worlds.rows(4_000)
    frame["persona"] = np.where(np.arange(4_000) < 10, "cid", np.where(frame["bag"], "ann", "bob"))
    found = learn(worlds.market(), history_of(frame), PLAIN)
    entry = found.record["personas"]["cid"]
    assert entry["rows"] <= 10
    assert np.isfinite(found.weights).all()
    strange = worlds.rows(3_000, 7, personas=("cid",))
    assert figures(found.model, strange)[1] > 0.8


def test_a_declared_persona_without_rows_has_the_pooled_weights_and_is_named() -> None:
    frame = worlds.rows(2_000, personas=("ann", "bob"))
    found = learn(worlds.market(), history_of(frame), PLAIN)
    assert (found.weights[2] == found.weights[3]).all()
    assert found.record["personas"]["cid"]["pooled"]
    assert found.record["personas"]["cid"]["rows"] == 0
    assert any("pooled weights: cid" in note for note in found.record["notes"])


def test_ten_thousand_personas_are_learned_together() -> None:
    names = tuple(f"p{number}" for number in range(10_000))
    frame = worlds.rows(20_000)
    labels = worlds.labels(frame, worlds.truth(tuple([worlds.TASTES[0]] * 3)))
    frame["persona"] = np.array(names)[np.arange(20_000) % 10_000]
    recipe = Recipe(guard="none", held_out=0.1)
    found = learn(worlds.market(names), History(frame, labels), recipe)
    assert found.weights.shape == (10_001, 4)
    assert np.isfinite(found.weights).all()
    assert found.record["validation"]["figures"]["auroc"]["value"] > 0.97


# labels ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize("learner", ["anchors", "latent"])
@pytest.mark.parametrize("guard", ["none", "fixed", "validated", "certified"])
def test_labels_that_are_all_the_same_are_an_error(label: bool, learner: str, guard: str) -> None:
    history = History(worlds.rows(500), np.full(500, label))
    with pytest.raises(DataError, match=f"is {'accepted' if label else 'rejected'}"):
        learn(worlds.market(), history, Recipe(learner=learner, guard=guard))


def test_one_accepted_row_in_a_hundred_is_enough_to_learn_from() -> None:
    frame = worlds.rows(40_000)
    frame["threshold"] = frame["threshold"] + 2.05
    history = history_of(frame)
    share = float(np.asarray(history.labels).mean())
    assert 0.005 < share < 0.02
    found = learn(worlds.market(), history, Recipe(guard="none"))
    accepted = figures(found.model, frame)[0]
    assert 0.5 * share < accepted < 2 * share
    assert found.record["validation"]["figures"]["auroc"]["value"] > 0.97


# rows ------------------------------------------------------------------------------------------------


def test_rows_that_are_never_feasible_teach_latent_and_not_anchors() -> None:
    frame = worlds.rows(6_000, needs_bag=True, bag=False, budget=0.4)
    history = history_of(frame)
    assert figures(learn(worlds.market(), history, PLAIN).model, frame)[1] > 0.95
    with pytest.raises(DataError, match="there is not a single feasible row"):
        learn(worlds.market(), history, replace(PLAIN, learner="anchors"))


@pytest.mark.parametrize("guard", ["validated", "certified"])
def test_rows_of_one_choice_set_cannot_be_parted(guard: str) -> None:
    frame = worlds.rows(50)
    history = History(frame, worlds.labels(frame, worlds.truth()), np.zeros(50))
    with pytest.raises(DataError, match="no row of 50 is held out"):
        learn(worlds.market(), history, Recipe(guard=guard))


def test_rows_of_no_weight_teach_nothing() -> None:
    frame = worlds.rows(3_000)
    labels = worlds.labels(frame, worlds.truth())
    wrong = np.arange(3_000) % 2 == 0
    weight = np.where(wrong, 0.0, 1.0)
    spoilt = History(frame, np.where(wrong, ~labels, labels), weight=weight)
    half = {name: column[~wrong] for name, column in frame.items()}
    first = learn(worlds.market(), spoilt, replace(PLAIN, pull=1.0)).weights
    assert first == pytest.approx(
        learn(worlds.market(), History(half, labels[~wrong]), replace(PLAIN, pull=1.0)).weights
    )


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([True, None] * 20, "row 1: labels: null"),
        ([True, "maybe"] * 20, "is no label"),
        ([0.5, 1.0] * 20, "is no label"),
        ([True] * 39, "39 entries for 40 rows"),
    ],
)
def test_labels_that_are_none_are_refused_with_their_place(labels: list[object], words: str) -> None:
    with pytest.raises(DataError) as fault:
        learn(worlds.market(), History(worlds.rows(40), labels), PLAIN)
    assert words in str(fault.value)


def test_a_model_that_accepts_all_that_is_admissible_says_so() -> None:
    sample = worlds.sample(3_000)
    generous = tuple((taste[0] + 50.0, *taste[1:]) for taste in worlds.TASTES)
    recipe = Recipe(learner="known", known=worlds.truth(generous), guard="none")
    notes = learn(worlds.market(), sample, recipe).record["notes"]
    assert any(note.startswith("every held-out row with an admissible repair is accepted") for note in notes)


def test_a_sample_and_the_frame_that_it_came_from_give_the_same_model() -> None:
    sample, history = worlds.sample(2_000), worlds.history(2_000)
    first, second = (learn(worlds.market(), rows, PLAIN) for rows in (sample, history))
    assert (first.weights == second.weights).all()
    assert first.record == second.record


def test_choice_sets_given_with_a_sample_part_it_like_those_of_a_frame() -> None:
    sample, history = worlds.sample(2_000), worlds.history(2_000)
    sets = np.arange(2_000) // 4
    one = Sample(sample.options, sample.accepted, sample.weight, sets)
    other = History(history.frame, history.labels, choice_set=[f"set {number}" for number in sets])
    first, second = (learn(worlds.market(), rows, Recipe(guard="validated")) for rows in (one, other))
    assert (first.weights == second.weights).all()
