"""The latent learner recovers what is true, and never lets the penalised likelihood fall."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from learn import worlds
from racl.learn.data import Held
from racl.learn.learners import Settings, Task, anchors, fit, latent
from racl.learn.newton import Penalty, minimise
from racl.learn.standard import standard_of
from racl.learn.sums import Stretch
from racl.options import Floats


def cosine(first: Floats, second: Floats) -> float:
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))


def test_latent_recovers_a_known_linear_truth() -> None:
    sample = worlds.sample(50_000, noise=0.05)
    found = latent(sample).logits
    for number, taste in enumerate(worlds.TASTES):
        learned = np.append(found.d[number], found.u[number]) / found.beta[number]
        assert cosine(learned, np.array(taste)) > 0.999
        assert learned == pytest.approx(taste, abs=0.05)


def test_anchors_alone_take_what_a_repair_earned_for_the_worth_of_the_candidate() -> None:
    sample = worlds.sample(50_000, noise=0.05)
    truth = np.array(worlds.TASTES[0])
    errors = []
    for learner in (latent, anchors):
        found = learner(sample).logits
        errors.append(np.abs(np.append(found.d[0], found.u[0]) / found.beta[0] - truth).max())
    assert errors[0] < 0.05
    assert errors[1] > 0.2


def test_anchors_without_a_budget_are_clean() -> None:
    found = anchors(worlds.sample(20_000, noise=0.05, budget=0.0)).logits
    learned = np.append(found.d[0], found.u[0]) / found.beta[0]
    assert learned == pytest.approx(worlds.TASTES[0], abs=0.08)


# random problems -------------------------------------------------------------------------------------


def problem(seed: int) -> Held:
    """Rows with up to four states each, of up to three personas, whose labels have little to do with them."""
    chance = np.random.default_rng(seed)
    n, p, groups = (int(chance.integers(*ends)) for ends in ((5, 80), (1, 5), (1, 4)))
    count = chance.integers(1, 5, n)
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    scale = 10.0 ** chance.uniform(-2, 2, p)
    features = np.round(chance.normal(size=(start[-1], p)), int(chance.integers(0, 3))) * scale
    accepted = (chance.random(n) < chance.uniform(0.1, 0.9)).astype(np.uint8)
    weight = np.ones(n) if seed % 2 else chance.uniform(0.0, 3.0, n)
    rows = Stretch(
        start,
        features,
        np.zeros(start[-1]) if seed % 3 else chance.uniform(0, 1, start[-1]),
        chance.normal(size=n),
        chance.integers(groups, size=n),
        accepted,
        weight,
    )
    return Held(rows, groups + 1, np.arange(n))


def loss_of(data: Held, phi: Floats, ridge: Floats, towards: Floats, pull: float) -> float:
    """The penalised loss of standard coefficients, row by row in plain Python."""
    standard, rows = standard_of(data.moments()), data.rows
    total = 0.0
    for row in range(len(rows)):
        group = int(rows.group[row]) if len(phi) > 1 else 0
        odds = max(
            float(phi[group] @ standard.columns(rows.features[one : one + 1], bar)[0])
            for one in range(rows.start[row], rows.start[row + 1])
            for bar in [rows.threshold[row : row + 1] + rows.charge[one]]
        )
        total += float(rows.weight[row]) * float(np.logaddexp(0.0, -odds if rows.accepted[row] else odds))
    away = phi - towards
    return total + 0.5 * float((phi * phi @ ridge).sum()) + 0.5 * pull * float((away * away).sum())


@pytest.mark.parametrize("block", range(10))
def test_the_penalised_likelihood_never_falls_in_a_thousand_random_problems(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        data = problem(seed)
        found = fit(data, Settings(pull=(np.inf, 0.0, 1.0)[seed % 3]))
        losses = np.array(found.losses)
        assert (np.diff(losses) <= 0).all(), seed
        assert np.isfinite(found.logits.u).all(), seed


@pytest.mark.parametrize("seed", range(40))
def test_what_never_rises_is_the_penalised_loss_itself_and_no_bound_of_it(seed: int) -> None:
    data = problem(seed)
    standard = standard_of(data.moments())
    ridge = np.full(len(standard.center) + 1, 0.1)
    penalty = Penalty(ridge, np.ones(len(ridge)), 0.5)
    start = np.random.default_rng(seed).normal(size=(data.groups, len(ridge)))
    source = data.source(standard, pooled=False)
    rows = data.counts()[0]
    found = minimise(source, start, penalty, rows=rows, rounds=1)
    for losses, phi in ((found.losses[0], start), (found.losses[-1], found.phi)):
        assert losses == pytest.approx(loss_of(data, phi, ridge, penalty.towards, 0.5), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_where_the_minimum_lies_on_a_kink_the_fit_comes_close_to_it(seed: int) -> None:
    sample = worlds.sample(1_500, seed)
    sample = sample.take(sample.options.persona == 0)
    data = worlds.latent_data(sample)
    task = Task(standard_of(data.moments()), Settings(), data.counts()[0])
    found = task.pooled(data, np.zeros((1, 5)))
    source = data.source(task.standard, pooled=True)

    def loss(phi: Floats) -> float:
        return float(source(phi[None]).loss[0] + 0.5 * (phi * phi) @ task.ridge)

    options = {"maxiter": 4_000, "maxfev": 4_000, "xatol": 1e-9, "fatol": 1e-10, "adaptive": True}
    best = minimize(loss, found.phi[0], method="Nelder-Mead", options=options)
    assert found.losses[-1] <= 1.001 * best.fun
