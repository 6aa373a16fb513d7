"""The definition on problems small enough to decide in the head."""

from __future__ import annotations

import math

import pytest

from racl import Credit
from racl.semantics import Preference, Refused, Taste, decide
from semantics.problems import Row, decided, domain, refused, taste

NUMBER = {"x": "number"}
TRUTH = {"ok": "boolean"}

FIX = {"fix": {"applies": "not ok", "sets": {"ok": True}, "cost": "price"}}
BAG = domain({"ok": "boolean", "price": "number", "g": "number"}, requires="ok", feature="g", repairs=FIX)

CREDITS = [
    ("accepted-already-good", {"ok": True, "price": 1, "g": 0}, "keep"),
    ("accepted-repairable-good", {"ok": False, "price": 10, "g": 0}, "fix"),
    ("rejected-repairable-over-budget", {"ok": False, "price": 10.5, "g": 0}, None),
    ("rejected-feasible-suboptimal", {"ok": True, "price": 1, "g": -0.5}, None),
    ("rejected-repairable-suboptimal", {"ok": False, "price": 1, "g": -0.5}, None),
]


@pytest.mark.parametrize(("credit", "row", "plan"), CREDITS)
def test_the_credit_is_the_first_that_holds(credit: str, row: Row, plan: str | None) -> None:
    found = decided(BAG, **row)
    assert (found.credit, found.plan, found.accepted) == (credit, plan, plan is not None)


def test_where_no_repair_is_feasible_the_row_is_not_repairable() -> None:
    of = domain(TRUTH, requires="ok")
    assert decided(of, ok=False).credit is Credit.NON_REPAIRABLE
    never = domain(TRUTH, requires="ok", repairs={"fix": {"applies": "ok", "sets": {"ok": True}}})
    assert decided(never, ok=False).credit is Credit.NON_REPAIRABLE


def test_a_feasible_row_that_only_a_repair_makes_good_is_repairable_good() -> None:
    of = domain(NUMBER, feature="x", repairs={"raise": {"sets": {"x": "x + 2"}, "cost": 3}})
    found = decided(of, x=-1)
    assert (found.credit, found.plan, found.value, found.margin, found.cost) == (
        Credit.REPAIRABLE_GOOD, "raise", 1.0, 1.0, 3.0,
    )  # fmt: skip


def test_an_already_good_row_may_still_be_better_repaired() -> None:
    of = domain(NUMBER, feature="x", repairs={"raise": {"sets": {"x": "x + 2"}, "cost": 3}})
    found = decided(of, x=0)
    assert (found.credit, found.plan) == (Credit.ALREADY_GOOD, "raise")


def test_on_rejection_value_margin_and_cost_are_those_of_the_best() -> None:
    of = domain(NUMBER, feature="x", repairs={"raise": {"sets": {"x": "x + 2"}, "cost": 3}})
    found = decided(of, x=-5, threshold=1)
    assert (found.plan, found.value, found.margin, found.cost) == (None, -3.0, -4.0, 3.0)


def test_where_nothing_is_admissible_there_is_no_value_margin_or_cost() -> None:
    found = decided(BAG, ok=False, price=11, g=0)
    assert (found.plan, found.value, found.margin, found.cost) == (None, None, None, None)


@pytest.mark.parametrize(
    ("threshold", "accepted"), [(0.3, True), (0.1 + 0.2, True), (math.nextafter(0.1 + 0.2, 1), False)]
)
def test_the_threshold_is_reached_at_equality_in_float64(threshold: float, accepted: bool) -> None:
    of = domain({"a": "number", "b": "number"}, feature={"one": "a", "two": "b"})
    assert decided(of, a=0.1, b=0.2, threshold=threshold).accepted is accepted


@pytest.mark.parametrize(("budget", "accepted"), [(35.0, True), (math.nextafter(35.0, 0), False), (36, True)])
def test_a_cost_equal_to_the_budget_is_within_it(budget: float, accepted: bool) -> None:
    assert decided(BAG, ok=False, price=35, g=1, budget=budget).accepted is accepted


# which repair -------------------------------------------------------------------------------------

