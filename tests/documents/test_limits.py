"""Inputs that would make a plain reader hang, overflow or swell."""

from __future__ import annotations

import time

import pytest

from racl.documents import Document, read_json, read_toml

MIB = 1 << 20


def full(unit: str) -> str:
    """A mebibyte of one thing."""
    return unit * (MIB // len(unit))


def numbered(pattern: str, count: int) -> str:
    return "".join(pattern.format(index) for index in range(count))


REFUSED_AT_ONCE = {
    "lines of a word": (full("a\n"), "more than 2,500 statements"),
    "short keys": (numbered("k{}=1\n", 300_000)[:MIB], "more than 2,500 statements"),
    "lists never closed": (full("a=[\n"), "more than 2,500 statements"),
    "escaped quotes before three": (full('a = \\"""\n'), "more than 2,500 statements"),
    "brackets": ("a = " + "[" * 5_000 + "]" * 5_000, "brackets nested more than 64 deep"),
    "tables": (full("a={"), "brackets nested more than 64 deep"),
    "brackets on lines": ("a = [\n" + full("[a\n"), "brackets nested more than 64 deep"),
    "a dotted key": ("a." * 100_000 + "a = 1", "a name of more than 8 parts"),
    "a dotted header": ("[" + "a." * 100_000 + "a]", "a name of more than 8 parts"),
    "a dotted inline key": ("x = {" + "a." * 100_000 + "a = 1}", "a name of more than 8 parts"),
    "deep headers": (numbered("[k{}.a.a.a.a.a.a.a]\n", 20_000), "more than 2,500 statements"),
    "numbers": ("a = [" + "1," * 400_000 + "]", "more than 50,000 names and values"),
    "inline keys": ("a = {" + numbered("k{}=1,", 90_000) + "}", "more than 50,000 names and values"),
    "a long number": ("a = " + "9" * 5_000, "a number or a word of more than 1,000 characters"),
    "a longer number": ("a = 0x" + "f" * 1_000_000, "a number or a word of more than 1,000 characters"),
    "a long word": (full("x"), "a number or a word of more than 1,000 characters"),
    "a power": ("a = 9**9**9", "more follows after the value"),
    "a repetition": ("a = 'a' * 10000000000", "more follows after the value"),
}


def timed(read: object, text: str, seconds: float) -> Document:
    """The document, read within a generous multiple of what it takes."""
    start = time.process_time()
    document = read(text, "f")  # type: ignore[operator]
    assert time.process_time() - start < seconds
    assert isinstance(document, Document)
    return document


@pytest.mark.parametrize("name", REFUSED_AT_ONCE)
def test_a_file_beyond_a_limit_is_refused_at_once(name: str) -> None:
    text, what = REFUSED_AT_ONCE[name]
    (problem,) = timed(read_toml, text, 2).problems
    assert problem.what == what


SLOWEST = {
    "one text": 'a = "' + "x" * MIB + '"',
    "escapes": 'a = "' + full("\\u0041") + '"',
    "quotes in three quotes": 'a = """' + full('""a') + '"""',
    "three quotes that never end": 'a = """' + full('\\"""') + "\n",
    "equals signs": full("="),
    "dots": full("."),
    "commas": "a=[" + full(","),
    "comments in a list": "a=[" + full("#\n"),
    "blank lines": full("\n"),
    "comments": full("# \x01\n"),
    "spaces": full(" "),
    "quotes": full('"'),
    "faulty values": numbered("k{}=x y\n", 15_000),
    "duplicates": "k=1\n" * 19_000,
    "sections": numbered("[h{}]\n", 19_000),
    "long keys": numbered("k" * 40 + "{}=1\n", 15_000),
    "inline duplicates": "a = {" + "k=1," * 20_000 + "}",
}


@pytest.mark.parametrize("name", SLOWEST)
def test_a_mebibyte_of_anything_takes_seconds_at_most(name: str) -> None:
    assert len(timed(read_toml, SLOWEST[name], 8).problems) <= 101


MODELS = {
    "numbers": "[" + "1," * (8 * MIB),
    "nested lists": "[" + ("[" * 60 + "]" * 60 + ",") * 2_000,
    "brackets": "[" * MIB,
    "objects": '{"a":' * 200_000,
    "a long number": '{"a": ' + "9" * (8 * MIB) + "}",
    "a long exponent": '{"a": 1e' + "9" * MIB + "}",
    "one text": '{"a": "' + "\\ud800" * MIB + '"}',
    "not finite": '{"a": [' + "NaN," * 200_000 + "1]}",
    "duplicates": "{" + '"a":1,' * 200_000 + '"a":1}',
    "last of many": '{"a": [' + "1.5," * 200_000 + "NaN]}",
    "quotes": '"' * MIB,
    "backslashes": '{"' + "\\" * MIB,
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_megabytes_is_refused_within_seconds(name: str) -> None:
    problems = timed(read_json, MODELS[name], 15).problems
    assert 0 < len(problems) <= 101
