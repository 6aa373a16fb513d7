"""How far a command has come, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from racl.cli.speak import WIPE
from racl.cli.stopping import go_on

BAR = 30
PAUSE = 0.1  # seconds between two looks


@contextmanager
def progress(total: int | None) -> Iterator[Callable[[int], None]]:
    """Tells a person at a terminal how many rows (of how many, if known) are done; is silent elsewhere."""
    if not sys.stderr.isatty():
        yield _silent
        return
    start = last = monotonic()

    def show(done: int) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= PAUSE:
            last = now
            print(f"{WIPE}{line(done, total, now - start)}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print(WIPE, end="", file=sys.stderr, flush=True)


@contextmanager
def rounds() -> Iterator[Callable[[str, int, float], None]]:
    """Tells a person at a terminal which round of a fit is done; is silent elsewhere."""
    watched, last = sys.stderr.isatty(), monotonic() - PAUSE

    def show(stage: str, number: int, loss: float) -> None:
        nonlocal last
        go_on()
        if watched and monotonic() - last >= PAUSE:
            last = monotonic()
            print(
                f"{WIPE}fitting {stage}: round {number}, loss {loss:,.6g}",
                end="",
                file=sys.stderr,
                flush=True,
            )

    try:
        yield show
    finally:
        if watched:
            print(WIPE, end="", file=sys.stderr, flush=True)


def _silent(done: int) -> None:
    """Nobody is watching."""
    del done


def line(done: int, total: int | None, seconds: float) -> str:
    """The line that is shown.

    >>> line(500, 1000, 0.5)
    '[###############               ]  50 %, 500 rows, 1,000 rows a second'
    """
    pace = f"{done:,} rows, {done / seconds if seconds else 0:,.0f} rows a second"
    if not total:
        return pace
    share = min(1.0, done / total)
    return f"[{'#' * round(BAR * share):<{BAR}}] {share:>4.0%}, {pace}".replace("%", " %")
