"""Commands: what their own help says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tools.pages.markdown import code, table

from racl.cli.arguments import Command, Exit, Parser
from racl.cli.run import COMMANDS

CODES = {
    Exit.DONE: "done",
    Exit.FAILED: "a failed check, or a fault of racl itself",
    Exit.WRONG: "a file, a model or a call that is wrong",
    Exit.REFUSED: "rows that were refused and not set aside",
    Exit.INTERRUPTED: "interrupted from the keyboard",
}


class Recorder(Parser):
    """Keeps what is said of the arguments; how Python lays out help changes from version to version."""

    def __init__(self, prog: str) -> None:
        self.told: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        super().__init__(prog=prog, add_help=False)

    def add_argument(self, *names: Any, **about: Any) -> Any:
        """One argument."""
        self.told.append((names, about))
        return super().add_argument(*names, **about)


def listed() -> str:
    """All commands with a line for each."""
    rows = [[f"[`racl {name}`](#racl-{name})", command.summary] for name, command in COMMANDS.items()]
    return table(["command", "does"], rows)


def each() -> str:
    """A section for each command."""
    return "\n\n".join(part for name, command in COMMANDS.items() for part in _command(name, command))


def exit_codes() -> str:
    """How commands end."""
    return table(["exit code", "means"], [[str(int(exit_)), CODES[exit_]] for exit_ in Exit])


def _command(name: str, command: Command) -> Iterator[str]:
    recorder = Recorder(f"racl {name}")
    command.arguments(recorder)
    yield f"## racl {name}"
    yield f"{command.summary[:1].upper()}{command.summary[1:]}."
    yield command.about
    yield table(["argument", "is"], [_argument(*one) for one in recorder.told])
    yield "\n".join(["```text", *(line.strip() for line in command.examples.splitlines()), "```"])


def _argument(names: tuple[str, ...], about: dict[str, Any]) -> list[str]:
    metavar = about.get("metavar", "")
    shown = f"{', '.join(names)} {metavar}".strip() if names[0].startswith("-") else metavar
    needed = {"?": " (may be left out)"}.get(about.get("nargs", ""), "")
    return [code(shown), about["help"] + (" (required)" if about.get("required") else needed)]
