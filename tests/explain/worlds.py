"""Small domains drawn at random, and rows on the edge: budgets that are costs, thresholds that are values."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from racl import Decision, Model, semantics
from racl.expr.nodes import Expression, Number
from racl.model import parse_model
from racl.semantics import End, Refused

Row = dict[str, Any]

NUMBERS = (0.0, 0.1, 0.2, 0.3, 1.0, 3.0, -0.5)
TRUTHS = ("flag", "flag", "flag and x <= 3", "x >= 1", "not flag or y > 0", "budget >= x", "kind == 'a'")
WHENS = ("true", "true", "not flag", "x < 1", "x + y <= 3", "kind == 'a'")
AMOUNTS = ("x", "y", "flag", "0.1 * x + y", "budget", "x * y - z", "1 / x", "log(y)", "exp(900 * x)")
COSTS = (0, 0.1, 0.2, 0.3, 0.7, 1, "abs(x)", "0.1 * abs(y) + 0.1", "0.3 + abs(z)", "1e308 * abs(x)", "1 / y")
SETS = {
    "x": ("x + 0.1", "1", "y", "-x", "0", "x / y"),
    "y": ("0.3", "y + 1", "0 * x", "z"),
    "flag": ("true", "true", "not flag", "x > y"),
    "kind": ("'a'", "'b' if flag else kind"),
}
WEIGHTS = (1.0, -1.0, 0.1, 2.5, 0.0, 1e300)


def chosen(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


@st.composite
def repairs(draw: st.DrawFn) -> dict[str, Any]:
    """One repair."""
    columns = draw(st.lists(chosen("flag", *SETS), min_size=1, max_size=2, unique=True))
    return {
        "applies": draw(chosen(*WHENS)),
        "sets": {name: draw(chosen(*SETS[name])) for name in columns},
        "cost": draw(chosen(*COSTS)),
    }


@st.composite
def documents(draw: st.DrawFn, steps: int) -> dict[str, Any]:
    """A domain as it stands in a model's file."""
    menu = draw(st.lists(repairs(), min_size=draw(chosen(0, 2, 3)), max_size=4))
    kind = {"type": "category", "values": ["a", "b"]}
    features = draw(st.lists(chosen(*AMOUNTS), min_size=1, max_size=3))
    requirements = draw(st.lists(chosen(*TRUTHS), min_size=1, max_size=2))
    choose = draw(chosen("best", "cheapest"))
    return {
        "racl": 1,
        "name": "drawn",
        "candidate": {"x": "number", "y": "number", "flag": "boolean", "kind": kind},
        "context": {"budget": "number", "threshold": "number", "z": "number"},
        "requirements": {f"q{number}": text for number, text in enumerate(requirements)},
        "features": {f"g{number}": text for number, text in enumerate(features)},
        "repairs": {f"r{number}": repair for number, repair in enumerate(menu)},
        "rule": {"tradeoff": draw(chosen(0, 0, 0.1, 2)), "choose": choose, "steps": steps},
    }


@st.composite
def models(draw: st.DrawFn) -> Model:
    """A model."""
    document = draw(documents(draw(chosen(1, 1, 2, 3))))
    weights = {name: draw(chosen(*WEIGHTS)) for name in document["features"]}
    preference = {"all": {"bias": draw(chosen(0.0, 0.0, 0.5, -1e300)), "weights": weights}}
    return parse_model(json.dumps({"racl_model": 1, "domain": document, "preference": preference}))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Model, Row]:
    """A model and a row whose budget is often a cost and whose threshold is often a value."""
    model = draw(models())
    row: Row = {name: draw(chosen(*NUMBERS)) for name in ("x", "y", "z", "threshold")}
    row |= {"flag": draw(chosen(False, False, True)), "kind": draw(chosen("a", "b"))}
    row["budget"] = draw(chosen(0.0, 0.3, 1.0, 9.0))
    row["budget"] = draw(chosen(row["budget"], *costs(model, row)))
    row["threshold"] = draw(chosen(row["threshold"], 1e308, *values(model, row)))
    return model, row


def ends(model: Model, row: Row) -> list[End]:
    """Every end, where the row can be read."""
    state = semantics.read_row(model.domain, model.taste, row)
    if isinstance(state, Refused) or semantics.first_step_fault(model.domain, state):
        return []
    return list(semantics.ends(model.domain, End((), state, 0.0)))


def costs(model: Model, row: Row) -> list[float]:
    """Finite costs that plans have."""
    return [end.cost for end in ends(model, row) if end.cost < 1e308][:50]


def values(model: Model, row: Row) -> list[float]:
    """Values that plans have."""
    preference = model.taste.personas["all"]
    found = [semantics.value_of(model.domain, preference, end) for end in ends(model, row)[:50]]
    return [value for value in found if isinstance(value, float)]


def decided(
    model: Model, row: Row, *, budget: float | None = None, threshold: float | None = None
) -> Decision | Refused:
    """The definition's decision where `[rule]` gives another budget or threshold, every column as it is."""
    rule = model.domain.rule
    if budget is not None:
        rule = replace(rule, budget=Expression(Number(budget)))
    if threshold is not None:
        rule = replace(rule, threshold=Expression(Number(threshold)))
    return semantics.decide(replace(model.domain, rule=rule), model.taste, row)


def accepts(found: Decision | Refused) -> bool:
    """Whether it is a decision, and accepts."""
    return isinstance(found, Decision) and found.accepted


def word(found: Decision | Refused) -> str:
    """What became of a row."""
    return "refused" if isinstance(found, Refused) else "accepted" if found.accepted else "rejected"
