"""What is measured of a model: figures with counts and intervals, as a whole and by group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from racl.errors import Refusal
from racl.metrics.calibration import Calibration
from racl.metrics.rates import Rate


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of some rows."""

    fvr: Rate  # false veto rate
    far: Rate  # false accept rate
    credit: Rate  # buckets of the truly rejected rows, as if each were rejected
    credit_end_to_end: Rate  # all six credits
    plan: Rate  # best plans of the repairable-good rows
    plan_end_to_end: Rate  # plans returned for them
    auroc: Rate
    edr: Rate  # expected decision regret
    ece: Rate  # expected calibration error

    def each(self) -> tuple[Rate, ...]:
        """All of them, in this order."""
        return tuple(getattr(self, one.name) for one in fields(self))

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {one.name: getattr(self, one.name).to_dict() for one in fields(self)}


@dataclass(frozen=True, slots=True)
class Bucket:
    """The rows of one true outcome, and what the model makes of them."""

    name: str
    rows: int
    accepted: Rate
    right: Rate  # of rejections, whose bucket is right, as if each were rejected

    def to_dict(self) -> dict[str, Any]:
        """The bucket as plain data."""
        return {
            "name": self.name,
            "rows": self.rows,
            "accepted": self.accepted.to_dict(),
            "right": self.right.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Group:
    """The rows with one value of a column."""

    value: str
    rows: int
    figures: Figures
    calibration: Calibration

    def to_dict(self) -> dict[str, Any]:
        """The group as plain data."""
        return {
            "value": self.value,
            "rows": self.rows,
            "figures": self.figures.to_dict(),
            "calibration": self.calibration.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Metrics:
    """How good decisions are; prints as tables."""

    figures: Figures
    counts: Mapping[str, int]  # rows that came in, were refused, are feasible, repairable-good ...
    buckets: tuple[Bucket, ...]  # by what is true of the rows
    confusion: tuple[tuple[int, ...], ...] | None  # (6, 6) rows by true credit and the model's credit
    calibration: Calibration
    tables: Mapping[str, tuple[Group, ...]]  # by persona, and by any column asked for
    refusals: tuple[Refusal, ...] = field(default=(), repr=False)

    @property
    def fvr(self) -> Rate:
        """The false veto rate: of the repairable-good rows, those that are rejected."""
        return self.figures.fvr

    @property
    def far(self) -> Rate:
        """The false accept rate: of the truly rejected rows, those that are accepted."""
        return self.figures.far

    @property
    def credit(self) -> Rate:
        """Of the truly rejected rows, those whose bucket is right, as if each were rejected."""
        return self.figures.credit

    @property
    def plan(self) -> Rate:
        """Of the repairable-good rows, those whose best plan is right, accepted or not."""
        return self.figures.plan

    @property
    def auroc(self) -> Rate:
        """How well the margin ranks accepted labels above rejected ones."""
        return self.figures.auroc

    @property
    def edr(self) -> Rate:
        """Expected decision regret over choice sets."""
        return self.figures.edr

    @property
    def ece(self) -> Rate:
        """Expected calibration error of the probabilities."""
        return self.figures.ece

    def __str__(self) -> str:
        from racl.metrics.words import metrics_text

        return metrics_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, fit for JSON; a figure without a value is null."""
        confusion = self.confusion
        return {
            "counts": dict(self.counts),
            "figures": self.figures.to_dict(),
            "buckets": [one.to_dict() for one in self.buckets],
            "confusion": None if confusion is None else [list(row) for row in confusion],
            "calibration": self.calibration.to_dict(),
            "tables": {name: [one.to_dict() for one in groups] for name, groups in self.tables.items()},
        }
