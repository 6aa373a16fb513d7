"""What an engine writes for each row: arrays on one piece of memory, filled by slices."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.domain.model import KEEP
from racl.engines.memory import lent
from racl.program import Program
from racl.semantics import Credit

CREDITS = tuple(Credit)
CREDIT_NUMBER = {credit: number for number, credit in enumerate(CREDITS)}


@dataclass(frozen=True, slots=True)
class Outputs:
    """Decisions of n rows; a row that is refused has credit -1 and nothing else."""

    accepted: NDArray[np.bool_]  # (n,)
    credit: NDArray[np.int8]  # (n,) number of the credit
    plan: NDArray[np.signedinteger]  # (n,) number of the plan, -1 for none
    value: NDArray[np.float64]  # (n,) NaN for none, likewise below
    margin: NDArray[np.float64]
    cost: NDArray[np.float64]
    refused: NDArray[np.bool_]

    def part(self, start: int, stop: int) -> Outputs:
        """The same memory, from one row to another."""
        return Outputs(*(getattr(self, one.name)[start:stop] for one in fields(self)))


def allocate(program: Program, rows: int) -> Outputs:
    """Room for the decisions of that many rows, in one piece; the widest columns come first, so that all are aligned."""
    types: tuple[Any, ...] = (
        np.float64,
        np.float64,
        np.float64,
        plan_type(program),
        np.int8,
        np.bool_,
        np.bool_,
    )
    ends = np.cumsum([rows * np.dtype(type_).itemsize for type_ in types]).tolist()
    memory = lent(ends[-1])
    columns: list[NDArray[Any]] = [
        memory[start:end].view(type_) for type_, start, end in zip(types, [0, *ends], ends, strict=False)
    ]
    value, margin, cost, plan, credit, accepted, refused = columns
    return Outputs(accepted, credit, plan, value, margin, cost, refused)


def plan_type(program: Program) -> type[np.signedinteger]:
    """The smallest integer that numbers every plan and -1."""
    plans = (len(program.effects) + 1) ** program.domain.rule.steps
    return next((type_ for type_ in (np.int8, np.int16, np.int32) if plans <= np.iinfo(type_).max), np.int64)


def plan_number(program: Program, steps: tuple[int, ...]) -> int:
    """The number of a plan: its steps as digits, the first the lowest; `keep` is 0."""
    base = len(program.effects) + 1
    return sum(step * base**place for place, step in enumerate(steps))


def plan_steps(program: Program, number: int) -> tuple[int, ...]:
    """The steps of a plan by its number."""
    base, steps = len(program.effects) + 1, []
    while number > 0:
        number, step = divmod(number, base)
        steps.append(step)
    return tuple(steps)


def plan_name(program: Program, number: int) -> str:
    """The name of a plan by its number."""
    return " + ".join(program.names[step] for step in plan_steps(program, number)) or KEEP
