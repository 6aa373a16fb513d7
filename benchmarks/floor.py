"""The least that deciding could cost: every input byte read once, every output byte written once."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from functools import cache
from typing import Any

import numpy as np
from answers import Answers, empty
from numpy.typing import NDArray

Rows = Mapping[str, NDArray[Any]]


@cache
def touch() -> Any:
    """The machine code: plain loops over eight bytes at a time, which the compiler turns into vectors."""
    import numba

    words = numba.types.Array(numba.uint64, 1, "C")

    @numba.njit([numba.uint64(words)], nogil=True)
    def read(column: Any) -> Any:
        seen = np.uint64(0)
        for word in column:
            seen ^= word
        return seen

    @numba.njit(nogil=True)
    def touched(reads: Any, writes: Any) -> Any:
        seen = np.uint64(0)
        for column in reads:
            seen ^= read(column)
        for column in writes:
            column[:] = seen
        return seen

    return touched


def words(columns: Iterable[NDArray[Any]], span: slice) -> tuple[NDArray[np.uint64], ...]:
    """Some rows of each column as eight-byte words."""
    return tuple(column[span].view(np.uint64) for column in columns)


def outputs(out: Answers) -> list[NDArray[Any]]:
    """The six columns to write."""
    return [getattr(out, name) for name in Answers.__slots__]


def run(rows: Rows, out: Answers, *, threads: int, pool: Executor) -> None:
    """Each thread touches its share of the rows, a column at a time; the last seven rows may be left out."""
    n = len(out.accepted) // 8 * 8
    share = -(-n // threads // 8) * 8
    spans = [slice(start, min(start + share, n)) for start in range(0, n, share)]
    code, columns, written = touch(), rows.values(), outputs(out)

    def touch_share(span: slice) -> None:
        code(words(columns, span), words(written, span))

    list((pool.map if threads > 1 else map)(touch_share, spans))


def prepared(rows: Rows, *, threads: int, pool: Executor) -> Callable[[], None]:
    """A run over outputs made once, so that no page of theirs is new: the lowest floor."""
    out = empty(len(rows["fare"]))
    return lambda: run(rows, out, threads=threads, pool=pool)


def fresh(rows: Rows, *, threads: int, pool: Executor) -> Callable[[], None]:
    """A run into new outputs each time, as a call that hands out its answers must make them."""
    return lambda: run(rows, empty(len(rows["fare"])), threads=threads, pool=pool)
