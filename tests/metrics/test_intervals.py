"""Intervals and exact tests against values that are known, and against plain sums."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from racl.metrics.intervals import effective, mcnemar, percentiles, resampled, sign_probability, wilson
from racl.metrics.ranking import disjoint_pairs, ranks

# of Newcombe, Statistics in Medicine 17 (1998), table I: Wilson's score interval
NEWCOMBE = [
    (81, 263, 0.2553, 0.3662),
    (15, 148, 0.0624, 0.1605),
    (0, 20, 0.0000, 0.1611),
    (1, 29, 0.0061, 0.1718),
]


@pytest.mark.parametrize(("count", "of", "low", "high"), NEWCOMBE)
def test_wilson_is_as_published(count: int, of: int, low: float, high: float) -> None:
    assert wilson(count / of, of) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("of", [1, 5, 4039])
def test_wilson_of_none_and_of_all_ends_exactly_there(of: int) -> None:
    assert wilson(0.0, of)[0] == 0
    assert wilson(1.0, of)[1] == 1


def test_rows_of_equal_weight_tell_as_much_as_there_are_rows() -> None:
    assert effective(np.full(7, 0.3)) == pytest.approx(7)
    assert effective(np.array([1.0, 0.0, 0.0])) == 1


@pytest.mark.parametrize("pairs", range(40))
def test_mcnemar_is_the_binomial_of_a_fair_coin(pairs: int) -> None:
    for first in range(pairs + 1):
        least = min(first, pairs - first)
        exact = min(1.0, 2 * sum(comb(pairs, k) for k in range(least + 1)) / 2**pairs)
        assert mcnemar(first, pairs - first) == pytest.approx(exact, rel=1e-9)


def test_mcnemar_does_not_drown_in_many_pairs() -> None:
    assert mcnemar(500_000, 502_000) == pytest.approx(0.0457, abs=2e-4)  # a normal says 2.0 deviations
    assert mcnemar(0, 10_000) == 0


def test_a_bootstrap_draws_whole_units_as_often_as_there_are() -> None:
    units = np.ones((50, 1))
    assert (resampled(units, seed=1, resamples=200) == 50).all()


def test_units_that_add_nothing_are_drawn_all_the_same() -> None:
    """Of 1,000 units ten count: a resample holds ten of them on average, with the variance of a binomial."""
    units = np.zeros((1000, 1))
    units[:10] = 1
    sums = resampled(units, seed=1, resamples=20_000)[:, 0]
    assert sums.mean() == pytest.approx(10, abs=0.1)
    assert sums.var() == pytest.approx(1000 * 0.01 * 0.99, rel=0.05)


def test_the_bootstrap_of_a_mean_spreads_as_the_mean_does() -> None:
    values = np.random.default_rng(3).exponential(size=400)
    means = resampled(values[:, None], seed=2, resamples=5000)[:, 0] / 400
    assert means.std() == pytest.approx(values.std() / 20, rel=0.05)
    low, high = percentiles(means) or (0, 0)
    assert (low, high) == pytest.approx(
        (values.mean() - 1.96 * values.std() / 20, values.mean() + 1.96 * values.std() / 20), rel=0.03
    )


@pytest.mark.parametrize(("samples", "p"), [([1.0] * 99, 0.02), ([0.0] * 99, 1.0), ([-1.0, 1.0] * 50, 1.0)])
def test_p_is_twice_the_share_on_the_rarer_side(samples: list[float], p: float) -> None:
    assert sign_probability(np.array(samples)) == pytest.approx(p, abs=0.02)


def test_nothing_resampled_has_no_interval_and_no_p() -> None:
    nothing = np.array([np.nan])
    assert (percentiles(nothing), sign_probability(nothing)) == (None, None)


@pytest.mark.parametrize(
    ("value", "pairs", "wanted"),
    [(1.0, 10, (0.6915, 1.0)), (0.0, 10, (0.0, 0.3085)), (0.5, 1, (0.0, 1.0)), (1.0, 1, (0.025, 1.0))],
)
def test_perfect_ranking_is_worth_as_many_trials_as_there_are_disjoint_pairs(
    value: float, pairs: int, wanted: tuple[float, float]
) -> None:
    assert disjoint_pairs(value, pairs) == pytest.approx(wanted, abs=5e-5)


def test_delong_has_the_variance_of_the_placements() -> None:
    """Hand-worked: three positives and two negatives, one tie."""
    from racl.metrics.ranking import delong

    found = ranks(np.array([3.0, 2.0, 1.0, 2.0, 0.0]), np.array([True, True, True, False, False]))
    weight = np.ones(5)
    value = found.auroc(weight)
    assert value == pytest.approx((2 + 1.5 + 1) / 6)
    above = np.var([1.0, 0.75, 0.5], ddof=1) / 3
    below = np.var([1.5 / 3, 1.0], ddof=1) / 2
    assert delong(found, value, weight) == pytest.approx(above + below)


def test_delong_covers_the_truth_about_as_often_as_it_says() -> None:
    from racl.metrics.ranking import delong, logit_interval

    generator = np.random.default_rng(8)
    labels = np.arange(120) < 50
    truth, hits = 0.7602499389065233, 0  # of normals one deviation apart
    for _ in range(1000):
        found = ranks(generator.normal(size=120) + labels, labels)
        value = found.auroc(np.ones(120))
        low, high = logit_interval(value, delong(found, value, np.ones(120)))
        hits += low <= truth <= high
    assert 930 <= hits <= 970
