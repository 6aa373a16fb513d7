"""What a domain declares: values without behaviour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from racl.expr.nodes import Expression, names

KEEP = "keep"  # the identity: always exists, comes first, costs nothing
ALL = "all"  # the one persona of a domain that declares none


class Type(StrEnum):
    """The four types of a column."""

    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    CATEGORY = "category"


class Choose(StrEnum):
    """Which of the repairs that would do becomes the plan."""

    BEST = "best"
    CHEAPEST = "cheapest"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the rows: what may stand in it."""

    name: str
    type: Type
    context: bool = False
    min: float | None = None
    max: float | None = None
    values: tuple[str, ...] = ()
    default: float | bool | str | None = None
    unit: str = ""
    label: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A hard constraint: a boolean expression that must hold."""

    name: str
    holds: Expression


@dataclass(frozen=True, slots=True)
class Feature:
    """One number that preference may look at: g(x) in the paper."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Repair:
    """A known change to a candidate, when it applies, and its price."""

    name: str
    applies: Expression
    sets: tuple[tuple[str, Expression], ...]
    cost: Expression
    label: str = ""
    description: str = ""

    @property
    def title(self) -> str:
        """The label where there is one, else the name."""
        return self.label or self.name


@dataclass(frozen=True, slots=True)
class Rule:
    """How a row is judged: budget, threshold and persona, and how a plan is chosen."""

    budget: Expression
    threshold: Expression
    persona: str | None
    tradeoff: float = 0.0  # lambda in the paper
    choose: Choose = Choose.BEST
    steps: int = 1


@dataclass(frozen=True, repr=False)
class Domain:
    """A decision problem as declared."""

    name: str
    candidate: tuple[Column, ...]
    context: tuple[Column, ...]
    requirements: tuple[Requirement, ...]
    features: tuple[Feature, ...]
    repairs: tuple[Repair, ...]  # `keep` is not among them
    rule: Rule
    label: str = ""
    description: str = ""
    document: Mapping[str, object] = field(
        default_factory=dict, compare=False, repr=False
    )  # the file, key for key

    def __repr__(self) -> str:
        parts = {
            "columns": self.columns,
            "requirements": self.requirements,
            "features": self.features,
            "repairs": self.repairs,
        }
        return f"<Domain {self.name}: {', '.join(f'{len(found)} {kind}' for kind, found in parts.items())}>"

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Every declared column, the candidate's first."""
        return self.candidate + self.context

    @cached_property
    def names_read(self) -> frozenset[str]:
        """The names of the columns that some expression or the rule reads."""
        found = {name for _, expression in self.expressions() for name in names(expression.node)}
        return frozenset(found | ({self.rule.persona} if self.rule.persona else set()))

    @cached_property
    def columns_read(self) -> tuple[Column, ...]:
        """The columns that some expression or the rule reads, in the order of declaration."""
        return tuple(column for column in self.columns if column.name in self.names_read)

    def expressions(self) -> Iterator[tuple[str, Expression]]:
        """Every expression, with its key path."""
        for requirement in self.requirements:
            yield f"requirements.{requirement.name}", requirement.holds
        for feature in self.features:
            yield f"features.{feature.name}", feature.value
        for repair in self.repairs:
            yield f"repairs.{repair.name}.applies", repair.applies
            for name, expression in repair.sets:
                yield f"repairs.{repair.name}.sets.{name}", expression
            yield f"repairs.{repair.name}.cost", repair.cost
        yield "rule.budget", self.rule.budget
        yield "rule.threshold", self.rule.threshold

    def column(self, name: str) -> Column:
        """The column of that name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def personas(self) -> tuple[str, ...]:
        """The declared personas, or the single one of a domain without any."""
        return (ALL,) if self.rule.persona is None else self.column(self.rule.persona).values
