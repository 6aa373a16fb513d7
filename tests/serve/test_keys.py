"""Who may call: every route, every state of a key."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.air import Done, Racl
from racl.cli import main
from racl.errors import DataError
from racl.serve import opening
from racl.serve.routes import Permission, Route
from racl.serve.service import Service
from racl.serve.settings import Settings
from racl.serve.store import keys, sqlite
from racl.serve.table import ROUTES
from serve.asking import GOOD, Asker, remembered

NOW = time.time()


@dataclass(frozen=True)
class Closed:
    """A service with keys, a decision of its own tenant, and the keys by what they are."""

    ask: Asker
    tokens: dict[str, str]
    decision: str

    def path(self, path: str) -> str:
        version = self.ask.service.registry.named("default", "air").active.digest
        return path.format(name="air", version=version, id=self.decision)


@pytest.fixture
def closed(store: Path) -> Iterator[Closed]:
    with remembered(store) as ask:
        decision = ask("POST", "/v1/decide", {"row": GOOD}).json["decisions"][0]["id"]
        connection = sqlite.connect(str(store))()
        tokens = {"none": "", "wrong": "racl_00000000_" + "x" * 43}
        for name, tenant, scope, expires in (
            ("expired", "default", "admin", NOW - 1), ("foreign", "acme", "admin", None),
            ("decide", "default", "decide", None), ("read", "default", "read", None), ("admin", "default", "admin", None),
        ):  # fmt: skip
            key, tokens[name] = keys.made(tenant, [scope], "", NOW, expires)
            keys.add(connection, key)
        ask.service.catch_up(connection)
        connection.close()
        yield Closed(ask, tokens, decision)


LOWER = {Permission.DECIDE: "read", Permission.READ: "decide", Permission.ADMIN: "read"}
EMPTY = {"/v1/models", "/v1/decisions"}  # what is not yours is not in the list
TAKING = {  # of what may be sent, something that is right
    "/v1/decide": {"row": GOOD}, "/v1/choose": {"rows": [GOOD]}, "/v1/explain": {"row": GOOD},
    "/v1/what-if": {"row": GOOD}, "/v1/decisions/{id}/outcome": {"accepted": True},
    "/v1/models/{name}/activate": {"version": "0" * 12}, "/v1/models/{name}/shadow": {"version": None},
    "/v1/models/{name}/share": {"version": None},
}  # fmt: skip


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_h10_every_route_is_closed_to_everybody_who_may_not(closed: Closed, route: Route) -> None:
    path, body = closed.path(route.path), TAKING.get(route.path, {}) if route.method == "POST" else None
    found = {
        name: closed.ask(route.method, path, body, authorization=f"Bearer {token}" if token else "")
        for name, token in closed.tokens.items()
    }
    if route.permission is Permission.OPEN:
        assert {one.status for one in found.values()} == {200}
        return
    assert [found[name].error["code"] for name in ("none", "wrong", "expired")] == ["unauthorized"] * 3
    assert {found[name].status for name in ("none", "wrong", "expired")} == {401}
    assert (found[LOWER[route.permission]].status, found["admin"].status // 100) in {(403, 2), (403, 4)}
    assert found["admin"].status not in (401, 403)
    if route.path == "/v1/models" and route.method == "POST":
        assert found["foreign"].status == 400  # a tenant may send models of its own; this one is none
    elif route.path in EMPTY:
        assert not next(iter(found["foreign"].json.values()))
    else:
        assert found["foreign"].status == 404


@pytest.mark.parametrize(
    "header", ["Basic eDp5", "Bearer", "Bearer  ", "bearer x y", "Bearer \x7f", "x" * 5000]
)
def test_another_header_is_no_key(closed: Closed, header: str) -> None:
    assert closed.ask("GET", "/v1/models", authorization=header).status == 401


def test_a_foreign_decision_looks_like_none(closed: Closed) -> None:
    key = f"Bearer {closed.tokens['foreign']}"
    foreign = closed.ask("GET", f"/v1/decisions/{closed.decision}", authorization=key)
    none = closed.ask("GET", f"/v1/decisions/{'0' * 32}", authorization=key)
    assert {**foreign.error, "request_id": ""} == {**none.error, "request_id": ""}


def test_a_tenant_may_serve_its_own_models(closed: Closed) -> None:
    key = f"Bearer {closed.tokens['foreign']}"
    model = closed.ask.service.registry.named("default", "air").active.text.encode()
    assert closed.ask("POST", "/v1/models", model, authorization=key).status == 201
    assert closed.ask("POST", "/v1/decide", {"row": GOOD}, authorization=key).status == 200
    assert len(closed.ask("GET", "/v1/decisions", authorization=key).json["decisions"]) == 1


def test_no_key_is_kept_as_it_is(closed: Closed, store: Path) -> None:
    held = b"".join(path.read_bytes() for path in store.parent.iterdir())
    assert not any(token and token.encode() in held for token in closed.tokens.values())


def test_a_service_that_had_a_key_stays_closed_without_one(closed: Closed) -> None:
    closed.ask.service.keyring.take([])
    assert closed.ask("POST", "/v1/decide", {"row": GOOD}).status == 401


def test_a_public_address_without_keys_is_refused(store: Path) -> None:
    with remembered(store) as ask, pytest.raises(DataError, match="wants keys"):
        opening.take_keys(Service(Settings(host="0.0.0.0"), memory=ask.service.memory))  # noqa: S104
    with pytest.raises(DataError, match="wants keys"):
        opening.take_keys(Service(Settings(host="0.0.0.0")))  # noqa: S104


@pytest.fixture
def racl(capsys: pytest.CaptureFixture[str], store: Path) -> Racl:
    """The command, on the memory."""

    def run(*words: str | Path) -> Done:
        capsys.readouterr()
        code = main([*map(str, words), "--store", str(store)])
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return run


def test_keys_are_made_listed_rotated_and_revoked(racl: Racl, store: Path) -> None:
    token = racl("key", "add", "--scope", "decide", "--expires", "90d", "--label", "shop").out.strip()
    assert re.fullmatch(r"racl_[0-9a-f]{8}_[\w-]{43}", token)
    listed = racl("key", "list").out
    assert "decide" in listed
    assert "shop" in listed
    assert token.rpartition("_")[2] not in listed
    name = token.split("_")[1]
    with remembered(store) as ask:
        ask.service.catch_up(sqlite.connect(str(store))())
        bearer = f"Bearer {token}"
        assert ask("POST", "/v1/decide", {"row": GOOD}, authorization=bearer).status == 200
        newer = f"Bearer {racl('key', 'rotate', name).out.strip()}"
        ask.service.catch_up(sqlite.connect(str(store))())
        for one in (bearer, newer):  # the old one holds for the time of grace
            assert ask("POST", "/v1/decide", {"row": GOOD}, authorization=one).status == 200
        racl("key", "revoke", name)
        ask.service.catch_up(sqlite.connect(str(store))())
        assert ask("POST", "/v1/decide", {"row": GOOD}, authorization=bearer).status == 401
        assert ask("POST", "/v1/decide", {"row": GOOD}, authorization=newer).status == 200


@pytest.mark.parametrize(
    "words", [["add"], ["add", "--scope", "x"], ["add", "--scope", "read", "--expires", "soon"], ["revoke"],
              ["revoke", "00000000"], ["make"]],
)  # fmt: skip
def test_a_wrong_call_says_what_is_wrong(racl: Racl, words: list[str]) -> None:
    racl("key", "add", "--scope", "read")
    done = racl("key", *words)
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
