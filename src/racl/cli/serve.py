"""`racl serve`: a decision service."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from racl.cli.arguments import CallError, Command, Exit, Parser, whole
from racl.errors import Problem

EXTRA = "the service needs more: `pip install 'racl[serve]'`"
PORTS = 65535
SAID = ("host", "port", "store", "workers")
STORE = "the service's memory; RACL_SERVE_STORE, or else racl.db, if not said"


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    about = "a model (.json); several of different domains"
    parser.add_argument("models", metavar="MODEL", nargs="*", help=about)
    parser.add_argument("--config", metavar="FILE", help="settings, in the section [serve] of a TOML file")
    about = "where to listen; the loopback if not said"
    parser.add_argument("--host", metavar="ADDRESS", help=about)
    parser.add_argument("--port", metavar="N", type=whole(0), help="where to listen; 8000 if not said")
    about = "the file that keeps decisions, racl.db if not said; `none` for no memory"
    parser.add_argument("--store", metavar="FILE", help=about)
    parser.add_argument("--workers", metavar="N", type=whole(1), help="how many processes; 1 if not said")


def known_store() -> str:
    """The memory that commands look after where none is named: the one that the service would keep."""
    return os.environ.get("RACL_SERVE_STORE") or "racl.db"


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
        from racl.serve.settings import settings_of
    said = {name: getattr(asked, name) for name in SAID if getattr(asked, name) is not None}
    if asked.models:
        said["models"] = tuple(asked.models)
    if said.get("port", 0) > PORTS:
        raise CallError([Problem("racl serve", f"there is no port {said['port']}")])
    settings = settings_of(asked.config, os.environ, said)
    if not settings.models and settings.store == "none":
        hint = "give a model, or a memory that knows one"
        raise CallError([Problem("racl serve", "nothing to serve", hint)])
    running.run(settings)
    return Exit.DONE


COMMAND = Command(
    summary="answer decisions over HTTP",
    about=(
        "Serves models on the loopback, and remembers what it decided: `POST /v1/decide` with"
        ' {"row": {...}} or {"rows": [...]} answers decisions, `GET /openapi.json` tells the rest, and `/` is a page.'
        " An address that others can reach wants keys: `racl key add`. Ctrl-C ends it once every request is answered."
    ),
    examples="""\
  racl serve air.json --port 8000
  racl serve --config racl.toml
  RACL_SERVE_PORT=8080 racl serve air.json hotel.json --store none""",
    arguments=arguments,
    run=run,
)
