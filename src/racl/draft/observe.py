"""What stands in the columns of a sample, and which column of a domain each could be."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

import numpy as np
import pyarrow as pa

from racl.domain.faults import NAME
from racl.domain.model import Column, Type
from racl.errors import DataError, Problem, quoted
from racl.expr.nodes import RESERVED
from racl.frames import Table
from racl.frames.blocks import Block, Coded
from racl.values import DECIMAL, EXACT, TRUTHS

SAMPLE = 100_000  # rows that are looked at
MOST_VALUES = 50  # of a category
LONGEST_VALUE = 100
WHOLE = re.compile(r"[+-]?\d{1,30}", re.ASCII)
SURROGATE = re.compile("[\ud800-\udfff]")
ANSWERS = (
    "accepted",
    "credit",
    "label",
    "plan",
)  # what a decision says, or ought to say, is no part of the question
PERSONA = "persona"
CONTEXT = re.compile(r"budget|threshold|persona|(needs|wants|max|min)_.*|.*_(needed|wanted)", re.IGNORECASE)


class Kind(StrEnum):
    """What a value is."""

    BOOLEAN = "a truth"
    INTEGER = "a whole number"
    NUMBER = "a number"
    TEXT = "text"
    OTHER = "something else"


@dataclass(slots=True)
class Seen:
    """A column of the sample and what was seen in it."""

    name: str
    count: int = 1  # how many columns have this name
    cells: bool = False  # of text, which mean what they say
    rows: int = 0
    empty: int = 0
    infinite: int = 0  # NaN among them
    kinds: set[Kind] = field(default_factory=set)
    low: float = math.inf
    high: float = -math.inf
    exact: bool = True  # no whole number that float64 cannot hold
    texts: dict[str, None] = field(default_factory=dict)  # the first of them, in order
    odd: str = ""  # an example of a text, or of what is neither number, truth nor text

    def add(self, values: Iterable[object], *, text: bool) -> None:
        """Look at some more values; those of a table of text are what the text says."""
        self.cells = text
        for value in values:
            self.rows += 1
            if value is None or (text and value == ""):
                self.empty += 1
            else:
                self.note(value, kind_of(value, text=text))

    def note(self, value: object, kind: Kind) -> None:
        """Look at one value."""
        if kind in (Kind.INTEGER, Kind.NUMBER):
            self.number(value, kind)
        self.kinds.add(kind)
        if isinstance(value, str) and len(self.texts) <= MOST_VALUES:
            self.texts.setdefault(value)
        if kind in (Kind.TEXT, Kind.OTHER) and not self.odd:
            self.odd = value if isinstance(value, str) else type(value).__name__

    def number(self, value: object, kind: Kind) -> None:
        """Widen the range."""
        if kind is Kind.INTEGER and abs(int(value)) > EXACT:  # type: ignore[call-overload]
            self.exact = False
        number = nearest_float(value)
        if math.isfinite(number):
            self.low, self.high = min(self.low, number), max(self.high, number)
        else:
            self.infinite += 1


def kind_of(value: object, *, text: bool) -> Kind:
    """What a value is; a cell of text is what it says."""
    match value:
        case bool():
            return Kind.BOOLEAN
        case int():
            return Kind.INTEGER
        case float() | Decimal():
            return Kind.NUMBER
        case str() if not text:
            return Kind.TEXT
        case str():
            return Kind.BOOLEAN if value in TRUTHS else _kind_of_text(value)
        case _:
            return Kind.OTHER


def _kind_of_text(text: str) -> Kind:
    if WHOLE.fullmatch(text):
        return Kind.INTEGER
    return Kind.NUMBER if DECIMAL.fullmatch(text) else Kind.TEXT


def nearest_float(value: object) -> float:
    """A number as float64; what is too large for it is infinite."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (OverflowError, ValueError):
        return math.inf


# tables ----------------------------------------------------------------------------------------------


