"""`racl rebase`: a model on a changed domain."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from racl.cli.arguments import Command, Exit, Parser
from racl.cli.files import check_target, read_model
from racl.cli.speak import remark, say
from racl.documents import DOMAIN_LIMIT, read_text, read_toml
from racl.domain.files import domain_of
from racl.errors import ModelError, printable


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model (.json)")
    parser.add_argument("domain", metavar="DOMAIN", help="the changed domain (.toml)")
    parser.add_argument(
        "-o", "--out", metavar="MODEL", required=True, help="where the rebased model goes; may be MODEL"
    )
    parser.add_argument(
        "--force", action="store_true", help="keep the weights of features that mean something else now"
    )


def run(asked: Namespace) -> Exit:
    """Put the model on the domain and say what changed."""
    from racl.rebase import rebase

    check_target(asked.out, asked.domain)
    model = read_model(asked.model)
    document = read_toml(read_text(asked.domain, limit=DOMAIN_LIMIT), asked.domain)
    domain = domain_of(document)
    try:
        rebased, found = rebase(model, domain, force=asked.force)
    except ModelError as fault:
        raise ModelError(
            replace(one, file=asked.domain, line=document.line(tuple(one.where.split("."))))
            for one in fault.problems
        ) from fault
    rebased.save(asked.out)
    say("\n".join(printable(str(change)) for change in found) or "nothing that decides has changed")
    if found and model.fit:
        remark(f"{asked.out}: what `fit` says was measured before these changes")
    return Exit.DONE


COMMAND = Command(
    summary="put a model on a changed domain: the weights stay, and what changed is said",
    about=(
        "Requirements, repairs, costs, columns and the rule may change. Features and personas must be those of the"
        " model: one that is missing or new is refused, and so is a feature that is computed otherwise or reads a"
        " column of another type or unit, unless --force is given."
    ),
    examples="""\
  racl rebase air.json air.toml -o air-may.json""",
    arguments=arguments,
    run=run,
)
