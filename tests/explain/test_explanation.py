"""What an explanation says: the data, a sentence for each credit, and words for a terminal."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given

from explain.worlds import Row, cases
from racl import Decision, Model, RowError, semantics
from racl.explain import Explanation, explain
from racl.explain.explanation import Role
from racl.model import parse_model

TICKET = """{"racl": 1, "name": "ticket",
  "candidate": {"fare": {"type": "number", "unit": "USD"}, "bag": "boolean", "refund": "boolean"},
  "context": {"persona": {"type": "category", "values": ["business", "leisure"]}, "needs": "boolean",
              "purse": {"type": "number", "unit": "USD"}, "threshold": "number"},
  "requirements": {"bag": "bag or not needs", "refund": "refund or fare < 1000"},
  "features": {"price": "fare / 100", "bag": "bag"},
  "repairs": {
    "add_bag": {"label": "Add a bag", "applies": "not bag", "sets": {"bag": "true"}, "cost": "35 + fare / 100"},
    "flex": {"applies": "not refund", "sets": {"refund": "true", "fare": "fare + 50"}, "cost": 50},
    "discount": {"applies": "fare > 300", "sets": {"fare": "fare - 100"}, "cost": 10}},
  "rule": RULE}"""
TASTE = """{"business": {"bias": 10, "weights": {"price": -1, "bag": 2}},
            "leisure": {"bias": 10, "weights": {"price": -2, "bag": 0}}}"""


def model_of(**rule: object) -> Model:
    domain = TICKET.replace("RULE", json.dumps({"budget": "purse / 2"} | rule))
    return parse_model(
        f'{{"racl_model": 1, "domain": {domain}, "preference": {TASTE}, "preference_default": {DEFAULT}}}'
    )


DEFAULT = '{"bias": 0, "weights": {"price": 0, "bag": 0}}'


def row(**given_: Any) -> Row:
    usual = {"fare": 200.0, "bag": False, "refund": False, "persona": "business", "needs": True}
    return usual | {"purse": 100.0, "threshold": 9.0} | given_


def test_the_rule_is_told_with_the_expressions_and_what_they_read() -> None:
    found = explain(model_of(), row())
    assert (found.budget.text, found.budget.value) == ("purse / 2", 50.0)
    assert [(one.column, one.value, one.unit) for one in found.budget.reads] == [("purse", 100.0, "USD")]
    assert "budget      50 = purse / 2 (purse = 100 USD)" in str(found)
    assert "threshold   9 = threshold\n" in str(found)


def test_every_requirement_is_told_with_the_values_read() -> None:
    checks = explain(model_of(), row()).requirements
    assert [(check.requirement, check.holds) for check in checks] == [("bag", False), ("refund", True)]
    assert [(one.column, one.value) for one in checks[0].reads] == [("bag", False), ("needs", True)]
    assert [(one.column, one.value, one.unit) for one in checks[1].reads][1] == ("fare", 200.0, "USD")


def test_every_repair_is_told_with_keep_first() -> None:
    found = explain(model_of(), row())
    keep, add_bag, flex, discount = found.repairs
    assert (keep.repair, keep.outcome is not None and keep.outcome.cost) == ("keep", 0.0)
    assert (add_bag.label, add_bag.applies.text, add_bag.applies.value) == ("Add a bag", "not bag", True)
    assert add_bag.outcome is not None
    assert add_bag.outcome.cost == 37.0
    assert (add_bag.outcome.within_budget, add_bag.outcome.over_by, add_bag.outcome.admissible) == (
        True,
        -13.0,
        True,
    )
    assert [(one.column, one.before, one.after) for one in add_bag.outcome.changes] == [("bag", False, True)]
    assert flex.outcome is not None
    assert [check.requirement for check in flex.outcome.failing] == ["bag"]
    assert not flex.outcome.admissible
    assert (discount.applies.value, discount.price, discount.outcome) == (False, None, None)


@given(case=cases())
def test_the_terms_add_up_to_the_value_bit_by_bit(case: tuple[Model, Row]) -> None:
    model, row_ = case
    if not isinstance(semantics.decide(model.domain, model.taste, row_), Decision):
        return
    found = explain(model, row_)
    for worth in found.values:
        score = worth.bias
        for term in worth.terms:
            assert term.product == term.weight * term.g or not math.isfinite(term.g)
            score = score + term.product
        if worth.value is not None:
            assert score == worth.score
            assert worth.value == (score - worth.tradeoff * worth.cost if worth.tradeoff else score)
    if found.decision.value is not None:
        assert found.values[-1].value == found.decision.value


@given(case=cases())
def test_repairs_alone_agree_with_the_search(case: tuple[Model, Row]) -> None:
    model, row_ = case
    if not isinstance(semantics.decide(model.domain, model.taste, row_), Decision):
        return
    found = explain(model, row_)
    outcomes = {one.repair: one.outcome for one in found.repairs}
    admissible = [name for name, one in outcomes.items() if one is not None and one.admissible]
    assert found.steps > 1 or len(admissible) == found.search.admissible
    assert found.decision.plan not in outcomes or found.decision.plan in admissible
    for plan in found.plans:
        assert not plan.steps or plan.steps[-1].total == plan.outcome.cost
        if plan.plan in outcomes and (alone := outcomes[plan.plan]) is not None:
            assert (alone.cost, alone.value) == (plan.outcome.cost, plan.outcome.value)


# a sentence for each credit, another for the plan ----------------------------------------------------

SENTENCES = [
    (
        {},
        {"needs": False, "threshold": 8.0},
        "Accepted as it came: every requirement holds, and its value 8 reaches the threshold 8.",
        "The plan is `add_bag`: of the 3 admissible repairs it has the highest value; next comes `keep` with 8.",
    ),
    (
        {},
        {},
        (
            "Accepted with a repair: as it came it fails `bag`; `add_bag`, for 37 within the budget of 50, makes it "
            "feasible, with a value of 10, which reaches the threshold 9."
        ),
        "The plan is `add_bag`: nothing else is admissible.",
    ),
    (
        {},
        {"needs": False},
        (
            "Accepted with a repair: as it came its value 8 is short of the threshold 9 by 1; `add_bag`, for 37 within "
            "the budget of 50, brings it to 10, which reaches the threshold 9."
        ),
        "The plan is `add_bag`: of the 3 admissible repairs it has the highest value; next comes `keep` with 8.",
    ),
    (
        {},
        {"fare": 1200.0},
        "Rejected: it fails `bag` and `refund`, and no repair makes it feasible.",
        "",
    ),
    (
        {"steps": 2},
        {"fare": 1200.0, "persona": "leisure"},
        "Rejected: the cheapest plan that would make it feasible, `add_bag + flex`, costs 97 and the budget is 50.",
        "",
    ),
    (
        {},
        {"purse": 20.0},
        "Rejected: the cheapest repair that would make it feasible, `add_bag`, costs 37 and the budget is 10.",
        "",
    ),
    (
        {},
        {"needs": False, "threshold": 20.0},
        (
            "Rejected: every requirement holds, but the best within the budget, `add_bag`, for 37, is worth 10, short of "
            "the threshold 20 by 10."
        ),
        "",
    ),
    (
        {},
        {"needs": False, "purse": 0.0, "threshold": 20.0},
        (
            "Rejected: every requirement holds, but its value 8 is short of the threshold 20 by 12, and no repair within "
            "the budget is worth more."
        ),
        "",
    ),
    (
        {},
        {"threshold": 20.0},
        (
            "Rejected: as it came it fails `bag`; the one repair that makes it feasible within the budget, `add_bag`, for "
            "37, is worth 10, short of the threshold 20 by 10."
        ),
        "",
    ),
    (
        {"steps": 2},
        {"threshold": 20.0, "purse": 1000.0},
        (
            "Rejected: as it came it fails `bag`; of the 3 plans that make it feasible within the budget the best, "
            "`add_bag`, for 37, is worth 10, short of the threshold 20 by 10."
        ),
        "",
    ),
    (
        {"choose": "cheapest"},
        {"needs": False, "threshold": 7.0},
        "Accepted as it came: every requirement holds, and its value 8 reaches the threshold 7.",
        "The plan is `keep`: of the 3 repairs that reach the threshold it is the cheapest; next comes `add_bag` for 37.",
    ),
    (
        {"choose": "cheapest"},
        {},
        (
            "Accepted with a repair: as it came it fails `bag`; `add_bag`, for 37 within the budget of 50, makes it "
            "feasible, with a value of 10, which reaches the threshold 9."
        ),
        "The plan is `add_bag`: nothing else within the budget reaches the threshold.",
    ),
    (
        {},
        {"needs": False, "persona": "leisure", "threshold": 6.0},
        "Accepted as it came: every requirement holds, and its value 6 reaches the threshold 6.",
        (
            "The plan is `keep`: of the 3 admissible repairs it has the highest value, as has `add_bag`; it takes fewer "
            "steps."
        ),
    ),
]


@pytest.mark.parametrize(("rule", "given_", "reason", "choice"), SENTENCES)
def test_each_credit_has_its_sentence(rule: Row, given_: Row, reason: str, choice: str) -> None:
    found = explain(model_of(**rule), row(**given_))
    assert (found.reason, found.choice) == (reason, choice)


def twins(choose: str, *costs: float, values: tuple[int, ...] = (1, 1)) -> Explanation:
    """Two repairs `a` and `b`, of these costs and values."""
    repairs = {
        name: {"sets": {"x": str(value)}, "cost": cost}
        for name, cost, value in zip("ab", costs, values, strict=True)
    }
    domain = {
        "racl": 1,
        "name": "twins",
        "candidate": {"x": "number"},
        "context": {"budget": "number", "threshold": "number"},
        "requirements": {"r": "x > 0"},
        "features": {"g": "x"},
        "repairs": repairs,
        "rule": {"choose": choose},
    }
    taste = {"all": {"bias": 0, "weights": {"g": 1}}}
    model = parse_model(json.dumps({"racl_model": 1, "domain": domain, "preference": taste}))
    return explain(model, {"x": 0, "budget": 9, "threshold": 1})


@pytest.mark.parametrize(
    ("found", "end"),
    [
        (twins("best", 1, 1), "it has the highest value, as has `b`; it is declared first."),
        (twins("cheapest", 1, 1), "it is the cheapest, as is `b`; it is declared first."),
        (twins("cheapest", 1, 1, values=(1, 2)), "it is the cheapest, as is `a`; it has the higher value."),
        (twins("cheapest", 2, 1), "it is the cheapest; next comes `a` for 2."),
    ],
)
def test_a_tie_is_told_with_what_broke_it(found: Explanation, end: str) -> None:
    assert found.choice.endswith(end)


# plans of several steps -------------------------------------------------------------------------------


def test_a_plan_is_told_step_by_step() -> None:
    found = explain(model_of(steps=2), row(fare=1200.0, purse=1000.0, threshold=-5.0))
    chosen = found.plans[0]
    assert (chosen.role, chosen.plan) == (Role.CHOSEN, "add_bag + flex")
    assert [(step.repair, step.price.value, step.total) for step in chosen.steps] == [
        ("add_bag", 47.0, 47.0),
        ("flex", 50.0, 97.0),
    ]
    assert [[check.requirement for check in step.failing] for step in chosen.steps] == [["refund"], []]
    assert [(one.column, one.value) for one in chosen.steps[1].state] == [
        ("bag", True),
        ("refund", True),
        ("fare", 1250.0),
    ]
    assert [(one.column, one.before, one.after) for one in chosen.outcome.changes] == [
        ("bag", False, True),
        ("refund", False, True),
        ("fare", 1200.0, 1250.0),
    ]


def test_the_runner_up_is_of_other_repairs() -> None:
    found = explain(model_of(steps=2), row(needs=False, purse=1000.0, fare=400.0, threshold=0.0))
    assert [(one.role, one.plan) for one in found.plans] == [
        (Role.CHOSEN, "add_bag + discount"),
        (Role.RUNNER_UP, "add_bag"),
    ]


def test_on_rejection_the_plan_that_a_larger_budget_buys_is_told() -> None:
    found = explain(model_of(steps=2), row(fare=400.0, purse=20.0, threshold=8.5))
    assert [(one.role, one.plan, one.outcome.cost) for one in found.plans] == [
        (Role.CHEAPEST_FEASIBLE, "add_bag", 39.0),
        (Role.LARGER_BUDGET, "discount + add_bag", 48.0),
    ]
    assert (found.turning_budget.accepted_from, found.turning_budget.plan) == (48.0, "discount + add_bag")


def test_with_the_cheapest_chosen_the_best_is_told_beside_it() -> None:
    found = explain(model_of(steps=2, choose="cheapest"), row(purse=1000.0, fare=400.0, threshold=0.0))
    assert [(one.role, one.plan) for one in found.plans][:2] == [
        (Role.CHOSEN, "add_bag"),
        (Role.BEST, "add_bag + discount"),
    ]


def test_a_domain_of_single_repairs_has_no_plans_to_tell() -> None:
    found = explain(model_of(), row())
    assert found.plans == ()
    assert "Plans of up to" not in str(found)


# data and words ---------------------------------------------------------------------------------------


def test_a_refused_row_is_refused_as_by_decide_one() -> None:
    model, broken = model_of(), row(fare=float("nan"))
    with pytest.raises(RowError) as one:
        model.decide_one(broken)
    with pytest.raises(RowError) as other:
        explain(model, broken)
    assert str(one.value) == str(other.value)


def test_a_persona_not_declared_is_told_to_be_decided_by_the_default() -> None:
    found = explain(model_of(), row(persona="pilot", threshold=-1.0))
    assert (found.persona, found.preference) == ("pilot", "default")
    assert "pilot, by the preference of personas not declared" in str(found)


def test_the_data_is_plain_and_holds_the_words() -> None:
    found = explain(model_of(steps=2), row(needs=False, purse=1000.0))
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert list(data)[:7] == ["domain", "accepted", "credit", "plan", "value", "margin", "cost"]
    assert data["credit"] == "accepted-repairable-good"
    assert data["reason"] == found.reason
    assert data["turning_budget"]["accepted_from"] == found.turning_budget.accepted_from
    assert data["turning_budget"]["words"] == found.turning_budget.words
    assert data["plans"][0]["role"] == "chosen"
    assert [one["repair"] for one in data["repairs"]] == ["keep", "add_bag", "flex", "discount"]


def test_values_that_are_not_finite_are_text_in_the_data() -> None:
    domain = """{"racl": 1, "name": "inf", "candidate": {"x": "number"},
      "context": {"budget": "number", "threshold": "number"},
      "requirements": {"r": "x > 0"}, "features": {"g": "1 / x"}, "repairs": {}}"""
    taste = '{"all": {"bias": 0, "weights": {"g": 1}}}'
    found = explain(parse_model(f'{{"racl_model": 1, "domain": {domain}, "preference": {taste}}}'), ZERO)
    assert found.to_dict()["values"][0]["terms"][0]["g"] == "inf"
    assert found.reason == "Rejected: it fails `r`, and there are no repairs."
    assert "value       none: features.g: the feature is inf, not a finite number" in str(found)


ZERO = {"x": 0, "budget": 1, "threshold": 1}


def test_nothing_of_the_users_text_can_redraw_the_terminal() -> None:
    domain = (
        TICKET.replace("RULE", "{}").replace("Add a bag", "\\u001b[31mAdd\\na bag").replace("purse", "budget")
    )
    model = parse_model(
        f'{{"racl_model": 1, "domain": {domain}, "preference": {TASTE}, "preference_default": {DEFAULT}}}'
    )
    text = str(explain(model, row(budget=50.0, persona="\x1b[2J\nodd")))
    assert all(line.isprintable() for line in text.split("\n"))
    assert "\\u001b[31mAdd a bag" in text


def test_lines_fit_a_terminal() -> None:
    found = explain(model_of(steps=2), row(fare=1200.0, purse=1000.0, threshold=-5.0))
    assert max(map(len, str(found).splitlines())) <= 96
    assert not str(found).endswith("\n")
