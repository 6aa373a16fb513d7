"""`racl show`: what a model prefers, and how it was learned."""

from __future__ import annotations

from argparse import Namespace

from racl.cli.arguments import Command, Exit, Parser
from racl.cli.files import read_model
from racl.cli.speak import say, say_data
from racl.errors import printable


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model (.json)")
    parser.add_argument("--json", action="store_true", help="print the whole record as JSON")


def run(asked: Namespace) -> Exit:
    """Print the record of a model."""
    from racl.learn.words import told

    model = read_model(asked.model)
    if asked.json:
        say_data(dict(model.fit))
    else:
        say("\n".join(map(printable, told(model).splitlines())))
    return Exit.DONE


COMMAND = Command(
    summary="show a model: its weights, how it was learned, how good it was on rows held out",
    about=(
        "Learner, guard, rows used and why others were not, the split and its seed, the weights with standard errors,"
        " and the figures on held-out rows with their intervals, as `racl fit` wrote them into the model."
    ),
    examples="""\
  racl show air.json
  racl show air.json --json | jq .validation.figures.fvr""",
    arguments=arguments,
    run=run,
)
