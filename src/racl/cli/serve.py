"""`racl serve`: a decision service."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from racl.cli.arguments import CallError, Command, Exit, Parser, whole
from racl.errors import Problem

EXTRA = "the service needs more: `pip install 'racl[serve]'`"
PORTS = 65535


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "models", metavar="MODEL", nargs="+", help="a model (.json); several of different domains"
    )
    parser.add_argument(
        "--host", metavar="ADDRESS", default="127.0.0.1", help="where to listen; the loopback if not said"
    )
    parser.add_argument(
        "--port", metavar="N", type=whole(0), default=8000, help="where to listen; 8000 if not said"
    )
    about = "the file that keeps decisions, racl.db if not said; `none` for no memory"
    parser.add_argument("--store", metavar="FILE", default="racl.db", help=about)


@contextmanager
def needing_extra(command: str) -> Iterator[None]:
    """Says what to install where something is missing."""
    try:
        yield
    except ModuleNotFoundError as fault:
        raise CallError([Problem(command, f"`{fault.name}` is not installed", EXTRA)]) from None


def run(asked: Namespace) -> Exit:
    """Serve until told to stop."""
    with needing_extra("racl serve"):
        from racl.serve import running
        from racl.serve.settings import Settings
    settings = Settings(models=tuple(asked.models), host=asked.host, port=asked.port, store=asked.store)
    if settings.port > PORTS:
        raise CallError([Problem("racl serve", f"there is no port {settings.port}")])
    running.run(settings)
    return Exit.DONE


COMMAND = Command(
    summary="answer decisions over HTTP",
    about=(
        'Serves the models on the loopback: `POST /v1/decide` with {"row": {...}} or {"rows": [...]} answers decisions;'
        " `GET /openapi.json` tells the rest. Ctrl-C ends it once every request is answered."
    ),
    examples="""\
  racl serve air.json --port 8000""",
    arguments=arguments,
    run=run,
)
