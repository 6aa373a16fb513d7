"""The fused kernel: one compiled loop from columns to decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.engines import kernel_source, search_source
from racl.engines.compiled import compiled
from racl.engines.outputs import Outputs, plan_type
from racl.program import Program

Kernel = Callable[[Mapping[str, NDArray[Any]], NDArray[np.float64], Outputs], None]


def signature(program: Program) -> Any:
    """The types of the kernel's arguments, in numba's notation."""
    from numba import types

    columns = [array_type(name, readonly=True) for name in kernel_source.column_types(program).values()]
    weights = types.Array(types.float64, 2, "C", readonly=True)
    outputs = ["boolean", "int8", plan_type(program).__name__, "float64", "float64", "float64", "boolean"]
    return types.void(*columns, weights, *(array_type(name, readonly=False) for name in outputs))


def array_type(name: str, *, readonly: bool) -> Any:
    """A contiguous array of that type."""
    from numba import types

    return types.Array(getattr(types, name), 1, "C", readonly=readonly)


@lru_cache(maxsize=64)
def _compiled(text: str, types: Any) -> Callable[..., None]:
    return compiled(text, types)


def kernel(program: Program, *, other: bool) -> Kernel:
    """The compiled kernel of a program; `other` where a default preference decides undeclared personas."""
    if program.domain.rule.steps > 1:
        text = search_source.source(program, other=other)
    else:
        text = kernel_source.source(program, other=other)
    function = _compiled(text, signature(program))
    types = kernel_source.column_types(program)

    def decide(columns: Mapping[str, NDArray[Any]], weights: NDArray[np.float64], out: Outputs) -> None:
        given = [np.require(columns[name], types[name], ["C", "A"]) for name in program.columns]
        function(*given, weights, *(getattr(out, field.name) for field in fields(out)))

    return decide
