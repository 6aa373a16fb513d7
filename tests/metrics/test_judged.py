"""What metrics are told of a model is what the model decides."""

from __future__ import annotations

import numpy as np
import pytest

from racl import options, semantics
from racl.engines.outputs import CREDIT_NUMBER, CREDITS
from racl.frames import read_rows
from racl.metrics.judged import PREFERENCE, judged
from racl.semantics import Refused
from strategies.agreement import by_definition
from strategies.chance import Seeded
from strategies.domains import Shape, any_model
from strategies.rows import any_rows

SHAPE = Shape(extremes=0)


@pytest.mark.parametrize("seed", range(100))
def test_a_table_of_options_is_judged_as_the_definition_decides(seed: int) -> None:
    chance = Seeded.of(seed)
    model = any_model(chance, SHAPE)
    rows = any_rows(chance, model, 15)
    blank = options.blank(model.domain, other=model.taste.default is not None)
    said = judged(options.expand_table(blank, read_rows(rows)), model.weights)
    assert said.plan is not None
    assert said.credit is not None
    for number, found in enumerate(by_definition(model, rows)):
        if isinstance(found, Refused):
            continue
        assert bool(said.accepted[number]) == found.accepted
        assert CREDITS[said.credit[number]] is found.credit
        assert said.plan[number] == found.plan
        np.testing.assert_equal(said.margin[number], np.nan if found.margin is None else found.margin)
        assert (said.bucket[number] == PREFERENCE) == (found.value is not None)


def test_every_credit_has_a_number() -> None:
    assert [CREDIT_NUMBER[credit] for credit in semantics.Credit] == list(range(6))
