"""A command ends when it is told to, also where what the signal raised was lost."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from cli.air import ROWS, write_rows
from racl.cli import main, stopping
from racl.cli.stopping import go_on, stoppable


class Sending:
    """Sends a signal while it is let go, where Python drops whatever is raised."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.kill(os.getpid(), self.number)
        sum(range(1000))  # here the signal arrives


@pytest.mark.parametrize(
    ("number", "end"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)]
)
def test_a_signal_whose_exception_is_lost_ends_the_work_at_its_next_question(
    number: int, end: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: lost.append(found.exc_type))
    with stoppable():
        Sending(number)
        assert lost == [end]
        with pytest.raises(end):
            go_on()


def test_the_next_command_knows_nothing_of_an_earlier_signal() -> None:
    with stoppable(), pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    with stoppable():
        go_on()
    assert signal.getsignal(signal.SIGINT) is not stopping._stop


@pytest.mark.parametrize("command", ["decide", "explain", "init"])
def test_commands_that_read_rows_take_signals_out_of_arrows_hands(
    command: str, air: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(pa, "enable_signal_handlers", asked.append)
    write_rows(air / "rows.csv", ROWS)
    words = {"decide": ["air.json", "rows.csv"], "explain": ["air.json", "rows.csv", "--row", "0"]}
    monkeypatch.chdir(air)
    assert main([command, *words.get(command, ["rows.csv"])]) == 0
    assert asked == [False]
