"""Every engine against the definition, to the bit, on domains and rows drawn at random."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from racl import Model, Refusal
from racl import decide as deciding
from racl.model import Engine
from racl.semantics import Refused
from strategies.agreement import by_definition, by_engine, disagreements, outputs_of
from strategies.chance import Seeded
from strategies.domains import Shape, any_model
from strategies.drawn import decided
from strategies.interpreted import by_text
from strategies.rows import Row, any_rows

ROWS, COMPILED_ROWS = 50, 400
SHAPES = {
    1: Shape(steps=(1,)),
    2: Shape(steps=(2,)),
    3: Shape(steps=(3,), repairs=4),
    4: Shape(steps=(4,), repairs=4),
}


def drawn(seed: int, count: int, shape: Shape = Shape()) -> tuple[Model, list[Row]]:  # noqa: B008 - a frozen value
    """The model of a seed and rows for it."""
    chance = Seeded.of(seed)
    model = any_model(chance, shape)
    return model, any_rows(chance, model, count)


@given(decided(rows=12))
def test_closure_and_arrays_say_what_the_definition_says(case: tuple[Model, list[Row]]) -> None:
    model, rows = case
    found = by_definition(model, rows)
    assert [repr(model._closure(row)) for row in rows] == [repr(one) for one in found]
    assert disagreements(model, rows, outputs_of(model, found), by_engine(model, rows, "arrays")) == []


@pytest.mark.parametrize("seeds", list(pairwise(range(1000, 1301, 30))), ids=str)
def test_300_domains_are_decided_alike_by_every_engine_without_a_compiler(seeds: tuple[int, int]) -> None:
    for seed in range(*seeds):
        model, rows = drawn(seed, ROWS)
        wanted = outputs_of(model, by_definition(model, rows))
        for engine in ("rows", "arrays"):
            assert (seed, disagreements(model, rows, wanted, by_engine(model, rows, engine))) == (seed, [])


@pytest.mark.parametrize("seeds", list(pairwise(range(1000, 1301, 30))), ids=str)
def test_the_text_of_300_kernels_run_by_python_says_what_the_definition_says(seeds: tuple[int, int]) -> None:
    for seed in range(*seeds):
        model, rows = drawn(seed, ROWS)
        wanted = outputs_of(model, by_definition(model, rows))
        assert (seed, disagreements(model, rows, wanted, by_text(model, rows))) == (seed, [])


@pytest.mark.kernel
@pytest.mark.parametrize("seed", range(2000, 2030))
def test_the_kernel_says_what_the_definition_says_whatever_the_threads_and_chunks(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (1, 1, 1, 2, 3, 4)[seed % 6]
    model, rows = drawn(seed, COMPILED_ROWS, SHAPES[steps])
    wanted = outputs_of(model, by_definition(model, rows))
    monkeypatch.delattr(deciding, "by_arrays")  # nothing else may stand in for it
    for threads, block in ((1, 1 << 17), (2, 1 << 17), (1, 37), (3, 5)):
        monkeypatch.setattr(deciding, "BLOCK", block)
        found = disagreements(model, rows, wanted, by_engine(model, rows, "kernel", threads=threads))
        assert (threads, block, found) == (threads, block, [])


@pytest.mark.parametrize("engine", ["definition", "rows", "arrays"])
def test_threads_and_chunks_change_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(3000, 3010):
        model, rows = drawn(seed, ROWS)
        wanted = outputs_of(model, by_definition(model, rows))
        for threads, block in ((1, 7), (2, 1 << 17), (3, 1)):
            monkeypatch.setattr(deciding, "BLOCK", block)
            assert disagreements(model, rows, wanted, by_engine(model, rows, engine, threads=threads)) == []


@pytest.mark.parametrize("engine", ["auto", "definition", "rows", "arrays"])
def test_every_engine_sets_the_same_rows_aside_for_the_reasons_of_the_definition(engine: Engine) -> None:
    for seed in range(4000, 4030):
        model, rows = drawn(seed, ROWS)
        found = enumerate(by_definition(model, rows))
        wanted = [Refusal(row, one.column, one.reason) for row, one in found if isinstance(one, Refused)]
        decisions, refused = model.decide(rows, refused="collect", engine=engine)
        assert list(refused) == wanted
        assert len(decisions) == len(rows) - len(wanted)


def test_the_rows_drawn_meet_every_credit_and_every_reason_to_refuse() -> None:
    credits_, faults = set(), set()
    for seed in range(1000, 1100):
        for one in by_definition(*drawn(seed, ROWS)):
            if isinstance(one, Refused):
                faults.add(
                    one.column.split(".")[0]
                    if one.column.startswith(("repairs", "rule", "features"))
                    else one.column
                )
            else:
                credits_.add(one.credit)
    assert len(credits_) == 6
    assert {"repairs", "rule", "features", "value", "margin", "budget", "threshold", "persona"} <= faults
