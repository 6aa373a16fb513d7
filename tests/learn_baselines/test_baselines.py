"""Every baseline is told what it may know, no more, and makes of it what its name promises."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from learn_baselines.world import World, world
from racl.engines.outputs import CREDITS
from racl.errors import DataError
from racl.learn.baselines import BASELINES, boosted, boosting
from racl.learn.baselines.boosted import label_model
from racl.learn.baselines.boosting import SETTINGS, Examples, aside, stopped
from racl.learn.baselines.judge import as_they_came, repaired
from racl.metrics.judged import PREFERENCE, STRUCTURE, Judged, judged
from racl.metrics.measure import measure
from racl.metrics.report import Metrics
from racl.semantics import Credit

NAMES = tuple(BASELINES)
WITHOUT_SEARCH = ("no-repair", "soft-penalty", "black-box", "black-box-credit")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """One setting of trees in place of several; which is best is a claim of its own."""
    monkeypatch.setattr(boosted, "SETTINGS", SETTINGS[:1])


@lru_cache
def said(name: str) -> Judged:
    """What a baseline learned from one world says of another."""
    learned = world(0)
    judge = BASELINES[name](learned.sample, credit=learned.credit, truth=learned.model, seed=1)
    return judge(world(1, n=3000, noise=0.0).sample.options)


@lru_cache
def measured(name: str) -> Metrics:
    asked = world(1, n=3000, noise=0.0)
    return measure(said(name), asked.truth, choice_set=asked.sample.choice_set, resamples=0, floor=-20.0)


def value_of(name: str, figure: str) -> float:
    found = getattr(measured(name), figure).value
    assert found is not None
    return float(found)


def test_the_table_names_the_baselines_of_the_paper() -> None:
    expected = ("no-repair", "soft-penalty", "black-box", "black-box-credit", "black-box-repair", "oracle")
    assert expected == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_baseline_accepts_by_its_margin_and_gives_probabilities(name: str) -> None:
    found = said(name)
    assert len(found) == len(world(1, n=3000, noise=0.0).sample)
    np.testing.assert_array_equal(found.accepted, found.margin >= 0)
    if found.probability is not None:
        np.testing.assert_array_equal(found.accepted, found.probability >= 0.5)
        assert ((found.probability >= 0) & (found.probability <= 1)).all()


@pytest.mark.parametrize("name", WITHOUT_SEARCH)
def test_whoever_does_not_search_gives_no_plans(name: str) -> None:
    assert said(name).best is None
    assert said(name).plan is None
    assert measured(name).plan.value is None


@pytest.mark.parametrize("name", ["no-repair", "soft-penalty", "black-box"])
def test_without_credit_labels_and_search_infeasible_is_called_structural(name: str) -> None:
    feasible = world(1, n=3000, noise=0.0).sample.options.feasible
    np.testing.assert_array_equal(said(name).bucket == STRUCTURE, ~feasible)
    assert said(name).credit is None


def test_no_repair_vetoes_every_repairable_candidate_and_learns_the_feasible_ones() -> None:
    options = world(1, n=3000, noise=0.0).sample.options
    found = said("no-repair")
    assert not found.accepted[~options.feasible].any()
    assert np.isnan(found.margin[~options.feasible]).all()
    assert measured("no-repair").fvr.value == 1.0
    truth = world(1, n=3000, noise=0.0).truth
    agreed = (found.accepted == truth.accepted)[options.feasible]
    assert agreed.mean() > 0.95


def test_a_soft_penalty_vetoes_less_than_a_hard_one_and_more_than_trees() -> None:
    soft = value_of("soft-penalty", "fvr")
    assert value_of("black-box", "fvr") < soft < 1.0
    assert value_of("soft-penalty", "auroc") > value_of("no-repair", "auroc")


def test_a_violation_takes_something_off_the_soft_score() -> None:
    learned = world(0)
    judge = BASELINES["soft-penalty"](learned.sample)
    options = world(1, n=3000, noise=0.0).sample.options
    spoiled = replace(options, violated=np.ones_like(options.violated))
    clean = replace(options, violated=np.zeros_like(options.violated))
    assert (judge(spoiled).margin < judge(clean).margin).all()


def test_the_black_box_learns_the_labels() -> None:
    assert value_of("black-box", "auroc") > 0.97
    assert value_of("black-box", "fvr") < 0.25
    assert value_of("black-box", "ece") < 0.05  # labels of the rows learned from are noisy, these are not


def test_the_credit_head_decides_as_the_black_box_and_knows_credits() -> None:
    np.testing.assert_array_equal(said("black-box-credit").margin, said("black-box").margin)
    assert value_of("black-box-credit", "credit") > 0.9
    assert value_of("black-box-credit", "credit") > value_of("black-box", "credit") + 0.1
    assert measured("black-box-credit").figures.credit_end_to_end.value > 0.9  # type: ignore[operator]
    credit = said("black-box-credit").credit
    assert credit is not None
    said_accepted = np.array([one.value.startswith("accepted") for one in CREDITS])[credit]
    np.testing.assert_array_equal(said_accepted, said("black-box-credit").accepted)


def test_the_repair_search_has_structure_right_and_never_accepts_what_nothing_admissible_mends() -> None:
    options = world(1, n=3000, noise=0.0).sample.options
    found = said("black-box-repair")
    assert measured("black-box-repair").credit.value == 1.0
    assert not found.accepted[~options.admissible].any()
    np.testing.assert_array_equal(found.bucket == PREFERENCE, options.admissible)
    assert found.probability is not None
    assert (found.probability[~options.admissible] == 0).all()
    assert value_of("black-box-repair", "plan") > 0.7
    assert value_of("black-box-repair", "edr") < value_of("no-repair", "edr")


def test_the_repair_search_takes_the_best_of_what_the_label_model_says() -> None:
    learned, options = world(0), world(1, n=3000, noise=0.0).sample.options
    odds = label_model(learned.sample, 1)(repaired(options))
    some = np.flatnonzero(options.admissible)
    best = np.maximum.reduceat(odds, options.start[some])
    np.testing.assert_array_equal(said("black-box-repair").margin[some], best)


def test_the_oracle_is_never_wrong() -> None:
    for figure in ("fvr", "far", "edr"):
        assert value_of("oracle", figure) == 0.0
    for figure in ("credit", "plan", "auroc"):
        assert value_of("oracle", figure) == 1.0
    asked = world(1, n=3000, noise=0.0)
    np.testing.assert_array_equal(
        said("oracle").margin, judged(asked.sample.options, asked.model.weights).margin
    )


# what they are told ----------------------------------------------------------------------------------


def test_baselines_see_features_violations_their_count_and_the_context() -> None:
    options = world(1, n=3000, noise=0.0).sample.options
    seen = as_they_came(options).columns()
    p, v = options.given.shape[1], options.violated.shape[1]
    assert seen.shape == (len(options), p + v + 4)
    np.testing.assert_array_equal(seen[:, :p], options.given)
    np.testing.assert_array_equal(seen[:, p : p + v], options.violated)
    np.testing.assert_array_equal(seen[:, p + v], options.violated.sum(axis=1))
    np.testing.assert_array_equal(seen[:, -1], options.persona)


def test_a_repaired_candidate_violates_nothing_and_stays_in_its_context() -> None:
    options = world(1, n=3000, noise=0.0).sample.options
    seen, row = repaired(options), options.row
    np.testing.assert_array_equal(seen.features, options.features)
    assert not seen.violated.any()
    np.testing.assert_array_equal(seen.threshold, options.threshold[row])
    np.testing.assert_array_equal(seen.budget, options.budget[row])


@pytest.mark.parametrize("name", ["no-repair", "soft-penalty", "black-box", "black-box-repair"])
def test_neither_truth_nor_credits_reach_whoever_learns_from_labels(name: str) -> None:
    learned, options = world(0, n=1200), world(1, n=400).sample.options
    told = BASELINES[name](learned.sample, credit=learned.credit, truth=learned.model)(options)
    untold = BASELINES[name](learned.sample)(options)
    np.testing.assert_array_equal(told.margin, untold.margin)


def test_choice_sets_are_held_out_whole() -> None:
    sets = world(0).sample.choice_set
    held_out = aside(sets, 3)
    assert not set(sets[held_out]) & set(sets[~held_out])
    assert 0.1 < held_out.mean() < 0.2


def test_of_several_settings_the_one_that_held_out_rows_like_best_is_taken() -> None:
    rng = np.random.default_rng(0)
    columns = np.column_stack([rng.normal(size=(2000, 2)), np.zeros(2000)])
    answer = rng.random(2000) < np.where(columns[:, 0] > 0, 0.8, 0.2)
    examples = Examples(columns, answer, np.ones(2000), np.arange(2000))
    held_out = aside(examples.choice_set, 0)
    settings = ({"learning_rate": 1.0, "max_leaf_nodes": 63}, {"learning_rate": 0.1, "max_leaf_nodes": 3})
    losses = [stopped(examples.take(~held_out), examples.take(held_out), one, 0)[0] for one in settings]
    best = settings[int(np.argmin(losses))]
    chosen = boosting.boosted(examples, 0, settings)
    assert chosen.learning_rate == best["learning_rate"]
    assert chosen.max_iter < boosting.MOST


# bad input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["no-repair", "soft-penalty", "black-box", "black-box-credit", "black-box-repair"]
)
@pytest.mark.parametrize(("label", "word"), [(True, "accepted"), (False, "rejected")])
def test_labels_of_one_kind_teach_nothing(name: str, label: bool, word: str) -> None:
    learned: World = world(0, n=400)
    sample = replace(learned.sample, accepted=np.full(len(learned.sample), label))
    with pytest.raises(DataError, match=f"is {word}"):
        BASELINES[name](sample, credit=learned.credit)


def test_a_credit_head_without_credits_and_an_oracle_without_a_truth_say_so() -> None:
    sample = world(0, n=400).sample
    with pytest.raises(ValueError, match="true credits"):
        BASELINES["black-box-credit"](sample)
    with pytest.raises(ValueError, match="told the truth"):
        BASELINES["oracle"](sample)
    with pytest.raises(DataError, match="not a single row whose credit"):
        BASELINES["black-box-credit"](sample, credit=np.full(len(sample), -1, np.int8))


def test_one_known_credit_is_said_of_all_that_may_have_it() -> None:
    learned = world(0, n=400)
    only = CREDITS.index(Credit.NON_REPAIRABLE)
    credit = np.where(np.arange(400) == 7, only, -1).astype(np.int8)
    found = BASELINES["black-box-credit"](learned.sample, credit=credit)(learned.sample.options)
    assert found.credit is not None
    assert (found.credit[~found.accepted] == only).all()


def test_a_few_rows_are_enough_to_learn_something() -> None:
    sample = world(0).sample.take(np.arange(12))
    for name in ("soft-penalty", "black-box", "black-box-repair"):
        assert len(BASELINES[name](sample)(sample.options)) == 12
