"""Many rows at once: the same answers as row by row, whatever is among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cli.air import AIR, PREFERENCE
from racl.domain.files import parse_domain
from racl.model import Model
from racl.serve.columns import columns_of, decide_many, ready
from racl.serve.deciding import Found, decide_rows
from racl.serve.faults import RequestError
from serve.asking import GOOD, Asker, air_model

MODEL = air_model()
STEPS = Model.of(parse_domain(AIR + "\n[rule]\nsteps = 2\nchoose = 'cheapest'\n"), PREFERENCE)
ODD: list[Any] = [
    {**GOOD, "fare": True}, {**GOOD, "fare": "80"}, {**GOOD, "fare": 2**53 + 1}, {**GOOD, "fare": 10**30},
    {**GOOD, "fare": None}, {**GOOD, "fare": -1}, {**GOOD, "fare": -0.0}, {**GOOD, "fare": [1]}, {**GOOD, "stops": 0.5},
    {**GOOD, "stops": 5}, {**GOOD, "has_bag": 1}, {**GOOD, "has_bag": None}, {**GOOD, "needs_bag": None},
    {**GOOD, "carrier": "ZZ"}, {**GOOD, "carrier": 1}, {**GOOD, "carrier": None}, {**GOOD, "carrier": "UA\0"},
    {**GOOD, "persona": "nobody"}, {**GOOD, "budget": -1}, {**GOOD, "threshold": 1e308}, {}, 5, None, [GOOD],
    {**GOOD, "more": 1}, {name: value for name, value in GOOD.items() if name != "needs_bag"},
]  # fmt: skip


def rows(count: int) -> list[dict[str, Any]]:
    chance = np.random.default_rng(0)
    return [
        {
            **GOOD, "fare": float(chance.integers(0, 500)), "stops": int(chance.integers(0, 5)),
            "has_bag": bool(chance.integers(0, 2)), "needs_bag": bool(chance.integers(0, 2)),
            "persona": str(chance.choice(["business", "leisure"])), "budget": int(chance.integers(0, 80)),
        }
        for _ in range(count)
    ]  # fmt: skip


def plain(found: list[Found]) -> list[Any]:
    return [one.shown() if isinstance(one, RequestError) else one for one in found]


@pytest.mark.kernel
@pytest.mark.parametrize("model", [MODEL, STEPS], ids=["one step", "two steps, the cheapest"])
def test_many_rows_are_decided_as_row_by_row(model: Model) -> None:
    given = rows(2000)
    assert columns_of(model, given) is not None
    assert decide_many(model, given) == decide_rows(model, given)


@pytest.mark.kernel
@pytest.mark.parametrize("number", range(len(ODD)))
def test_an_odd_row_among_many_is_answered_as_by_itself(number: int) -> None:
    given = [*rows(20), ODD[number], *rows(3)]
    assert plain(decide_many(MODEL, given)) == plain(decide_rows(MODEL, given))


@pytest.mark.kernel
@pytest.mark.parametrize("number", range(len(ODD)))
def test_rows_that_are_all_odd_in_the_same_way_are_answered_as_by_themselves(number: int) -> None:
    given = [ODD[number]] * 20
    assert plain(decide_many(MODEL, given)) == plain(decide_rows(MODEL, given))


@pytest.mark.kernel
def test_rows_may_have_their_columns_in_any_order_and_leave_different_ones_out() -> None:
    given = [dict(reversed(row.items())) if number % 2 else row for number, row in enumerate(rows(40))]
    given += [{name: value for name, value in row.items() if name != "carrier"} for row in rows(5)]
    assert columns_of(MODEL, given) is not None
    assert plain(decide_many(MODEL, given)) == plain(decide_rows(MODEL, given))


@pytest.mark.kernel
def test_requests_of_many_rows_have_the_same_answers_before_and_after_the_kernel_is_there(
    kept: Asker,
) -> None:
    def ask() -> list[Any]:
        found = kept("POST", "/v1/decide", {"rows": [*rows(300), {}]}).json["decisions"]
        return [{name: value for name, value in one.items() if name != "id"} for one in found]

    before = ask()
    kept.service.pool.shutdown()
    assert ready(kept.service.registry.named("default", "air").active.model)
    assert ask() == before
    assert "error" in before[-1]
    counts = kept("GET", "/metrics").body.decode()
    assert (
        f'credit="accepted-already-good"}} {2 * sum(one.get("credit") == "accepted-already-good" for one in before)}'
        in counts
    )
