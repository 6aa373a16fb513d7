"""Thrift's compact protocol: what Parquet wrote is read and written back to the byte, and nothing else passes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from racl.scale.thrift import Reader, ThriftError, written


def footer(path: Path) -> bytes:
    data = path.read_bytes()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def test_the_footer_of_a_file_comes_back_to_the_byte(tmp_path: Path) -> None:
    table = pa.table({"fare": [1.5, None], "ok": [True, False], "tags": [["a"], []], "x": [{"y": 1}, None]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1, write_page_index=True)
    data = footer(tmp_path / "a.parquet")
    reader = Reader(data)
    fields = reader.struct()
    assert reader.at == len(data)
    assert written(fields) == data
    assert (fields[1][1], fields[3][1]) == (2, 2)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_and_never_break_the_reader(data: bytes) -> None:
    try:
        fields = Reader(data).struct()
    except ThriftError:
        return
    assert Reader(written(fields)).struct() == fields


@pytest.mark.parametrize("data", [b"", b"\x15", b"\x1c" * 99, b"\x19\xfc\xff\xff\xff\xff\x0f", b"\x1e\x00"])
def test_what_is_cut_short_too_deep_too_long_or_unknown_is_an_error(data: bytes) -> None:
    with pytest.raises(ThriftError):
        Reader(data).struct()
