"""What holds for every command: how it is called, how it ends, and that it never says more than a line a fault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

import racl as package
from cli.air import ROWS, Racl, write_rows
from racl.cli import check
from racl.cli.run import COMMANDS
from racl.errors import KernelWarning


def raising(fault: BaseException) -> Callable[[Namespace], NoReturn]:
    def run(asked: Namespace) -> NoReturn:
        raise fault

    return run


def commands_that(monkeypatch: pytest.MonkeyPatch, run: Callable[[Namespace], Any]) -> None:
    monkeypatch.setattr("racl.cli.run.COMMANDS", {"check": replace(check.COMMAND, run=run)})


def process(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "racl", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **more)


# calls


def test_version(racl: Racl) -> None:
    assert racl("--version").out == f"racl {package.__version__}\n"


def test_help_lists_every_command(racl: Racl) -> None:
    done = racl("--help")
    assert done.code == 0
    assert all(f"\n  {name} " in done.out for name in COMMANDS)


def test_no_word_at_all_gets_help_and_is_wrong(racl: Racl) -> None:
    done = racl()
    assert (done.code, done.out) == (2, "")
    assert "commands:" in done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_with_examples(name: str, racl: Racl) -> None:
    done = racl(name, "--help")
    assert done.code == 0
    assert f"examples:\n  racl {name} " in done.out
    assert max(map(len, done.out.splitlines())) <= 79


CALLS: Sequence[tuple[Sequence[str], str]] = [
    (["chekc", "air.toml"], "racl: unknown command `chekc` (did you mean `check`?)"),
    (["xyzzy"], "racl: unknown command `xyzzy` (the commands are check, "),
    (["--vers"], "racl: unknown option `--vers` (did you mean `--version`?)"),
    (["--", "check"], "racl: "),
    (["check"], "racl check: no file to check (name a domain file or a model)"),
    (["check", "--jsn", "air.toml"], "racl check: unknown option `--jsn` (did you mean `--json`?)"),
    (["decide", "air.json"], "racl decide: the following arguments are required: ROWS ("),
    (["decide", "air.json", "rows.csv", "more"], "racl decide: unrecognized arguments: more ("),
    (["decide", "air.json", "rows.csv", "--rej", "x"], "racl decide: unknown option `--rej` (did you"),
    (["decide", "air.json", "rows.csv", "--threads", "0"], "racl decide: --threads: `0` is not a whole"),
    (
        ["decide", "air.json", "rows.csv", "--engine", "kernal"],
        "racl decide: --engine: `kernal` is not one of",
    ),
    (["decide", "air.json", "rows.csv", "--rejects", "-"], "racl decide: --rejects: refused rows go to a"),
    (["explain", "air.json", "rows.csv"], "racl explain: the following arguments are required: --row ("),
    (["explain", "air.json", "rows.csv", "--row", "-1"], "racl explain: --row: `-1` is not a whole number"),
    (["explain", "air.json", "rows.csv", "--row", "1.0"], "racl explain: --row: `1.0` is not a whole number"),
    (["init", "rows.csv", "--name", "Air Ticket"], "racl init: --name: `Air Ticket` is not a name (lower"),
    (["rebase", "air.json", "air.toml"], "racl rebase: the following arguments are required: -o/--out ("),
]


@pytest.mark.parametrize(("words", "said"), CALLS)
def test_a_wrong_call_is_said_in_a_line_and_ends_with_2(
    words: Sequence[str], said: str, racl: Racl, air: Path
) -> None:
    done = racl(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "air.tml"], "air.tml: no such file"),
        (["decide", "air.tml", "rows.csv"], "air.tml: no such file"),
        (["decide", "air.toml", "rows.csv"], "air.toml: a domain, not a model (a model is a JSON file"),
        (["decide", "air.json", "row.csv"], "row.csv: no such file (did you mean `rows.csv`?)"),
        (["explain", "air.json", "row.csv", "--row", "0"], "row.csv: no such file"),
        (["init", "row.csv"], "row.csv: no such file"),
        (["rebase", "air.json", "air.tml", "-o", "new.json"], "air.tml: no such file"),
    ],
)
def test_a_file_that_is_not_there_is_said_in_a_line(
    words: Sequence[str], said: str, racl: Racl, air: Path
) -> None:
    done = racl(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)
    assert done.err.count("\n") == 1


# ends


FAULTS = [
    (
        RuntimeError("an engine\nbroke"),
        1,
        "racl: internal error: RuntimeError: an engine (please report it; ",
    ),
    (MemoryError(), 1, "racl: not enough memory"),
    (KeyboardInterrupt(), 130, "racl: interrupted"),
    (OSError(28, "No space left on device", "out.csv"), 2, "out.csv: no space left on device"),
    (SystemExit(143), 143, ""),
    (BrokenPipeError(), 0, ""),
]


@pytest.mark.parametrize(("fault", "code", "said"), FAULTS)
def test_whatever_is_raised_one_line_remains(
    fault: BaseException, code: int, said: str, racl: Racl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RACL_TRACEBACK", raising=False)
    commands_that(monkeypatch, raising(fault))
    done = racl("check", "air.toml")
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(said)
    assert done.err.count("\n") == (1 if said else 0)


def test_developers_can_have_the_traceback(racl: Racl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACL_TRACEBACK", "1")
    commands_that(monkeypatch, raising(RuntimeError("broken")))
    with pytest.raises(RuntimeError, match="broken"):
        racl("check", "air.toml")


def test_a_warning_of_the_kernel_is_a_line(racl: Racl, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(asked: Namespace) -> int:
        warnings.warn("the kernel cannot be compiled\nat all", KernelWarning, stacklevel=1)
        return 0

    commands_that(monkeypatch, run)
    done = racl("check", "air.toml")
    assert (done.code, done.err) == (0, "racl: warning: the kernel cannot be compiled\\u000aat all\n")


def test_handlers_of_signals_are_put_back(racl: Racl, air: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    racl("check", "air.toml")
    assert signal.getsignal(signal.SIGTERM) is before


# as a process


def test_the_module_is_the_command(air: Path) -> None:
    done = process("check", "air.toml", cwd=air)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("domain air: no faults\n")


@pytest.mark.parametrize(
    "words", [["check", "air.toml"], ["check", "--schema"], ["check", "air.json", "--json"]]
)
def test_checking_starts_light(words: Sequence[str], air: Path) -> None:
    code = (
        "import sys; from racl.cli import main; assert main(sys.argv[1:]) == 0;"
        "print({m.partition('.')[0] for m in sys.modules} & {'numba', 'llvmlite', 'pandas', 'polars', 'pyarrow'},"
        " file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=air, capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "set()"


def test_a_closed_pipe_is_silent(air: Path) -> None:
    write_rows(air / "many.jsonl", ROWS * 5_000)
    command = f"{sys.executable} -m racl decide air.json many.jsonl -o - | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=air, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert "rror" not in done.stderr


def test_faults_go_down_a_closed_pipe_silently_and_are_faults_still(air: Path) -> None:
    (air / "bad.toml").write_text("racl = 1\n" + "x = 1\n" * 1000, "utf-8")
    command = f"{{ {sys.executable} -m racl check bad.toml; echo $? > code; }} 2>&1 | head -n 1"
    done = subprocess.run(["bash", "-c", command], cwd=air, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stdout + done.stderr
    assert (air / "code").read_text().strip() == "2"


def test_closed_streams_do_no_harm(air: Path) -> None:
    command = f"{sys.executable} -m racl check air.toml >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], cwd=air, check=False).returncode == 0


def test_text_that_the_terminal_cannot_show_is_escaped(air: Path) -> None:
    domain = (air / "air.toml").read_text("utf-8").replace('"AA"', '"ÄÄ"').replace("'AA'", "'ÄÄ'")
    (air / "ä.toml").write_text(domain, "utf-8")
    (air / "rows.csv").write_text("carrier\nÄÄ\nUA\n", "utf-8")
    done = process("init", "rows.csv", cwd=air, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert r'"\xc4\xc4"' in done.stdout


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_that_is_stopped_leaves_nothing_behind(number: int, code: int, air: Path) -> None:
    write_rows(air / "many.csv", ROWS * 100_000)
    (air / "out").mkdir()
    command = [sys.executable, "-m", "racl", "decide", "air.json", "many.csv", "-o", "out/decided.csv"]
    with subprocess.Popen(command, cwd=air, stderr=subprocess.PIPE, text=True) as running:
        limit = time.monotonic() + 60
        while not list((air / "out").iterdir()) and time.monotonic() < limit:
            time.sleep(0.01)
        running.send_signal(number)
        _, said = running.communicate(timeout=60)
    assert running.returncode == code
    assert said == ("racl: interrupted\n" if number == signal.SIGINT else "")
    assert list((air / "out").iterdir()) == []