MENU = {
    "small": {"sets": {"x": 1}, "cost": 1},
    "large": {"sets": {"x": 3}, "cost": 5},
    "twin": {"sets": {"x": 3}, "cost": 2},
    "low": {"sets": {"x": -9}, "cost": 0},
}


def test_the_best_is_that_of_the_highest_value_and_of_equals_the_first_declared() -> None:
    of = domain(NUMBER, feature="x", repairs=MENU)
    assert (decided(of, x=0).plan, decided(of, x=0).cost) == ("large", 5.0)
    assert decided(of, x=0, budget=4).plan == "twin"
    assert decided(of, x=0, budget=1).plan == "small"


def test_keep_wins_every_tie() -> None:
    of = domain(NUMBER, feature="x", repairs=MENU)
    assert decided(of, x=3).plan == "keep"
    assert decided(of, x=1, budget=1).plan == "keep"


def test_cheapest_takes_the_least_cost_among_those_that_reach_the_threshold() -> None:
    of = domain(NUMBER, feature="x", repairs=MENU, choose="cheapest")
    assert decided(of, x=-5, threshold=1).plan == "small"
    assert decided(of, x=-5, threshold=2).plan == "twin"
    assert decided(of, x=0, threshold=0).plan == "keep"


def test_cheapest_breaks_ties_by_value_then_by_declaration() -> None:
    menu = {"a": {"sets": {"x": 1}}, "b": {"sets": {"x": 2}}, "c": {"sets": {"x": 2}}}
    of = domain(NUMBER, feature="x", repairs=menu, choose="cheapest")
    assert decided(of, x=0, threshold=0).plan == "b"
    assert decided(of, x=2, threshold=0).plan == "keep"


def test_cheapest_still_reports_the_best_on_rejection() -> None:
    of = domain(NUMBER, feature="x", repairs=MENU, choose="cheapest")
    found = decided(of, x=-5, threshold=4)
    assert (found.plan, found.value, found.cost) == (None, 3.0, 5.0)


def test_value_margin_and_cost_are_those_of_the_plan_also_where_another_is_better() -> None:
    of = domain(NUMBER, feature="x", repairs=MENU, choose="cheapest")
    found = decided(of, x=-5, threshold=0.5)
    assert (found.plan, found.value, found.margin, found.cost) == ("small", 1.0, 0.5, 1.0)


def test_the_trade_off_takes_its_share_of_the_cost_from_the_value() -> None:
    of = domain(NUMBER, feature="x", repairs=MENU, tradeoff=0.5)
    found = decided(of, x=-5)
    assert (found.plan, found.value, found.cost) == ("twin", 2.0, 2.0)
    of = domain(NUMBER, feature="x", repairs=MENU, tradeoff=3.0)
    assert decided(of, x=0).plan == "keep"


def test_the_trade_off_is_one_product_taken_from_the_sum() -> None:
    of = domain(NUMBER, feature="x", repairs={"a": {"sets": {"x": 0.7}, "cost": 0.3}}, tradeoff=0.1)
    assert decided(of, x=-9).value == 0.7 - 0.1 * 0.3


def test_scores_are_added_from_the_bias_on_in_the_order_of_the_features() -> None:
    of = domain({"a": "number", "b": "number"}, feature={"one": "a", "two": "b"})
    assert decided(of, 0.2, 0.3, bias=0.1, a=1, b=1).value == 0.6000000000000001
    assert decided(of, 0.2, 0.1, bias=0.3, a=1, b=1).value == 0.6


# what is read -------------------------------------------------------------------------------------


def test_effects_and_cost_read_the_original_candidate() -> None:
    swap = {"swap": {"sets": {"a": "b", "b": "a"}, "cost": "a"}}
    of = domain(
        {"a": "number", "b": "number"}, requires="a < b", feature={"one": "a", "two": "b"}, repairs=swap
    )
    found = decided(of, 1.0, 10.0, a=5, b=2)
    assert (found.plan, found.value, found.cost) == ("swap", 52.0, 5.0)


