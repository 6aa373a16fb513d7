"""What stands in the pages is run: `python` blocks, and the commands of `console` blocks.

A page runs in a scratch copy of the repository's examples and docs: a page of `examples/` in its own
folder, any other in the root. In a `console` block a line that starts with `$ ` is a command, and what
follows is what it prints, `...` standing for anything; a command with nothing below it is checked for its
exit code alone, 0 unless it ends in `# exit N`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from typing import Any

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).parent.parent
RUN = {"racl", "python", "cat", "head", "ls", "cd"}  # other commands, such as `make`, are for the reader
EXIT = re.compile(r"#\s*exit\s+(\d+)\s*$")
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a page and what the page says it prints."""

    text: str
    printed: str

    @property
    def code(self) -> int:
        """The exit code that the page says."""
        found = EXIT.search(self.text)
        return int(found[1]) if found else 0


def commands(block: str) -> Iterator[Command]:
    """The commands of a console block, each with what follows it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        text, printed = re.fullmatch(r"((?:.*\\\n)*.*)\n?([\s\S]*)", part).groups()  # type: ignore[union-attr]
        yield Command(text, printed)


def run(command: Command) -> str | None:
    """What is wrong with a command's exit code or with what it prints, if anything."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.text],
        env={**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "120"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode != command.code:
        return f"$ {command.text}\nexit {done.returncode}, not {command.code}; it printed\n{done.stdout}"
    flags = ELLIPSIS | NORMALIZE_WHITESPACE
    if command.printed.strip() and not OutputChecker().check_output(command.printed, done.stdout, flags):
        return f"$ {command.text}\nthe page says\n{command.printed}\nit printed\n{done.stdout}"
    return None


def evaluate(example: Example) -> str | None:
    """Runs a console block, up to the first command that is not as the page says."""
    for command in commands(example.parsed):
        program, *arguments = command.text.split()
        if program == "cd":
            os.chdir(arguments[0])
        elif program in RUN and (fault := run(command)):
            return fault
    return None


def remember_page(document: Document) -> Iterable[Region]:
    """Tells `enter` which page it is for."""
    document.namespace["page"] = Path(document.path).resolve()
    return ()


def enter(namespace: dict[str, Any]) -> None:
    """Goes to the folder where a page is run."""
    scratch = Path(tempfile.mkdtemp(prefix="racl-page-"))
    for name in ("docs", "examples"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, scratch / name, ignore=shutil.ignore_patterns("__pycache__"))
    page = namespace["page"].relative_to(ROOT)
    namespace["scratch"] = scratch
    os.chdir(scratch / page.parent if page.parts[0] == "examples" else scratch)


def leave(namespace: dict[str, Any]) -> None:
    """Goes back and clears up."""
    os.chdir(ROOT)
    shutil.rmtree(namespace["scratch"])


PAGES = Sybil(
    parsers=[remember_page, SkipParser(), PythonCodeBlockParser(), CodeBlockParser("console", evaluate)],
    pattern="*.md",
    path=str(ROOT),
    setup=enter,
    teardown=leave,
)


class Plugin:
    """Collects pages wherever they are; a conftest alone would not see the README above it."""

    pytest_collect_file = staticmethod(PAGES.pytest())


def pytest_configure(config: pytest.Config) -> None:
    """Makes pytest collect the pages that it is given."""
    config.pluginmanager.register(Plugin(), "pages")
