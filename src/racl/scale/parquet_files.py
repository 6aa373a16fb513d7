"""Parquet: read a stretch at a time, written with the types and the metadata of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from racl.frames import Table, read_arrow
from racl.scale.paths import reading


def parquet_schema(path: Path) -> pa.Schema:
    """The columns of a file."""
    with reading(path):
        schema: pa.Schema = pq.read_schema(path)
    return schema


def parquet_batches(path: Path, rows: int) -> Iterator[Table]:
    """The rows of a file, so many at a time."""
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        for batch in file.iter_batches(batch_size=rows):
            yield read_arrow(pa.Table.from_batches([batch]))


class ParquetSink:
    """Rows to a Parquet file."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.schema = schema
        self.writer = pq.ParquetWriter(path, schema, write_page_checksum=True)

    def write(self, rows: pa.Table) -> None:
        """A row group, each column as the type that the file has for it."""
        columns = [column.cast(field.type) for column, field in zip(rows.columns, self.schema, strict=True)]
        self.writer.write_table(pa.Table.from_arrays(columns, schema=self.schema))

    def close(self) -> None:
        """The end of the file."""
        self.writer.close()
