"""What the bounds of a term promise holds of every row."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from racl import Decision, Model
from racl.decide import encoded
from racl.engines.arrays import State, check_column
from racl.engines.bounds import Bounds
from racl.frames import read_rows
from racl.program import Kind, surely_finite
from strategies.agreement import by_definition
from strategies.drawn import decided
from strategies.rows import Row


@given(decided(rows=8))
def test_every_term_of_a_decided_row_lies_within_its_bounds(case: tuple[Model, list[Row]]) -> None:
    model, rows = case
    program, bounds = model.program, Bounds(model.program)
    assert program.reaches
    columns = encoded(model, read_rows(rows), 0, len(rows))
    plain = {
        name: check_column(program.domain.column(name), columns[name], np.ones(len(rows), bool))
        for name in program.columns
    }
    decided_rows = [row for row, one in enumerate(by_definition(model, rows)) if isinstance(one, Decision)]
    state = State(program, plain, len(rows))
    with np.errstate(all="ignore"):
        for term, step in enumerate(program.terms.steps):
            if step.kind is not Kind.NUMBER or step.op == "weight":
                continue
            values, interval = state.full(term)[decided_rows], bounds.of(term)
            if interval.finite:
                assert np.all((values >= interval.low) & (values <= interval.high)), (step, interval, values)
            assert not surely_finite(program.terms, term) or np.all(np.isfinite(values))
