"""Plans of several steps, on problems small enough to decide in the head."""

from __future__ import annotations

from racl import Credit
from semantics.problems import decided, domain, refused

XY = {"x": "number", "y": "number"}
CHAIN = {
    "first": {"applies": "x == 0", "sets": {"x": 1}, "cost": 1},
    "second": {"applies": "x == 1", "sets": {"x": 2}, "cost": 2},
    "third": {"applies": "x == 2", "sets": {"x": 3}, "cost": 4},
}


def test_a_plan_is_as_long_as_the_rule_allows() -> None:
    plans = [
        decided(domain({"x": "number"}, requires="x == 3", feature="x", repairs=CHAIN, steps=n), x=0)
        for n in (1, 2, 3, 4)
    ]
    assert [found.credit for found in plans[:2]] == [Credit.NON_REPAIRABLE] * 2
    assert [(found.plan, found.cost) for found in plans[2:]] == [("first + second + third", 7.0)] * 2


def test_each_step_reads_sets_and_is_priced_on_what_the_ones_before_it_left() -> None:
    menu = {"double": {"sets": {"x": "x * 2"}, "cost": "x"}, "add": {"sets": {"x": "x + 1"}, "cost": "x"}}
    of = domain({"x": "number"}, requires="x != 3", feature="x", repairs=menu, steps=2)
    found = decided(of, x=3, budget=100)
    assert (found.plan, found.value, found.cost) == ("add + double", 8.0, 3.0 + 4.0)
    assert decided(of, x=3, budget=6.5).plan == "double"


def test_no_repair_is_used_twice() -> None:
    of = domain({"x": "number"}, feature="x", repairs={"up": {"sets": {"x": "x + 1"}}}, steps=4)
    assert (decided(of, x=0).plan, decided(of, x=0).value) == ("up", 1.0)


def test_only_the_last_state_must_be_feasible() -> None:
    menu = {
        "break": {"sets": {"y": 1}, "cost": 1},
        "mend": {"applies": "y == 1", "sets": {"x": 1, "y": 0}, "cost": 1},
    }
    of = domain(XY, requires="y == 0", feature="x", repairs=menu, steps=2)
    assert decided(of, x=0, y=0).plan == "break + mend"


def test_costs_add_up_in_the_order_of_the_steps() -> None:
    menu = {
        name: {"applies": f"x == {n}", "sets": {"x": n + 1}, "cost": cost}
        for n, (name, cost) in enumerate((("a", 0.1), ("b", 0.2), ("c", 0.3)))
    }
    of = domain({"x": "number"}, requires="x == 3", feature="x", repairs=menu, steps=3)
    found = decided(of, x=0, budget=0.6000000000000001)
    assert found.cost == (0.1 + 0.2) + 0.3 == 0.6000000000000001
    assert decided(of, x=0, budget=0.6).credit is Credit.OVER_BUDGET


def test_of_equal_value_the_shorter_plan_wins_then_the_first_declared() -> None:
    menu = {"a": {"sets": {"x": "x + 1"}}, "b": {"sets": {"x": "x + 1"}}, "c": {"sets": {"x": "x + 2"}}}
    of = domain({"x": "number"}, requires="x == 2", feature="1", repairs=menu, steps=2)
    assert decided(of, x=0).plan == "c"
    without = domain(
        {"x": "number"}, requires="x == 2", feature="1", repairs={"a": menu["a"], "b": menu["b"]}, steps=2
    )
    assert decided(without, x=0).plan == "a + b"
    assert decided(of, x=-1).plan == "a + c"
    assert decided(of, x=2).plan == "keep"


def test_plans_of_equal_length_are_compared_step_by_step_not_by_their_last() -> None:
    menu = {
        "a": {"sets": {"x": "x + 1"}}, "b": {"sets": {"x": "x + 2"}},
        "c": {"sets": {"x": "x + 3"}}, "d": {"sets": {"x": "x + 4"}},
    }  # fmt: skip
    of = domain({"x": "number"}, requires="x == 5", feature="1", repairs=menu, steps=2)
    assert decided(of, x=0).plan == "a + d"


def test_cheapest_compares_cost_then_value_then_length_then_declaration() -> None:
    menu = {
        "dear": {"sets": {"x": 5}, "cost": 3}, "half": {"applies": "x == 0", "sets": {"x": 1}, "cost": 1},
        "rest": {"applies": "x == 1", "sets": {"x": 5}, "cost": 1}, "same": {"sets": {"x": 5}, "cost": 2},
    }  # fmt: skip
    of = domain({"x": "number"}, requires="x == 5", feature="x", repairs=menu, steps=2, choose="cheapest")
    assert decided(of, x=0).plan == "same"
    without = {name: repair for name, repair in menu.items() if name != "same"}
    of = domain({"x": "number"}, requires="x == 5", feature="x", repairs=without, steps=2, choose="cheapest")
    assert (decided(of, x=0).plan, decided(of, x=0).cost) == ("half + rest", 2.0)


def test_the_trade_off_weighs_the_cost_of_the_whole_plan() -> None:
    of = domain({"x": "number"}, feature="x", repairs=CHAIN, steps=3, tradeoff=0.75)
    found = decided(of, x=0)
    assert (found.plan, found.value, found.cost) == ("first", 0.25, 1.0)


def test_from_the_second_step_on_what_cannot_be_priced_or_carried_out_is_not_available() -> None:
    for bad in (
        {"sets": {"y": 9}, "cost": "0 - 1"},
        {"sets": {"y": "1 / 0"}},
        {"sets": {"y": 9}, "cost": "0 / 0"},
    ):
        menu = {"go": {"applies": "x == 0", "sets": {"x": 1}}, "bad": {"applies": "x == 1", **bad}}
        of = domain(XY, feature={"one": "x", "two": "y"}, repairs=menu, steps=2)
        assert decided(of, x=0, y=0).plan == "go"
        assert refused(of, x=1, y=0).startswith("repairs.bad.")


def test_from_the_second_step_on_an_end_without_a_finite_value_counts_neither_as_admissible_nor_as_feasible() -> (
    None
):
    menu = {
        "go": {"applies": "x == 0", "sets": {"x": 1}, "cost": 6},
        "on": {"applies": "x == 1", "sets": {"x": 2}, "cost": "price"},
    }
    of = domain(
        {"x": "number", "price": "number"}, requires="x == 2", feature="1 / (x - 2)", repairs=menu, steps=2
    )
    assert decided(of, x=0, price=1).credit is Credit.NON_REPAIRABLE
    assert decided(of, x=0, price=9).credit is Credit.OVER_BUDGET
    assert refused(of, x=1, price=1) == "features.g"
    huge = domain({"x": "number", "price": "number"}, requires="x == 2", feature="x", repairs=menu, steps=2)
    assert decided(huge, 1e308, x=0, price=1).credit is Credit.NON_REPAIRABLE


def test_credit_is_over_budget_where_only_longer_dearer_plans_are_feasible() -> None:
    of = domain({"x": "number"}, requires="x == 3", feature="x", repairs=CHAIN, steps=3)
    assert decided(of, x=0, budget=6).credit is Credit.OVER_BUDGET
    assert decided(of, x=0, budget=7, threshold=4).credit is Credit.REPAIRABLE_SUBOPTIMAL
    assert decided(of, x=3, threshold=4).credit is Credit.FEASIBLE_SUBOPTIMAL
