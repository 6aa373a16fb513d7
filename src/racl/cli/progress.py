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
MINUTE, HOUR = 60, 3600  # in seconds


@contextmanager
def progress() -> Iterator[Callable[[int, float | None], None]]:
    """Tells a person at a terminal how many rows, and which share of all, are done; is silent elsewhere."""
    if not sys.stderr.isatty():
        yield _silent
        return
    start = last = monotonic()

    def show(done: int, share: float | None) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= PAUSE:
            last = now
            print(f"{WIPE}{line(done, share, now - start)}", end="", file=sys.stderr, flush=True)

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


def _silent(done: int, share: float | None) -> None:
    """Nobody is watching."""
    del done, share


def line(done: int, share: float | None, seconds: float) -> str:
    """The line that is shown.

    >>> line(500, 0.5, 0.5)
    '[###############               ]  50 %, 500 rows, 1,000 rows a second, 1 s left'
    """
    pace = f"{done:,} rows, {done / seconds if seconds else 0:,.0f} rows a second"
    if not share:
        return pace
    left = f", {span(seconds / share - seconds)} left" if share < 1.0 else ""
    return f"[{'#' * round(BAR * share):<{BAR}}] {share:>4.0%}, {pace}{left}".replace("%", " %")


def span(seconds: float) -> str:
    """A time to come, in the largest units that matter.

    >>> span(0.2), span(200), span(20_000)
    ('1 s', '3 min 20 s', '5 h 33 min')
    """
    whole = max(1, round(seconds))
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    return f"{whole // HOUR} h {whole % HOUR // MINUTE} min"
