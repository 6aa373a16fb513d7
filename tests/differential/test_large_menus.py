"""The largest menus that plans of several steps are made for: as many repairs, as many steps."""

from __future__ import annotations

import json
from random import Random

import pytest

from racl import Model
from racl.decide import ROW_BY_ROW, chosen_engine
from racl.model import parse_model
from strategies.agreement import by_definition, by_engine, disagreements, outputs_of
from strategies.rows import Row

FEATURES = {"a": "n0 / 10", "b": "n1 / 10", "c": "b0", "d": "n2 * n3 / 100"}


def shop(repairs: int, steps: int, choose: str = "best", seed: int = 0) -> Model:
    """A model with so many repairs, each of another kind."""
    chance = Random(seed)
    numbers = {f"n{i}": {"type": "number", "min": 0, "max": 100} for i in range(4)}
    menu = {f"r{i}": repair(chance) for i in range(repairs)}
    domain = {
        "racl": 1,
        "name": "shop",
        "candidate": {**numbers, "b0": "boolean", "b1": "boolean"},
        "context": {"budget": {"type": "number", "min": 0}, "threshold": "number"},
        "requirements": {"much": "n0 + n1 >= 60 or b0", "some": "b1 or n2 > 50"},
        "features": FEATURES,
        "repairs": menu,
        "rule": {"steps": steps, "choose": choose, "tradeoff": 0.25},
    }
    weights = dict(zip(FEATURES, (0.5, -0.25, 1.0, 0.1), strict=True))
    preference = {"all": {"bias": 0.1, "weights": weights}}
    return parse_model(json.dumps({"racl_model": 1, "domain": domain, "preference": preference}))


def repair(chance: Random) -> dict[str, object]:
    """A repair of a number or a truth, sometimes of both."""
    name = f"n{chance.randrange(4)}"
    sets = {
        name: chance.choice([f"{name} + {chance.randint(1, 9)}", f"max({name}, {chance.randint(1, 60)})"])
    }
    if chance.random() < 0.4:
        sets[f"b{chance.randrange(2)}"] = chance.choice(["true", "n0 > 10", "not b0"])
    applies = chance.choice(["true", f"{name} < {chance.randint(20, 90)}", "not b0", "b1"])
    return {"applies": applies, "sets": sets, "cost": f"{chance.randint(0, 6)} + {name} / 50"}


def rows_of(count: int, seed: int = 1) -> list[Row]:
    """Rows with little to spend and with much."""
    chance = Random(seed)
    truths = [{f"b{i}": chance.random() < 0.3 for i in range(2)} for _ in range(count)]
    return [
        {f"n{i}": float(chance.randint(0, 100)) for i in range(4)}
        | truth
        | {"budget": float(chance.choice([0, 5, 12, 30])), "threshold": chance.choice([0.0, 5.0, 9.5])}
        for truth in truths
    ]


@pytest.mark.parametrize(
    ("repairs", "steps", "rows", "engines"),
    [(16, 3, 6, ("rows", "arrays")), (16, 4, 3, ("rows",)), (64, 2, 8, ("rows", "arrays"))],
)
@pytest.mark.parametrize("choose", ["best", "cheapest"])
def test_the_largest_menus_are_searched_to_the_last_plan(
    repairs: int, steps: int, rows: int, engines: tuple[str, ...], choose: str
) -> None:
    model, given = shop(repairs, steps, choose), rows_of(rows)
    wanted = outputs_of(model, by_definition(model, given))
    for engine in engines:
        found = by_engine(model, given, engine)  # type: ignore[arg-type]
        assert (engine, disagreements(model, given, wanted, found)) == (engine, [])


@pytest.mark.parametrize(
    ("repairs", "steps", "rows", "engine"),
    [
        (8, 1, 1, "arrays"), (8, 1, 100_000, "arrays"), (8, 1, 120_000, "kernel"), (16, 4, 1, "rows"),
        (16, 4, ROW_BY_ROW, "rows"), (16, 4, 1_000, "kernel"), (64, 2, ROW_BY_ROW + 1, "arrays"), (64, 2, 1_000, "arrays"),
        (64, 2, 100_000, "kernel"),
    ],
)  # fmt: skip
def test_the_engine_is_chosen_by_what_it_takes(repairs: int, steps: int, rows: int, engine: str) -> None:
    assert chosen_engine(shop(repairs, steps), rows) == engine
