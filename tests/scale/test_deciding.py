"""Files are decided as frames are, whatever they look like."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from racl.errors import DataError, RowError
from racl.model import Model
from racl.scale import decide_files
from scale.deciding import ENDINGS, EVERY, read, table, write

pytestmark = pytest.mark.usefixtures("small_groups")

OWN = ["id", "fare", "stops", "has_bag", "carrier", "persona", "budget", "threshold", "needs_bag"]
SIX = ["accepted", "credit", "plan", "value", "margin", "cost"]


def expected(model: Model, rows: pa.Table) -> list[dict[str, Any]]:
    decisions, _ = model.decide(rows, refused="collect")
    return [dict(row) for row in decisions.to_native().to_pylist()]


# the answers -----------------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("source", ["rows.parquet", "rows.csv", "rows.jsonl"])
@pytest.mark.parametrize("threads", [1, 3])
def test_files_are_decided_as_frames_are_and_in_their_order(
    tmp_path: Path, model: Model, source: str, ending: str, threads: int
) -> None:
    rows = table(430, wrong=(7, 120, 121, 429))
    path, out, aside = write(tmp_path / source, rows), tmp_path / f"out.{ending}", tmp_path / "no.jsonl"
    tally = decide_files(model, path, out, rejects=aside, threads=threads)
    assert read(out) == expected(model, rows)
    assert [json.loads(line)["row"] for line in aside.read_text().splitlines()] == [7, 120, 121, 429]
    assert (tally.rows, tally.decided, tally.refused, tally.written) == (430, 426, 4, 426)
    assert +tally.credits == Counter(row["credit"] for row in read(out))
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([path.name, out.name, "no.jsonl"])


def test_own_columns_go_from_parquet_to_parquet_as_they_lie(tmp_path: Path, model: Model) -> None:
    schema = table(1).schema.with_metadata({"made": "by hand"})
    extra = pa.array(
        [None if row % 3 else ["", "x" * (row % 9)] for row in range(300)], pa.list_(pa.string())
    )
    rows = table(300).cast(schema).append_column("tags", extra)
    pq.write_table(
        rows,
        tmp_path / "rows.parquet",
        row_group_size=128,
        compression="zstd",
        column_encoding={"fare": "BYTE_STREAM_SPLIT"},
        use_dictionary=["carrier"],
        write_page_checksum=True,
        data_page_version="2.0",
    )
    out = tmp_path / "out.parquet"
    decide_files(model, tmp_path / "rows.parquet", out)
    before, after = (pq.ParquetFile(path) for path in (tmp_path / "rows.parquet", out))
    assert after.schema_arrow.metadata[b"made"] == b"by hand"
    assert after.read().select(rows.column_names).equals(before.read())
    assert after.read().to_pylist() == expected(model, rows)
    for group in range(3):
        for column in range(before.metadata.num_columns):
            mine, theirs = (one.metadata.row_group(group).column(column).to_dict() for one in (before, after))
            for name in ("data_page_offset", "dictionary_page_offset", "file_offset"):
                mine.pop(name), theirs.pop(name)
            assert mine == theirs
    assert after.metadata.num_row_groups == 3


def test_other_readers_read_what_is_put_together(tmp_path: Path, model: Model) -> None:
    import duckdb
    import polars as pl

    write(tmp_path / "rows.parquet", table(950, wrong=(3, 911)))
    out = tmp_path / "out.parquet"
    decide_files(model, tmp_path / "rows.parquet", out, rejects=tmp_path / "no.csv")
    rows = read(out)
    assert pl.read_parquet(out).to_dicts() == rows
    found = duckdb.read_parquet(str(out))
    assert found.to_arrow_table().to_pylist() == rows
    assert len(found.filter("fare < 100").fetchall()) == sum(row["fare"] < 100 for row in rows)


def test_columns_that_are_named_are_kept_in_their_order(tmp_path: Path, model: Model) -> None:
    rows = table(250)
    for source in ("rows.parquet", "rows.csv", "rows.jsonl"):
        path = write(tmp_path / source, rows)
        for ending in ENDINGS:
            out = tmp_path / f"out.{ending}"
            decide_files(model, path, out, columns=["fare", "id"])
            wanted = [{name: row[name] for name in ["fare", "id", *SIX]} for row in expected(model, rows)]
            assert read(out) == wanted
            assert [list(row) for row in read(out)[:1]] == [["fare", "id", *SIX]]


def test_a_column_to_keep_that_is_not_there_is_guessed(tmp_path: Path, model: Model) -> None:
    write(tmp_path / "rows.parquet", table(3))
    with pytest.raises(DataError, match=r"fair: column missing \(did you mean `fare`\?\)"):
        decide_files(model, tmp_path / "rows.parquet", tmp_path / "out.csv", columns=["id", "fair"])


@EVERY
def test_only_accepted_rows_are_written_and_all_are_counted(
    tmp_path: Path, model: Model, ending: str
) -> None:
    rows = table(330)
    path = write(tmp_path / "rows.parquet", rows)
    tally = decide_files(model, path, tmp_path / f"out.{ending}", only="accepted")
    accepted = [row for row in expected(model, rows) if row["accepted"]]
    assert read(tmp_path / f"out.{ending}") == accepted
    assert 0 < len(accepted) < 330
    assert (tally.rows, tally.decided, tally.written) == (330, 330, len(accepted))


@pytest.mark.usefixtures("small_groups")
def test_folders_that_name_columns_are_decided_with_them(tmp_path: Path, model: Model) -> None:
    rows = table(260)
    for persona in ("leisure", "business"):
        for carrier in ("AA", "UA"):
            folder = tmp_path / "rows" / f"persona={persona}" / f"carrier={carrier}"
            folder.mkdir(parents=True)
            mine = rows.filter((pc.field("persona") == persona) & (pc.field("carrier") == carrier))
            pq.write_table(mine.drop_columns(["persona", "carrier"]), folder / "0.parquet", row_group_size=30)
    decide_files(model, tmp_path / "rows", tmp_path / "out.parquet")
    order = [name for name in OWN if name not in {"persona", "carrier"}] + ["persona", "carrier"]
    found = read(tmp_path / "out.parquet")
    assert list(found[0]) == [*order, *SIX]
    assert sorted(found, key=lambda row: int(row["id"][1:])) == expected(model, rows)


def test_a_refused_row_means_no_output_and_all_are_counted(tmp_path: Path, model: Model) -> None:
    path = write(tmp_path / "rows.parquet", table(400, wrong=tuple(range(50, 350, 25))))
    with pytest.raises(RowError) as caught:
        decide_files(model, path, tmp_path / "out.parquet")
    assert caught.value.count == 12
    assert [one.row for one in caught.value.refusals] == list(range(50, 300, 25))
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


def test_a_page_that_nobody_looks_into_is_checked_all_the_same(tmp_path: Path, model: Model) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(table(300), path, row_group_size=100, write_page_checksum=True, compression="none")
    chunk = pq.read_metadata(path).row_group(1).column(0)  # `id`, which the domain does not read
    data = bytearray(path.read_bytes())
    data[chunk.data_page_offset + chunk.total_compressed_size // 3] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="cannot be read"):
        decide_files(model, path, tmp_path / "out.parquet")
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


def test_files_that_differ_underneath_are_put_together_all_the_same(tmp_path: Path, model: Model) -> None:
    (tmp_path / "rows").mkdir()
    pq.write_table(table(120), tmp_path / "rows" / "a.parquet")
    schema = pa.schema([field.with_nullable(nullable=False) for field in table(1).schema])
    pq.write_table(table(90).cast(schema), tmp_path / "rows" / "b.parquet")
    decide_files(model, tmp_path / "rows", tmp_path / "out.parquet")
    assert read(tmp_path / "out.parquet") == expected(model, pa.concat_tables([table(120), table(90)]))
