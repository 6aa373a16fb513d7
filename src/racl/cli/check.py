"""`racl check`: every fault and warning of a domain, and which repair can change what."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from racl.cli.arguments import CallError, Command, Exit, Parser
from racl.cli.speak import problem_data, say, say_data, warn, width
from racl.cli.tables import NOTHING, aligned
from racl.documents import DOMAIN_LIMIT, MODEL_LIMIT, Document, read_json, read_text, read_toml
from racl.domain.effects import effects, effects_document, plans_per_row, through
from racl.domain.files import domain_of
from racl.domain.model import Domain
from racl.domain.schema import schema
from racl.domain.warn import warnings
from racl.errors import ModelError, Problem, RaclError

LISTED = 20  # names in a cell
HEADER = ("repair", "can change requirements", "can change features", "and what these do after it")


@dataclass(frozen=True, slots=True)
class Checked:
    """A domain without a fault, where it stands, and what to warn of."""

    domain: Domain
    kind: str
    warnings: tuple[Problem, ...]


def arguments(parser: Parser) -> None:
    """The arguments of the command."""
    parser.add_argument("domain", metavar="DOMAIN", nargs="?", help="a domain (.toml) or a model (.json)")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument(
        "--schema", action="store_true", help="print the JSON Schema of domain files, for editors, and end"
    )


def run(asked: Namespace) -> Exit:
    """Check a file, or print the schema."""
    if asked.schema:
        say_data(schema())
        return Exit.DONE
    if asked.domain is None:
        raise CallError([Problem("racl check", "no file to check", "name a domain file or a model")])
    try:
        checked = read(asked.domain)
    except RaclError as fault:
        if asked.json:
            say_data(_data(asked.domain, "", problems=fault.problems))
        raise
    warn(checked.warnings)
    if asked.json:
        domain = {"name": checked.domain.name, **effects_document(checked.domain)}
        say_data({**_data(asked.domain, checked.kind, warned=checked.warnings), "domain": domain})
    else:
        say(words(checked))
    return Exit.DONE


def read(path: str) -> Checked:
    """What stands in a file, by its suffix a model or a domain; raises its faults."""
    if Path(path).suffix.lower() == ".json":
        return _read_model(path)
    document = read_toml(read_text(path, limit=DOMAIN_LIMIT), path)
    domain = domain_of(document)
    return Checked(domain, "domain", warnings(domain, document))


def _read_model(path: str) -> Checked:
    from racl.model import parse_model

    text = read_text(path, limit=MODEL_LIMIT, error=ModelError)
    domain = parse_model(text, path).domain
    document: Document = read_json(text, path)
    return Checked(domain, "model", warnings(domain, document, ("domain",)))


def _data(
    path: str, kind: str, problems: tuple[Problem, ...] = (), warned: tuple[Problem, ...] = ()
) -> dict[str, object]:
    return {
        "file": path,
        "kind": kind,
        "problems": [problem_data(problem) for problem in problems],
        "warnings": [problem_data(problem) for problem in warned],
    }


# in words --------------------------------------------------------------------------------------------


def words(checked: Checked) -> str:
    """What a domain declares, and the table of its repairs."""
    return "\n\n".join(filter(None, (_summary(checked), _table(checked.domain))))


def _summary(checked: Checked) -> str:
    domain = checked.domain
    declared = [
        _count(len(domain.candidate), "candidate column"),
        _count(len(domain.context), "context column"),
        _count(len(domain.requirements), "requirement"),
        _count(len(domain.features), "feature"),
        _count(len(domain.repairs), "repair"),
        _count(len(domain.personas), "persona"),
    ]
    steps = _count(domain.rule.steps, "step")
    plans = _count(plans_per_row(domain), "plan")
    warned = f"; {_count(len(checked.warnings), 'warning')}" if checked.warnings else ""
    head = f"{checked.kind} {domain.name}: no faults{warned}"
    return f"{head}\n{', '.join(declared)}\n{plans} to try on each row, of up to {steps}"


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _table(domain: Domain) -> str:
    rows = [HEADER]
    for repair, effect in zip(domain.repairs, effects(domain), strict=True):
        after = (one.repair for one in through(domain, repair))
        rows.append((repair.name, _listed(effect.requirements), _listed(effect.features), _listed(after)))
    return aligned(rows, width()) if domain.repairs else ""


def _listed(names: Iterable[str]) -> str:
    """The first of some names."""
    found = list(islice(names, LISTED + 1))
    shown = ", ".join(found[:LISTED]) or NOTHING
    return f"{shown} and more" if len(found) > LISTED else shown


COMMAND = Command(
    summary="check a domain file: every fault and warning, and which repair can change what",
    about=(
        "Ends with 2 if there is a fault; warnings do not change how it ends. Of a model, all of it is checked and"
        " its domain is shown."
    ),
    examples="""\
  racl check air.toml
  racl check air.toml --json | jq .warnings
  racl check --schema > domain.schema.json""",
    arguments=arguments,
    run=run,
)
