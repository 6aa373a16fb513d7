"""What ends a command early: Ctrl-C, and the signals that end a program; unfinished files are removed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))

_came: list[int] = []  # the signals so far: Python drops what is raised where nothing can catch it


@contextmanager
def stoppable() -> Iterator[None]:
    """Signals that end a program end it as Ctrl-C does, wherever it stands."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _came.clear()
    before = {number: signal.signal(number, _stop) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    del frame
    _came.append(number)
    go_on()


def go_on() -> None:
    """Nothing, unless a signal came, even if what it raised was lost: long work asks from time to time."""
    for number in _came[:1]:
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)


def leave_signals_to_python() -> None:
    """Take Ctrl-C out of Arrow's hands: it sends the signal on, at times after nobody listens any more."""
    import pyarrow as pa

    pa.enable_signal_handlers(False)  # noqa: FBT003 - Arrow's own signature
