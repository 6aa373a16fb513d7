"""Few passes over many rows end where many passes do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from racl.learn import data as rows_in_memory
from racl.learn import newton
from racl.learn.data import Held
from racl.learn.learners import Settings, fit
from racl.learn.standard import BLOCK, moments, standard_of
from racl.learn.sums import Source, Stretch, Sums

P, PERSONAS = 4, 3
Floats = NDArray[np.float64]


def held(n: int, seed: int = 0, states: int = 1) -> Held:
    """Rows of so many states each, accepted by chance as a known preference says."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n * states, P))
    group = rng.integers(0, PERSONAS, n)
    odds = features[::states] @ rng.normal(size=P) + 0.3 * group
    threshold = rng.uniform(-1, 1, n)
    accepted = rng.random(n) < 1 / (1 + np.exp(threshold - odds))
    start = np.arange(n + 1, dtype=np.int64) * states
    stretch = Stretch(
        start, features, np.zeros(n * states), threshold, group, accepted.astype(np.uint8), np.ones(n)
    )
    return Held(stretch, PERSONAS + 1, np.arange(n))


def counted(source: Source) -> tuple[Source, Callable[[], int]]:
    """The source, and how often it was asked."""
    asked: list[Floats] = []

    def counting(phi: Floats) -> Sums:
        asked.append(phi)
        return source(phi)

    return counting, lambda: len(asked)


@pytest.mark.parametrize("seed", range(20))
def test_the_last_step_that_no_pass_verifies_ends_at_the_optimum(seed: int) -> None:
    given = held(3000, seed)
    standard = standard_of(given.moments())
    penalty, rows = newton.Penalty(np.full(P + 2, 1e-3), np.zeros(P + 2)), given.counts()[0]
    found, passes = {}, {}
    for trusting in (False, True):
        source, asked = counted(given.source(standard, pooled=False))
        tolerance = newton.TOLERANCE if trusting else 0.0  # in the end rounding stops the other
        start = np.zeros((PERSONAS + 1, P + 2))
        found[trusting] = newton.minimise(
            source, start, penalty, rows=rows, smooth=trusting, tolerance=tolerance
        )
        passes[trusting] = asked()
    assert passes[True] < passes[False]
    slope = given.source(standard, pooled=False)(found[True].phi) + penalty(found[True].phi)
    assert np.abs(slope.gradient).max() < 1e-7 * len(given.rows)
    np.testing.assert_allclose(found[True].phi, found[False].phi, atol=1e-6)
    assert slope.loss.sum() <= min(found[True].losses) + 1e-9


def test_only_rows_of_one_state_each_have_no_kinks() -> None:
    assert held(50).smooth
    assert not held(50, states=2).smooth


def test_a_fit_started_from_a_part_of_the_rows_ends_where_one_of_all_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = held(6000)
    settings = Settings(pull=0.1)
    whole = fit(given, settings).logits
    monkeypatch.setattr(rows_in_memory, "SMALL", 500)
    parted = fit(given, settings).logits
    for name in ("u", "d", "beta"):
        np.testing.assert_allclose(getattr(parted, name), getattr(whole, name), atol=1e-6)


@pytest.mark.parametrize("n", [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_block_by_block_are_those_of_all_rows(n: int, weighted: bool) -> None:
    rng = np.random.default_rng(n)
    features, threshold, shift = rng.normal(2, 1, (n, P)), rng.normal(size=n), rng.normal(size=P + 1)
    weight = rng.uniform(0, 2, n)
    found = moments(features, threshold, shift, (weight, weight) if weighted else None)
    columns = np.column_stack([features, threshold]) - shift
    counts = weight if weighted else np.ones(n)
    np.testing.assert_allclose(found.count, counts.sum())
    np.testing.assert_allclose(found.sum, counts @ columns, atol=1e-9)
    np.testing.assert_allclose(found.square, counts @ columns**2)


def test_a_bound_that_the_last_step_would_cross_is_kept() -> None:
    given = held(3000)
    free = fit(given, Settings(pull=0.1)).logits.u
    upper = np.where(free.max(axis=0) > 0, 0.5 * free.max(axis=0), np.inf)
    bounded = fit(given, replace(Settings(pull=0.1), upper=upper)).logits.u
    assert (bounded <= upper + 1e-12).all()
