"""Laws that decisions obey, whatever the domain."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from racl import Decision, Model, load_model
from racl.domain.model import Type
from racl.model import parse_model
from racl.semantics import Refused
from strategies.agreement import by_definition, by_engine, differing, outputs_of
from strategies.chance import Chance
from strategies.domains import Document, domain_document, model_document
from strategies.drawn import SMALL, chances
from strategies.rows import Row, aimed_row, any_rows, reachable

CONSTANTS = {Type.NUMBER: 1, Type.INTEGER: 2, Type.BOOLEAN: True}
few = settings(max_examples=100)


def model_of(document: Document) -> Model:
    return parse_model(json.dumps(document))


def own_bars(chance: Chance) -> Document:
    """A model whose budget and threshold are read by the rule alone."""
    domain = domain_document(chance, SMALL)
    document = model_document(chance, domain, SMALL)
    domain["context"] |= {"own_budget": {"type": "number", "min": 0}, "own_threshold": "number"}
    domain["rule"] |= {"budget": "own_budget", "threshold": "own_threshold"}
    return document


def decided(model: Model, row: Row) -> Decision | None:
    found = by_definition(model, [row])[0]
    return found if isinstance(found, Decision) else None


@few
@given(chances(), st.sampled_from([0.0, 5e-324, 0.5, 1.0, 100.0]))
def test_more_budget_never_turns_an_acceptance_into_a_rejection(chance: Chance, more: float) -> None:
    model = model_of(own_bars(chance))
    row = aimed_row(chance, model)
    first, second = decided(model, row), decided(model, row | {"own_budget": row["own_budget"] + more})
    if first and second:
        assert second.accepted >= first.accepted
        assert first.value is None or (
            second.value is not None and (second.value >= first.value or first.accepted)
        )


@few
@given(chances(), st.sampled_from([5e-324, 0.5, 1.0, 100.0]))
def test_a_higher_threshold_never_turns_a_rejection_into_an_acceptance(chance: Chance, more: float) -> None:
    model = model_of(own_bars(chance))
    row = aimed_row(chance, model)
    first, second = decided(model, row), decided(model, row | {"own_threshold": row["own_threshold"] + more})
    if first and second:
        assert second.accepted <= first.accepted


@few
@given(chances())
def test_a_row_is_accepted_exactly_when_some_admissible_plan_reaches_the_threshold(chance: Chance) -> None:
    model = model_of(own_bars(chance))
    row = aimed_row(chance, model)
    found = decided(model, row)
    if found:
        within = [option for option in reachable(model, row) if option.cost <= row["own_budget"]]
        assert found.accepted == any(option.value >= row["own_threshold"] for option in within)
        assert (found.value is None) == (not within)


@few
@given(chances(), st.integers(0, 2**32))
def test_the_order_of_the_rows_changes_nothing(chance: Chance, seed: int) -> None:
    model = model_of(own_bars(chance))
    rows = any_rows(chance, model, 8)
    order = random.Random(seed).sample(range(8), 8)
    found = by_definition(model, rows)
    shuffled = by_engine(model, [rows[n] for n in order], "arrays")
    assert differing(outputs_of(model, [found[n] for n in order]), shuffled) == []


@few
@given(chances(), st.integers(0, 5))
def test_a_repair_that_never_applies_changes_nothing(chance: Chance, place: int) -> None:
    document = own_bars(chance)
    model = model_of(document)
    rows = any_rows(chance, model, 4)
    repairs = list(document["domain"]["repairs"].items())
    column = model.domain.candidate[0]
    never = {
        "applies": "1 > 2",
        "sets": {column.name: CONSTANTS.get(column.type, repr(column.values[0] if column.values else ""))},
        "cost": "1 / 0",
    }
    document["domain"]["repairs"] = dict([*repairs[:place], ("never", never), *repairs[place:]])
    assert by_definition(model_of(document), rows) == by_definition(model, rows)


@few
@given(chances())
def test_a_requirement_that_always_holds_changes_nothing(chance: Chance) -> None:
    document = own_bars(chance)
    model = model_of(document)
    rows = any_rows(chance, model, 4)
    document["domain"]["requirements"]["always"] = "not false"
    assert by_definition(model_of(document), rows) == by_definition(model, rows)


@few
@given(chances())
def test_one_repair_more_never_turns_an_acceptance_into_a_rejection(chance: Chance) -> None:
    document = own_bars(chance)
    model = model_of(document)
    rows = any_rows(chance, model, 4)
    if not document["domain"]["repairs"]:
        return
    document["domain"]["repairs"].popitem()
    for fewer, more in zip(by_definition(model_of(document), rows), by_definition(model, rows), strict=True):
        if isinstance(fewer, Decision) and isinstance(more, Decision):
            assert more.accepted >= fewer.accepted


@few
@given(chances(), st.integers(2, 4))
def test_one_step_more_never_turns_an_acceptance_into_a_rejection(chance: Chance, steps: int) -> None:
    document = own_bars(chance)
    rule = document["domain"]["rule"]
    rule["steps"] = steps
    longer = model_of(document)
    rule["steps"] = steps - 1
    shorter = model_of(document)
    row = aimed_row(chance, longer)
    fewer, more = decided(shorter, row), decided(longer, row)
    if fewer and more:
        assert more.accepted >= fewer.accepted


@few
@given(chances(), st.sampled_from([1e-3, 0.5, 1.0, 10.0]))
def test_a_dearer_trade_off_never_turns_a_rejection_into_an_acceptance(chance: Chance, more: float) -> None:
    document = own_bars(chance)
    model = model_of(document)
    rows = any_rows(chance, model, 4)
    rule = document["domain"]["rule"]
    rule["tradeoff"] = rule.get("tradeoff", 0) + more
    for cheap, dear in zip(by_definition(model, rows), by_definition(model_of(document), rows), strict=True):
        if isinstance(cheap, Decision) and isinstance(dear, Decision):
            assert dear.accepted <= cheap.accepted


@few
@given(chances())
def test_the_cheapest_plan_costs_no_more_than_the_best_and_both_accept_the_same_rows(chance: Chance) -> None:
    document = own_bars(chance)
    found = {}
    rows = any_rows(chance, model_of(document), 4)
    for choose in ("best", "cheapest"):
        document["domain"]["rule"]["choose"] = choose
        found[choose] = by_definition(model_of(document), rows)
    for best, cheapest in zip(found["best"], found["cheapest"], strict=True):
        if isinstance(best, Refused) or isinstance(cheapest, Refused):
            continue
        assert (best.accepted, best.credit) == (cheapest.accepted, cheapest.credit)
        if best.cost is not None and cheapest.cost is not None and best.value is not None:
            assert cheapest.cost <= best.cost
            assert (cheapest.value or 0.0) <= best.value


@few
@given(chances())
def test_a_model_that_was_saved_and_loaded_decides_alike(chance: Chance) -> None:
    model = model_of(own_bars(chance))
    rows = any_rows(chance, model, 4)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        again = load_model(path)
        again.save(path)
        assert load_model(path) == again == model
    assert list(map(repr, by_definition(again, rows))) == list(map(repr, by_definition(model, rows)))


@few
@given(chances())
def test_what_stands_exactly_at_a_bar_passes_it_and_one_float_beyond_does_not(chance: Chance) -> None:
    model = model_of(own_bars(chance))
    row = aimed_row(chance, model)
    reached = reachable(model, row)
    if not reached:
        return
    dearest = max(option.cost for option in reached)
    best = max(option.value for option in reached)
    row |= {"own_budget": dearest, "own_threshold": best}
    found = decided(model, row)
    assert found is None or (found.accepted and found.margin == 0.0)
    above = decided(model, row | {"own_threshold": math.nextafter(best, math.inf)})
    assert above is None or not above.accepted
