"""The paper's statements, on rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from learn import worlds
from racl import Domain, Model
from racl.documents import Document
from racl.domain.files import domain_of
from racl.learn.learners import Settings, anchors
from racl.metrics.judged import judged
from racl.metrics.rates import fvr
from racl.metrics.trial import trial
from racl.metrics.truth import truth_of
from racl.options import expand

SEEDS = range(20)
FIXED = 0.2  # a budget


def changed(domain: Domain, **sections: object) -> Domain:
    return domain_of(Document({**domain.document, **sections}, {}))


def with_repairs(repairs: dict[str, Any]) -> Model:
    domain = changed(worlds.market(), repairs=repairs)
    return Model.of(domain, worlds.truth().document()["preference"])  # type: ignore[arg-type]


def score(model: Model, frame: dict[str, Any]) -> np.ndarray[Any, Any]:
    """f of each candidate as it came, in plain NumPy."""
    weights = model.weights[[worlds.PERSONAS.index(one) for one in frame["persona"]]]
    g = np.column_stack([frame["price"], frame["bag"], frame["quiet"]]).astype(float)
    return np.asarray(weights[:, 0] + (weights[:, 1:] * g).sum(axis=1))


def feasible(frame: dict[str, Any]) -> np.ndarray[Any, Any]:
    return np.asarray(frame["bag"] | ~frame["needs_bag"])


# proposition 1 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_proposition_1_with_keep_alone_the_rule_is_the_no_repair_rule(seed: int) -> None:
    model, frame = with_repairs({}), worlds.rows(500, seed)
    accepted = model.decide(frame).accepted
    assert (accepted == (feasible(frame) & (score(model, frame) >= frame["threshold"]))).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_proposition_1_a_budget_turns_decisions_that_no_rule_without_repairs_can_turn(seed: int) -> None:
    poor, rich = (worlds.rows(500, seed, budget=budget) for budget in (0.0, 1.0))
    infeasible = ~feasible(poor)
    repairing, plain = worlds.truth(), with_repairs({})
    turned = ~repairing.decide(poor).accepted & repairing.decide(rich).accepted
    assert (turned & infeasible).any()
    assert not repairing.decide(poor).accepted[infeasible].any()
    assert (plain.decide(poor).accepted == plain.decide(rich).accepted).all()


# proposition 2 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_proposition_2_any_rule_without_repairs_vetoes_all_that_is_repairable_and_good(seed: int) -> None:
    options = expand(worlds.market(), worlds.rows(500, seed))
    weights = worlds.truth().weights
    truth = truth_of(options, weights)
    assert truth.repairable_good.sum() > 20
    chance = np.random.default_rng(seed)
    whatever = options.feasible & (chance.random(500) < chance.random())
    found = fvr(trial(replace(judged(options, weights), accepted=whatever), truth))
    assert found.value == 1.0
    assert fvr(trial(judged(options, weights), truth)).value == 0.0


# proposition 3 ---------------------------------------------------------------------------------------


def dear_and_none() -> tuple[Model, Model]:
    """A bag that is never affordable, and a bag that cannot be had."""
    dear = {"add_bag": {"applies": "not bag", "sets": {"bag": "true"}, "cost": 0.5}}
    return with_repairs(dear), with_repairs({})


@pytest.mark.parametrize("seed", SEEDS)
def test_proposition_3_at_one_budget_a_dear_repair_and_none_look_the_same(seed: int) -> None:
    frame = worlds.rows(500, seed, budget=FIXED)
    dear, none = (model.decide(frame) for model in dear_and_none())
    assert (dear.accepted == none.accepted).all()
    assert (dear.credit != none.credit).any()


@pytest.mark.parametrize("seed", SEEDS)
def test_proposition_3_varied_budgets_tell_them_apart_and_bracket_the_cost(seed: int) -> None:
    frame = worlds.rows(4_000, seed, threshold=-3.0)
    frame["budget"] = np.random.default_rng(seed).uniform(0.0, 1.0, 4_000)
    needing = ~feasible(frame)
    dear, none = (model.decide(frame).accepted[needing] for model in dear_and_none())
    budget = frame["budget"][needing]
    assert (dear != none).any()
    assert budget[~dear].max() < 0.5 <= budget[dear].min()
    assert budget[dear].min() - budget[~dear].max() < 0.02


def rescaled(model: Model, a: float, c: float) -> Model:
    weights = model.weights * a
    given = {
        persona: {
            "bias": float(row[0]) + c,
            "weights": dict(zip(("price", "bag", "quiet"), map(float, row[1:]), strict=True)),
        }
        for persona, row in zip(worlds.PERSONAS, weights, strict=False)
    }
    return Model.of(worlds.market(), given)


@pytest.mark.parametrize("seed", SEEDS)
def test_proposition_3_score_and_threshold_on_another_scale_give_the_same_labels(seed: int) -> None:
    chance = np.random.default_rng(seed)
    a, c = float(np.exp2(chance.integers(-3, 4))), float(chance.integers(-2, 3))
    frame = worlds.rows(1_000, seed)
    other = {**frame, "threshold": a * frame["threshold"] + c}
    first = worlds.truth().decide(frame).accepted
    assert (first == rescaled(worlds.truth(), a, c).decide(other).accepted).all()


def test_proposition_3_anchors_whose_thresholds_are_seen_settle_the_scale() -> None:
    sample = worlds.sample(4_000, budget=0.0)
    a, c = 3.0, -2.0
    other = replace(sample, options=replace(sample.options, threshold=a * sample.options.threshold + c))
    first, second = (anchors(one, Settings(pull=1.0)).logits for one in (sample, other))
    assert second.u / second.beta[:, None] == pytest.approx(a * first.u / first.beta[:, None], rel=1e-6)
    assert second.d / second.beta == pytest.approx(a * first.d / first.beta + c, rel=1e-6)
    for number, taste in enumerate(worlds.TASTES):
        learned = np.append(first.d[number], first.u[number]) / first.beta[number]
        assert learned == pytest.approx(taste, abs=0.15)


# the lemma -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_no_more_rows_are_decided_otherwise_than_lie_within_the_error_of_the_threshold(
    seed: int,
) -> None:
    chance = np.random.default_rng(seed)
    frame = worlds.rows(2_000, seed, budget=0.0, needs_bag=False)
    truth = with_repairs({})
    size = 10.0 ** chance.uniform(-3, 0)
    shaken = tuple(tuple(chance.normal(taste, size)) for taste in worlds.TASTES)
    learned = rescaled(worlds.truth(shaken), 1.0, 0.0)
    learned = Model(truth.domain, learned.taste)
    f, close = score(truth, frame), score(learned, frame)
    error = np.abs(f - close).max()
    differ = truth.decide(frame).accepted != learned.decide(frame).accepted
    assert differ.mean() <= (np.abs(f - frame["threshold"]) <= error).mean()
    assert (np.abs(f - frame["threshold"])[differ] <= error).all()
