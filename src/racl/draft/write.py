"""The text of a first domain file: what was seen, ready to edit, and examples of what is still to be said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from racl.documents import DOMAIN_LIMIT
from racl.domain.model import Column, Type
from racl.draft.observe import Seen, column_of
from racl.draft.suggest import features, repair, requirements, rule_column
from racl.errors import DataError, Problem, printable
from racl.expr.show import number

NAME_CHARACTERS = 64
UNKNOWN = "my-domain"
PAD = 12  # characters of a name before its `=`
RULE_WORDS = ("budget", "threshold", "persona")

HEAD = """\
# {name}: a first domain file, drafted from {source} ({rows:,} rows). Edit it, then run `racl check` on it.
# Lines that begin with `#` and no space are examples: take the `#` away and change them."""
CANDIDATE = "# What is offered. Repairs may change anything declared here.\n[candidate]"
CONTEXT = "# What the request fixes. No repair may change it.\n[context]"
REQUIREMENTS = "# Hard: every one must hold of what is had in the end, after the repairs.\n[requirements]"
ALWAYS = 'always       = "true"  # stands in until there is another'
FEATURES = "# What preference may look at: a model gives each of them a weight.\n[features]"
REPAIRS = "# Known changes to a candidate, each with its price. All expressions read the candidate as it was."
RULE = "# How a row is judged.\n[rule]"
CHOICES = """\
tradeoff  = 0.0  # how much value one unit of cost takes away
choose    = "best"  # or "cheapest": of the plans that are good enough
steps     = 1  # how many repairs a plan may compose, up to 4"""


@dataclass(frozen=True, slots=True)
class Drafted:
    """The columns that a domain could have, and why others are left out."""

    columns: tuple[Column, ...]
    left_out: tuple[tuple[str, str], ...]

    def section(self, *, context: bool) -> list[Column]:
        """The columns of one section."""
        return [column for column in self.columns if column.context is context]


def draft(found: Sequence[Seen], *, name: str, source: str) -> str:
    """The text of a domain file over the columns that were seen; raises DataError where none can be used."""
    drafted = _drafted(found)
    seen = {one.name: one for one in found}
    parts = [
        HEAD.format(name=name, source=printable(source), rows=found[0].rows),
        f'racl = 1\nname = "{name}"',
        _section(CANDIDATE, [_column(one, seen[one.name]) for one in drafted.section(context=False)]),
        _section(CONTEXT, [_column(one, seen[one.name]) for one in drafted.section(context=True)]),
        _section("# Left out of this file:", [f"# {_comment(*one)}" for one in drafted.left_out]),
        _section(REQUIREMENTS, [ALWAYS, *_examples(requirements(drafted.columns))]),
        _section(FEATURES, _features(drafted.section(context=False))),
        _section(REPAIRS, _repair(drafted.section(context=False))),
        _section(RULE, _rule(drafted.section(context=True))),
    ]
    return _small_enough("\n\n".join(filter(None, parts)) + "\n")


def _small_enough(text: str) -> str:
    if len(text.encode()) <= DOMAIN_LIMIT:
        return text
    what = f"so many columns make a domain file of more than {DOMAIN_LIMIT >> 20} MiB"
    raise DataError([Problem("", what, "give a sample with fewer columns")])


def domain_name(stem: str) -> str:
    """A domain's name made of a file's.

    >>> domain_name("Flights (May)")
    'flights-may'
    """
    words = re.sub(r"[^a-z0-9_]+", "-", stem.lower()).strip("-_")
    return words[:NAME_CHARACTERS].rstrip("-_") or UNKNOWN


def _drafted(found: Sequence[Seen]) -> Drafted:
    judged = [(seen.name, column_of(seen)) for seen in found]
    columns = [column for _, column in judged if isinstance(column, Column)]
    left_out = tuple((name, reason) for name, reason in judged if isinstance(reason, str))
    if all(column.context for column in columns):  # something must be on offer
        columns = [replace(one, context=one.name.casefold() in RULE_WORDS) for one in columns]
    if all(column.context for column in columns):
        reasons = "; ".join(_comment(*one) for one in left_out[:5])
        raise DataError([Problem("", "no column of these rows can be a column of [candidate]", reasons)])
    return Drafted(tuple(columns), left_out)


# parts of the text -----------------------------------------------------------------------------------


def _section(head: str, lines: Iterable[str]) -> str:
    below = list(lines)
    return "\n".join([head, *below]) if below else ""


def _comment(name: str, reason: str) -> str:
    return printable(f"{name}: {reason}")


def _column(column: Column, seen: Seen) -> str:
    parts = [f"type = {toml_text(column.type)}"]
    if column.min is not None:
        parts.append(f"min = {number(column.min)}")
    if column.values:
        parts.append(f"values = [{', '.join(map(toml_text, column.values))}]")
    short = toml_text(column.type) if len(parts) == 1 else f"{{ {', '.join(parts)} }}"
    notes = "; ".join(_notes(column, seen))
    return f"{column.name:<{PAD}} = {short}" + (f"  # {notes}" if notes else "")


def _notes(column: Column, seen: Seen) -> Iterable[str]:
    if column.type in (Type.NUMBER, Type.INTEGER):
        yield f"{number(seen.low)} to {number(seen.high)}"
    if seen.infinite:
        yield f"{seen.infinite:,} NaN or infinite, which is refused"
    if seen.empty:
        yield f"{seen.empty:,} empty: give it a `default`, or such rows are refused"


def _examples(expressions: Iterable[tuple[str, str]]) -> list[str]:
    return [f"#{name:<{PAD - 1}} = {toml_text(expression)}" for name, expression in expressions]


def _features(candidate: Sequence[Column]) -> list[str]:
    """A feature for each number and truth; categories as examples, one of them real where there is nothing else."""
    plain = [one for one in candidate if one.type is not Type.CATEGORY]
    real = [f"{one.name:<{PAD}} = {toml_text(one.name)}" for one in plain]
    examples = _examples(features(candidate))
    return real + examples if real else [examples[0].removeprefix("#"), *examples[1:]]


def _repair(candidate: Sequence[Column]) -> list[str]:
    target, applies, value = repair(candidate)
    return [
        "#[repairs.first_repair]",
        '#label   = "What a person would call it"',
        f"#applies = {toml_text(applies)}",
        f"#sets    = {{ {target} = {toml_text(value)} }}",
        "#cost    = 1",
    ]


def _rule(context: Sequence[Column]) -> list[str]:
    budget, threshold, persona = (rule_column(context, word) for word in RULE_WORDS)
    lines = [
        f"budget    = {toml_text(budget)}" if budget else "budget    = 0  # name a column of [context]",
        f"threshold = {toml_text(threshold)}" if threshold else "threshold = 0  # name a column of [context]",
    ]
    return [*lines, *([f"persona   = {toml_text(persona)}"] if persona else []), *CHOICES.split("\n")]


def toml_text(value: str) -> str:
    r"""A text of TOML on one line, in double quotes.

    >>> print(toml_text('say "no"\n'))
    "say \"no\"\u000A"
    """
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(one if one.isprintable() else _escape(one) for one in escaped) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"  # noqa: PLR2004 - the first 65,536 of them
