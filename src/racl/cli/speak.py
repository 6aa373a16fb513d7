"""What the commands say: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import shutil
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from racl.cli.arguments import Exit
from racl.errors import KernelWarning, Problem, RowError, printable

WIPE = "\r\033[K"  # takes a line of progress off a terminal
WIDTH = 100  # of a table that nobody looks at on a terminal


def say(text: str) -> None:
    """A result."""
    print(text)


def say_data(value: object) -> None:
    """A result as JSON, in ASCII, so that no terminal or pipe can spoil it."""
    print(json.dumps(value, indent=2, allow_nan=False))


def remark(text: str) -> None:
    """Something beside the result."""
    with _heard(sys.stderr):
        print(f"{WIPE if sys.stderr.isatty() else ''}{text}", file=sys.stderr, flush=True)


def report(problems: Iterable[Problem]) -> None:
    """Every fault, in a line of its own, with its place in the expression below it."""
    for problem in problems:
        remark(str(problem))


def warn(problems: Iterable[Problem]) -> None:
    """Every warning, in the form of a fault."""
    report(as_warning(problem) for problem in problems)


def as_warning(problem: Problem) -> Problem:
    """The problem, said to be a warning."""
    return Problem(problem.where, f"warning: {problem.what}", problem.hint, problem.file, problem.line)


def refused(path: str, fault: RowError, hint: str = "") -> Exit:
    """Every refusal that is shown, and the count of all; how the command ends."""
    report(replace(problem, file=path) for problem in fault.problems)
    rows = "1 row is refused" if fault.count == 1 else f"{fault.count:,} rows are refused"
    more = f", the first {len(fault.problems)} shown" if fault.count > len(fault.problems) else ""
    if hint or fault.count > 1:
        report([Problem("", f"{rows}{more}", hint, file=path)])
    return Exit.REFUSED


def problem_data(problem: Problem) -> Mapping[str, object]:
    """A problem as plain data."""
    data: dict[str, object] = {
        "file": problem.file,
        "line": problem.line,
        "where": problem.where,
        "what": problem.what,
        "hint": problem.hint,
    }
    if problem.span is not None:
        data |= {"text": problem.text, "span": list(problem.span)}
    return data


def width() -> int:
    """How many characters a line of a table may have."""
    return max(40, shutil.get_terminal_size((WIDTH, 24)).columns)


@contextmanager
def spoken() -> Iterator[None]:
    """Standard output that takes any character, and warnings in one line each, while a command runs."""
    sys.stdout, sys.stderr = (_open(stream) for stream in (sys.stdout, sys.stderr))
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    with warnings.catch_warnings():
        warnings.simplefilter("always", KernelWarning)
        warnings.showwarning = _show_warning
        yield


def _open(stream: TextIO | None) -> TextIO:
    """The stream, or nowhere in place of one that was closed before the program began."""
    return Path(os.devnull).open("w", encoding="utf-8") if stream is None else stream


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    del category, filename, lineno, file, line
    remark(f"racl: warning: {printable(str(message))}")


@contextmanager
def _heard(stream: TextIO) -> Iterator[None]:
    """Whatever is written to a stream that nobody reads any more is dropped in silence."""
    try:
        yield
    except BrokenPipeError:
        hush(stream)


def hush(stream: TextIO) -> None:
    """Send what is still to be written nowhere, so that closing the stream raises nothing."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
