from __future__ import annotations

import io
import os
import pickle
import socket
from pathlib import Path

import pytest

from racl.documents import DOMAIN_LIMIT, MODEL_LIMIT, read_text
from racl.errors import DomainError, ModelError, RaclError


def refused(
    path: str | os.PathLike[str], error: type[RaclError] = DomainError, limit: int = DOMAIN_LIMIT
) -> str:
    """Why a file is not read, in one line without its name."""
    with pytest.raises(error) as caught:
        read_text(path, limit=limit, error=error)
    (problem,) = caught.value.problems
    assert problem.file == os.fspath(path)
    return str(problem).removeprefix(os.fspath(path))


BYTES = [
    (b"", ": the file is empty (a domain is one TOML file)"),
    (b"\xef\xbb\xbfracl = 1", ": starts with a byte order mark (save it as UTF-8 without one)"),
    ("racl = 1".encode("utf-16"), ": UTF-16, not UTF-8 (save it as UTF-8)"),
    (b"\xfe\xff" + "racl = 1".encode("utf-16-be"), ": UTF-16, not UTF-8 (save it as UTF-8)"),
    ("racl = 1".encode("utf-32"), ": UTF-32, not UTF-8 (save it as UTF-8)"),
    ("racl = 1".encode("utf-16-le"), ":1: holds a NUL byte (save it as UTF-8)"),
    (b"racl = 1\n\x00", ":2: holds a NUL byte (save it as UTF-8)"),
    (b"a\nb\ncaf\xe9", ":3: byte 0xe9 is not UTF-8 (save it as UTF-8)"),
    (b"\xed\xa0\x80", ":1: byte 0xed is not UTF-8 (save it as UTF-8)"),
]


@pytest.mark.parametrize(("data", "reason"), BYTES)
def test_bytes_that_are_no_text_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "air.toml"
    path.write_bytes(data)
    assert refused(path) == reason


FORMATS = [
    *((pickle.dumps({"a": 1}, protocol), "a pickle") for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)),
    (b"PK\x03\x04rest", "a zip archive"),
    (b"\x93NUMPY\x01", "a NumPy array"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"PAR1", "a Parquet file"),
]


@pytest.mark.parametrize(("data", "what"), FORMATS)
def test_another_format_is_named_when_it_is_refused(tmp_path: Path, data: bytes, what: str) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(data)
    assert refused(path, ModelError, MODEL_LIMIT) == f": {what} (a model is one JSON file)"


def test_what_is_no_ordinary_file_is_refused_and_never_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # a socket's path is short
        server.bind("socket")
        assert refused(tmp_path / "pipe") == ": a pipe, not a file"
        assert refused(tmp_path / "socket") == ": a socket, not a file"
        assert refused(tmp_path) == ": a folder, not a file"
        assert refused("/dev/zero") == ": a device, not a file"


NAMES = [
    ("missing.toml", ": no such file"),
    ("missing/air.toml", ": no such file"),
    ("a" * 300, ": cannot be read: file name too long"),
    ("a\x00b", "not the name of a file"),
]


@pytest.mark.parametrize(("name", "reason"), NAMES)
def test_a_name_without_a_file_is_refused(name: str, reason: str) -> None:
    assert refused(name).endswith(reason)


def test_a_broken_or_circular_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken").symlink_to(tmp_path / "nothing")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    assert refused(tmp_path / "broken") == ": no such file"
    assert "too many levels" in refused(tmp_path / "circle")


def test_a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    path = tmp_path / "air.toml"
    path.write_bytes(b"#" * DOMAIN_LIMIT)
    assert read_text(path) == "#" * DOMAIN_LIMIT
    path.write_bytes(b"#" * (DOMAIN_LIMIT + 1))
    assert refused(path) == ": larger than 1 MiB"


def test_a_huge_file_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "air.toml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    monkeypatch.setattr(os, "read", lambda *_: pytest.fail("it was read"))
    assert refused(path) == ": larger than 1 MiB"


def test_a_file_that_grows_meanwhile_is_read_up_to_the_limit_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, endless, taken = tmp_path / "air.toml", io.BytesIO(b"#" * 10_000), []

    def read(_: int, size: int) -> bytes:
        taken.append(size)
        return endless.read(min(size, 7))

    path.write_bytes(b"#")
    monkeypatch.setattr(os, "read", read)
    assert refused(path, limit=100) == ": larger than 100 bytes"
    assert endless.tell() == 101


def test_text_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "air.toml"
    path.write_bytes("a = 'é'\r\nb = '😀'".encode())
    assert read_text(str(path)) == "a = 'é'\r\nb = '😀'"
