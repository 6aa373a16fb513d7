"""Patterns, folders that name columns, compressed text, and Parquet that expands: all come in, none of it at once."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from racl.domain.model import Column, Type
from racl.errors import DataError
from racl.scale import open_rows
from scale.files import FARE, ROWS, make

MIB = 1 << 20


def fares(path: Path, **how: Any) -> list[object]:
    return [table.raw("fare", row) for table in open_rows(path, **how).batches() for row in range(table.rows)]


def compressed(path: Path, suffix: str) -> Path:
    name = {".gz": "gzip", ".zst": "zstd"}[suffix]
    with pa.CompressedOutputStream(pa.OSFile(f"{path}{suffix}", "wb"), name) as stream:
        stream.write(path.read_bytes())
    path.unlink()
    return path.with_name(path.name + suffix)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_compressed_text_is_read_as_its_suffix_says(tmp_path: Path, name: str, suffix: str) -> None:
    plain = fares(make(tmp_path / name))
    assert fares(compressed(tmp_path / name, suffix)) == plain
    assert len(plain) == 3


def test_several_compressed_streams_in_one_file_are_one(tmp_path: Path) -> None:
    parts = [b'{"fare": 1}\n', b'{"fare": 2}\n']
    (tmp_path / "rows.jsonl.gz").write_bytes(b"".join(map(gzip.compress, parts)))
    assert fares(tmp_path / "rows.jsonl.gz") == [1, 2]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("spoil", [lambda data: data[: len(data) // 2], lambda data: b"x" * 50])
def test_what_is_no_whole_compressed_file_is_a_clear_error(tmp_path: Path, suffix: str, spoil: Any) -> None:
    (tmp_path / "rows.csv").write_text("fare\n" + "".join(f"{number / 7}\n" for number in range(5000)))
    path = compressed(tmp_path / "rows.csv", suffix)
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(DataError, match="cannot be read"):
        fares(path)


def test_a_pattern_is_the_files_that_fit_it_by_name(tmp_path: Path) -> None:
    for name, row in (("b-1.parquet", 1), ("a-2.parquet", 0), ("a-1.parquet", 1)):
        make(tmp_path / name, ROWS[row : row + 1])
    assert fares(tmp_path / "a-*.parquet") == [0.1, 320.0]
    assert fares(tmp_path / "*.parquet") == [0.1, 320.0, 0.1]
    with pytest.raises(DataError, match="no file fits this pattern"):
        fares(tmp_path / "c-*.parquet")


def hive(root: Path) -> Path:
    for year, carrier in ((2024, "UA"), (2023, "AA"), (2023, "__HIVE_DEFAULT_PARTITION__")):
        folder = root / f"year={year}" / f"carrier={carrier}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"fare": [float(year)]}), folder / "part-0.parquet")
    return root


def test_folders_name_columns_which_come_last(tmp_path: Path) -> None:
    rows = open_rows(hive(tmp_path / "rows"))
    assert rows.schema.names == ["fare", "year", "carrier"]
    assert [str(field.type) for field in rows.schema] == ["double", "int64", "string"]
    found = [(table.raw("year", 0), table.raw("carrier", 0)) for table in rows.batches()]
    assert found == [(2023, "AA"), (2023, None), (2024, "UA")]
    assert fares(tmp_path / "rows" / "year=2023") == [2023.0] * 2
    assert open_rows(tmp_path / "rows" / "*" / "*" / "*.parquet").schema.names == rows.schema.names


def test_the_domain_says_what_a_folder_means(tmp_path: Path) -> None:
    for number in ("1", "2"):
        (tmp_path / f"class={number}").mkdir()
        pq.write_table(pa.table({"fare": [1.0]}), tmp_path / f"class={number}" / "a.parquet")
    class_ = Column("class", Type.CATEGORY, values=("1", "2"))
    (first, _) = open_rows(tmp_path, [class_]).batches()
    assert first.encode(class_, {"1": 0, "2": 1}, 0, 1).tolist() == [0]


@pytest.mark.parametrize(
    ("folders", "columns", "said"),
    [
        (("year=1", "month=2"), ["fare"], "name `year` where those of `a.parquet` name `month`"),
        (("fare=1", "fare=2"), ["fare"], "column `fare` stands in the file and in the name of a folder"),
    ],
)
def test_folders_that_disagree_are_refused(
    tmp_path: Path, folders: tuple[str, ...], columns: list[str], said: str
) -> None:
    for folder in folders:
        (tmp_path / folder).mkdir()
        pq.write_table(pa.table({name: [1.0] for name in columns}), tmp_path / folder / "a.parquet")
    with pytest.raises(DataError, match=said):
        open_rows(tmp_path)


# what expands ----------------------------------------------------------------------------------------


def one_long_text() -> pa.Table:
    """100,000 rows of one text of a megabyte: 100 GB in a file of half a megabyte."""
    codes = pa.array(np.zeros(100_000, np.int32))
    return pa.table({"note": pa.DictionaryArray.from_arrays(codes, ["x" * MIB]), "fare": np.arange(1e5)})


def long_plain_texts() -> pa.Table:
    return pa.table({"note": [str(number % 7) * 20_000 for number in range(6_000)], "fare": np.arange(6e3)})


def long_bytes() -> pa.Table:
    value = pa.array([bytes(MIB)] * 300, pa.binary(MIB))
    return pa.table({"note": value, "fare": np.arange(300.0)})


EXPANDING = [
    (one_long_text, {"store_schema": False, "dictionary_pagesize_limit": 1 << 30}),
    (long_plain_texts, {"use_dictionary": False, "compression": "zstd"}),
    (long_plain_texts, {"use_dictionary": False, "column_encoding": {"note": "DELTA_BYTE_ARRAY"}}),
    (long_bytes, {"compression": "zstd"}),
]


@pytest.mark.parametrize(("make_table", "how"), EXPANDING)
def test_parquet_that_expands_is_read_in_batches_that_stay_small(
    tmp_path: Path, make_table: Any, how: dict[str, Any]
) -> None:
    path = tmp_path / "rows.parquet"
    if "column_encoding" in how:
        how = {**how, "column_encoding": {"note": "DELTA_BYTE_ARRAY", "fare": "PLAIN"}}
    with pq.ParquetWriter(path, make_table().schema, **how) as writer:
        writer.write_table(make_table())
    assert path.stat().st_size < 20 * MIB
    before, most, rows = pa.total_allocated_bytes(), 0, 0.0
    for table in open_rows(path).batches():
        most = max(most, pa.total_allocated_bytes() - before)
        rows += table.rows
        assert table.encode(FARE, {}, 0, 1)[0] == rows - table.rows
    assert rows == pq.read_metadata(path).num_rows
    assert most < 64 * MIB


def test_compressed_text_that_expands_is_read_in_batches_that_stay_small(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    held = io.BytesIO()
    with gzip.GzipFile(fileobj=held, mode="wb") as file:
        for number in range(120):
            file.write(b'{"fare": %d, "note": "%s"}\n' % (number, b" " * (MIB // 2)))
    path.write_bytes(held.getvalue())
    most = max(sum(map(len, table.lines)) for table in open_rows(path).batches())
    assert path.stat().st_size < MIB
    assert most < 32 * MIB
