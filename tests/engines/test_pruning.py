"""What the search over plans of several steps leaves out: work, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from racl import Model
from racl.model import parse_model
from strategies.agreement import by_definition, disagreements, outputs_of
from strategies.interpreted import by_text, lines_run
from strategies.rows import Row

PARTS = ("seat", "wheel", "lamp", "bell")
ROW: Row = {**dict.fromkeys(PARTS, False), "budget": 9.0, "threshold": 0.0}


def model(steps: int, **repairs: dict[str, Any]) -> Model:
    """A model of a bicycle that lacks every part; some repairs are told anew."""
    fit = {f"fit_{part}": {"sets": {part: True}, "cost": 0.5} for part in PARTS}
    domain = {
        "racl": 1,
        "name": "bicycle",
        "candidate": dict.fromkeys(PARTS, "boolean"),
        "context": {"budget": "number", "threshold": "number"},
        "requirements": {f"has_{part}": part for part in PARTS[:steps]},
        "features": {"lamp": "lamp"},
        "repairs": fit | {name: fit[name] | repair for name, repair in repairs.items()},
        "rule": {"steps": steps},
    }
    preference = {"all": {"bias": 1.0, "weights": {"lamp": 1.0}}}
    return parse_model(json.dumps({"racl_model": 1, "domain": domain, "preference": preference}), "model")


def plan(given: Model) -> str | None:
    """The plan of the row, on which the kernel's text agrees with the definition."""
    found = by_definition(given, [ROW])
    assert disagreements(given, [ROW], outputs_of(given, found), by_text(given, [ROW])) == []
    return getattr(found[0], "plan", None)


def test_two_orders_of_repairs_that_do_not_touch_each_other_are_not_both_searched() -> None:
    given = model(4)
    assert plan(given) == "fit_seat + fit_wheel + fit_lamp + fit_bell"
    assert lines_run(given, [ROW]) < 0.7 * lines_run(given, [ROW], ("commute[", "False and commute["))


def test_an_order_is_kept_where_a_later_repair_makes_an_earlier_one_possible() -> None:
    assert plan(model(2, fit_seat={"applies": "wheel"})) == "fit_wheel + fit_seat"


def test_an_order_is_kept_where_a_later_repair_makes_an_earlier_one_cheaper() -> None:
    given = model(2, fit_seat={"cost": "0.1 if wheel else 20"})
    assert plan(given) == "fit_wheel + fit_seat"


def test_past_the_budget_nothing_is_searched_once_a_plan_is_known_to_be_feasible() -> None:
    poor = ROW | {"budget": 0.25}
    given = model(2, fit_bell={"sets": dict.fromkeys(PARTS, True)})
    again = [poor | {"seat": True, "wheel": True}]
    assert lines_run(given, again) < 0.8 * lines_run(
        given, again, ("and feasible: continue", "and False: continue")
    )


@pytest.mark.parametrize("steps", [1, 2])
def test_a_domain_that_reads_no_column_is_decided_too(steps: int) -> None:
    domain = {
        "racl": 1,
        "name": "blind",
        "candidate": {"seat": "boolean"},
        "context": {"budget": "number", "threshold": "number"},
        "requirements": {"never": "1 == 2"},
        "features": {"one": "1"},
        "repairs": {"wait": {"sets": {"seat": True}, "cost": 1}},
        "rule": {"steps": steps, "budget": 3, "threshold": 0},
    }
    preference = {"all": {"bias": 1.0, "weights": {"one": 1.0}}}
    given = parse_model(json.dumps({"racl_model": 1, "domain": domain, "preference": preference}), "model")
    found = by_definition(given, [ROW])
    assert getattr(found[0], "credit", None) == "rejected-non-repairable"
    assert disagreements(given, [ROW], outputs_of(given, found), by_text(given, [ROW])) == []


@pytest.mark.parametrize("steps", [1, 2])
def test_a_cost_of_negative_zero_is_zero(steps: int) -> None:
    given = model(steps, **{f"fit_{part}": {"cost": "-0 * budget"} for part in PARTS})
    rows = [ROW | {"seat": True, "wheel": True}, ROW | {"wheel": True}, ROW]
    found = by_definition(given, rows)
    assert disagreements(given, rows, outputs_of(given, found), by_text(given, rows)) == []
    assert "-0.0" not in [repr(getattr(one, "cost", None)) for one in found]


@pytest.mark.parametrize("steps", [1, 2])
def test_a_domain_whose_requirements_always_hold_is_decided_too(steps: int) -> None:
    given = model(steps)
    domain = json.loads(json.dumps(given.document()))["domain"] | {"requirements": {"always": "1 == 1"}}
    preference = {"all": {"bias": 1.0, "weights": {"lamp": 1.0}}}
    free = parse_model(json.dumps({"racl_model": 1, "domain": domain, "preference": preference}), "model")
    found = by_definition(free, [ROW])
    assert disagreements(free, [ROW], outputs_of(free, found), by_text(free, [ROW])) == []
