"""What stands behind a command: parsed with faults in the words of all other faults."""

from __future__ import annotations

import argparse
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import takewhile
from typing import NoReturn

from racl.errors import Problem, RaclError, nearest, quoted
from racl.values import DECIMAL

WIDTH = 79  # of a line of help


class Exit(IntEnum):
    """How a command ends."""

    DONE = 0
    FAILED = 1  # a failed check, or a fault of racl itself
    WRONG = 2  # what the user wrote or how they called it
    REFUSED = 3  # rows
    INTERRUPTED = 130


class CallError(RaclError):
    """A command that is not called as it should be."""


@dataclass(frozen=True)
class Command:
    """A command: what it does, its arguments, and how it is run."""

    summary: str
    about: str
    examples: str
    arguments: Callable[[Parser], None]
    run: Callable[[argparse.Namespace], Exit]


class Parser(argparse.ArgumentParser):
    """The parser of one command; its faults are problems."""

    def error(self, message: str) -> NoReturn:
        """A call that cannot be understood."""
        what = re.sub(r"^argument (\S+?)(?:/\S+)?: ", r"\1: ", message)
        raise CallError([Problem(self.prog, what, f"`{self.prog} --help` tells more")])


def parser_of(name: str, command: Command) -> Parser:
    """The parser of a command."""
    parser = Parser(
        prog=f"racl {name}",
        description="\n\n".join(textwrap.fill(part, WIDTH) for part in (command.summary, command.about)),
        epilog=f"examples:\n{command.examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.arguments(parser)
    return parser


def parsed(parser: Parser, words: Sequence[str]) -> argparse.Namespace:
    """The arguments that the words are; a word too many is a fault that names the nearest option."""
    known = {name for action in parser._actions for name in action.option_strings}  # noqa: SLF001 - no other way
    options = [
        word.partition("=")[0] for word in takewhile(lambda word: word != "--", words) if word[:2] == "--"
    ]
    unknown = [option for option in options if option not in known]
    if unknown:
        raise CallError(_unknown(parser, option, known) for option in unknown)
    return parser.parse_args(words)


def _unknown(parser: Parser, option: str, known: Iterable[str]) -> Problem:
    hint = nearest(option, known) or f"`{parser.prog} --help` tells more"
    return Problem(parser.prog, f"unknown option {quoted(option)}", hint)


def one_of(*known: str) -> Callable[[str], str]:
    """The type of an argument that is one of a few words."""

    def read(text: str) -> str:
        if text in known:
            return text
        hint = nearest(text, known)
        others = f"one of {', '.join(known)}"
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not {others}{f'; {hint}' if hint else ''}")

    return read


def whole(least: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number."""

    def read(text: str) -> int:
        if re.fullmatch(r"[0-9]{1,18}", text, re.ASCII) and int(text) >= least:
            return int(text)
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number of at least {least}")

    return read


def number(text: str) -> float:
    """The type of an argument that is a finite number."""
    found = float(text) if DECIMAL.fullmatch(text) else math.inf
    if math.isfinite(found):
        return found
    raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number")
