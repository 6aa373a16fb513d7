"""Nasty requests: each is refused in the one shape, with its pointer, and the service goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from racl.engines.compiled import deep_calls
from racl.serve.settings import Settings
from serve.asking import GOOD, Asker, served

ROW = json.dumps(GOOD).encode()


@pytest.fixture(autouse=True)
def goes_on(ask: Asker) -> Iterator[None]:
    """Whatever came, the next good row is decided."""
    yield
    assert ask("POST", "/v1/decide", {"row": GOOD}).status == 200


def body(old: bytes, new: bytes) -> bytes:
    text = b'{"row": %b}' % ROW
    assert old in text
    return text.replace(old, new, 1)


MALFORMED = {
    "a key twice": (body(b'"stops"', b'"fare"'), "/row/fare"),
    "a top key twice": (b'{"row": %b, "row": %b}' % (ROW, ROW), "/row"),
    "the same key escaped": (body(b'"stops": 1', b'"stops": 1, "f\\u0061re": 1'), "/row/fare"),
    "NaN": (body(b"80.0", b"NaN"), ""),
    "Infinity": (body(b"80.0", b"-Infinity"), ""),
    "1e400": (body(b"80.0", b"1e400"), ""),
    "a whole number that float64 cannot hold": (body(b"80.0", b"9007199254740993"), "/row/fare"),
    "a number of 5,000 digits": (body(b"80.0", b"9" * 5000), ""),
    "100,000 brackets": (b'{"row": ' + b"[" * 100_000, ""),
    "100,000 closed brackets": (b'{"row": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", ""),
    "1,000 brackets": (body(b"80.0", b"[" * 1000 + b"]" * 1000), None),
    "a byte order mark": (b"\xef\xbb\xbf" + body(b"80.0", b"80.0"), ""),
    "half a pair": (body(b'"UA"', b'"\\ud800"'), ""),
    "half a pair in a name": (body(b'"stops"', b'"\\ud800"'), ""),
    "a NUL in a text": (body(b'"UA"', b'"UA\\u0000"'), "/row/carrier"),
    "a NUL as it is": (body(b'"UA"', b'"U\0A"'), ""),
    "UTF-16": (body(b"80.0", b"80.0").decode().encode("utf-16"), ""),
    "Latin-1": (body(b'"UA"', b'"\xe9"'), ""),
    "nothing": (b"", ""),
    "more after the end": (body(b"80.0", b"80.0") + b"{}", ""),
    "a list": (b"[1]", ""),
    "a text": (b'"x"', ""),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_h01_what_is_no_json_of_ours_is_400(ask: Asker, case: str) -> None:
    sent, field = MALFORMED[case]
    answer = ask("POST", "/v1/decide", sent)
    assert answer.status == 400
    assert field is None or answer.error["field"] == field


def test_h01_another_charset_is_400(ask: Asker) -> None:
    answer = ask("POST", "/v1/decide", {"row": GOOD}, content_type="application/json; charset=latin-1")
    assert answer.status == 400


def test_h05_a_body_over_the_limit_is_413_by_its_length_alone(ask: Asker) -> None:
    assert ask("POST", "/v1/decide", b"", content_length="600000000").status == 413


def test_h05_a_body_over_the_limit_in_parts_is_413_without_reading_on() -> None:
    ask = Asker(served(Settings(max_body=100_000)))
    answer = asyncio.run(ask.send("POST", "/v1/decide", [b"x" * 60_000] * 1000))
    assert (answer.status, answer.headers["connection"]) == (413, "close")
    assert ask.app.intake.held == 0


def test_brackets_nested_deeply_are_400_while_a_kernel_is_compiled(ask: Asker) -> None:
    with deep_calls():
        for path in ("/v1/decide", "/v1/choose", "/v1/models"):
            answer = ask("POST", path, b'{"rows": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")
            assert (answer.status, answer.error["code"]) == (400, "malformed")
        assert (
            ask("POST", "/v1/decide", {"row": {**GOOD, "carrier": "U[[A"}}).error["field"] == "/row/carrier"
        )
        assert ask("POST", "/v1/decide", {"rows": [GOOD] * 100}).status == 200


def test_h05_more_than_there_is_room_for_is_503() -> None:
    ask = Asker(served(Settings(max_receiving=100_000)))
    answer = asyncio.run(ask.send("POST", "/v1/decide", [b"x" * 60_000] * 3))
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")


@pytest.mark.parametrize("coding", ["gzip", "br", "identity", "x"])
def test_h05_a_compressed_body_is_415(ask: Asker, coding: str) -> None:
    assert ask("POST", "/v1/decide", {"row": GOOD}, content_encoding=coding).status == 415


IDS = ["../../etc/passwd", "..%2f", "\0", "#", "a b", "é", "x" * 200, "", "..", "a/b", "<script>"]


@pytest.mark.parametrize("name", IDS)
def test_h09_an_id_that_is_none_is_404(ask: Asker, name: str) -> None:
    for path in ("/v1/models/{}", "/v1/models/{}/versions/active", "/v1/models/air/versions/{}", "/page/{}"):
        assert ask("GET", path.format(name)).status == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost@evil", ""]
)
def test_h11_a_foreign_host_is_421(ask: Asker, host: str) -> None:
    assert ask("POST", "/v1/decide", {"row": GOOD}, host=host).status == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9", "file://"])
def test_h11_a_foreign_origin_is_403(ask: Asker, origin: str) -> None:
    assert ask("POST", "/v1/decide", {"row": GOOD}, origin=origin).status == 403


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x", ""]
)
def test_h11_what_a_form_can_post_is_415(ask: Asker, kind: str) -> None:
    assert ask("POST", "/v1/decide", {"row": GOOD}, content_type=kind).status == 415


def test_h14_of_10_000_rows_three_are_bad(ask: Asker) -> None:
    rows = [GOOD for _ in range(10_000)]
    rows[7], rows[5000], rows[9999] = {**GOOD, "fare": -1}, {**GOOD, "carrier": "ZZ"}, {}
    found = ask("POST", "/v1/decide", {"rows": rows}).json["decisions"]
    assert len(found) == 10_000
    wrong = {number: one["error"] for number, one in enumerate(found) if "error" in one}
    assert {number: one["field"] for number, one in wrong.items()} == {
        7: "/rows/7/fare", 5000: "/rows/5000/carrier", 9999: "/rows/9999/fare",
    }  # fmt: skip
    assert all("accepted" in one for number, one in enumerate(found) if number not in wrong)


def test_more_rows_than_agreed_are_413(ask: Asker) -> None:
    answer = ask("POST", "/v1/decide", {"rows": [{}] * 10_001})
    assert (answer.status, answer.error["field"]) == (413, "/rows")


ODD = {
    "/row/__proto__": {**GOOD, "__proto__": {"x": 1}},
    "/row/__class__": {**GOOD, "__class__": "x"},
    "/row/fare": {**GOOD, "fare": "1) or true --"},
    "/row/carrier": {**GOOD, "carrier": "1) or true --"},
    "/row/persona": {**GOOD, "persona": ["leisure"]},
    "/row/has_bag": {**GOOD, "has_bag": 1},
    "/row/stops": {**GOOD, "stops": 0.5},
    "/row/budget": {**GOOD, "budget": None},
    "/row/a~1b~0c": {**GOOD, "a/b~c": 1},
}


@pytest.mark.parametrize("field", ODD)
def test_h15_odd_names_and_values_are_400(ask: Asker, field: str) -> None:
    answer = ask("POST", "/v1/decide", {"row": ODD[field]})
    assert (answer.status, answer.error["field"]) == (400, field)


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"rowz": 1}, "/rowz"), ({"row": 1}, "/row"), ({"rows": {}}, "/rows"), ({}, ""), ({"row": {}, "rows": []}, ""),
     ({"row": GOOD, "model": "nope"}, "/model"), ({"row": GOOD, "model": "../x"}, "/model"),
     ({"row": GOOD, "idempotency_key": ""}, "/idempotency_key"), ({"row": GOOD, "idempotency_key": 5}, "/idempotency_key")],
)  # fmt: skip
def test_h15_a_body_of_another_shape_is_refused(ask: Asker, sent: dict[str, object], field: str) -> None:
    answer = ask("POST", "/v1/decide", sent)
    assert answer.status in (400, 404)
    assert answer.error["field"] == field
