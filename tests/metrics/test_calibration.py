"""Reliability in bins, and the error that they add up to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metrics import plainly
from metrics.plainly import FLOOR, cases
from racl.metrics.calibration import BINS, equal_bins
from racl.metrics.measure import measure
from racl.metrics.report import Metrics


def measured(seed: int, *, weighted: bool = False, probability: bool = True) -> tuple[list[plainly.Row], Metrics]:  # fmt: skip
    rows = cases(seed, weighted=weighted)
    said = plainly.judged(rows)
    said = said if probability else replace(said, probability=None)
    weight = np.array([row.weight for row in rows]) if weighted else None
    return rows, measure(said, plainly.truth(rows), floor=FLOOR, weight=weight, resamples=20)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_bins_and_their_error_are_those_of_the_rows_in_them(seed: int, weighted: bool) -> None:
    rows, found = measured(seed, weighted=weighted)
    bins, total = found.calibration.bins, 0.0
    assert sum(one.rows for one in bins) == len(rows)
    for one in bins:
        own = [row for row in rows if one.low <= row.probability <= one.high]
        weight = sum(row.weight for row in own)
        predicted = sum(row.weight * row.probability for row in own) / weight
        accepted = sum(row.weight for row in own if row.label) / weight
        assert one.rows == len(own)
        assert one.predicted == pytest.approx(predicted)
        assert one.accepted == pytest.approx(accepted)
        assert one.accepted_low <= one.accepted <= one.accepted_high
        total += weight * abs(predicted - accepted)
    assert found.ece.value == pytest.approx(total / sum(row.weight for row in rows))


@pytest.mark.parametrize("seed", range(30))
def test_without_probabilities_bins_are_of_the_margin_and_there_is_no_error(seed: int) -> None:
    rows, found = measured(seed, probability=False)
    without = sum(row.said_margin is None for row in rows)
    assert found.calibration.scale == "margin"
    assert found.calibration.left_out == without
    assert sum(one.rows for one in found.calibration.bins) == len(rows) - without
    assert (found.ece.value, found.ece.method) == (None, "the model gives no probabilities")


def test_different_values_go_to_bins_of_the_same_size() -> None:
    number = equal_bins(np.random.default_rng(0).permutation(1000).astype(float), BINS)
    assert np.bincount(number).tolist() == [100] * BINS


@pytest.mark.parametrize("seed", range(20))
def test_equal_values_are_in_one_bin_and_bins_are_in_order(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 12, 200).astype(float)
    number = equal_bins(values, BINS)
    assert sorted(set(number)) == list(range(int(number.max()) + 1))
    order = np.argsort(values, kind="stable")
    assert (np.diff(number[order]) >= 0).all()
    assert all(len(set(number[values == one])) == 1 for one in set(values))


def test_probabilities_that_mean_what_they_say_have_a_small_error_and_others_a_large_one() -> None:
    generator = np.random.default_rng(1)
    rows = 40_000
    said = generator.random(rows)
    labels = generator.random(rows) < said
    one = plainly.cases(0)[0]
    true = replace(plainly.truth([one] * rows), labels=labels)
    for probability, low, high in ((said, 0.0, 0.012), (said / 2, 0.24, 0.26)):
        judged = replace(plainly.judged([one] * rows), probability=probability)
        error = measure(judged, true, floor=FLOOR, resamples=100).ece
        assert error.value is not None
        assert low <= error.value <= high
