"""A frame of whatever kind, as the columns that a domain reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from racl.domain.model import Column
from racl.frames.arrow import Values
from racl.frames.blocks import AbsentSource, Source, first_value
from racl.frames.encode import Encoder, target
from racl.values import Fault, Value, read_text_value, read_value

NOT_A_VALUE = ("nan", "NaT")  # how pandas writes a null


class Kind(StrEnum):
    """The kinds of frame that come in, and go out again."""

    PANDAS = "pandas"
    POLARS = "polars"
    ARROW = "arrow"
    BATCH = "record batch"
    ARRAYS = "dict of arrays"
    ROWS = "list of rows"


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows to decide: their columns by name, read a stretch at a time."""

    kind: Kind
    native: object
    rows: int
    names: tuple[str, ...]  # those that are text; a name may stand here twice
    find: Callable[[str], Source]  # of the first column of that name
    text: bool = False  # whether cells are text, to be read by the domain's types
    offset: int = 0  # the number of the first row within all that are decided in this run
    faults: Mapping[int, str] = field(default_factory=dict)  # rows that are no rows, and why
    lines: tuple[bytes, ...] = ()  # the rows as they were written, where that is to be kept
    encoders: dict[str, Encoder] = field(default_factory=dict, repr=False)
    sources: dict[str, Source] = field(default_factory=dict, repr=False)
    faulty: Values = field(init=False, repr=False)  # the keys of `faults`, which are in order

    def __post_init__(self) -> None:
        object.__setattr__(self, "faulty", np.fromiter(self.faults, np.int64, len(self.faults)))

    def source(self, name: str) -> Source:
        """Where a column is kept; a column that is not there is null throughout."""
        if name not in self.sources:
            self.sources[name] = self.find(name) if name in self.names else AbsentSource()
        return self.sources[name]

    def raw(self, name: str, row: int) -> object:
        """What stands in a row, as plain Python has it; a null is `None`."""
        source = self.source(name)
        value = first_value(next(source.blocks(row, row + 1)))
        return None if source.nan_is_null and _is_nan(value) else value

    def read(self, column: Column, row: int) -> Value | Fault:
        """The value of one row by the plain definition, or why it is refused."""
        if row in self.faults:
            return Fault(self.faults[row])
        raw = self.raw(column.name, row)
        if self.text:
            return read_text_value(column, None if raw is None else str(raw))
        return read_value(column, raw)

    def encode(
        self, column: Column, codes: Mapping[str, int], start: int, stop: int, other: int = -1
    ) -> Values:
        """The rows from start up to stop as engines read them.

        Numbers are float64 and NaN where refused, booleans 0 or 1 and 2 where refused, categories the codes
        of their texts, `other` for a text that is not among the values and -1 where refused. A row that is
        no row is refused in every column.
        """
        encoder = self.encoders.get(column.name)
        if encoder is None or not encoder.suits(column, codes, other):
            source = self.source(column.name)
            wanted = target(column, codes, other, source, text=self.text)
            encoder = self.encoders[column.name] = Encoder(source, wanted, (column, codes, other))
        if not self.faults:
            return encoder(start, stop)
        first, last = np.searchsorted(self.faulty, (start, stop))
        if first == last:
            return encoder(start, stop)
        values = np.array(encoder(start, stop))
        values[self.faulty[first:last] - start] = encoder.target.refused
        return values


def _is_nan(value: object) -> bool:
    return (
        isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and str(value) in NOT_A_VALUE
    )
