"""The log is looked through by its index, whatever is asked; older files get theirs."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from racl.errors import DataError
from racl.serve.store import keeping, reading, sqlite
from racl.serve.store.connection import Connection, Row
from racl.serve.store.reading import Filter
from racl.serve.store.schema import STEPS
from serve.asking import GOOD, Asker, remembered

ASKED: dict[str, Any] = {
    "model": "air", "version": "0" * 12, "credit": "accepted-already-good", "plan": "add_bag", "persona": "leisure",
    "accepted": True, "after": 1, "before": 2**60,
}  # fmt: skip


class Watched:
    """A connection that remembers how its statements are carried out."""

    def __init__(self, connection: Connection) -> None:
        self.connection, self.plans = connection, list[str]()

    def run(self, statement: str, values: Any = ()) -> Any:
        plan = self.connection.run(f"EXPLAIN QUERY PLAN {statement}", values)
        self.plans += [str(row[-1]) for row in plan]
        return self.connection.run(statement, values)


@pytest.fixture
def watched(kept: Asker, store: Path) -> Watched:
    kept("POST", "/v1/decide", {"rows": [GOOD] * 5})
    return Watched(sqlite.readers(str(store))())


def test_every_filter_is_tried() -> None:
    assert {one.name for one in fields(Filter)} == {"tenant", *ASKED}


@pytest.mark.parametrize("names", [(), *[(name,) for name in ASKED], ("after", "before", "credit")])
@pytest.mark.parametrize("below", [None, 3])
def test_a_page_of_the_log_is_found_by_the_index_in_its_order(
    watched: Watched, names: tuple[str, ...], below: int | None
) -> None:
    asked = Filter("default", **{name: ASKED[name] for name in names})
    reading.decisions(watched, asked, below=below)  # type: ignore[arg-type]
    assert any("INDEX decisions_asked (tenant=?" in plan for plan in watched.plans)
    assert not [plan for plan in watched.plans if plan.startswith("SCAN") or "TEMP B-TREE" in plan]


def test_differences_of_a_shadow_are_found_and_counted_by_their_index(watched: Watched) -> None:
    reading.differences(watched, "default", "air", 10)  # type: ignore[arg-type]
    reading.counted(watched, "default", "air")  # type: ignore[arg-type]
    assert sum("INDEX differences_asked (tenant=? AND model=?)" in plan for plan in watched.plans) == 2


def test_pages_hold_every_decision_once_though_the_clock_went_back(kept: Asker) -> None:
    made = []
    for second in (50.0, 70.0, 60.0, 60.0, 40.0):
        kept.service.clock = lambda at=second: at  # type: ignore[misc]
        made += [one["id"] for one in kept("POST", "/v1/decide", {"rows": [GOOD] * 2}).json["decisions"]]
    found: list[Any] = []
    cursor: Any = ""
    while cursor is not None:
        page = kept("GET", f"/v1/decisions?limit=1&cursor={cursor}").json
        found, cursor = [*found, *page["decisions"]], page["next"]
    assert sorted(one["id"] for one in found) == sorted(made)
    assert [one["at"] for one in found] == sorted((one["at"] for one in found), reverse=True)


def test_a_page_after_one_that_is_forgotten_meanwhile_is_empty(kept: Asker, store: Path) -> None:
    kept("POST", "/v1/decide", {"rows": [GOOD] * 3})
    cursor = kept("GET", "/v1/decisions?limit=1").json["next"]
    connection = sqlite.connect(str(store))()
    assert keeping.prune(connection, b"secret", 2**60, 2**60) == 3
    connection.close()
    assert kept("GET", f"/v1/decisions?cursor={cursor}").json == {"decisions": [], "next": None}


# older and newer files ----------------------------------------------------------------------------------


def indexes(connection: Connection) -> set[str]:
    rows: list[Row] = list(connection.run("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE INDEX%'"))
    return {row[0] for row in rows}


def test_an_older_file_is_brought_up_to_date_with_all_that_is_in_it(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sqlite, "STEPS", STEPS[:1])
        with remembered(store) as ask:
            made = ask("POST", "/v1/decide", {"rows": [GOOD] * 3}).json["decisions"]
        assert indexes(sqlite.connect(str(store))()) == set()
    with remembered(store) as ask:
        assert [one["id"] for one in ask("GET", "/v1/decisions").json["decisions"]] == [
            one["id"] for one in reversed(made)
        ]
    connection = sqlite.connect(str(store))()
    assert indexes(connection) == {"decisions_asked", "differences_asked"}
    assert keeping.verify(connection, None).problems == []


def test_an_older_program_leaves_a_newer_file_alone(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sqlite.connect(str(store))().close()
    monkeypatch.setattr(sqlite, "STEPS", STEPS[:1])
    with pytest.raises(DataError) as told:
        sqlite.connect(str(store))
    assert "newer version of racl" in str(told.value)
