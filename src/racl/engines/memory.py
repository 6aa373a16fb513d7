"""Memory that is lent again: to write on a page for the first time can cost more than all decisions that go on it."""

from __future__ import annotations

from threading import RLock

import numpy as np
from numpy.typing import NDArray

LEAST = 1 << 18  # bytes below which the allocator itself keeps what is free
KEPT = 1 << 26  # bytes at most that wait to be lent again
WASTE = 1.25  # times what is wanted: as much larger a spare piece may be

Bytes = NDArray[np.uint8]


class Loan:
    """A piece of memory on loan: it comes back when no array lies on it any more."""

    def __init__(self, memory: Bytes) -> None:
        self.memory = memory
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        returned(self.memory)


SPARE: list[Bytes] = []  # the longest unused first
LOCK = RLock()  # a loan may end at any moment, in the middle of these functions too


def lent(size: int) -> Bytes:
    """So many bytes, which may hold anything."""
    if size < LEAST:
        return np.empty(size, np.uint8)
    with LOCK:
        fitting = [piece for piece in SPARE if size <= len(piece) <= size * WASTE]
        memory = min(fitting, key=len) if fitting else np.empty(size, np.uint8)
        SPARE[:] = [piece for piece in SPARE if piece is not memory]
    return np.asarray(Loan(memory))[:size]


def returned(memory: Bytes) -> None:
    """Keep a piece for the next use, and drop the longest unused ones beyond the limit."""
    with LOCK:
        SPARE.append(memory)
        while sum(map(len, SPARE)) > KEPT:
            del SPARE[0]
