"""Regret by tables worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from racl import DataError
from racl.metrics.judged import Judged
from racl.metrics.measure import measure
from racl.metrics.regret import regrets
from racl.metrics.trial import Trial, trial
from racl.metrics.truth import Truth

NONE = float("nan")
Option = tuple[float, bool, float]  # true value, accepted by the model, the model's value


def of_sets(sets: list[tuple[float, list[Option]]]) -> tuple[Judged, Truth, NDArray[np.intp]]:
    """Decisions and truth of choice sets, each a threshold and its options."""
    rows = [(number, at, *one) for number, (at, options) in enumerate(sets) for one in options]
    number, at, value, accepted, said = (np.array(part) for part in zip(*rows, strict=True))
    true = np.where(np.isnan(value), -np.inf, value) >= at
    judged = Judged(accepted, said, said - at, np.zeros(len(rows), np.int8), None, None, None)
    feasible = ~np.isnan(value)
    truth = Truth(true, true, feasible, feasible, at, at * 0, np.zeros(len(rows), np.intp), value)
    return judged, truth, number


def trial_of(sets: list[tuple[float, list[Option]]], floor: float = 0.0) -> Trial:
    judged, truth, number = of_sets(sets)
    return trial(judged, truth, choice_set=number, floor=floor)


CASES = [
    ("the best is picked", 5.0, [(8.0, True, 3.0), (6.0, True, 2.0)], 0.0, 0.0),
    ("the second best is picked", 5.0, [(8.0, True, 2.0), (6.0, True, 3.0)], 0.0, 2.0),
    ("the best is not accepted", 5.0, [(8.0, False, 9.0), (6.0, True, 3.0)], 0.0, 2.0),
    ("none is accepted: the outside option", 5.0, [(8.0, False, 9.0), (6.0, False, 3.0)], 0.0, 3.0),
    ("none is accepted, rightly", 5.0, [(4.0, False, 9.0), (NONE, False, 3.0)], 0.0, 0.0),
    ("a bad one is picked where nothing is good", 5.0, [(1.0, True, 9.0), (2.0, False, 3.0)], 0.0, 4.0),
    ("nothing is admissible: the floor", 5.0, [(NONE, True, 9.0), (6.0, True, 3.0)], 0.0, 6.0),
    ("another floor", 5.0, [(NONE, True, 9.0), (6.0, True, 3.0)], -2.0, 8.0),
    ("of equals the first", 5.0, [(6.0, True, 3.0), (9.0, True, 3.0)], 0.0, 3.0),
    ("an accepted option without a value comes last", 5.0, [(9.0, True, NONE), (6.0, True, -9.0)], 0.0, 3.0),
    ("the only accepted option has no value", 5.0, [(9.0, True, NONE), (6.0, False, 1.0)], 0.0, 0.0),
    ("a threshold met exactly", 5.0, [(5.0, False, 1.0)], 0.0, 0.0),
]


@pytest.mark.parametrize(
    ("threshold", "options", "floor", "regret"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_regret_of_a_choice_set(
    threshold: float, options: list[Option], floor: float, regret: float
) -> None:
    one = trial_of([(threshold, options)], floor)
    assert one.truth.value is not None
    assert regrets(one, one.truth.value).regret.tolist() == [regret]


def test_all_choice_sets_count_alike_however_many_options_they_have() -> None:
    judged, truth, number = of_sets([(case[1], case[2]) for case in CASES if case[3] == 0])
    wanted = [case[4] for case in CASES if case[3] == 0]
    found = measure(judged, truth, choice_set=number, resamples=50).edr
    assert found.value == pytest.approx(sum(wanted) / len(wanted))
    assert (found.count, found.of) == (sum(one > 0 for one in wanted), len(wanted))


def test_without_choice_sets_each_row_is_one_of_its_own() -> None:
    judged, truth, _ = of_sets([(5.0, [(8.0, True, 2.0), (6.0, False, 3.0)])])
    found = measure(judged, truth, resamples=50).edr
    assert (found.value, found.of) == (0.5, 2)
    assert found.method == "bootstrap by row, 50 resamples"


def test_a_floor_above_what_is_offered_is_a_fault() -> None:
    judged, truth, number = of_sets([(-5.0, [(NONE, True, 1.0)])])
    with pytest.raises(DataError, match=r"floor: 0 is above the -5 that the choice set of row 0 offers"):
        measure(judged, truth, choice_set=number)
    assert measure(judged, truth, choice_set=number, floor=-6, resamples=0).edr.value == 1


@pytest.mark.parametrize("name", ["threshold", "budget", "persona"])
def test_a_choice_set_in_two_contexts_is_a_fault(name: str) -> None:
    judged, truth, number = of_sets([(5.0, [(8.0, True, 2.0), (6.0, True, 3.0)]), (4.0, [(8.0, True, 2.0)])])
    column = getattr(truth, name).copy()
    column[1] += 1
    with pytest.raises(
        DataError, match=f"choice_set: rows 0 and 1 are of one choice set and differ in {name}"
    ):
        measure(judged, replace(truth, **{name: column}), choice_set=number)
