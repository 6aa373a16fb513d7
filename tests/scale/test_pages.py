"""Pages of decisions read back as they were, by whoever reads Parquet."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from racl.model import Model, save_model
from racl.scale import decide_files, pages
from racl.scale.encoding import ParquetEncoder, plain_footer
from racl.scale.footer import MAGIC, frame_of, group_moved, group_of, moved
from racl.scale.thrift import written
from scale.deciding import table, write

NUMBERS = st.floats(allow_infinity=False) | st.sampled_from([0.0, -0.0, float("nan"), 5e-324])


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of a few rows."""
    monkeypatch.setattr("racl.scale.pages.PAGE_ROWS", 16)


def file_of(chunks: Sequence[pages.Chunk], schema: pa.Schema) -> bytes:
    """A file that holds nothing else."""
    found, at = [], 0
    for chunk in chunks:
        found.append(moved(chunk.described(), at))
        at += chunk.size
    frame = frame_of(plain_footer(ParquetEncoder(schema), schema.empty_table()))
    group = written(group_moved(group_of(found, chunks[0].rows), 0))
    body = b"".join(bytes(part) for chunk in chunks for part in chunk.parts())
    return MAGIC + body + frame.closed([group], chunks[0].rows)


def read_back(chunk: pages.Chunk, type_: pa.DataType) -> tuple[list[Any], Any]:
    """The values of a column, the same to Arrow and to Polars, and what is told of them."""
    data = file_of([chunk], pa.schema([(chunk.name, type_)]))
    file = pq.ParquetFile(io.BytesIO(data), page_checksum_verification=True)
    read = file.read()
    read.validate(full=True)
    values = read.column(0).to_pylist()
    assert pl.read_parquet(io.BytesIO(data)).to_series().to_list() == values
    return values, file.metadata.row_group(0).column(0).statistics


@settings(max_examples=50, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=70))
def test_numbers_come_back_to_the_bit_and_nan_as_null(numbers: list[float]) -> None:
    values, told = read_back(pages.doubles("value", np.array(numbers)), pa.float64())
    wanted = [None if number != number else number for number in numbers]  # noqa: PLR0124 - which NaN is not
    assert [None if one is None else one.hex() for one in values] == [
        None if one is None else one.hex() for one in wanted
    ]
    there = [one for one in wanted if one is not None]
    assert told.null_count == len(wanted) - len(there)
    assert told.has_min_max == bool(there)
    if there:
        assert (told.min, told.max) == (min(there), max(there))


@settings(max_examples=50, deadline=None)
@given(st.data(), st.integers(1, 256), st.integers(1, 70), st.integers(0, 1))
def test_texts_come_back_whatever_their_number(data: st.DataObject, count: int, rows: int, none: int) -> None:
    codes = data.draw(st.lists(st.integers(-none, count - 1), min_size=rows, max_size=rows))
    words = [f"plan {number} é" for number in range(count)]
    values, told = read_back(pages.texts("plan", np.array(codes, np.int16), words), pa.string())
    wanted = [None if code < 0 else words[code] for code in codes]
    assert values == wanted
    there = sorted(one for one in wanted if one is not None)
    assert told.null_count == rows - len(there)
    if there:
        assert (told.min, told.max) == (there[0], there[-1])


@settings(max_examples=20, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=70))
def test_truths_come_back(truths: list[bool]) -> None:
    values, told = read_back(pages.truths("accepted", np.array(truths)), pa.bool_())
    assert values == truths
    assert (told.min, told.max, told.null_count) == (min(truths), max(truths), 0)


def test_pages_and_arrow_write_the_same_table(
    tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("racl.scale.carrying.FEW_ROWS", 1)
    rows = write(tmp_path / "rows.parquet", table(430))
    decide_files(model, rows, tmp_path / "pages.parquet")
    monkeypatch.setattr("racl.scale.pages.MOST_TEXTS", 0)
    decide_files(model, rows, tmp_path / "arrow.parquet")
    mine, arrows = (pq.ParquetFile(tmp_path / f"{name}.parquet") for name in ("pages", "arrow"))
    assert mine.read().equals(arrows.read())
    assert mine.schema.equals(arrows.schema)
    for group in range(mine.num_row_groups):
        for column in range(mine.metadata.num_columns):
            found = [one.metadata.row_group(group).column(column) for one in (mine, arrows)]
            assert found[0].statistics == found[1].statistics
            assert set(found[0].encodings) == set(found[1].encodings)


def test_deciding_files_of_parquet_imports_no_pandas(tmp_path: Path, model: Model) -> None:
    rows, out = write(tmp_path / "rows.parquet", table(430)), tmp_path / "out.parquet"
    save_model(model, tmp_path / "model.json")
    script = (
        f"import sys, racl; racl.decide_files({str(tmp_path / 'model.json')!r}, {str(rows)!r}, {str(out)!r})"
    )
    done = [sys.executable, "-c", f"{script}; print('pandas' in sys.modules)"]
    assert subprocess.run(done, check=True, capture_output=True, text=True).stdout == "False\n"
    assert pq.read_metadata(out).num_rows == 430
