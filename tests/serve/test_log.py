"""The log: what is answered is on the disk, once, and can be read back, replayed and told the outcome of."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from racl.serve.settings import Settings
from racl.serve.store import records, sqlite
from racl.serve.store.connection import Connection, StoreError
from serve.asking import GOOD, Answer, Asker, air_model, remembered

SAID = ("id", "model", "accepted", "credit", "plan", "value", "margin", "cost")


def decide(ask: Asker, **changes: Any) -> dict[str, Any]:
    (found,) = ask("POST", "/v1/decide", {"row": {**GOOD, **changes}}).json["decisions"]
    return dict(found)


def test_what_was_answered_is_logged_with_the_row_as_it_was_read(kept: Asker) -> None:
    row = {name: value for name, value in GOOD.items() if name != "needs_bag"}
    (answered,) = kept("POST", "/v1/decide", {"row": row}).json["decisions"]
    logged = kept("GET", f"/v1/decisions/{answered['id']}").json
    assert {name: logged[name] for name in SAID} == answered
    assert logged["row"] == {**row, "needs_bag": False}
    assert (logged["persona"], logged["probability"], logged["explored"]) == ("leisure", 1.0, False)


def test_a_log_outlives_the_service(store: Path) -> None:
    with remembered(store) as ask:
        answered = decide(ask)
    with remembered(store) as ask:
        assert ask("GET", f"/v1/decisions/{answered['id']}").json["credit"] == answered["credit"]


def test_refused_rows_are_not_logged(kept: Asker) -> None:
    kept("POST", "/v1/decide", {"rows": [GOOD, {}, GOOD]})
    assert kept("POST", "/v1/decide", {"row": {}}).status == 400
    assert len(kept("GET", "/v1/decisions").json["decisions"]) == 2


def test_the_log_is_read_by_filters_and_pages(kept: Asker) -> None:
    made = [decide(kept, budget=float(budget)) for budget in range(36, 44)]
    found: list[Any] = []
    cursor: Any = ""
    while cursor is not None:
        page = kept("GET", f"/v1/decisions?limit=3&cursor={cursor}").json
        found, cursor = [*found, *page["decisions"]], page["next"]
    assert [one["id"] for one in found] == [one["id"] for one in reversed(made)]
    for name in ("credit", "plan"):
        wanted = made[-1][name]
        some = kept("GET", f"/v1/decisions?{name}={wanted}").json["decisions"]
        assert [one["id"] for one in some] == [one["id"] for one in reversed(made) if one[name] == wanted]
    assert len(kept("GET", "/v1/decisions?accepted=false&persona=leisure&model=air").json["decisions"]) == 4
    assert kept("GET", "/v1/decisions?persona=business").json["decisions"] == []
    version = made[0]["model"].partition("@")[2]
    assert len(kept("GET", f"/v1/decisions?version={version}").json["decisions"]) == 8
    assert kept("GET", "/v1/decisions?before=2020-01-01T00:00:00Z").json["decisions"] == []


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=x", "x=1", "cursor=-1", "after=yesterday", "after=2020-01-01T00:00:00", "credit=good",
              "limit=1&limit=2", "plan=%00"],
)  # fmt: skip
def test_a_query_that_cannot_be_is_400(kept: Asker, query: str) -> None:
    answer = kept("GET", f"/v1/decisions?{query}")
    assert answer.status == 400
    assert answer.error["message"]


def test_a_logged_decision_is_explained_replayed_and_asked_what_if(kept: Asker) -> None:
    made = decide(kept)
    place = f"/v1/decisions/{made['id']}"
    assert kept("GET", f"{place}/explanation").json["words"] == str(air_model().explain(GOOD))
    again = kept("POST", f"{place}/replay", {}).json
    assert again["same"]
    assert again["logged"] == again["replayed"]
    assert kept("POST", "/v1/what-if", {"id": made["id"], "budget": 0}).json["turned"]


def test_a_decision_is_replayed_by_the_version_that_made_it(kept: Asker) -> None:
    made = decide(kept)
    other = air_model(leisure={"bias": -99, "weights": {"price": 0, "nonstop": 0, "aa": 0}})
    sent = kept("POST", "/v1/models", other.document()).json
    kept("POST", "/v1/models/air/activate", {"version": sent["version"]})
    assert not decide(kept)["accepted"]
    assert kept("POST", f"/v1/decisions/{made['id']}/replay", {}).json["same"]


# idempotency -----------------------------------------------------------------------------------------


def test_h12_one_key_50_times_at_once_is_one_record_and_one_answer(kept: Asker) -> None:
    async def all_at_once() -> list[Answer]:
        body = {"row": GOOD, "idempotency_key": "order-1"}
        return await asyncio.gather(*(kept.ask("POST", "/v1/decide", body) for _ in range(50)))

    answers = asyncio.run(all_at_once())
    assert {one.status for one in answers} == {200}
    assert len({one.body for one in answers}) == 1
    assert len(kept("GET", "/v1/decisions").json["decisions"]) == 1
    other = kept("POST", "/v1/decide", {"row": {**GOOD, "fare": 81.0}, "idempotency_key": "order-1"})
    assert (other.status, other.error["field"]) == (409, "/idempotency_key")
    assert len(kept("GET", "/v1/decisions").json["decisions"]) == 1


def test_the_same_answer_comes_after_a_restart(store: Path) -> None:
    body = {"rows": [GOOD, {}], "idempotency_key": "x"}
    with remembered(store) as ask:
        first = ask("POST", "/v1/decide", body)
    with remembered(store) as ask:
        again = ask("POST", "/v1/decide", body)
    assert again.body == first.body
    assert again.headers["idempotent-replay"] == "true"


# outcomes --------------------------------------------------------------------------------------------


def test_h13_an_outcome_is_told_once(kept: Asker) -> None:
    place = f"/v1/decisions/{decide(kept)['id']}/outcome"
    assert kept("POST", place, {"accepted": True}).status == 201
    assert kept("POST", place, {"accepted": True}).status == 200
    assert kept("POST", place, {"accepted": False}).status == 409
    assert kept("GET", place.removesuffix("/outcome")).json["outcome"] is True


def test_h13_outcomes_of_unknown_decisions_are_404(kept: Asker) -> None:
    assert kept("POST", f"/v1/decisions/{'0' * 32}/outcome", {"accepted": True}).status == 404


def test_h13_outcomes_of_the_future_and_of_the_past_are_400(kept: Asker) -> None:
    place = f"/v1/decisions/{decide(kept)['id']}/outcome"
    for days in (-1, 1):
        at = (datetime.now(UTC) + timedelta(days=days)).isoformat()
        answer = kept("POST", place, {"accepted": True, "at": at})
        assert (answer.status, answer.error["field"]) == (400, "/at")


def test_h13_nothing_can_come_of_what_was_not_offered(kept: Asker) -> None:
    place = f"/v1/decisions/{decide(kept, budget=0.0)['id']}/outcome"
    answer = kept("POST", place, {"accepted": True})
    assert (answer.status, answer.error["code"]) == (409, "not_offered")


# failures --------------------------------------------------------------------------------------------


def test_a_decision_that_cannot_be_stored_is_503_and_the_next_one_is_stored(
    kept: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(connection: Connection, entries: object) -> None:
        raise StoreError("disk I/O error")

    monkeypatch.setattr("racl.serve.store.writer.write", failing)
    answer = kept("POST", "/v1/decide", {"row": GOOD})
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert kept("GET", "/readyz").status == 503
    monkeypatch.undo()
    asyncio.run(kept.service.log().writer.probe())
    assert kept("GET", "/readyz").status == 200
    decide(kept)
    assert kept("GET", "/readyz").status == 200
    assert len(kept("GET", "/v1/decisions").json["decisions"]) == 1


def test_more_than_the_disk_keeps_up_with_is_503(kept: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(connection: Connection, entries: list[records.Entry]) -> list[None]:
        time.sleep(0.2)
        return [None for _ in entries]

    monkeypatch.setattr("racl.serve.store.writer.write", slow)
    memory = kept.service.log()
    memory.writer.most = 5

    async def crowd() -> list[int]:
        answers = await asyncio.gather(*(kept.ask("POST", "/v1/decide", {"row": GOOD}) for _ in range(30)))
        return [one.status for one in answers]

    statuses = asyncio.run(crowd())
    assert set(statuses) == {200, 503}
    assert memory.writer.waiting == 0


def test_requests_too_many_are_503_a_little_later_and_health_is_told_meanwhile(
    store: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def slow(connection: Connection, entries: list[records.Entry]) -> list[None]:
        time.sleep(0.5)
        return [None for _ in entries]

    monkeypatch.setattr("racl.serve.store.writer.write", slow)

    async def crowd(ask: Asker) -> tuple[list[int], int]:
        asked = [asyncio.create_task(ask.ask("POST", "/v1/decide", {"row": GOOD})) for _ in range(30)]
        await asyncio.sleep(0.01)
        health = (await ask.ask("GET", "/healthz")).status
        answers = await asyncio.gather(*asked)
        refused = [one for one in answers if one.status == 503]
        assert {(one.headers["retry-after"], "connection" in one.headers) for one in refused} == {
            ("1", False)
        }
        return [one.status for one in answers], health

    with remembered(store, Settings(max_working=4)) as ask, caplog.at_level("INFO", "racl.serve"):
        statuses, health = asyncio.run(crowd(ask))
        assert (statuses.count(200), statuses.count(503), health) == (4, 26, 200)
        assert ask.app.working == 0
        counted = ask("GET", "/metrics").body.decode()
    assert 'racl_requests_total{route="/v1/decide",status="503"} 26' in counted
    assert [one.message for one in caplog.records] == ["overloaded"]


@pytest.mark.parametrize("version", ["3.7.0", "3.40.1", "3.51.2"])
def test_a_sqlite_that_may_lose_commits_is_refused(version: str) -> None:
    with pytest.raises(Exception, match="may lose"):
        sqlite.check_version(version)


@pytest.mark.parametrize("version", ["3.6.23", "3.51.3", "3.52.0", "4.0.0"])
def test_other_sqlites_are_taken(version: str) -> None:
    sqlite.check_version(version)


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("notes")
    with pytest.raises(Exception, match="not a memory"):
        sqlite.connect(str(other))


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    database = apsw.Connection(str(other))
    database.execute("CREATE TABLE notes (text TEXT)")
    database.close()
    before = other.read_bytes()
    with pytest.raises(Exception, match="not a memory"):
        sqlite.connect(str(other))
    assert other.read_bytes() == before
