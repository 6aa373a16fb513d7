"""What every way of deciding hands back here: six plain arrays, compared to the bit."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CREDITS = (
    "accepted-already-good",
    "accepted-repairable-good",
    "rejected-non-repairable",
    "rejected-repairable-over-budget",
    "rejected-feasible-suboptimal",
    "rejected-repairable-suboptimal",
)
NO_PLAN = 255


@dataclass(frozen=True, slots=True)
class Answers:
    """Decisions as 27 bytes a row: three codes, three floats, NaN where nothing is admissible."""

    accepted: NDArray[np.bool_]  # (n,)
    credit: NDArray[np.uint8]  # (n,) a place in CREDITS
    plan: NDArray[np.uint8]  # (n,) 0 is keep, then the repairs in order, or NO_PLAN
    value: NDArray[np.float64]  # (n,)
    margin: NDArray[np.float64]  # (n,)
    cost: NDArray[np.float64]  # (n,)

    def head(self, n: int) -> "Answers":
        """The first n rows."""
        return Answers(*(getattr(self, name)[:n] for name in Answers.__slots__))


def empty(n: int) -> Answers:
    """Room for n rows."""
    floats = (np.empty(n) for _ in range(3))
    return Answers(np.empty(n, np.bool_), np.empty(n, np.uint8), np.empty(n, np.uint8), *floats)


def of_decisions(decisions: Any, repairs: list[str]) -> Answers:
    """The library's decisions as answers."""
    plans = {name: code for code, name in enumerate(["keep", *repairs])} | {None: NO_PLAN}
    credits_ = {name: code for code, name in enumerate(CREDITS)}
    return Answers(
        plain(decisions.accepted).astype(np.bool_),
        np.array([credits_[str(name)] for name in listed(decisions.credit)], np.uint8),
        np.array([plans[name] for name in listed(decisions.plan)], np.uint8),
        *(plain(column).astype(np.float64) for column in (decisions.value, decisions.margin, decisions.cost)),
    )


def listed(column: Any) -> list[Any]:
    """A text column as Python texts, nulls as None."""
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, way):
            return list(getattr(column, way)())
    return list(column)


def plain(column: Any) -> NDArray[Any]:
    """A column of numbers or truths as NumPy has it."""
    return np.asarray(np.ma.filled(column, np.nan) if np.ma.isMaskedArray(column) else column)


def differences(ours: Answers, theirs: Answers, *, bits: bool) -> dict[str, int]:
    """How many rows differ, for each output that does: the numbers too where `bits` asks for it."""
    names = Answers.__slots__ if bits else Answers.__slots__[:3]
    counts = {name: unequal(getattr(ours, name), getattr(theirs, name)) for name in names}
    return {name: count for name, count in counts.items() if count}


def unequal(left: NDArray[Any], right: NDArray[Any]) -> int:
    """In how many places two columns differ; NaN equals NaN, and 0.0 differs from -0.0."""
    if left.dtype.kind != "f":
        return int((left != right).sum())
    both_nan = np.isnan(left) & np.isnan(right)
    return int(((left.view(np.int64) != right.view(np.int64)) & ~both_nan).sum())


def preference(model: Path) -> NDArray[np.float64]:
    """(personas, 1 + features): each persona's bias and weights, in the order of declaration."""
    stored = json.loads(model.read_text("utf-8"))["preference"].values()
    return np.array([[one["bias"], *one["weights"].values()] for one in stored])
