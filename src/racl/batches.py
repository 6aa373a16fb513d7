"""Rows in Arrow batches to the same rows with their decisions: what any engine can map over its data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from racl.decide import NAMES, Decisions, chosen_engine, decide_table, raise_refused, refusals
from racl.errors import DataError, RaclError, RowError
from racl.frames import DECISION, check_new_names, decision_schema, read_arrow
from racl.model import Engine, Model, parse_model

WhatRefused = Literal["keep", "raise"]
ADDED = DECISION.append(pa.field("refused", pa.string()))
_rows_seen: Counter[str] = (
    Counter()
)  # of each model, in this process: what many batches add up to is worth compiling for


def added_schema(prefix: str = "") -> pa.Schema:
    """The columns that a decided batch has besides its own."""
    return decision_schema(prefix, ADDED)


def batch_function(
    model: Model, *, prefix: str = "", refused: WhatRefused = "keep", file: str = ""
) -> Callable[[pa.Table], pa.Table]:
    """A function from an Arrow table or batch to the same with its decisions; it carries the model's JSON and nothing else.

    A refused row has nulls for the decision and its reason in `refused`; with refused="raise" it ends the job. Where there is
    a column of the name `file`, errors name the file that it tells.
    """
    text = model_text(model)

    def decide(batch: Any) -> Any:  # INVARIANT: names nothing of this module, so that it travels without it
        try:
            from racl.batches import decided
        except ModuleNotFoundError as fault:
            import platform
            import sys

            missing = f"the worker {platform.node()} has no module `{fault.name}` in {sys.executable}"
            raise RuntimeError(f"{missing}: install racl on every worker") from None
        return decided(text, batch, prefix, refused, file=file)

    return decide


def model_text(model: Model) -> str:
    """The JSON of what decides."""
    document = {key: value for key, value in model.document().items() if key != "fit"}
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


@lru_cache(maxsize=8)
def _model(text: str) -> Model:
    return parse_model(text)


def decided(
    text: str, batch: pa.Table | pa.RecordBatch, prefix: str, refused: WhatRefused, *, file: str = ""
) -> Any:
    """A batch with its decisions, of the kind that came in."""
    table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
    try:
        result = _with_decisions(text, table, prefix, refused)
    except RaclError as fault:
        raise _placed(fault, table, file) from None
    if isinstance(batch, pa.Table):
        return result
    return result.combine_chunks().to_batches()[0] if len(result) else _no_rows(result.schema)


def _with_decisions(text: str, table: pa.Table, prefix: str, refused: WhatRefused) -> pa.Table:
    model = _model(text)
    problems = check_new_names(table.column_names, added_schema(prefix).names)
    if problems:
        raise DataError(problems)
    decisions = decide_table(model, read_arrow(table), engine=_engine(model, text, table.num_rows), threads=1)
    if refused == "raise":
        raise_refused(decisions)
    columns = [*table.columns, *_added(decisions)]
    return pa.Table.from_arrays(columns, schema=pa.schema([*table.schema, *added_schema(prefix)]))


def _placed(fault: RaclError, table: pa.Table, file: str) -> RaclError:
    """The fault with the files of its rows, where a column tells them; else of the first row."""
    if table.column_names.count(file) != 1 or not len(table):
        return fault
    files = table.column(file)
    rows = [refusal.row for refusal in fault.refusals] if isinstance(fault, RowError) else []
    rows += [0] * (len(fault.problems) - len(rows))
    return DataError(
        replace(problem, file=str(files[row].as_py() or ""))
        for problem, row in zip(fault.problems, rows, strict=False)
    )


def _no_rows(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], schema=schema)


def _engine(model: Model, text: str, rows: int) -> Engine:
    _rows_seen[text] += rows
    return "kernel" if chosen_engine(model, _rows_seen[text]) == "kernel" else "arrays"


def _added(decisions: Decisions) -> Sequence[pa.Array]:
    """The six columns and why rows are refused, an entry for every row."""
    made = decisions.columns()
    columns = [made[name].cast(ADDED.field(name).type) for name in NAMES]
    aside = decisions.outputs.refused
    if not aside.any():
        return [*columns, pa.nulls(len(aside), pa.string())]
    found = np.cumsum(~aside) - 1
    taken = pa.array(found, mask=aside)
    reasons = (f"{one.column}: {one.reason}" if one.column else one.reason for one in refusals(decisions))
    return [
        *(column.take(taken) for column in columns),
        pa.array([next(reasons) if one else None for one in aside]),
    ]
