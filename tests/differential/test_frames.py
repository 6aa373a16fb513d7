"""The same rows in every kind of frame get the same decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from racl import Model
from racl.decide import decide_table
from racl.domain.model import Type
from racl.frames import read_frame
from strategies.agreement import by_definition, disagreements, outputs_of
from strategies.chance import Seeded
from strategies.domains import any_model
from strategies.rows import Row, aimed_row, sound_row

TYPES = {
    Type.NUMBER: pa.float64(),
    Type.INTEGER: pa.int64(),
    Type.BOOLEAN: pa.bool_(),
    Type.CATEGORY: pa.string(),
}


def arrow(model: Model, rows: list[Row]) -> pa.Table:
    """The rows as a table of the domain's own types."""
    columns = {}
    for column in model.domain.columns:
        values = [row.get(column.name) for row in rows]
        whole = (
            [None if value is None else int(value) for value in values]
            if column.type is Type.INTEGER
            else values
        )
        columns[column.name] = pa.array(whole, TYPES[column.type])
    return pa.table(columns)


def chunked(table: pa.Table) -> pa.Table:
    """The same rows in chunks, texts in dictionaries that differ from chunk to chunk."""
    parts = [table.slice(start, 7) for start in range(0, table.num_rows, 7)]
    return pa.concat_tables([encoded(part) for part in parts])


def encoded(table: pa.Table) -> pa.Table:
    columns = [
        column.dictionary_encode() if pa.types.is_string(column.type) else column for column in table.columns
    ]
    return pa.table(dict(zip(table.column_names, columns, strict=True)))


def arrays(table: pa.Table) -> dict[str, Any]:
    """A dict of arrays, of lists where there are nulls."""
    return {
        name: column.to_pylist() if column.null_count else column.to_numpy()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def large(table: pa.Table) -> pa.Table:
    fields = ((one.name, pa.large_string() if one.type == pa.string() else one.type) for one in table.schema)
    return table.cast(pa.schema(fields))


def sliced(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table, table, table]).slice(table.num_rows, table.num_rows)


def categorical(table: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas()
    texts = [
        name
        for name, type_ in zip(table.column_names, table.schema.types, strict=True)
        if type_ == pa.string()
    ]
    return frame.astype(dict.fromkeys(texts, "category"))


FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "arrow": lambda table: table,
    "chunked, texts in dictionaries": chunked,
    "a slice of something longer": sliced,
    "large texts": large,
    "pandas": lambda table: table.to_pandas(),
    "pandas with categories": categorical,
    "pandas with masks": lambda table: table.to_pandas().convert_dtypes(),
    "pandas over arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, another index": lambda table: table.to_pandas().set_index(np.arange(table.num_rows) % 3),
    "polars": pl.from_arrow,
    "polars, lazy": lambda table: pl.DataFrame(table).lazy(),
    "dict of arrays": arrays,
    "list of rows": lambda table: table.to_pylist(),
}  # fmt: skip


@pytest.mark.parametrize("kind", FRAMES)
def test_the_kind_of_frame_changes_no_decision(kind: str) -> None:
    for seed in range(5000, 5015):
        chance = Seeded.of(seed)
        model = any_model(chance)
        rows = [aimed_row(chance, model) if n % 2 else sound_row(chance, model) for n in range(40)]
        wanted = outputs_of(model, by_definition(model, rows))
        found = decide_table(model, read_frame(FRAMES[kind](arrow(model, rows))), engine="arrays").outputs
        assert (seed, disagreements(model, rows, wanted, found)) == (seed, [])
