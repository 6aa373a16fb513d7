"""The fused kernel: one compiled loop from columns to decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.engines import kernel_source, search_source
from racl.engines.compiled import Argument, compiled
from racl.engines.outputs import Outputs, plan_type
from racl.program import Program

Kernel = Callable[[Mapping[str, NDArray[Any]], NDArray[np.float64], Outputs], None]


def arguments(program: Program) -> tuple[Argument, ...]:
    """The types of the kernel's arguments: rows, personas, weights, columns, outputs."""
    columns = kernel_source.column_types(program).values()
    outputs = ["uint8", "int8", plan_type(program).__name__, "float64", "float64", "float64", "uint8"]
    arrays = ["float64", *columns, *outputs]
    return (("int64", False), ("int64", False), *((name, True) for name in arrays))


@lru_cache(maxsize=64)
def _compiled(text: str, types: tuple[Argument, ...]) -> Callable[..., None]:
    return compiled(text, types)


def kernel_text(program: Program, *, other: bool, tame: bool) -> str:
    """The text that is compiled."""
    if program.domain.rule.steps > 1:
        return search_source.source(program)
    return kernel_source.source(program, other=other, tame=tame)


def kernel(program: Program, *, other: bool, tame: bool) -> Kernel:
    """The compiled kernel of a program.

    `other` where a default preference decides personas that are not declared; `tame` where no value can overflow.
    """
    function = _compiled(kernel_text(program, other=other, tame=tame), arguments(program))
    types = {name: np.dtype(type_) for name, type_ in kernel_source.column_types(program).items()}

    def decide(columns: Mapping[str, NDArray[Any]], weights: NDArray[np.float64], out: Outputs) -> None:
        given = [plain(columns[name], type_) for name, type_ in types.items()]
        written = [getattr(out, field.name) for field in fields(out)]
        arrays = [plain(weights, np.dtype(np.float64)), *given, *written]
        function(len(out.refused), len(weights), *(array.__array_interface__["data"][0] for array in arrays))

    return decide


def plain(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The array as it lies in memory if the kernel can read it so, else a copy that it can."""
    flags = array.flags
    if array.dtype == dtype and flags.c_contiguous and flags.aligned:
        return array
    return np.require(array, dtype, ["C", "A"])
