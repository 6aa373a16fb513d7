"""A recipe and rows give a model that remembers how it was learned."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import racl
from learn import worlds
from racl.learn.guards import GRID
from racl.learn.recipe import History, Recipe, RecipeError, learn

GUARDS = ("none", "fixed", "validated", "certified")


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("learner", ["anchors", "latent", "known"])
def test_every_learner_goes_with_every_guard_into_a_model_that_can_be_saved(
    learner: str, guard: str, tmp_path: Path
) -> None:
    known = worlds.truth() if learner == "known" else None
    recipe = Recipe(learner=learner, guard=guard, known=known, held_out=0.5)
    found = learn(worlds.market(), worlds.history(6_000), recipe)
    found.model.save(tmp_path / "model.json")
    model = racl.load_model(tmp_path / "model.json")
    assert model.fit["learner"] == learner
    assert (model.weights[:3] == found.weights[:3]).all()
    accepted = model.decide(worlds.rows(500, 9)).accepted
    assert (accepted == found.model.decide(worlds.rows(500, 9)).accepted).all()
    assert 0.1 < accepted.mean() < 0.9


def test_learning_twice_gives_the_same_model_to_the_bit() -> None:
    first, second = (learn(worlds.market(), worlds.history(4_000), Recipe(guard="validated")) for _ in "12")
    assert json.dumps(first.model.document()) == json.dumps(second.model.document())


def test_the_validated_guard_keeps_its_whole_grid_and_takes_the_first_of_the_best() -> None:
    found = learn(worlds.market(), worlds.history(4_000), Recipe(guard="validated"))
    grid = found.record["guard"]["grid"]
    assert [(one["A"], one["S"]) for one in grid] == [(one.cap, one.span) for one in GRID]
    ranks = [(one["FVR"]["value"], one["FAR"]["value"], -one["AUROC"]["value"]) for one in grid]
    assert found.chosen.guard == GRID[ranks.index(min(ranks))]


def test_held_out_rows_are_whole_choice_sets_and_are_in_no_fit_that_they_judge() -> None:
    history = worlds.history(5_000)
    sets = np.arange(5_000) // 5
    found = learn(worlds.market(), History(history.frame, history.labels, sets), Recipe(guard="fixed"))
    held_out, training = found.sources.held_out, found.sources.training
    assert held_out is not None
    aside = set(held_out.choice_set.tolist())
    assert len(aside) == found.record["split"]["held_out_sets"] == 100
    assert len(held_out) == 500
    assert not aside & set(training.sample.choice_set.tolist())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"learner": "lattent"}, "learner: `lattent` is not known"),
        ({"guard": "sure"}, "guard: `sure` is not known"),
        ({"alpha": 0.0}, "alpha: 0 is not between 0 and 1"),
        ({"held_out": 1.0}, "held_out: 1 is not from 0 to below 1"),
        ({"curves": {"knot": (2,)}}, "curves.knot: unknown setting (did you mean `knots`?)"),
        ({"curves": {"knots": ()}}, "curves.knots: `()` are not numbers of knots"),
        ({"curves": {"penalties": (-1.0,)}}, "curves.penalties"),
        ({"curves": {"folds": 1}}, "curves.folds: `1` is too few"),
        ({"learner": "known"}, "known: weights are given with the learner `known`"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused_in_words(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(RecipeError) as fault:
        Recipe(**wrong)  # type: ignore[arg-type]
    assert words in str(fault.value)
