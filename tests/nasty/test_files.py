"""Nasty files of rows: a clear error or a whole answer, in memory that stays bounded; nothing partial has a final name."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.air import AIR, PREFERENCE, ROWS
from racl.domain.files import parse_domain
from racl.errors import DataError, RowError
from racl.model import Model, parse_model
from racl.scale import decide_files

TEXT = json.dumps({"racl_model": 1, "domain": dict(parse_domain(AIR).document), "preference": PREFERENCE})
MIB = 1 << 20
TEXTS = ["=cmd()|' /C calc'!A0", "<img onerror=alert(1)>", "\x1b[31m\x00\x07", "a\r\nb\rc\n\u2028"]


@pytest.fixture(scope="module")
def model() -> Model:
    return parse_model(TEXT)


def rows(**columns: Any) -> pa.Table:
    """The four rows of the small domain, some of their columns replaced."""
    table = pa.Table.from_pylist(ROWS)
    for name, column in columns.items():
        at = table.column_names.index(name) if name in table.column_names else table.num_columns
        table = (
            table.set_column(at, name, column)
            if at < table.num_columns
            else table.append_column(name, column)
        )
    return table


def decided(path: Path, model: Model, table: pa.Table | None = None, **how: Any) -> list[dict[str, Any]]:
    if table is not None:
        pq.write_table(table, path)
    decide_files(model, path, path.with_name("out.parquet"), **how)
    return [dict(row) for row in pq.read_table(path.with_name("out.parquet")).to_pylist()]


WIDTHS = [
    pa.array([320.5, 80.25, 80.25, 900.0], pa.float32()),
    pa.array([200, 80, 80, 255], pa.uint8()),
    pa.array([Decimal("320.10"), Decimal(80), Decimal(80), Decimal(900)], pa.decimal128(20, 2)),
    pa.chunked_array([[320.1], [80.0, 80.0], [], [900.0]]),
    pa.array([2**53, 80, 80, 900], pa.int64()),
]


@pytest.mark.parametrize("column", WIDTHS, ids=[str(one.type) for one in WIDTHS])
@pytest.mark.parametrize("only", [None, "accepted"])
def test_a_column_of_another_width_is_read_exactly_and_kept(
    tmp_path: Path, model: Model, column: Any, only: Any
) -> None:
    """R04."""
    table = rows(fare=column, carrier=pa.array([row["carrier"] for row in ROWS], pa.large_string()))
    found = decided(tmp_path / "rows.parquet", model, table, only=only)
    wanted = [row for row in model.decide(table).to_native().to_pylist() if only is None or row["accepted"]]
    assert found == wanted
    fields = pq.read_schema(tmp_path / "out.parquet")
    assert (fields.field("fare").type, fields.field("carrier").type) == (column.type, pa.large_string())


@pytest.mark.parametrize(
    "column", [pa.array([2**53 + 1, 1, 1, 1]), pa.array([2**64 - 1, 1, 1, 1], pa.uint64())]
)
def test_a_whole_number_that_float64_cannot_hold_is_refused(
    tmp_path: Path, model: Model, column: Any
) -> None:
    """R04."""
    pq.write_table(rows(fare=column), tmp_path / "rows.parquet")
    with pytest.raises(RowError, match=r"row 0: fare: .* is not exact in float64"):
        decide_files(model, tmp_path / "rows.parquet", tmp_path / "out.parquet")
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"fare": "fair"}, r"fare: column missing \(did you mean `fair`\?\)"),
        ({"fare": "FARE"}, r"fare: column missing \(did you mean `FARE`\?\)"),
        ({"id": "fare"}, r"2 columns of this name"),
    ],
)
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_column_missing_twice_or_misspelt_is_found_before_the_first_row(
    tmp_path: Path, model: Model, names: dict[str, str], said: str, suffix: str
) -> None:
    """R05."""
    table = rows().rename_columns([names.get(name, name) for name in rows().column_names])
    path = tmp_path / f"rows.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        lines = [",".join(table.column_names), *(",".join(map(str, row.values())) for row in ROWS)]
        path.write_text("\n".join(lines))
    with pytest.raises(DataError, match=said) as caught:
        decide_files(model, path, tmp_path / "out.csv")
    assert caught.value.problems[0].file == str(path)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"carrier": "AA "}, "carrier: `AA ` is not among the values"),
        ({"has_bag": "1"}, "has_bag: `1` is not true or false"),
        ({"fare": "12a"}, "fare: `12a` is not a number"),
        ({"stops": "1.5"}, "stops: `1.5` is not a whole number"),
    ],
)
def test_a_cell_that_is_not_what_the_domain_says_is_refused(
    tmp_path: Path, model: Model, cells: dict[str, str], said: str
) -> None:
    """R06."""
    lines = [",".join(ROWS[0]), *(",".join(map(str, {**row, **cells}.values())) for row in ROWS[:1])]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(RowError, match=said):
        decide_files(model, tmp_path / "rows.csv", tmp_path / "out.csv")


@pytest.mark.parametrize("only", [None, "accepted"])
def test_text_that_is_passed_through_is_kept_to_the_byte(tmp_path: Path, model: Model, only: Any) -> None:
    """R07."""
    table = pa.concat_tables([rows().slice(0, 1)] * len(TEXTS)).append_column("note", pa.array(TEXTS))
    assert [row["note"] for row in decided(tmp_path / "rows.parquet", model, table, only=only)] == TEXTS
    lines = [json.dumps({**ROWS[0], "note": text}).encode() for text in TEXTS]
    (tmp_path / "rows.jsonl").write_bytes(b"\n".join(lines))
    decide_files(model, tmp_path / "rows.jsonl", tmp_path / "out.jsonl", only=only)
    written = (tmp_path / "out.jsonl").read_bytes().splitlines()
    assert [line.startswith(given[:-1]) for line, given in zip(written, lines, strict=True)] == [True] * len(
        TEXTS
    )


# what expands ----------------------------------------------------------------------------------------

CHILD = """
import resource, sys
from pathlib import Path
import racl
more = {"only": "accepted"} if "only" in sys.argv else {"columns": ["fare"]} if "columns" in sys.argv else {}
print(racl.decide_files(sys.argv[1], sys.argv[2], sys.argv[3], **more).rows)
status = Path("/proc/self/status")  # what `getrusage` says starts from the peak of the process that started this one
if status.exists():
    peak = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak // 1024)
