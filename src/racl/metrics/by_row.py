"""Values that hold one entry a row in each of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class ByRow:
    """Fields of n entries each, or `None`: some of the rows, or several stretches of rows in one."""

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Self:
        """Some of the rows, in the order given."""
        return self._of({name: None if array is None else array[rows] for name, array in self._fields()})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The rows of several, one after the other; what one of them lacks, the whole lacks."""
        if len(parts) == 1:
            return parts[0]
        whole = {}
        for name, _ in parts[0]._fields():
            arrays = [getattr(part, name) for part in parts]
            whole[name] = None if any(array is None for array in arrays) else np.concatenate(arrays)
        return cls._of(whole)

    @classmethod
    def _of(cls, arrays: dict[str, Any]) -> Self:
        return cls(**arrays)

    def _fields(self) -> list[tuple[str, Any]]:
        return [(one.name, getattr(self, one.name)) for one in fields(self)]  # type: ignore[arg-type]
