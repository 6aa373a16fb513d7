"""The estimator keeps scikit-learn's conventions."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

from learn import worlds
from racl import DataError, RepairClassifier, RowError
from racl.learn.recipe import Recipe, learn

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
# with rows held out a repeated row may fall on both sides of the split, one row with a weight cannot
OF_A_SPLIT = {
    "check_sample_weight_equivalence_on_dense_data": "rows are held out for the figures, one by one",
}


def world(n: int = 3_000, kind: str = "pandas", seed: int = 0) -> tuple[Any, np.ndarray[Any, Any]]:
    history = worlds.history(n, seed)
    return FRAMES[kind](history.frame), np.asarray(history.labels)


def plain(**settings: Any) -> RepairClassifier:
    return RepairClassifier(worlds.market(), guard="none", held_out=0.0, **settings)


def checked(estimator: RepairClassifier, excused: dict[str, str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(estimator, expected_failed_checks=excused, on_fail=None, on_skip=None)
    failed = [(one["check_name"], str(one["exception"])) for one in found if one["status"] == "failed"]
    assert len(found) > 50
    assert not failed


def test_on_plain_matrices_every_check_of_scikit_learn_passes() -> None:
    checked(RepairClassifier(guard="none", held_out=0.0), {})


def test_with_rows_held_out_every_check_passes_but_the_one_that_a_split_cannot() -> None:
    checked(RepairClassifier(guard="none"), OF_A_SPLIT)


@pytest.mark.parametrize("kind", FRAMES)
def test_grid_search_and_cross_validation_run_over_frames(kind: str) -> None:
    frame, accepted = world(1_500, kind)
    scores = cross_val_score(plain(), frame, accepted, cv=3)
    assert scores.min() > 0.9
    search = GridSearchCV(plain(), {"ridge": [1e-3, 1e5], "learner": ["latent"]}, cv=3, scoring="roc_auc")
    search.fit(frame, accepted)
    assert search.best_params_["ridge"] == 1e-3
    assert search.best_estimator_.score(frame, accepted) > 0.9


def test_a_pipeline_may_make_the_frame() -> None:
    frame, accepted = world(1_500)
    renamed = frame.rename(columns={"price": "cost of it"})
    back = FunctionTransformer(lambda given: given.rename(columns={"cost of it": "price"}))
    found = make_pipeline(back, plain()).fit(renamed, accepted)
    assert (found.predict(renamed) == plain().fit(frame, accepted).predict(frame)).all()


def test_a_clone_learns_the_same_and_parameters_stay_as_given() -> None:
    frame, accepted = world(1_500)
    domain = worlds.market()
    given = RepairClassifier(domain, guard="validated", random_state=7)
    assert given.get_params()["domain"] is domain
    first, second = given.fit(frame, accepted), clone(given).fit(frame, accepted)
    assert (first.decision_function(frame) == second.decision_function(frame)).all()
    assert first.model_.fit == second.model_.fit


def test_it_learns_what_the_recipe_learns() -> None:
    history = worlds.history(2_000)
    model = RepairClassifier(worlds.market(), guard="fixed").fit(history.frame, history.labels).model_
    found = learn(worlds.market(), history, Recipe(guard="fixed"))
    assert (model.weights[:3] == found.weights[:3]).all()


def test_the_greater_label_means_accepted_whatever_the_labels_are() -> None:
    frame, accepted = world(1_500)
    words = np.where(accepted, "yes", "no")
    found = plain().fit(frame, words)
    assert found.classes_.tolist() == ["no", "yes"]
    assert set(found.predict(frame)) == {"no", "yes"}
    assert ((found.predict(frame) == "yes") == found.decide(frame).accepted).all()
    assert found.score(frame, words) > 0.9


def test_what_was_learned_stands_where_people_look_for_it() -> None:
    frame, accepted = world(1_500)
    found = plain().fit(frame, accepted)
    assert found.feature_names_in_.tolist() == list(frame.columns)
    assert found.n_features_in_ == frame.shape[1]
    assert found.coef_.shape == (3, 3)
    assert found.personas_.tolist() == list(worlds.PERSONAS)
    assert found.n_iter_ > 0
    assert (found.model_.weights[:3] == np.column_stack([found.intercept_, found.coef_])).all()


def test_a_weight_of_two_is_the_row_twice() -> None:
    frame, accepted = world(400)
    twice = np.arange(400) < 200
    weight = np.where(twice, 2.0, 1.0)
    doubled = pd.concat([frame, frame[twice]])
    one = plain(pull=1.0).fit(frame, accepted, sample_weight=weight)
    other = plain(pull=1.0).fit(doubled, np.append(accepted, accepted[twice]))
    assert one.coef_ == pytest.approx(other.coef_, abs=1e-6)


def test_a_row_without_an_admissible_repair_has_the_lowest_margin_of_all() -> None:
    frame, accepted = world(1_500)
    found = plain().fit(frame, accepted)
    margin, decided = found.decision_function(frame), found.decide(frame).margin
    assert np.isnan(decided).any()
    assert np.isfinite(margin).all()
    assert (margin[np.isnan(decided)] < margin[~np.isnan(decided)].min()).all()


def test_a_fitted_estimator_goes_to_other_processes() -> None:
    frame, accepted = world(600)
    found = plain().fit(frame, accepted)
    found.model_.decide_one({name: value.item() for name, value in worlds.history(1).frame.items()})  # type: ignore[attr-defined]
    other = pickle.loads(pickle.dumps(found))  # noqa: S301 - its own
    assert (other.predict(frame) == found.predict(frame)).all()


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([True] * 100, "all rows are of one class, `True`"),
        ([None, *[True, False] * 50][:100], "labels: some are missing"),
        ([0, 1, 2, 1] * 25, "Labels have 3 values"),
        ([True, False], "2 labels for 100 rows"),
    ],
)
def test_labels_that_teach_nothing_are_refused_in_words(labels: list[object], words: str) -> None:
    frame = world(100)[0]
    with pytest.raises(ValueError, match="labels") as fault:
        plain().fit(frame, labels)
    assert words in str(fault.value)
    assert isinstance(fault.value, DataError)


def test_a_matrix_is_no_frame_of_a_domain() -> None:
    with pytest.raises(ValueError, match="a matrix has no column names"):
        plain().fit(np.ones((4, 2)), [True, False, True, False])


def test_a_persona_that_is_not_declared_is_refused_unless_there_is_a_default() -> None:
    frame, accepted = world(1_500)
    strange = frame.assign(persona=np.where(np.arange(len(frame)) % 3 == 0, "zoe", frame["persona"]))
    with pytest.raises(RowError, match="zoe"):
        plain().fit(strange, accepted)
    found = plain(default_persona=True).fit(strange, accepted)
    assert found.model_.taste.default is not None
    assert found.score(strange, accepted) > 0.9
