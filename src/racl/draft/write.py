"""The text of a first domain file: what was seen, ready to edit, and examples of what is still to be said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from racl.documents import DOMAIN_LIMIT
from racl.domain.model import Column, Type
from racl.draft.observe import Seen, column_of
from racl.errors import DataError, Problem, printable, quoted
from racl.expr.show import number
from racl.expr.show import text as literal

NAME_CHARACTERS = 64
UNKNOWN = "my-domain"

HEAD = """\
# {name}: a first domain file, drafted from {source} ({rows:,} rows). Edit it, then run `racl check`.
# Lines that begin with `#` and no space are examples: take the `#` away and change them."""
CANDIDATE = "# What is offered. Repairs may change anything declared here."
STAND_IN = "stands_in"


@dataclass(frozen=True, slots=True)
class Drafted:
    """The columns that a domain could have, what was seen in them, and why others are left out."""

    columns: tuple[Column, ...]
    seen: dict[str, Seen]
    left_out: tuple[tuple[str, str], ...]

    def of(self, *types: Type, context: bool) -> list[Column]:
        """The columns of these types in one section."""
        return [one for one in self.columns if one.context is context and (one.type in types or not types)]


def draft(found: Sequence[Seen], *, name: str, source: str) -> str:
    """The text of a domain file over the columns that were seen; raises DataError where there are none to use."""
    drafted = _drafted(found)
    parts = [
        HEAD.format(name=name, source=printable(source), rows=found[0].rows),
        f'racl = 1\nname = "{name}"',
        *_columns(drafted),
        *_requirements(drafted),
        *_features(drafted),
        *_repairs(drafted),
        *_rule(drafted),
    ]
    text = "\n\n".join(parts) + "\n"
    if len(text.encode()) > DOMAIN_LIMIT:
        what = f"{len(drafted.columns):,} columns make a domain file of more than {DOMAIN_LIMIT >> 20} MiB"
        raise DataError([Problem("", what, "give the sample fewer columns")])
    return text


def domain_name(stem: str) -> str:
    """A domain's name made of a file's.

    >>> domain_name("Flights (May)")
    'flights-may'
    """
    words = re.sub(r"[^a-z0-9_]+", "-", stem.lower()).strip("-_")
    return words[:NAME_CHARACTERS].rstrip("-_") or UNKNOWN


def _drafted(found: Sequence[Seen]) -> Drafted:
    judged = [(seen, column_of(seen)) for seen in found]
    columns = [column for _, column in judged if isinstance(column, Column)]
    left_out = tuple((seen.name, column) for seen, column in judged if isinstance(column, str))
    if all(column.context for column in columns):
        ...
    return Drafted(tuple(columns), {seen.name: seen for seen in found}, left_out)
