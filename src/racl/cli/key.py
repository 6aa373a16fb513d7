"""`racl key`: who may call a service."""

from __future__ import annotations

import time
from argparse import ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from racl.cli.arguments import CallError, Command, Exit, Parser, one_of
from racl.cli.serve import STORE, known_store, needing_extra
from racl.cli.speak import remark, say
from racl.errors import Problem, quoted

if TYPE_CHECKING:
    from racl.serve.store.connection import Connection
    from racl.serve.store.keys import Key

ACTIONS = ("add", "list", "rotate", "revoke")
UNITS = {"m": 60, "h": 3600, "d": 86400}


def span(text: str) -> float:
    """The type of an argument that is a length of time: `90d`, `12h`, `30m`."""
    if text[:-1].isdecimal() and len(text) < 8 and text[-1:] in UNITS:  # noqa: PLR2004 - digits of a span
        return float(text[:-1]) * UNITS[text[-1]]
    raise ArgumentTypeError(f"{quoted(text)} is not a length of time such as 90d, 12h or 30m")


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("action", metavar="ACTION", type=one_of(*ACTIONS), help="add, list, rotate or revoke")
    parser.add_argument("key", metavar="KEY", nargs="?", help="which one, by the id that `list` shows")
    parser.add_argument("--store", metavar="FILE", default=known_store(), help=STORE)
    parser.add_argument(
        "--tenant", metavar="NAME", default="default", help="whose key; `default` if not said"
    )
    about = "decide, read or admin, which is all; may be given several times"
    parser.add_argument("--scope", type=one_of("decide", "read", "admin"), action="append", help=about)
    parser.add_argument("--label", metavar="TEXT", default="", help="what the key is for")
    parser.add_argument("--expires", metavar="TIME", type=span, help="such as 90d; never if not said")
    about = "how long a rotated key still holds; 24h if not said"
    parser.add_argument("--grace", metavar="TIME", type=span, default=86400.0, help=about)


def run(asked: Namespace) -> Exit:
    """Make, show or end keys."""
    with needing_extra("racl key"):
        from racl.serve.store.places import place_of
    connection = place_of(asked.store, new=asked.action == "add").connect()
    try:
        return ACT[asked.action](connection, asked)
    finally:
        connection.close()


def add(connection: Connection, asked: Namespace) -> Exit:
    """Make a key and show it, once."""
    from racl.serve.store import keys

    if not asked.scope:
        raise CallError([Problem("racl key add", "what may the key do?", "--scope decide, read or admin")])
    now = time.time()
    expires = None if asked.expires is None else now + asked.expires
    key, token = keys.made(asked.tenant, dict.fromkeys(asked.scope), asked.label, now, expires)
    keys.add(connection, key)
    return shown(key, token)


def shown(key: Key, token: str) -> Exit:
    """A key, the only time that it is seen."""
    say(token)
    remark(f"racl: key {key.id} of {key.tenant} for {', '.join(key.scopes)}; it is shown only now")
    return Exit.DONE


def list_keys(connection: Connection, asked: Namespace) -> Exit:
    """Show what is known of every key."""
    from racl.serve.store import keys

    del asked
    for key in keys.all_keys(connection):
        until = "never" if key.expires is None else day(key.expires)
        state = "holds" if key.holds(time.time()) else "expired"
        say(
            f"{key.id}  {key.tenant}  {','.join(key.scopes)}  made {day(key.at)}  expires {until}  {state}  {key.label}".rstrip()
        )
    return Exit.DONE


def day(at: int) -> str:
    """A moment, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at / 1e6))


def rotate(connection: Connection, asked: Namespace) -> Exit:
    """Make a successor; the old key holds a while longer."""
    from racl.serve.store import keys

    old = named(connection, asked)
    now = time.time()
    key, token = keys.successor(old, now)
    keys.add(connection, key)
    keys.end(connection, old.id, now + asked.grace)
    return shown(key, token)


def revoke(connection: Connection, asked: Namespace) -> Exit:
    """End a key now."""
    from racl.serve.store import keys

    keys.end(connection, named(connection, asked).id, time.time())
    return Exit.DONE


def named(connection: Connection, asked: Namespace) -> Key:
    """The key that was asked for."""
    from racl.serve.store import keys

    for key in keys.all_keys(connection):
        if key.id == asked.key:
            return key
    what = "which key?" if asked.key is None else f"no key {quoted(asked.key)}"
    raise CallError([Problem(f"racl key {asked.action}", what, "`racl key list` shows them")])


ACT = {"add": add, "list": list_keys, "rotate": rotate, "revoke": revoke}

COMMAND = Command(
    summary="make, list, rotate and revoke the keys of a service",
    about=(
        "A key belongs to a tenant and may decide, read the log, or do everything (admin). It is shown once, when it is"
        " made; the service keeps its hash. A running service knows of a change within seconds. Send it as"
        " `authorization: Bearer KEY`."
    ),
    examples="""\
  racl key add --scope decide --label checkout --expires 90d
  racl key list
  racl key rotate 1f0c9a2b --grace 12h
  racl key revoke 1f0c9a2b""",
    arguments=arguments,
    run=run,
)
