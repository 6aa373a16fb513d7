"""What a model remembers of how it was learned is true."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from learn import worlds
from racl import DataError, ModelError
from racl.learn.recipe import History, Recipe, learn

PLAIN = Recipe(guard="none", held_out=0.0, pull=0.0)


@pytest.mark.parametrize("learner", ["anchors", "latent"])
def test_standard_errors_are_how_much_weights_vary_from_sample_to_sample(learner: str) -> None:
    weights, errors = [], []
    for seed in range(60):
        history = worlds.history(900, 2 * seed, noise=0.4, budget=0.0)
        found = learn(worlds.market(), history, replace(PLAIN, learner=learner))
        said = found.record["personas"]["ann"]["standard_errors"]
        weights.append(found.weights[0])
        errors.append([said["bias"], *said["weights"].values()])
    ratio = np.median(errors, axis=0) / np.std(weights, axis=0)
    assert (ratio > 0.7).all()
    assert (ratio < 1.4).all()


def test_rows_that_were_not_used_are_counted_with_the_reason() -> None:
    frame = worlds.rows(2_000)
    frame["price"][:7] = np.nan
    frame["budget"][7:] = np.where(np.arange(1_993) % 10 == 0, 0.0, frame["budget"][7:])
    labels = np.arange(2_000) % 3 == 0
    weight = np.where(np.arange(2_000) < 20, 0.0, 1.0)
    history = History(frame, labels, weight=weight, refused="collect")
    found = learn(worlds.market(), history, PLAIN)
    rows = found.record["rows"]
    assert (rows["given"], rows["refused"], rows["used"]) == (2_000, 7, 1_993)
    assert rows["left_out"]["of weight 0"] == 13
    assert rows["learned_from"] + sum(rows["left_out"].values()) == rows["used"]
    assert rows["left_out"]["repairable, but over the budget"] > 100
    anchors = learn(worlds.market(), history, replace(PLAIN, learner="anchors")).record["rows"]
    assert anchors["learned_from"] + sum(anchors["left_out"].values()) == anchors["used"]


def test_the_figures_are_those_of_a_fit_without_the_held_out_rows() -> None:
    history = worlds.history(3_000)
    found = learn(worlds.market(), history, Recipe(guard="none"))
    held_out, training = found.sources.held_out, found.sources.training
    assert held_out is not None
    alone = learn(worlds.market(), training.sample, replace(PLAIN, pull=found.record["fit"]["pull"]))  # type: ignore[attr-defined]
    assert found.chosen.unseen == pytest.approx(alone.weights)
    frame = {name: column[held_out.choice_set] for name, column in history.frame.items()}  # type: ignore[attr-defined]
    rejected = ~alone.model.decide(frame).accepted
    repairable = ~held_out.options.feasible & held_out.options.admissible & held_out.accepted
    said = found.record["validation"]["figures"]["fvr"]
    assert (said["count"], said["of"]) == (int((rejected & repairable).sum()), int(repairable.sum()))


def test_another_row_is_another_fingerprint() -> None:
    marks = {
        learn(worlds.market(), history, PLAIN).record["data"]["fingerprint"]
        for history in (worlds.history(500), worlds.history(500), worlds.history(501), worlds.history(500, 1))
    }
    assert len(marks) == 3


@pytest.mark.parametrize("guard", ["none", "validated"])
def test_the_record_is_plain_data(guard: str) -> None:
    record = learn(worlds.market(), worlds.history(1_500), Recipe(guard=guard)).record
    assert json.loads(json.dumps(record, allow_nan=False)) == record


# weights that are given ------------------------------------------------------------------------------


def test_given_weights_are_kept_to_the_bit_whichever_way_they_come() -> None:
    truth = worlds.truth()
    written = truth.document()["preference"]
    for known in (truth, written):
        found = learn(worlds.market(), worlds.sample(500), Recipe(learner="known", known=known, guard="none"))  # type: ignore[arg-type]
        assert (found.weights[:3] == truth.weights[:3]).all()
        assert found.fitted is None
        assert found.record["fit"] is None


def test_given_weights_that_do_not_fit_the_domain_are_refused() -> None:
    written = {"ann": {"bias": 0.0, "weights": {"price": 1.0}}}
    recipe = Recipe(learner="known", known=written, guard="none")
    with pytest.raises(ModelError) as fault:
        learn(worlds.market(), worlds.sample(500), recipe)
    assert "bob" in str(fault.value)


def test_given_weights_without_a_default_cannot_stand_in_for_other_personas() -> None:
    recipe = Recipe(learner="known", known=worlds.truth(), guard="none", default_persona=True)
    with pytest.raises(DataError, match="preference_default"):
        learn(worlds.market(), worlds.history(500), recipe)


def test_a_guard_on_given_weights_is_chosen_on_all_rows() -> None:
    recipe = Recipe(learner="known", known=worlds.truth(), guard="certified")
    found = learn(worlds.market(), worlds.history(3_000), recipe)
    assert found.chosen.certificate is not None
    assert found.chosen.certificate.held_out == 3_000
    assert (found.weights[:3, 1:] == worlds.truth().weights[:3, 1:]).all()
