"""What a model sees of rows, changed: fewer states, other costs. What is true of them stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from racl.bench.tier import Rows
from racl.domain.model import Domain
from racl.options import BY_STATE, Floats, Options, Truths, expand

UNBOUNDED = 1e15  # a budget that pays for everything


def of_states(options: Options, keep: Truths) -> Options:
    """The options with some of their states only."""
    count = np.bincount(options.row[keep], minlength=len(options))
    states = {name: getattr(options, name)[keep] for name in BY_STATE}
    return replace(options, start=np.concatenate([[0], np.cumsum(count)]), **states)


def whatever_it_costs(domain: Domain, rows: Rows) -> Options:
    """All feasible states, affordable or not; the budgets stay what they are."""
    frame = rows.frame
    place = frame.schema.get_field_index("budget")
    unbounded = pa.array(np.full(len(rows), UNBOUNDED))
    found = expand(domain, frame.set_column(place, "budget", unbounded))
    return replace(found, budget=rows.options.budget)


def affordable(options: Options, cost: Floats, budget: Floats) -> Options:
    """The options under other costs (m,) and budgets (n,)."""
    return replace(of_states(options, cost <= budget[options.row]), budget=budget)
