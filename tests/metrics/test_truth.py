"""What is taken for true of rows is what the definition says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from racl import Model, options, semantics
from racl.engines.outputs import CREDITS
from racl.frames import read_rows
from racl.metrics.judged import PREFERENCE, STRUCTURE
from racl.metrics.truth import truth_from_labels, truth_of
from racl.semantics import Decision
from strategies.agreement import by_definition
from strategies.chance import Seeded
from strategies.domains import Shape, any_model
from strategies.rows import any_rows

SHAPE = Shape(extremes=0)


def world(seed: int) -> tuple[Model, list[Any], options.Options, list[Decision | None]]:
    """A model, its rows, their table, and the decisions on them."""
    chance = Seeded.of(seed)
    model = any_model(chance, SHAPE)
    rows = any_rows(chance, model, 15)
    found = [one if isinstance(one, Decision) else None for one in by_definition(model, rows)]
    return model, rows, options.expand_table(model, read_rows(rows)), found


def feasible(model: Model, row: Any) -> bool:
    """Every requirement holds of the candidate as it came: `keep` is among the admissible plans."""
    state = semantics.read_row(model.domain, model.taste, row)
    assert not isinstance(state, semantics.Refused)
    taste = semantics.preference_of(model.domain, model.taste, state)
    found = semantics.options(model.domain, taste, state, semantics.number(model.domain.rule.budget, state))
    return not isinstance(found, semantics.Refused) and any(not one.steps for one in found[0])


@pytest.mark.parametrize("seed", range(100))
def test_the_truth_of_a_model_is_what_the_definition_decides(seed: int) -> None:
    model, rows, table, found = world(seed)
    true = truth_of(table, model.weights)
    assert true.value is not None
    assert true.plan is not None
    assert true.credit is not None
    for number, one in enumerate(found):
        if one is None:
            continue
        assert bool(true.accepted[number]) == one.accepted
        assert true.plan[number] == one.plan
        assert CREDITS[true.credit[number]] is one.credit
        assert bool(true.feasible[number]) == feasible(model, rows[number])
        assert bool(true.repairable_good[number]) == (one.accepted and not feasible(model, rows[number]))
        assert true.bucket[number] == (STRUCTURE if one.value is None else PREFERENCE)
        if one.value is not None and model.domain.rule.choose.value == "best":
            assert true.value[number] == one.value


@pytest.mark.parametrize("seed", range(60))
def test_labels_that_a_model_would_give_make_the_same_regions_as_the_model(seed: int) -> None:
    model, _, table, found = world(seed)
    table = table.take(np.array([one is not None for one in found]))
    true = truth_of(table, model.weights)
    by_labels = truth_from_labels(table, true.accepted)
    np.testing.assert_array_equal(by_labels.repairable_good, true.repairable_good)
    np.testing.assert_array_equal(by_labels.bucket, true.bucket)
    assert (by_labels.value, by_labels.best, by_labels.credit) == (None, None, None)


def test_a_row_labelled_accepted_without_an_admissible_repair_is_not_repairable_good() -> None:
    table = world(1)[2]
    everything = truth_from_labels(table, np.ones(len(table), np.bool_))
    assert (~table.admissible).any()
    assert not everything.repairable_good[~table.admissible].any()
