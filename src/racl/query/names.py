"""Names for what a query works out on its way: no two alike, none that a column has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

PREFIX = "racl_"
LONGEST = 60  # characters; PostgreSQL cuts names off at 63, and cut names may be alike


@dataclass
class Names:
    """The names that are taken, in one case."""

    taken: set[str] = field(default_factory=set)
    count: int = 0

    @classmethod
    def apart_from(cls, columns: Iterable[str]) -> Names:
        """Names for a query over these columns."""
        return cls({column.casefold() for column in columns})

    def new(self, *words: str) -> str:
        """A name of these words, or as near to it as can be."""
        name = PREFIX + "_".join(words)
        while len(name) > LONGEST or name.casefold() in self.taken:
            self.count += 1
            name = f"{PREFIX}{words[0] if len(words) > 1 else 'x'}_{self.count}"
        self.taken.add(name.casefold())
        return name
