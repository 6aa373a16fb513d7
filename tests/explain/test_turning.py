"""The turning points are exact: at them the row is accepted, one float64 beyond it is not."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.cases import FOLDERS, Case
from explain.worlds import Row, accepts, cases, costs, decided, values, word
from racl import Decision, Model, semantics
from racl.explain import Explanation, explain
from racl.model import parse_model


def explained(model: Model, row: Row) -> Explanation | None:
    """The explanation, unless the row is refused."""
    found = semantics.decide(model.domain, model.taste, row)
    return explain(model, row) if isinstance(found, Decision) else None


def budget_is_exact(model: Model, row: Row, found: Explanation) -> None:
    turn = found.turning_budget
    if turn.accepted_from is None:
        assert not found.decision.accepted
        assert not turn.turns
        assert turn.reason
        return
    at = decided(model, row, budget=turn.accepted_from)
    assert isinstance(at, Decision)
    assert (at.accepted, at.plan, at.value) == (True, turn.plan, turn.value)
    below = math.nextafter(turn.accepted_from, -math.inf)
    assert turn.below == (word(decided(model, row, budget=below)) if below >= 0 else None)
    assert turn.below != "accepted"
    assert turn.turns is (not found.decision.accepted or below >= 0)
    assert found.decision.accepted is (turn.accepted_from <= turn.now)


def threshold_is_exact(model: Model, row: Row, found: Explanation) -> None:
    turn = found.turning_threshold
    if turn.accepted_up_to is None:
        assert found.decision.value is None
        assert turn.reason
        return
    at = decided(model, row, threshold=turn.accepted_up_to)
    assert isinstance(at, Decision)
    assert (at.accepted, at.plan, at.cost) == (True, turn.plan, turn.cost)
    above = math.nextafter(turn.accepted_up_to, math.inf)
    assert turn.above == (word(decided(model, row, threshold=above)) if math.isfinite(above) else None)
    assert turn.above != "accepted"
    assert found.decision.accepted is (turn.accepted_up_to >= turn.now)


@given(case=cases())
def test_at_a_turning_point_the_row_is_accepted_and_just_beyond_it_is_not(case: tuple[Model, Row]) -> None:
    found = explained(*case)
    if found is not None:
        budget_is_exact(*case, found)
        threshold_is_exact(*case, found)


@given(case=cases(), data=st.data())
def test_no_other_budget_below_the_smallest_is_accepted(case: tuple[Model, Row], data: st.DataObject) -> None:
    found = explained(*case)
    if found is None:
        return
    budget = data.draw(st.sampled_from([0.0, 1e300, *costs(*case)]) | st.floats(0, 1e308))
    least = found.turning_budget.accepted_from
    if accepts(decided(*case, budget=budget)):
        assert least is not None
        assert budget >= least


@given(case=cases(), data=st.data())
def test_no_other_threshold_above_the_highest_is_accepted(
    case: tuple[Model, Row], data: st.DataObject
) -> None:
    found = explained(*case)
    if found is None:
        return
    threshold = data.draw(st.sampled_from([0.0, -1e308, *values(*case)]) | st.floats(-1e308, 1e308))
    most = found.turning_threshold.accepted_up_to
    if accepts(decided(*case, threshold=threshold)):
        assert most is not None
        assert threshold <= most


@given(case=cases())
def test_from_the_budget_that_refuses_the_row_is_refused(case: tuple[Model, Row]) -> None:
    found = explained(*case)
    if found is None or found.turning_budget.refused_from is None:
        return
    wall, least = found.turning_budget.refused_from, found.turning_budget.accepted_from
    assert wall > found.turning_budget.now
    assert least is None or least < wall
    if math.isfinite(wall):
        assert word(decided(*case, budget=wall)) == "refused"
        assert word(decided(*case, budget=wall * 2)) == "refused" or math.isinf(wall * 2)


@pytest.mark.conformance
@pytest.mark.parametrize("folder", FOLDERS[::4], ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_turning_points_of_conformance_rows_are_exact(folder: Any) -> None:
    case = Case.of(folder)
    for row in case.rows:
        found = explained(case.model, row)
        if found is not None:
            budget_is_exact(case.model, row, found)
            threshold_is_exact(case.model, row, found)


# cases worth their own claim ------------------------------------------------------------------------


def ladder(rule: str = "", features: str = '{"g": "x"}', **repairs: dict[str, Any]) -> Model:
    """A domain whose one requirement is `fit`, with a menu."""
    text = f"""{{"racl_model": 1, "domain": {{"racl": 1, "name": "ladder",
      "candidate": {{"x": "number", "fit": "boolean"}},
      "context": {{"budget": "number", "threshold": "number"}},
      "requirements": {{"fit": "fit"}}, "features": {features},
      "repairs": {json.dumps(repairs)}, "rule": {{{rule}}}}},
      "preference": {{"all": {{"bias": 0, "weights": {{"g": 1}}}}}}}}"""
    return parse_model(text)


def row(**given_: Any) -> Row:
    return {"x": 1.0, "fit": False, "budget": 40.0, "threshold": 1.0} | given_


MEND = {"sets": {"fit": "true"}, "cost": 55}
BREAK = {"sets": {"fit": "true", "x": "1 / (x - x)"}, "cost": 20}
HALF = {"applies": "not fit and x < 2", "sets": {"x": "x + 1"}, "cost": 0.1}
REST = {"applies": "x >= 2", "sets": {"fit": "true"}, "cost": 0.2}


def test_a_rejected_row_names_the_budget_that_would_do() -> None:
    turn = explain(ladder(mend=MEND), row()).turning_budget
    assert (turn.accepted_from, turn.plan, turn.turns, turn.below) == (55.0, "mend", True, "rejected")
    assert turn.words == "the smallest with which it is accepted is 55, 15 more than now, by `mend`"


def test_an_accepted_row_names_the_budget_down_to_which_it_stays_accepted() -> None:
    turn = explain(ladder(mend=MEND), row(budget=100.0)).turning_budget
    assert (turn.accepted_from, turn.turns) == (55.0, True)
    assert (
        turn.words == "the smallest with which it stays accepted is 55, by `mend`; with less it is rejected"
    )


def test_no_budget_turns_a_row_that_is_good_as_it_came() -> None:
    turn = explain(ladder(mend=MEND), row(fit=True)).turning_budget
    assert (turn.accepted_from, turn.turns, turn.below) == (0.0, False, None)
    assert turn.words.startswith("no budget turns it")


def test_no_budget_turns_a_row_whose_every_repair_falls_short() -> None:
    found = explain(ladder(mend=MEND), row(threshold=7.0, budget=60.0))
    assert found.turning_budget.accepted_from is None
    assert (
        found.turning_budget.reason == "no repair makes it feasible with a value that reaches the threshold"
    )
    assert (
        found.turning_threshold.words
        == "the highest with which it is accepted is 1, 6 less than now, by `mend`"
    )


def test_no_threshold_turns_a_row_with_nothing_admissible() -> None:
    turn = explain(ladder(mend=MEND), row()).turning_threshold
    assert (turn.accepted_up_to, turn.turns) == (None, False)


def test_costs_of_several_steps_add_up_as_the_definition_adds_them() -> None:
    model = ladder('"steps": 2', half=HALF, rest=REST)
    turn = explain(model, row(budget=0.3)).turning_budget
    assert turn.accepted_from == 0.1 + 0.2  # one float64 above 0.3
    assert turn.below == "rejected"


def test_a_feature_that_reads_the_column_budget_reads_what_the_row_holds() -> None:
    model = ladder(features='{"g": "budget"}', mend=MEND)
    found = explain(model, row(threshold=40.0))
    assert found.turning_budget.accepted_from == 55.0
    assert found.turning_budget.value == 40.0


def test_a_budget_that_affords_a_repair_without_a_finite_feature_is_said_to_refuse_the_row() -> None:
    model = ladder(features='{"g": "1 / x"}', zero={"sets": {"fit": "true", "x": "0"}, "cost": 50}, mend=MEND)
    turn = explain(model, row()).turning_budget
    assert (turn.accepted_from, turn.refused_from) == (None, 50.0)
    assert turn.refusal == "features.g: the feature is inf, not a finite number"
    assert "the row is refused: features.g" in turn.reason


def test_a_budget_below_that_one_still_turns_the_row() -> None:
    model = ladder(features='{"g": "1 / x"}', zero={"sets": {"fit": "true", "x": "0"}, "cost": 60}, mend=MEND)
    found = explain(model, row())
    assert (found.turning_budget.accepted_from, found.turning_budget.refused_from) == (55.0, 60.0)
    assert "from 60 on the row is refused: features.g" in str(found)


def test_a_longer_plan_without_a_finite_feature_never_counts() -> None:
    zero = {"applies": "x >= 2", "sets": {"fit": "true", "x": "0"}, "cost": 1}
    model = ladder('"steps": 2', '{"g": "1 / x"}', half=HALF, zero=zero)
    found = explain(model, row())
    assert found.turning_budget.refused_from is None
    assert found.turning_budget.accepted_from is None
    assert found.search.uncounted == 1
    assert "1 of the feasible do not count" in str(found)
    assert found.reason.endswith("what would make it feasible has a feature or a value that is not finite.")


def test_a_margin_that_overflows_is_a_refusal_and_no_turning_point() -> None:
    model = ladder(mend={"sets": {"fit": "true", "x": "1e308"}, "cost": 55})
    turn = explain(model, row(threshold=-1e308)).turning_budget
    assert turn.accepted_from is None
    assert "the row is refused: margin" in turn.reason


def test_below_the_smallest_budget_a_margin_may_overflow_too() -> None:
    low = {"sets": {"fit": "true", "x": "-1e308"}, "cost": 10}
    high = {"sets": {"fit": "true", "x": "1e308"}, "cost": 30}
    turn = explain(ladder(low=low, high=high), row(threshold=1e308)).turning_budget
    assert (turn.accepted_from, turn.below) == (30.0, "refused")


def test_at_the_largest_float_no_threshold_turns_the_row() -> None:
    most = 1.7976931348623157e308
    turn = explain(ladder(), row(fit=True, x=most, threshold=most)).turning_threshold
    assert (turn.accepted_up_to, turn.above, turn.turns) == (most, None, False)


def test_a_plan_of_infinite_cost_is_bought_by_no_budget() -> None:
    dear = {"applies": "x >= 2", "sets": {"fit": "true"}, "cost": 1e308}
    model = ladder('"steps": 2', half=HALF | {"cost": 1e308}, rest=dear)
    found = explain(model, row())
    assert found.turning_budget.accepted_from is None
    assert found.reason.endswith("`half + rest`, costs inf and the budget is 40.")
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["plans"][0]["outcome"]["cost"] == "inf"