"""


@pytest.mark.parametrize(
    ("target", "more"), [("out.parquet", ""), ("out.parquet", "only"), ("out.csv.gz", "columns")]
)
def test_a_hundred_gigabytes_in_half_a_megabyte_are_decided_in_little_memory(
    tmp_path: Path, target: str, more: str
) -> None:
    """R08."""
    count = 100_000
    table = pa.concat_tables([rows()] * (count // 4)).combine_chunks()
    codes = pa.array(np.zeros(count, np.int32))
    table = table.append_column("note", pa.DictionaryArray.from_arrays(codes, ["x" * MIB]))
    path = tmp_path / "rows.parquet"
    with pq.ParquetWriter(
        path, table.schema, store_schema=False, dictionary_pagesize_limit=1 << 30
    ) as writer:
        writer.write_table(table)
    assert path.stat().st_size < 2 * MIB
    (tmp_path / "air.json").write_text(TEXT)
    asked = [sys.executable, "-c", CHILD, str(tmp_path / "air.json"), str(path), str(tmp_path / target), more]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    seen, peak = map(int, done.stdout.split())
    assert seen == count
    assert peak < 700


# what is broken --------------------------------------------------------------------------------------


def spoiled(path: Path, spoil: Callable[[bytearray], bytes]) -> Path:
    table = pa.concat_tables([rows()] * 500)
    fares = pa.array(np.random.default_rng(0).uniform(50, 900, len(table)))  # what does not shrink to nothing
    table = table.set_column(table.column_names.index("fare"), "fare", fares)
    pq.write_table(table, path, write_page_checksum=True)
    path.write_bytes(spoil(bytearray(path.read_bytes())))
    return path


BROKEN = {
    "cut": lambda data: bytes(data[: len(data) // 2]),
    "without an end": lambda data: bytes(data[:-1]),
    "another magic": lambda data: b"PARX" + bytes(data[4:-4]) + b"PARX",
    "nothing": lambda _: b"",
    "a footer too long": lambda data: bytes(data[:-8]) + b"\xff\xff\xff\x7f" + b"PAR1",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_a_clear_error(tmp_path: Path, model: Model, kind: str) -> None:
    """R09."""
    path = spoiled(tmp_path / "rows.parquet", BROKEN[kind])
    with pytest.raises(DataError) as caught:
        decide_files(model, path, tmp_path / "out.parquet", rejects=tmp_path / "no.csv")
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    assert "\n" not in str(problem)
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


@pytest.mark.parametrize("byte", [*range(0, 1200, 40), *range(1200, 9000, 600)])
def test_whatever_bit_is_wrong_no_crash_and_nothing_partial_comes_of_it(
    tmp_path: Path, model: Model, byte: int
) -> None:
    """R09."""
    path = spoiled(tmp_path / "rows.parquet", bytes)
    data = bytearray(path.read_bytes())
    data[-9 - byte] ^= 1 << byte % 8
    path.write_bytes(data)
    out = tmp_path / "out.parquet"
    try:
        decide_files(model, path, out)
    except (DataError, RowError):
        assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]
    else:
        assert out.exists()


def test_an_input_that_changes_after_it_was_read_is_noticed(tmp_path: Path, model: Model) -> None:
    """R09."""
    path = tmp_path / "rows.parquet"
    pq.write_table(rows(), path)

    def meddle(_: Any) -> None:
        path.write_bytes(path.read_bytes())

    with pytest.raises(DataError, match="changed while it was read"):
        decide_files(model, path, tmp_path / "out.parquet", tell=meddle)
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


def test_an_output_among_the_rows_is_refused(tmp_path: Path, model: Model) -> None:
    """R09."""
    pq.write_table(rows(), tmp_path / "a.parquet")
    for source, target in (("a.parquet", "a.parquet"), (".", "b.parquet"), ("*.parquet", "a.parquet")):
        with pytest.raises(DataError, match=r"is the file that is read|lies within the folder"):
            decide_files(model, tmp_path / source, tmp_path / target)
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 4


@pytest.mark.parametrize("groups", [0, 1])
def test_no_rows_give_an_output_with_every_column(tmp_path: Path, model: Model, groups: int) -> None:
    """R09."""
    with pq.ParquetWriter(tmp_path / "rows.parquet", rows().schema) as writer:
        for _ in range(groups):
            writer.write_table(rows().slice(0, 0))
    assert decided(tmp_path / "rows.parquet", model) == []
    schema = pq.read_schema(tmp_path / "out.parquet")
    assert schema.names == [*ROWS[0], "accepted", "credit", "plan", "value", "margin", "cost"]
    assert schema.field("fare").type == pa.float64()
