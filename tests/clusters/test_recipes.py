"""The recipes for Dask and Daft, as they stand in the pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clusters.cases import AIRLINE, answers, arrow_rows
from conformance.cases import FOLDERS, Case
from racl.batches import ADDED, batch_function

SAMPLE = FOLDERS[::16]
case = cache(Case.of)


def by_dask(folder: Path, one: Case) -> list[dict[str, Any]]:
    import dask
    import pyarrow.dataset as ds

    decide = batch_function(one.model)
    pieces = [piece for file in ds.dataset(folder).get_fragments() for piece in file.split_by_row_group()]
    decided = [dask.delayed(lambda piece: decide(piece.to_table()))(piece) for piece in pieces]
    tables = dask.compute(*decided, scheduler="processes", num_workers=2)
    rows: list[dict[str, Any]] = pa.concat_tables(tables).to_pylist()
    return rows


def by_dask_frame(folder: Path, one: Case) -> list[dict[str, Any]]:
    import dask.dataframe as dd

    decide = batch_function(one.model)

    def decided(part: Any) -> Any:
        return decide(pa.Table.from_pandas(part, preserve_index=False)).to_pandas()

    frame = dd.read_parquet(folder)
    new = pa.schema(
        [field.with_type(pa.float64() if field.type == pa.bool_() else field.type) for field in ADDED]
    )
    meta = (
        pa.schema([*pa.Schema.from_pandas(frame._meta, preserve_index=False), *new]).empty_table().to_pandas()
    )
    found = frame.map_partitions(decided, meta=meta).compute(scheduler="threads")
    rows: list[dict[str, Any]] = pa.Table.from_pandas(found, preserve_index=False).to_pylist()
    return rows


def by_daft(folder: Path, one: Case) -> list[dict[str, Any]]:
    import daft

    decide = batch_function(one.model)
    frame = daft.read_parquet(str(folder))
    names = [column.name for column in one.model.domain.columns_read]
    decision = daft.DataType.from_arrow_type(pa.struct(ADDED))

    @daft.udf(return_dtype=decision)  # type: ignore[untyped-decorator]
    def decided(*columns: Any) -> Any:
        table = pa.table([column.to_arrow() for column in columns], names=names)
        return decide(table).select(ADDED.names).combine_chunks().to_struct_array().combine_chunks()

    found = frame.with_column("decision", decided(*(frame[name] for name in names)))
    rows = found.to_arrow().to_pylist()
    return [
        {**{key: value for key, value in row.items() if key != "decision"}, **row["decision"]} for row in rows
    ]


WAYS = {"dask": by_dask, "daft": by_daft}


@pytest.mark.conformance
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("folder", SAMPLE, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_recipe_gives_the_answers_to_the_bit(folder: Path, way: str, tmp_path: Path) -> None:
    pytest.importorskip(way, reason=f"{way} is not installed here; `make clusters` installs it")
    one = case(folder)
    rows = arrow_rows(one)
    for part in range(2):
        pq.write_table(rows.slice(part * 20, 20), tmp_path / f"{part}.parquet", row_group_size=10)
    assert answers(WAYS[way](tmp_path, one)) == one.expected
    assert AIRLINE.is_dir()