def observe(tables: Iterable[Table], sample: int = SAMPLE) -> tuple[Seen, ...]:
    """What stands in the columns of the first rows; raises DataError where there are none."""
    found: dict[str, Seen] = {}
    rows = 0
    for table in tables:
        taken = min(table.rows, sample - rows)
        for name in dict.fromkeys(table.names):
            seen = found.setdefault(name, Seen(name, table.names.count(name)))
            seen.empty, seen.rows = seen.empty + rows - seen.rows, rows  # rows before that did not have it
            seen.add(values(table, name, taken), text=table.text)
        rows += taken
        if rows >= sample:
            break
    if not rows:
        raise DataError([Problem("", "there are no rows to draft a domain from")])
    for seen in found.values():
        seen.empty, seen.rows = seen.empty + rows - seen.rows, rows
    return tuple(found.values())


def values(table: Table, name: str, rows: int) -> Iterator[object]:
    """The values of the first rows of a column as plain Python has them."""
    for block in table.source(name).blocks(0, rows):
        yield from plain(block)


def plain(block: Block) -> list[object]:
    """The values of a block as plain Python has them; what it cannot have is left as it is."""
    if isinstance(block, Coded):
        words = [*plain(block.dictionary), None]
        return [words[index] for index in block.indices.tolist()]
    if isinstance(block, np.ndarray):
        return list(block.tolist())
    if isinstance(block, list):
        return block
    try:
        return list(block.to_pylist())
    except (pa.ArrowException, ValueError, OverflowError):
        return list(block)  # such as times that Python cannot tell


# what a column could be ------------------------------------------------------------------------------


def column_of(seen: Seen) -> Column | str:
    """The column of a domain that this could be, or why it could be none."""
    reason = _no_name(seen)
    if reason:
        return reason
    column = _typed(seen)
    if isinstance(column, Column) and seen.name == PERSONA and column.type is not Type.CATEGORY:
        return "a persona is a category"
    return column


def _typed(seen: Seen) -> Column | str:
    context = CONTEXT.fullmatch(seen.name) is not None
    if not seen.kinds:
        return "empty in all of these rows"
    if seen.kinds == {Kind.BOOLEAN}:
        return Column(seen.name, Type.BOOLEAN, context)
    if seen.kinds <= {Kind.INTEGER, Kind.NUMBER}:
        return _number(seen, context=context)
    if seen.kinds == {Kind.TEXT} or seen.cells:
        return _category(seen, context=context)
    if Kind.OTHER in seen.kinds:
        return f"holds {quoted(seen.odd)}, which no column of a domain does"
    return f"holds {' and '.join(sorted(seen.kinds))}"


def _no_name(seen: Seen) -> str:
    if not NAME.fullmatch(seen.name):
        return "not a name: letters, digits and `_`, not beginning with a digit"
    if seen.name in RESERVED:
        return "a word of the expression language"
    if seen.count > 1:
        return f"{seen.count} columns have this name"
    if seen.name in ANSWERS:
        return "looks like an answer, which a domain does not hold"
    return ""


def _number(seen: Seen, *, context: bool) -> Column | str:
    if not seen.exact:
        return "holds whole numbers past 2**53, which float64 does not hold exactly"
    if seen.low > seen.high:
        return "holds no finite number"
    amount = seen.name.casefold() in ("budget", "threshold")  # is whole by chance
    type_ = Type.INTEGER if seen.kinds == {Kind.INTEGER} and not amount else Type.NUMBER
    return Column(seen.name, type_, context, min=0.0 if seen.low >= 0 else None)


def _category(seen: Seen, *, context: bool) -> Column | str:
    if len(seen.texts) > MOST_VALUES:
        return f"more than {MOST_VALUES} different texts, such as {quoted(seen.odd)}"
    if any(len(value) > LONGEST_VALUE for value in seen.texts):
        return f"texts of more than {LONGEST_VALUE} characters"
    if any(SURROGATE.search(value) for value in seen.texts):
        return "holds half of a character pair"
    return Column(seen.name, Type.CATEGORY, context, values=tuple(sorted(seen.texts)))
