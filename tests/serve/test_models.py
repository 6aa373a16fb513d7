"""Versions of models: immutable, activated, rolled back, shadowed, shared; a bad one changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from serve.asking import GOOD, Asker, air_model, remembered

STRICT = air_model(leisure={"bias": -99, "weights": {"price": 0, "nonstop": 0, "aa": 0}})


def decide(ask: Asker, **more: Any) -> dict[str, Any]:
    (found,) = ask("POST", "/v1/decide", {"row": GOOD, **more}).json["decisions"]
    return dict(found)


@pytest.fixture
def two(kept: Asker) -> tuple[str, str]:
    """The versions of a service whose second one rejects everything; the first is active."""
    sent = kept("POST", "/v1/models", STRICT.document())
    assert sent.status == 201
    assert not sent.json["active"]
    return kept("GET", "/v1/models/air").json["active"], sent.json["version"]


def test_a_version_decides_once_it_is_activated_and_no_longer_once_rolled_back(
    kept: Asker, two: tuple[str, str]
) -> None:
    assert decide(kept)["accepted"]
    kept("POST", "/v1/models/air/activate", {"version": two[1][:12]})
    assert decide(kept)["model"] == f"air@{two[1][:12]}"
    assert kept("POST", "/v1/models/air/rollback", {}).json["active"] == two[0]
    assert decide(kept)["accepted"]
    assert kept("POST", "/v1/models/air/rollback", {}).status == 409


def test_what_was_activated_stays_so_after_a_restart_with_the_old_file(store: Path) -> None:
    with remembered(store) as ask:
        sent = ask("POST", "/v1/models", STRICT.document()).json
        ask("POST", "/v1/models/air/activate", {"version": sent["version"]})
    with remembered(store) as ask:
        assert ask("GET", "/v1/models/air").json["active"] == sent["version"]
    newer = air_model(business={"bias": 0, "weights": {"price": 0, "nonstop": 0, "aa": 0}})
    with remembered(store, None, newer) as ask:
        assert ask("GET", "/v1/models/air").json["active"] not in (sent["version"], "")
        assert len(ask("GET", "/v1/models/air").json["versions"]) == 3


def test_the_same_model_again_is_the_same_version(kept: Asker) -> None:
    again = kept("POST", "/v1/models", air_model().document())
    assert (again.status, again.json["active"]) == (200, True)
    assert len(kept("GET", "/v1/models/air").json["versions"]) == 1


BAD: dict[str, bytes] = {
    "no JSON": b"{",
    "nothing": b"",
    "a pickle": b"\x80\x04N.",
    "a list": b"[]",
    "an empty object": b"{}",
    "a key twice": json.dumps(STRICT.document())
    .replace('"racl_model": 1', '"racl_model": 1, "racl_model": 1')
    .encode(),
    "a weight missing": json.dumps(STRICT.document()).replace('"nonstop": 0.0, ', "").encode(),
    "NaN": json.dumps(STRICT.document()).replace("-99.0", "NaN").encode(),
    "another hash": json.dumps({**STRICT.document(), "sha256": "0" * 64}).encode(),
    "text that is none": json.dumps(STRICT.document()).encode().replace(b"air", b"\xff\xff\xff"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_model_never_replaces_a_good_one(kept: Asker, what: str) -> None:
    answer = kept("POST", "/v1/models", BAD[what])
    assert answer.status == 400
    assert answer.error["message"]
    assert len(kept("GET", "/v1/models/air").json["versions"]) == 1
    assert decide(kept)["accepted"]


def test_an_unknown_version_is_not_activated(kept: Asker) -> None:
    for action in ("activate", "shadow"):
        assert kept("POST", f"/v1/models/air/{action}", {"version": "0" * 12}).status == 404
    assert kept("POST", "/v1/models/air/share", {"version": "0" * 12, "share": 0.5}).status == 404
    assert kept("POST", "/v1/models/rail/activate", {"version": "0" * 12}).status == 404


def test_a_shadow_decides_unseen_and_its_differences_are_counted_and_listed(
    kept: Asker, two: tuple[str, str]
) -> None:
    assert kept("POST", "/v1/models/air/shadow", {"version": two[1]}).json["shadow"] == two[1]
    made = decide(kept)
    assert (made["accepted"], made["model"]) == (True, f"air@{two[0][:12]}")
    alike = {**GOOD, "persona": "business"}  # of whom both think the same
    kept("POST", "/v1/decide", {"row": alike})
    found = kept("GET", "/v1/models/air/differences").json
    assert found["counts"] == {two[1]: 1}
    (one,) = found["differences"]
    assert (one["id"], one["shadow"]) == (made["id"], two[1])
    assert (one["before"]["accepted"], one["after"]["accepted"]) == (True, False)
    counts = kept("GET", "/metrics").body.decode()
    assert 'racl_shadow_total{model="air",outcome="different"} 1' in counts
    assert 'racl_shadow_total{model="air",outcome="same"} 1' in counts
    assert kept("POST", "/v1/models/air/shadow", {"version": None}).json["shadow"] is None
    assert kept("POST", "/v1/models/air/shadow", {"version": two[0]}).status == 409


def test_a_row_that_the_shadow_refuses_is_a_difference_that_names_no_value(kept: Asker) -> None:
    held = json.loads(json.dumps(air_model().document()))
    held["domain"]["candidate"]["fare"]["max"] = 60
    sent = kept("POST", "/v1/models", held).json["version"]
    kept("POST", "/v1/models/air/shadow", {"version": sent})
    decide(kept)
    (one,) = kept("GET", "/v1/models/air/differences").json["differences"]
    assert one["after"] == {"error": {"code": "row_refused", "field": "/row/fare"}}


def test_another_value_alone_is_no_difference(kept: Asker) -> None:
    alike = air_model(leisure={"bias": 11, "weights": {"price": -2.5, "nonstop": 1, "aa": 0}})
    sent = kept("POST", "/v1/models", alike.document()).json["version"]
    kept("POST", "/v1/models/air/shadow", {"version": sent})
    assert decide(kept)["accepted"]
    assert kept("GET", "/v1/models/air/differences").json == {"counts": {}, "differences": []}
    assert 'racl_shadow_total{model="air",outcome="same"} 1' in kept("GET", "/metrics").body.decode()


def test_a_share_goes_by_the_hash_of_the_key(kept: Asker, two: tuple[str, str]) -> None:
    kept("POST", "/v1/models/air/share", {"version": two[1], "share": 0.3})
    keys = [f"order-{number}" for number in range(200)]
    first = [decide(kept, idempotency_key=key)["model"] for key in keys]
    assert 30 <= first.count(f"air@{two[1][:12]}") <= 90
    assert [decide(kept, idempotency_key=key)["model"] for key in keys] == first
    more = kept("POST", "/v1/models/air/share", {"version": two[1], "share": 1.0})
    assert more.json["share"] == 1.0
    assert decide(kept, idempotency_key="another")["model"] == f"air@{two[1][:12]}"
    assert kept("POST", "/v1/models/air/share", {"version": None}).json["candidate"] is None
    assert kept("POST", "/v1/models/air/share", {"version": two[1]}).status == 400
