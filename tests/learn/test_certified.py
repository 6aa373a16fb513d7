"""The certified guard keeps its promise, and says when it cannot."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import beta

from learn import worlds
from racl import DataError
from racl.learn.certify import added, certified, eligible, misses, most_misses, shortfalls, units_needed
from racl.learn.recipe import Recipe, learn
from racl.learn.sample import Sample
from racl.options import Floats

ALPHA, DELTA, CALIBRATIONS, UNITS = 0.01, 0.05, 1_000, 500
BIASED = ((0.1, -1.2, 0.5, 0.2), (-0.2, -0.6, 1.1, 0.2), (0.0, -1.5, 0.4, 1.0))  # vetoes too much


@lru_cache
def population() -> Sample:
    """Rows that a false veto would lose, and nothing else: what all calibrations draw from."""
    whole = worlds.sample(40_000, seed=5)
    return whole.take(eligible(whole))


@lru_cache
def weights() -> Floats:
    return worlds.truth(BIASED).weights


def broken(*, copies: int, as_sets: bool) -> int:
    """How many of a thousand calibrations leave more than alpha of the population falsely vetoed."""
    whole, chance = population(), np.random.default_rng(11)
    short = shortfalls(whole, weights())
    count = 0
    for number in range(CALIBRATIONS):
        drawn = np.repeat(chance.integers(len(whole), size=UNITS), copies)
        part = whole.take(drawn)
        sets = np.repeat(np.arange(UNITS), copies) if as_sets else np.arange(len(drawn))
        sample = Sample(part.options, part.accepted, part.weight, sets)
        margin = certified(sample, weights(), alpha=ALPHA, delta=DELTA, seed=number).margin
        count += float((short > margin).mean()) > ALPHA
    return count


def most_breaks() -> float:
    """Five in a hundred of them, and three standard errors."""
    return CALIBRATIONS * DELTA + 3 * math.sqrt(CALIBRATIONS * DELTA * (1 - DELTA))


@pytest.mark.parametrize("copies", [1, 5], ids=["independent rows", "choice sets of five identical rows"])
def test_certified_breaks_its_promise_in_at_most_delta_of_a_thousand_calibrations(copies: int) -> None:
    assert 5 <= broken(copies=copies, as_sets=True) <= most_breaks()


def test_identical_rows_taken_for_independent_ones_would_break_it() -> None:
    assert broken(copies=5, as_sets=False) > 2 * most_breaks()


@pytest.mark.parametrize(("units", "enough"), [(299, True), (298, False)])
def test_certified_needs_299_units_without_a_miss_and_no_fewer(units: int, enough: bool) -> None:
    part = population().take(np.arange(units))
    generous = added(weights(), 100.0)
    assert misses(part, generous) == 0
    sample = Sample(part.options, part.accepted, part.weight, np.arange(units))
    if enough:
        found = certified(sample, generous)
        assert (found.margin, found.misses, found.units) == (0.0, 0, 299)
        assert found.bound <= ALPHA
    else:
        with pytest.raises(DataError, match="needs 299"):
            certified(sample, generous)


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.3])
def test_the_units_needed_are_the_fewest_that_pass_without_a_miss(alpha: float, delta: float) -> None:
    needed = units_needed(alpha, delta)
    assert most_misses(needed, alpha, delta) == 0
    assert most_misses(needed - 1, alpha, delta) is None


@pytest.mark.parametrize("units", [299, 473, 1_000, 5_000])
def test_the_misses_allowed_are_the_most_whose_exact_bound_is_within_alpha(units: int) -> None:
    most = most_misses(units, ALPHA, DELTA)
    assert most is not None
    bounds = [beta.ppf(1 - DELTA, k + 1, units - k) for k in (most, most + 1)]
    assert bounds[0] <= ALPHA < bounds[1]


def test_the_margin_is_the_smallest_that_will_do() -> None:
    sample = population().take(np.arange(1_000))
    found = certified(sample, weights())
    allowed = most_misses(1_000, ALPHA, DELTA)
    assert found.misses == allowed
    assert misses(sample, added(weights(), found.margin)) == allowed
    assert misses(sample, added(weights(), np.nextafter(found.margin, 0.0) - 1e-12)) > found.misses


def test_the_margin_holds_once_it_is_folded_into_the_model_that_decides() -> None:
    history = worlds.history(12_000)
    found = learn(worlds.market(), history, Recipe(held_out=0.4))
    held_out, certificate = found.sources.held_out, found.chosen.certificate
    assert held_out is not None
    assert certificate is not None
    rows = held_out.choice_set  # rows without sets are numbered as they came
    frame = {name: column[rows] for name, column in history.frame.items()}  # type: ignore[attr-defined]
    rejected = ~found.model.decide(frame).accepted & eligible(held_out)
    assert int(rejected.sum()) == certificate.misses
    assert (certificate.units, certificate.held_out) == (int(eligible(held_out).sum()), len(held_out))


def test_nothing_is_refitted_on_the_rows_that_certify() -> None:
    history = worlds.history(12_000)
    found = learn(worlds.market(), history, Recipe(held_out=0.4))
    assert found.fitted is not None
    assert found.chosen.certificate is not None
    rows = found.sources.training.latent().counts()[0].sum()
    assert found.fitted.rows[-1] == rows
    plain = found.weights.copy()
    plain[:, 0] -= found.chosen.certificate.margin
    assert plain[:, 1:] == pytest.approx(found.logits.u / found.logits.beta[:, None])
    assert plain[:, 0] == pytest.approx(found.logits.d / found.logits.beta)


def test_too_few_rows_are_an_error_that_says_how_many_are_needed() -> None:
    with pytest.raises(DataError, match=r"needs 299 \(hold out more, about [\d,]+ rows") as fault:
        learn(worlds.market(), worlds.history(2_000), Recipe())
    assert "held-out rows" in str(fault.value)