def test_a_boolean_feature_counts_zero_or_one() -> None:
    assert decided(domain(TRUTH, feature="ok"), 2.5, ok=True).value == 2.5
    assert decided(domain(TRUTH, feature="ok"), 2.5, ok=False).value == 0.0


def test_a_default_stands_in_for_a_null_and_for_a_missing_column() -> None:
    of = domain({"x": {"type": "number", "default": 7}}, feature="x")
    assert decided(of, x=None).value == decided(of).value == 7.0


def test_what_no_expression_reads_may_be_anything() -> None:
    of = domain({"x": "number", "unread": {"type": "integer", "min": 0}}, feature="x")
    assert decided(of, x=1, unread="?", passed_through=object()).value == 1.0


def test_bars_may_be_worked_out_from_the_context() -> None:
    of = domain(NUMBER, feature="x", context={"share": "number"}, budget="budget * share", threshold="threshold - share",
                repairs={"raise": {"sets": {"x": "x + 1"}, "cost": 4}})  # fmt: skip
    assert decided(of, x=0, threshold=1.5, share=0.5, budget=8).plan == "raise"
    assert decided(of, x=0, threshold=1.5, share=0.5, budget=7).plan is None


def test_each_persona_has_its_own_taste() -> None:
    of = domain(NUMBER, feature="x", context={"persona": {"type": "category", "values": ["a", "b"]}})
    tastes = Taste({"a": Preference(0.0, (1.0,)), "b": Preference(0.0, (-1.0,))})
    row = {"x": 2.0, "budget": 0, "threshold": 0}
    found = [decide(of, tastes, row | {"persona": persona}) for persona in ("a", "b")]
    assert [getattr(one, "value", None) for one in found] == [2.0, -2.0]
    stranger = decide(of, Taste(tastes.personas, Preference(5.0, (0.0,))), row | {"persona": "c"})
    assert getattr(stranger, "value", None) == 5.0
    assert getattr(decide(of, tastes, row | {"persona": "c"}), "column", None) == "persona"


# refused ------------------------------------------------------------------------------------------


def test_a_repair_that_applies_must_have_a_price_even_where_nobody_wants_it() -> None:
    for cost in ("-1", "1 / 0", "0 / 0", "log(0)"):
        menu = {"bad": {"applies": "x > 0", "sets": {"x": 1}, "cost": f"0 + {cost}"}}
        of = domain(NUMBER, requires="x != 1", feature="x", repairs=menu)
        assert refused(of, x=5) == "repairs.bad.cost"
        assert decided(of, x=0).plan == "keep"


def test_a_repair_that_applies_must_set_finite_numbers_even_to_what_nobody_reads() -> None:
    menu = {"bad": {"applies": "x > 0", "sets": {"x": 2, "y": "1 / (x - 1)"}, "cost": 99}}
    of = domain({"x": "number", "y": "number"}, feature="x", repairs=menu)
    assert refused(of, x=1) == "repairs.bad.sets.y"
    assert decided(of, x=0).plan == "keep"
    assert decided(of, x=2).plan == "keep"


def test_the_first_fault_in_the_order_of_declaration_is_named() -> None:
    menu = {"a": {"sets": {"x": "1 / 0"}, "cost": 1}, "b": {"sets": {"x": 1}, "cost": "0 - 1"}}
    assert refused(domain(NUMBER, feature="x", repairs=menu), x=1) == "repairs.a.sets.x"
    both = {"a": {"sets": {"x": "1 / 0"}, "cost": "0 - 1"}}
    assert refused(domain(NUMBER, feature="x", repairs=both), x=1) == "repairs.a.cost"


def test_features_must_be_finite_where_the_state_is_admissible_and_only_there() -> None:
    menu = {"to_zero": {"sets": {"x": 0}, "cost": "price"}}
    of = domain({"x": "number", "price": "number"}, requires="x < 5", feature="1 / x", repairs=menu)
    assert refused(of, x=1, price=10) == "features.g"
    assert decided(of, x=1, price=11).plan == "keep"
    assert decided(of, x=9, price=11).credit is Credit.OVER_BUDGET
    never = domain({"x": "number", "price": "number"}, requires="x > 0", feature="1 / x", repairs=menu)
    assert decided(never, x=1, price=1).plan == "keep"
    assert decided(never, x=0, price=1).credit is Credit.NON_REPAIRABLE


