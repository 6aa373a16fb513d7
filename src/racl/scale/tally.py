"""What became of the rows so far: counted piece by piece, kept in a journal between runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from racl.decide import SHOWN, Decisions, refusals
from racl.errors import Refusal


@dataclass(slots=True)
class Tally:
    """How many rows there were, and what became of them."""

    rows: int = 0
    decided: int = 0
    written: int = 0
    credits: Counter[str] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)  # the first of them
    seconds: float = 0.0  # from the first row read to the last one written

    @property
    def refused(self) -> int:
        """How many rows were refused."""
        return self.rows - self.decided

    @classmethod
    def of(cls, decisions: Decisions) -> Tally:
        """The counts of some decisions."""
        credits_ = Counter(decisions.counts())
        first = list(islice(refusals(decisions), SHOWN))
        return cls(decisions.table.rows, len(decisions), 0, credits_, first)

    def add(self, other: Tally) -> None:
        """Count some more rows."""
        self.rows += other.rows
        self.decided += other.decided
        self.written += other.written
        self.credits.update(other.credits)
        self.refusals += other.refusals[: SHOWN - len(self.refusals)]

    def data(self) -> dict[str, Any]:
        """The counts as plain data."""
        shown = [[one.row, one.column, one.reason] for one in self.refusals]
        return {
            "rows": self.rows,
            "decided": self.decided,
            "written": self.written,
            "credits": dict(self.credits),
            "refusals": shown,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Tally:
        """The counts that plain data holds."""
        shown = [Refusal(*one) for one in data["refusals"]]
        return cls(data["rows"], data["decided"], data["written"], Counter(data["credits"]), shown)
