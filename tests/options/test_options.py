"""The table of options says of every row what the definition says of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from racl import Model, options, semantics
from racl.engines.outputs import plan_number
from racl.frames import read_rows
from racl.options import Options
from racl.semantics import Decision, Refused
from strategies.agreement import by_definition
from strategies.chance import Seeded
from strategies.domains import any_model
from strategies.rows import Row, any_rows

SEEDS = range(150)


def world(seed: int, rows: int = 12) -> tuple[Model, list[Row], Options]:
    chance = Seeded.of(seed)
    model = any_model(chance)
    drawn = any_rows(chance, model, rows)
    blank = options.blank(model.domain, other=model.taste.default is not None)
    return model, drawn, options.expand_table(blank, read_rows(drawn))


def admissible_plans(model: Model, row: Row) -> list[tuple[int, float, float]] | None:
    """Number, cost and value of every admissible plan, fewer steps first; nothing of a row that is refused."""
    domain, taste = model.domain, model.taste
    state = semantics.read_row(domain, taste, row)
    assert not isinstance(state, Refused)
    budget = semantics.number(domain.rule.budget, state)
    found = semantics.options(domain, semantics.preference_of(domain, taste, state), state, budget)
    if isinstance(found, Refused):
        return None
    ordered = sorted(found[0], key=lambda one: (len(one.steps), one.steps))
    return [(plan_number(model.program, one.steps), one.cost, one.value) for one in ordered]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_states_of_a_row_are_its_admissible_plans_in_the_order_that_breaks_ties(seed: int) -> None:
    model, rows, table = world(seed)
    values = options.values(table, model.weights)
    for number, found in enumerate(by_definition(model, rows)):
        if isinstance(found, Refused):
            continue
        first, last = table.start[number : number + 2]
        states = [
            (int(table.plan[one]), float(table.cost[one]), float(values[one]))
            for one in range(first, last)
            if math.isfinite(values[one])  # under these weights, which the table does not know
        ]
        assert states == admissible_plans(model, rows[number])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_state_chosen_is_the_one_that_the_decision_is_about(seed: int) -> None:
    model, rows, table = world(seed)
    values = options.values(table, model.weights)
    states = options.chosen(table, values)
    names = options.plan_names(table.program, options.at(table.plan, states, nothing=-1))
    for number, found in enumerate(by_definition(model, rows)):
        if isinstance(found, Refused):
            continue
        assert (found.value is None) == (states[number] < 0)
        if found.value is not None:
            state = states[number]
            assert (found.value, found.cost) == (values[state], table.cost[state])
            assert found.plan in (None, names[number])


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_table_refuses_the_definition_refuses_and_its_rows_have_no_states(seed: int) -> None:
    model, rows, table = world(seed)
    for number, found in enumerate(by_definition(model, rows)):
        if table.refused[number]:
            assert isinstance(found, Refused)
            assert table.count[number] == 0
        elif isinstance(found, Refused):
            assert found.column in ("value", "margin") or found.column.startswith("features.")


@pytest.mark.parametrize("seed", SEEDS)
def test_credits_follow_from_what_the_table_says_of_feasibility(seed: int) -> None:
    model, rows, table = world(seed)
    for number, found in enumerate(by_definition(model, rows)):
        if isinstance(found, Decision):
            vetoed = found.credit in (semantics.Credit.NON_REPAIRABLE, semantics.Credit.OVER_BUDGET)
            assert table.admissible[number] is not np.bool_(vetoed)
            assert bool(table.repairable[number]) == (found.credit is not semantics.Credit.NON_REPAIRABLE)
            kept = table.kept()[number] >= 0
            assert kept == (found.credit in KEPT) or found.credit is semantics.Credit.REPAIRABLE_GOOD


KEPT = (semantics.Credit.ALREADY_GOOD, semantics.Credit.FEASIBLE_SUBOPTIMAL)


def test_taking_rows_takes_their_states_in_the_order_asked_for() -> None:
    model, rows, table = world(7, rows=30)
    order = np.array([29, 3, 3, 0, 17])
    taken = table.take(order)
    again = options.expand_table(
        options.blank(model.domain, other=model.taste.default is not None),
        read_rows([rows[i] for i in order]),
    )
    for name in (*options.BY_STATE, *options.BY_ROW, "start"):
        np.testing.assert_array_equal(getattr(taken, name), getattr(again, name))