def test_value_and_margin_must_be_finite() -> None:
    of = domain(NUMBER, feature="x")
    assert refused(of, 1e300, x=1e300) == "value"
    assert refused(of, 1.0, x=1.7e308, threshold=-1.7e308) == "margin"
    dear = domain(NUMBER, feature="x", tradeoff=1e308, repairs={"a": {"sets": {"x": 1}, "cost": 10}})
    assert refused(dear, x=0) == "value"


@pytest.mark.parametrize(
    ("bars", "column"),
    [
        ({"budget": -1}, "rule.budget"),
        ({"budget": math.inf}, "budget"),
        ({"threshold": math.nan}, "threshold"),
    ],
)
def test_bars_must_be_finite_and_the_budget_not_negative(bars: Row, column: str) -> None:
    assert refused(domain(NUMBER, feature="x"), x=0, **bars) == column


@pytest.mark.parametrize(
    ("bars", "column", "reason"),
    [
        ({"budget": 0.0}, "rule.budget", "the budget is inf, not a finite number of at least 0"),
        ({"budget": -0.5}, "rule.budget", "the budget is -2.0, not a finite number of at least 0"),
        ({"threshold": 0.0}, "rule.threshold", "the threshold is inf, not a finite number"),
    ],
)
def test_a_bar_that_is_worked_out_to_no_bar_is_refused_even_where_nothing_is_feasible(
    bars: Row, column: str, reason: str
) -> None:
    of = domain(NUMBER, requires="false", budget="1 / budget", threshold="1 / threshold")
    found = decide(of, taste(of), {"x": 0, "budget": 1.0, "threshold": 1.0} | bars)
    assert found == Refused(column, reason)


def test_bars_are_looked_at_before_repairs_and_columns_before_bars() -> None:
    of = domain(NUMBER, feature="x", repairs={"bad": {"sets": {"x": "1 / 0"}}})
    assert refused(of, x=0, budget=-1) == "rule.budget"
    assert refused(of, x=None, budget=-1) == "x"
    assert refused(of, x=0) == "repairs.bad.sets.x"


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({}, Refused("x", "missing, and the column has no default")),
        ({"x": None}, Refused("x", "null, and the column has no default")),
        ({"x": 1, "price": -1}, Refused("repairs.fix.cost", "the cost is -1.0, not a finite number of at least 0")),
        ({"x": 0, "price": 1}, Refused("repairs.fix.sets.x", "the repair sets inf, not a finite number")),
        ({"x": 1e-320, "price": 1}, Refused("repairs.fix.sets.x", "the repair sets inf, not a finite number")),
        ({"x": 1e300, "price": 1}, Refused("features.g", "the feature is inf, not a finite number")),
        ({"x": 1e150, "price": 1, "by": 1e10}, Refused("value", "the value of keep is inf")),
        ({"x": 1e-5, "price": 1, "by": 1e300}, Refused("value", "the value of fix is inf")),
        (
            {"x": 1e150, "price": 1, "by": 1e8, "threshold": -1.79e308},
            Refused("margin", "the margin is inf, not a finite number"),
        ),
    ],
)  # fmt: skip
def test_a_refusal_says_what_was_found_where(row: Row, wanted: Refused) -> None:
    fix = {"fix": {"applies": "x < 2", "sets": {"x": "1 / x"}, "cost": "price"}}
    of = domain({"x": "number", "price": "number"}, feature="x * x", repairs=fix)
    weight = row.get("by", 1.0)
    given = {"budget": 10.0, "threshold": 0.0} | {key: one for key, one in row.items() if key != "by"}
    assert decide(of, taste(of, weight), given) == wanted


def test_a_decision_cannot_be_changed() -> None:
    found = decided(domain(NUMBER), x=0)
    with pytest.raises(AttributeError):
        found.accepted = False  # type: ignore[misc]
