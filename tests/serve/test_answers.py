"""Deciding, choosing, explaining and asking what if, over HTTP."""

from __future__ import annotations

import asyncio
import json
import time

import openapi_spec_validator
import pytest

from racl.serve.settings import Settings
from serve.asking import GOOD, Asker, air_model, served

MODEL = air_model()


def decided(row: dict[str, object]) -> dict[str, object]:
    found = MODEL.decide_one(row)
    return {name: getattr(found, name) for name in ("accepted", "credit", "plan", "value", "margin", "cost")}


def test_a_row_is_decided_as_offline(ask: Asker) -> None:
    answer = ask("POST", "/v1/decide", {"row": GOOD})
    (found,) = answer.json["decisions"]
    assert answer.status == 200
    assert len(found.pop("id")) == 32
    assert found.pop("model").startswith("air@")
    assert found == decided(GOOD)


def test_rows_are_decided_in_their_order(ask: Asker) -> None:
    rows = [{**GOOD, "budget": budget} for budget in (0, 39, 40, 41)]
    found = ask("POST", "/v1/decide", {"rows": rows}).json["decisions"]
    assert [one["credit"] for one in found] == [decided(row)["credit"] for row in rows]


def test_no_rows_are_no_decisions(ask: Asker) -> None:
    assert ask("POST", "/v1/decide", {"rows": []}).json == {"decisions": []}


def test_the_best_of_a_choice_set_is_chosen(ask: Asker) -> None:
    rows = [{**GOOD, "fare": fare} for fare in (80.0, 40.0, 60.0)]
    found = ask("POST", "/v1/choose", {"rows": rows}).json
    assert found["chosen"] == 1
    assert len(found["decisions"]) == 3


def test_nothing_is_chosen_where_nothing_is_accepted(ask: Asker) -> None:
    assert ask("POST", "/v1/choose", {"rows": [{**GOOD, "threshold": 1e6}]}).json["chosen"] is None


def test_candidates_of_a_choice_set_stand_in_one_context(ask: Asker) -> None:
    answer = ask("POST", "/v1/choose", {"rows": [GOOD, {**GOOD, "budget": 3}]})
    assert (answer.status, answer.error["field"]) == (400, "/rows/1/budget")


def test_one_bad_candidate_spoils_the_choice_set(ask: Asker) -> None:
    answer = ask("POST", "/v1/choose", {"rows": [GOOD, {**GOOD, "fare": -3}]})
    assert (answer.status, answer.error["field"]) == (400, "/rows/1/fare")


def test_an_explanation_is_the_library_s(ask: Asker) -> None:
    found = ask("POST", "/v1/explain", {"row": GOOD}).json
    assert found["words"] == str(MODEL.explain(GOOD))
    assert found["explanation"] == json.loads(json.dumps(MODEL.explain(GOOD).to_dict()))


@pytest.mark.parametrize(
    "change",
    [
        {"changes": {"budget": 39}},
        {"budget": 39},
        {"threshold": 1e6},
        {"changes": {"fare": 900, "threshold": 11}},
    ],
)
def test_what_if_turns_a_decision(ask: Asker, change: dict[str, object]) -> None:
    found = ask("POST", "/v1/what-if", {"row": GOOD, **change}).json
    assert found["before"] == decided(GOOD)
    assert found["turned"]
    assert not found["after"]["accepted"]


def test_what_if_points_at_the_change_that_is_wrong(ask: Asker) -> None:
    answer = ask("POST", "/v1/what-if", {"row": GOOD, "changes": {"fare": "x"}})
    assert (answer.status, answer.error["field"]) == (400, "/changes/fare")


def test_models_are_listed_and_read_back(ask: Asker) -> None:
    (one,) = ask("GET", "/v1/models").json["models"]
    whole = ask("GET", f"/v1/models/air/versions/{one['active']}").json
    assert whole["document"] == MODEL.document()
    assert ask("GET", "/v1/models/air/versions/active").json == whole


def test_the_description_is_valid_and_names_every_route(ask: Asker) -> None:
    document = ask("GET", "/openapi.json").json
    openapi_spec_validator.validate(document)
    named = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert named == {(method, path) for path, methods in ask.app.paths.items() for method in methods}


@pytest.mark.parametrize("path", ["/v1/decide", "/v1/choose", "/v1/what-if", "/v1/decisions/{id}/outcome"])
def test_the_description_tells_of_conflicts(ask: Asker, path: str) -> None:
    assert "409" in ask("GET", "/openapi.json").json["paths"][path]["post"]["responses"]


def test_health_readiness_counts_and_the_page_are_there(ask: Asker) -> None:
    ask("POST", "/v1/decide", {"row": GOOD})
    assert ask("GET", "/healthz").json == {"status": "ok"}
    assert ask("GET", "/readyz").json == {"ready": True, "reasons": []}
    assert 'racl_requests_total{route="/v1/decide",status="200"} 1' in ask("GET", "/metrics").body.decode()
    page = ask("GET", "/")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_what_takes_too_long_is_503_and_others_are_answered_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask = Asker(served(Settings(answer_seconds=0.05)))
    monkeypatch.setattr("racl.serve.answering.explained", lambda version, row: time.sleep(0.3))

    async def both() -> list[int]:
        slow, quick = asyncio.create_task(ask.ask("POST", "/v1/explain", {"row": GOOD})), []
        while not slow.done():
            quick.append((await ask.ask("POST", "/v1/decide", {"row": GOOD})).status)
        return [(await slow).status, len(quick), *set(quick)]

    status, count, *others = asyncio.run(both())
    assert (status, others) == (503, [200])
    assert count > 3
