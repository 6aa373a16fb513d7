"""Memory that is lent again: to write on a page for the first time can cost more than all decisions that go on it."""

from __future__ import annotations

from threading import RLock
from time import monotonic

import numpy as np
from numpy.typing import NDArray

LEAST = 1 << 18  # bytes below which the allocator itself keeps what is free
KEPT = 1 << 29  # bytes at most that wait to be lent again
WASTE = 1.25  # times what is wanted: as much larger a spare piece may be
LONG = 10.0  # seconds after which a piece that nobody wanted is let go

Bytes = NDArray[np.uint8]


class Loan:
    """A piece of memory on loan: it comes back when no array lies on it any more."""

    def __init__(self, memory: Bytes) -> None:
        self.memory = memory
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        returned(self.memory)


SPARE: list[tuple[float, Bytes]] = []  # pieces and since when they wait, the longest first
LOCK = RLock()  # a loan may end at any moment, in the middle of these functions too


def lent(size: int) -> Bytes:
    """So many bytes, which may hold anything."""
    if SPARE:
        tidied()
    if size < LEAST:
        return np.empty(size, np.uint8)
    with LOCK:
        fitting = [piece for _, piece in SPARE if size <= len(piece) <= size * WASTE]
        memory = min(fitting, key=len) if fitting else np.empty(size, np.uint8)
        SPARE[:] = [waiting for waiting in SPARE if waiting[1] is not memory]
    return np.asarray(Loan(memory))[:size]


def returned(memory: Bytes) -> None:
    """Keep a piece for the next use."""
    with LOCK:
        SPARE.append((monotonic(), memory))
        tidied()


def tidied() -> None:
    """Let go of what has waited long, and of the longest unused beyond the limit."""
    with LOCK:
        while SPARE and (monotonic() - SPARE[0][0] > LONG or sum(len(piece) for _, piece in SPARE) > KEPT):
            del SPARE[0]
