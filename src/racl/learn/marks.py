"""A fingerprint of rows that lie in parts, in any order: sums of the hashes of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from racl.learn.sample import Sample
from racl.options import BY_ROW, BY_STATE, Floats, Options

Marks = NDArray[np.uint64]
LANES = (
    0x243F6A8885A308D3,
    0x13198A2E03707344,
)  # where the hashes of the lanes start: the first digits of pi
HALF = 32  # bits that are added as a float64, exactly in every order
STEPS = ((0x9E3779B97F4A7C15, 29), (0xBF58476D1CE4E5B9, 32))  # of mixing


def mixed(marks: Marks, column: NDArray[np.generic]) -> Marks:
    """(n,) hashes with one more column of numbers."""
    found = marks ^ np.ascontiguousarray(column, np.float64).view(np.uint64)
    for factor, shift in STEPS:
        found = found * np.uint64(factor)
        found ^= found >> np.uint64(shift)
    return found


def columns(options: Options, names: Sequence[str]) -> Iterator[NDArray[np.generic]]:
    """The columns of some of the parts of options."""
    for name in names:
        part = getattr(options, name)
        yield from part.T if part.ndim > 1 else [part]


def row_marks(sample: Sample, start: int) -> Marks:
    """(n,) a hash of each row, its states, its label and its weight."""
    options = sample.options
    states = np.full(len(options.plan), start, np.uint64)
    for column in columns(options, BY_STATE):
        states = mixed(states, column)
    ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(states, dtype=np.uint64)])
    rows: Marks = ends[options.start[1:]] - ends[options.start[:-1]]
    for column in (*columns(options, BY_ROW), sample.accepted, sample.weight):
        rows = mixed(rows, column)
    return rows


def halves(sample: Sample) -> list[Floats]:
    """The sums of the hashes of each lane, their low and their high bits apart."""
    sums = [int(row_marks(sample, start).sum(dtype=np.uint64)) for start in LANES]
    return [np.array([float(part)]) for one in sums for part in (one % 2**HALF, one >> HALF)]


def fingerprint_of(sums: Sequence[float]) -> str:
    """The fingerprint, from the halves added up over all parts."""
    lanes = [int(low) + (int(high) << HALF) for low, high in zip(sums[::2], sums[1::2], strict=True)]
    return "rows:" + "".join(f"{lane % 2 ** (2 * HALF):016x}" for lane in lanes)
