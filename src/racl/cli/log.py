"""`racl log`: look after the memory of a service."""

from __future__ import annotations

import time
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from racl.cli.arguments import CallError, Command, Exit, Parser, one_of
from racl.cli.key import span
from racl.cli.serve import STORE, known_store, needing_extra
from racl.cli.speak import remark, say
from racl.errors import Problem, nearest, quoted

if TYPE_CHECKING:
    from racl.serve.store.connection import Connection

ACTIONS = ("verify", "checkpoint", "mask", "prune", "backup", "restore")


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("action", metavar="ACTION", type=one_of(*ACTIONS), help=", ".join(ACTIONS))
    parser.add_argument("--store", metavar="FILE", default=known_store(), help=STORE)
    about = "a column to hide for good; may be given several times"
    parser.add_argument("--column", metavar="NAME", action="append", default=[], help=about)
    parser.add_argument("--id", metavar="ID", help="the one decision in which to hide it")
    about = "only what is older, such as 30d; everything if not said (mask), or 365d (prune)"
    parser.add_argument("--older", metavar="TIME", type=span, help=about)
    parser.add_argument("-o", "--out", metavar="FILE", help="where a backup goes")
    parser.add_argument("--from", dest="source", metavar="FILE", help="the backup to restore")


def run(asked: Namespace) -> Exit:
    """Verify, sign, hide, forget, copy or take back."""
    with needing_extra("racl log"):
        from racl.serve.store.places import place_of
    connection = place_of(asked.store, new=asked.action == "restore").connect()
    try:
        return ACT[asked.action](connection, asked)
    finally:
        connection.close()


def verify(connection: Connection, asked: Namespace) -> Exit:
    """Say whether the log is whole."""
    from racl.serve.store import keeping
    from racl.serve.store.places import secret_of

    found = keeping.verify(connection, secret_of(asked.store))
    for problem in found.problems:
        remark(f"{asked.store}: {problem}")
    say(
        f"{found.decisions:,} decisions ({found.masked:,} with something hidden), {found.outcomes:,} outcomes,"
        f" {found.checkpoints:,} checkpoints: {'NOT whole' if found.problems else 'whole'}"
    )
    if found.unsigned:
        remark(f"racl: {found.unsigned} signatures not checked: there is no {asked.store}.secret")
    return Exit.FAILED if found.problems else Exit.DONE


def checkpoint(connection: Connection, asked: Namespace) -> Exit:
    """Sign what is there."""
    from racl.serve.store import keeping
    from racl.serve.store.places import secret_of

    keeping.checkpoint(connection, secret_of(asked.store, new=True) or b"", int(time.time() * 1e6))
    return Exit.DONE


def mask(connection: Connection, asked: Namespace) -> Exit:
    """Hide columns for good."""
    from racl.serve.store import keeping
    from racl.serve.store.versions import columns_of

    if not asked.column:
        raise CallError([Problem("racl log mask", "which column?", "--column NAME")])
    known = columns_of(connection)
    unknown = [name for name in asked.column if name not in known]
    if unknown:
        raise CallError(
            Problem("racl log mask", f"no model has a column {quoted(name)}", nearest(name, known))
            for name in unknown
        )
    before = None if asked.older is None else int((time.time() - asked.older) * 1e6)
    count = keeping.mask(connection, frozenset(asked.column), before=before, name=asked.id)
    say(f"hidden in {count:,} decisions")
    return Exit.DONE


def prune(connection: Connection, asked: Namespace) -> Exit:
    """Forget what is old."""
    from racl.serve.store import keeping
    from racl.serve.store.places import secret_of

    now = time.time()
    before = int((now - (365 * 86400.0 if asked.older is None else asked.older)) * 1e6)
    count = keeping.prune(connection, secret_of(asked.store, new=True) or b"", before, int(now * 1e6))
    say(f"{count:,} decisions forgotten")
    return Exit.DONE


def backup(connection: Connection, asked: Namespace) -> Exit:
    """Copy the file while the service runs."""
    from racl.serve.store.sqlite import copy

    if asked.out is None or Path(asked.out).exists():
        what = "where to?" if asked.out is None else "is there already"
        raise CallError([Problem("racl log backup", what, "-o FILE", file=asked.out or "")])
    copy(connection, asked.out)
    say(asked.out)
    return Exit.DONE


def restore(connection: Connection, asked: Namespace) -> Exit:
    """Take a backup in, once it is known to be whole."""
    from racl.serve.store import keeping, sqlite
    from racl.serve.store.places import secret_of

    if asked.source is None or not Path(asked.source).is_file():
        what = "from where?" if asked.source is None else "no such file"
        raise CallError([Problem("racl log restore", what, "--from FILE", file=asked.source or "")])
    sqlite.check_file(asked.source)
    reading = sqlite.readers(asked.source)()
    found = keeping.verify(reading, secret_of(asked.store))
    reading.close()
    if found.problems:
        raise CallError([Problem("racl log restore", one, file=asked.source) for one in found.problems])
    sqlite.restore(connection, asked.source)
    say(f"{found.decisions:,} decisions, {found.outcomes:,} outcomes")
    return Exit.DONE


ACT = {
    "verify": verify,
    "checkpoint": checkpoint,
    "mask": mask,
    "prune": prune,
    "backup": backup,
    "restore": restore,
}

COMMAND = Command(
    summary="verify, sign, mask, prune, back up and restore a service's log",
    about=(
        "Every record is linked to the one before over salted digests of its columns: `verify` recomputes all of them and"
        " ends with 1 where anything was changed, taken out or put in. `mask` hides columns and `prune` forgets what is old;"
        " the rest stays verifiable. `restore` puts a backup that is whole in the place of everything."
        " Checkpoints are signed with the secret in FILE.secret or RACL_LOG_SECRET: keep it elsewhere."
        " All of it may be done while the service runs."
    ),
    examples="""\
  racl log verify
  racl log mask --column persona --older 30d
  racl log prune --older 365d
  racl log backup -o copy.db
  racl log restore --from copy.db""",
    arguments=arguments,
    run=run,
)
