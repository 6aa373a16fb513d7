"""The quick walk finds what the definition finds, in its order and to the bit."""

from __future__ import annotations

import json
import time

from hypothesis import given

from explain.worlds import Row, cases, ends
from racl import Model, semantics
from racl.explain import explain
from racl.explain.ends import failing, survey
from racl.model import parse_model
from racl.semantics import Decision, End, State


def state_of(model: Model, row: Row) -> State:
    state = semantics.read_row(model.domain, model.taste, row)
    assert not isinstance(state, semantics.Refused)
    return state


@given(case=cases())
def test_the_walk_finds_the_ends_of_the_definition(case: tuple[Model, Row]) -> None:
    model, row = case
    expected = ends(model, row)
    if not expected:
        return
    taste = model.taste.personas["all"]
    found = survey(model.domain, taste, state_of(model, row))
    feasible = [end for end in expected if semantics.feasible(model.domain, end.state)]
    assert found.sequences == len(expected)
    assert [(way.steps, way.cost, way.value) for way in found.ways] == [
        (end.steps, end.cost, semantics.value_of(model.domain, taste, end)) for end in feasible
    ]
    numbers = [failing(model.domain, end.state) for end in expected]
    assert found.always_failing == frozenset.intersection(*numbers)


@given(case=cases())
def test_the_decision_explained_is_the_one_of_the_definition(case: tuple[Model, Row]) -> None:
    model, row = case
    expected = semantics.decide(model.domain, model.taste, row)
    if isinstance(expected, Decision):
        found = explain(model, row)
        assert found.decision == expected
        assert found.search.admissible == 0 or expected.value is not None
        json.dumps(found.to_dict(), allow_nan=False)
        assert str(found).startswith(f"drawn: {expected.credit.value}\n")


def test_states_that_differ_in_the_sign_of_zero_are_not_one_place() -> None:
    domain = """{"racl": 1, "name": "zeros", "candidate": {"x": "number"},
      "context": {"budget": "number", "threshold": "number"},
      "requirements": {"r": "1 / x < 0"}, "features": {"g": "x"}, "rule": {"steps": 2},
      "repairs": {"plus": {"sets": {"x": "0"}}, "minus": {"sets": {"x": "-0.0 * abs(x)"}}}}"""
    model = parse_model(f'{{"racl_model": 1, "domain": {domain}, "preference": {PREFERENCE}}}')
    found = explain(model, {"x": 1, "budget": 1, "threshold": 0})
    assert found.decision.plan == "minus"
    assert found.search.feasible == 2  # minus; plus and then minus


PREFERENCE = '{"all": {"bias": 0, "weights": {"g": 1}}}'


def large_menu() -> Model:
    """Sixteen repairs that always apply, each on its own column and the next one's: no two orders meet."""
    columns = range(16)
    repairs = {
        f"r{one}": {"sets": {f"a{one}": f"1.5 * a{one} + a{(one + 1) % 16} / 3"}, "cost": f"1 + a{one}"}
        for one in columns
    }
    domain = {
        "racl": 1,
        "name": "large",
        "candidate": dict.fromkeys((f"a{one}" for one in columns), "number"),
        "context": {"budget": "number", "threshold": "number"},
        "requirements": {"q": "a0 > 0 and a1 + a2 < 1000"},
        "features": {f"g{one}": f"a{one} - a{(one + 3) % 16}" for one in columns},
        "repairs": repairs,
        "rule": {"steps": 4, "tradeoff": 0.1},
    }
    taste = {"all": {"bias": 0, "weights": {f"g{one}": one - 7 for one in columns}}}
    return parse_model(json.dumps({"racl_model": 1, "domain": domain, "preference": taste}))


def test_four_steps_over_sixteen_repairs_are_explained_in_seconds_and_on_few_pages() -> None:
    row = {f"a{one}": 0.1 * one + 1 for one in range(16)} | {"budget": 7.0, "threshold": 4.0}
    start = time.perf_counter()
    found = explain(large_menu(), row)
    text = str(found)
    assert time.perf_counter() - start < 20  # a second on an idle machine
    assert found.search.sequences == 1 + 16 + 16 * 15 + 16 * 15 * 14 + 16 * 15 * 14 * 13
    assert len(text.splitlines()) < 250


def test_a_column_that_nothing_reads_may_be_set() -> None:
    domain = """{"racl": 1, "name": "unread", "candidate": {"x": "number", "note": "number"},
      "context": {"budget": "number", "threshold": "number"},
      "requirements": {"r": "x > 0"}, "features": {"g": "x"}, "rule": {"steps": 2},
      "repairs": {"mend": {"sets": {"x": "1", "note": "7"}}, "mark": {"sets": {"note": "8"}}}}"""
    model = parse_model(f'{{"racl_model": 1, "domain": {domain}, "preference": {PREFERENCE}}}')
    found = explain(model, {"x": 0, "budget": 1, "threshold": 1})
    assert found.decision.plan == "mend"
    assert "changes     x 0 -> 1, note -> 7 (read by nothing)" in str(found)


def test_an_end_is_valued_at_its_own_cost_though_its_state_was_met_before() -> None:
    domain = """{"racl": 1, "name": "costs", "candidate": {"x": "number"},
      "context": {"budget": "number", "threshold": "number"},
      "requirements": {"r": "x > 0"}, "features": {"g": "x"}, "rule": {"tradeoff": 1},
      "repairs": {"dear": {"sets": {"x": "1"}, "cost": 0.5}, "cheap": {"sets": {"x": "1"}, "cost": 0.25}}}"""
    model = parse_model(f'{{"racl_model": 1, "domain": {domain}, "preference": {PREFERENCE}}}')
    found = explain(model, {"x": 0, "budget": 1, "threshold": 0})
    start = End((), state_of(model, {"x": 0, "budget": 1, "threshold": 0}), 0.0)
    assert len(list(semantics.ends(model.domain, start))) == found.search.sequences
    assert [one.outcome.value for one in found.repairs if one.outcome] == [0.0, 0.5, 0.75]
