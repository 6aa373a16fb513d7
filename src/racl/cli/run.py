"""One command from its words to its exit code; what goes wrong is said in a line, never in a traceback."""

from __future__ import annotations

import os
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence

import racl
from racl.cli import (
    bench,
    check,
    decide,
    evaluate,
    explain,
    export,
    fit,
    init,
    key,
    log,
    rebase,
    serve,
    show,
    sql,
)
from racl.cli.arguments import CallError, Command, Exit, Parser, parsed, parser_of
from racl.cli.speak import hush, refused, remark, report, spoken
from racl.cli.stopping import stoppable
from racl.errors import Problem, RaclError, RowError, nearest, printable, quoted

COMMANDS: Mapping[str, Command] = {
    "check": check.COMMAND,
    "init": init.COMMAND,
    "fit": fit.COMMAND,
    "show": show.COMMAND,
    "decide": decide.COMMAND,
    "explain": explain.COMMAND,
    "rebase": rebase.COMMAND,
    "evaluate": evaluate.COMMAND,
    "bench": bench.COMMAND,
    "serve": serve.COMMAND,
    "sql": sql.COMMAND,
    "key": key.COMMAND,
    "log": log.COMMAND,
    "export": export.COMMAND,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code: 0 done, 1 failed, 2 a wrong call or file, 3 refused rows."""
    with spoken(), stoppable():
        return _guarded(list(sys.argv[1:] if words is None else words))


def _guarded(words: Sequence[str]) -> int:
    """The exit code of a command; of what is raised, one line remains."""
    try:
        return _flushed(_dispatch(words))
    except RowError as fault:
        return refused("", fault)
    except RaclError as fault:
        report(fault.problems)
        return Exit.WRONG
    except BrokenPipeError:  # whoever read the output has seen enough
        hush(sys.stdout)
        return Exit.DONE
    except KeyboardInterrupt:
        remark("racl: interrupted")
        return Exit.INTERRUPTED
    except OSError as fault:
        report([Problem("", (fault.strerror or str(fault)).lower(), file=str(fault.filename or "racl"))])
        return Exit.WRONG
    except MemoryError:
        remark("racl: not enough memory")
        return Exit.FAILED
    except Exception as fault:
        if os.environ.get("RACL_TRACEBACK"):
            raise
        reason = printable(f"{type(fault).__name__}: {fault}".splitlines()[0][:300])
        remark(
            f"racl: internal error: {reason} (please report it; RACL_TRACEBACK=1 shows where it comes from)"
        )
        return Exit.FAILED


def _flushed(code: int) -> int:
    sys.stdout.flush()
    return code


def _dispatch(words: Sequence[str]) -> int:
    if not words or words[0].startswith("-"):
        return _asked_of_all(words)
    name, *rest = words
    if name not in COMMANDS:
        hint = nearest(name, COMMANDS) or f"the commands are {', '.join(COMMANDS)}"
        raise CallError([Problem("racl", f"unknown command {quoted(name)}", hint)])
    parser = parser_of(name, COMMANDS[name])
    return _quitting(lambda: COMMANDS[name].run(parsed(parser, rest)))


def _quitting(act: Callable[[], int]) -> int:
    """The exit code also of what ends the program by itself, as `--help` does."""
    try:
        return act()
    except SystemExit as end:
        return _flushed(end.code if isinstance(end.code, int) else Exit.DONE)


def _asked_of_all(words: Sequence[str]) -> int:
    """`racl`, `racl --help` and `racl --version`."""
    parser = Parser(
        prog="racl",
        usage="racl COMMAND ...",
        description="Decide with hard requirements, known repairs and learned preferences: repair before veto.",
        epilog=_list_of_commands(),
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version", action="version", help="print the version and end", version=f"racl {racl.__version__}"
    )
    if not words:
        remark(parser.format_help().rstrip())
        return Exit.WRONG

    def only_options() -> int:
        parsed(parser, words)
        raise CallError([Problem("racl", "no command", f"the commands are {', '.join(COMMANDS)}")])

    return _quitting(only_options)


def _list_of_commands() -> str:
    lines = [f"  {name:<10}{command.summary}" for name, command in COMMANDS.items()]
    codes = "exit codes: 0 done, 1 a failed check, 2 a wrong call or file, 3 refused rows"
    return "\n".join(["commands:", *lines, "", "`racl COMMAND --help` tells more, with examples.", "", codes])
