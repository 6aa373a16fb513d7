"""Outcomes that concern the plan that was shown: each row is left with that state alone, instead of with its best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from racl.errors import DataError, Problem, nearest, quoted
from racl.frames.beside import Beside
from racl.options import Options
from racl.program import Program


def as_shown(options: Options, shown: Beside) -> Options:
    """The same rows, each with no other state than that of the plan that was shown, if it is admissible at all."""
    plan = numbers(options.program, shown)
    keep = options.plan == plan[options.row]
    count = np.bincount(options.row[keep], minlength=len(options)).astype(options.start.dtype)
    start = np.concatenate([[0], np.cumsum(count)]).astype(options.start.dtype)
    return replace(
        options,
        start=start,
        plan=options.plan[keep],
        cost=options.cost[keep],
        features=options.features[keep],
    )


def numbers(program: Program, shown: Beside) -> NDArray[np.int64]:
    """(n,) the number of the plan of that name; -1 where nothing was shown."""
    known: dict[object, int] = {None: -1}
    found = np.empty(len(shown.values), np.int64)
    for row, name in enumerate(shown.values):
        if name not in known:
            known[name] = number(program, shown, row)
        found[row] = known[name]
    return found


def number(program: Program, shown: Beside, row: int) -> int:
    """The number of one plan."""
    names: Sequence[str] = program.names
    name = shown.values[row]
    steps = str(name).split(" + ")
    unknown = [step for step in steps if step not in names]
    if unknown or len(steps) > program.domain.rule.steps:
        hint = nearest(unknown[0], names) if unknown else ""
        raise shown.problem(row, f"{quoted(name)} is no plan of the domain", hint)
    return sum(names.index(step) * len(names) ** place for place, step in enumerate(steps))


def known_outcomes(shown: Beside, labels: Beside) -> NDArray[np.bool_]:
    """(n,) rows of which something was shown, and of which it is known what came of it; raises where there are none."""
    known = known_rows(shown, labels)
    if not known.any():
        raise nothing_known()
    return known


def known_rows(shown: Beside, labels: Beside) -> NDArray[np.bool_]:
    """(n,) rows of which something was shown, and of which it is known what came of it."""
    pairs = zip(shown.values, labels.values, strict=True)
    return np.array([plan is not None and label is not None for plan, label in pairs], np.bool_)


def nothing_known() -> DataError:
    """The fault of rows of which nothing is known."""
    what = "no row has both a plan that was shown and a label"
    return DataError([Problem("shown", what, "outcomes are told to POST /v1/decisions/{id}/outcome")])
