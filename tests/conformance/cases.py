"""The conformance cases, and every way to decide them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from racl import Decision, Model, RowError, load_model, semantics
from racl.model import Engine

FOLDER = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in FOLDER.glob("*/*/model.json"))
NAMES = ("accepted", "credit", "plan", "value", "margin", "cost")

Answer = tuple[object, ...] | None  # the six of a decision, numbers as their bits; None for a refused row
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A model, rows, and the answer that each must get."""

    folder: Path
    model: Model
    rows: list[Row]
    expected: list[Answer]

    @classmethod
    def of(cls, folder: Path) -> Case:
        """The case in a folder."""
        answers = [expected(line) for line in lines(folder / "expected.jsonl")]
        return cls(folder, load_model(folder / "model.json"), lines(folder / "rows.jsonl"), answers)


def lines(path: Path) -> list[Row]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bits(value: Any) -> str | None:
    """A number to the last bit; a null as it is."""
    return None if value is None else struct.pack(">d", value).hex()


def expected(line: Row) -> Answer:
    """The answer that a line of `expected.jsonl` gives."""
    return None if "refused" in line else answer(*(line[name] for name in NAMES))


def answer(accepted: object, credit: object, plan: object, *numbers: object) -> Answer:
    """The six of a decision in a form that compares to the bit."""
    return bool(accepted), str(credit), plan, *map(bits, numbers)


def of_decision(found: Decision) -> Answer:
    """The answer of a decision."""
    return answer(*(getattr(found, name) for name in NAMES))


# ways to decide -----------------------------------------------------------------------------------


def by_definition(model: Model, rows: list[Row]) -> list[Answer]:
    """The definition, called as it is."""
    found = [semantics.decide(model.domain, model.taste, row) for row in rows]
    return [of_decision(one) if isinstance(one, Decision) else None for one in found]


def one_by_one(model: Model, rows: list[Row]) -> list[Answer]:
    """`decide_one`, row by row."""
    return [_one(model, row) for row in rows]


def _one(model: Model, row: Row) -> Answer:
    try:
        return of_decision(model.decide_one(row))
    except RowError:
        return None


def by_engine(engine: Engine, threads: int | None = None) -> Callable[[Model, list[Row]], list[Answer]]:
    """`decide` on all rows at once, by one engine."""

    def decide(model: Model, rows: list[Row]) -> list[Answer]:
        decisions, refused = model.decide(rows, refused="collect", engine=engine, threads=threads)
        found: list[Answer] = [None] * len(rows)
        six = zip(*(decisions.columns()[name].to_pylist() for name in NAMES), strict=True)
        for row, values in zip(decisions.rows, six, strict=True):
            found[row] = answer(*values)
        assert len(decisions) + len(refused) == len(rows)
        assert all(found[refusal.row] is None for refusal in refused)
        return found

    return decide


WAYS = {
    "definition": by_definition,
    "definition on a frame": by_engine("definition"),
    "decide_one": one_by_one,
    "closure": by_engine("rows"),
    "arrays": by_engine("arrays"),
    "whichever suits": by_engine("auto"),
}
COMPILED = {
    "kernel on one thread": by_engine("kernel", threads=1),
    "kernel on two threads": by_engine("kernel", threads=2),
}
