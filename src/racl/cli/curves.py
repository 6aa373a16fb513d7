"""What `racl fit` is asked about shapes beyond straight lines."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from typing import Any

from racl.cli.arguments import CallError, Parser
from racl.errors import Problem, quoted

WAYS = {"falls": -1, "rises": 1}
ALL = "all"


def arguments(parser: Parser) -> None:
    """The arguments that ask for curves."""
    about = "let the score bend at quantiles of numeric features; how much is chosen by cross-validation"
    parser.add_argument("--curves", action="store_true", help=about)
    about = "with --curves, the score may only fall (or rise) with this feature; may be given several times"
    parser.add_argument(
        "--monotone", metavar="FEATURE=falls", type=_monotone, action="append", default=[], help=about
    )
    about = "with --curves, learn a weight for the product of two features, too, or of `all`"
    parser.add_argument("--product", metavar="A*B", type=_product, action="append", default=[], help=about)


def asked_curves(asked: Namespace) -> bool | dict[str, Any]:
    """The curves of a recipe."""
    if not asked.curves:
        if asked.monotone or asked.product:
            what = "--monotone and --product shape curves"
            raise CallError([Problem("racl fit", what, "give --curves, too")])
        return False
    everything = ALL in asked.product
    return {"monotone": dict(asked.monotone), "products": ALL if everything else asked.product}


def _monotone(text: str) -> tuple[str, int]:
    feature, _, way = text.partition("=")
    if way not in WAYS:
        raise ArgumentTypeError(f"{quoted(text)} is not FEATURE=falls or FEATURE=rises")
    return feature, WAYS[way]


def _product(text: str) -> tuple[str, str] | str:
    first, sign, second = text.partition("*")
    if text == ALL or (sign and first and second):
        return ALL if text == ALL else (first.strip(), second.strip())
    raise ArgumentTypeError(f"{quoted(text)} is not A*B or `{ALL}`")
