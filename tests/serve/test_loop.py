"""The loop closes: decisions and outcomes are exported, and learned from as they were shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from cli.air import AIR
from racl.cli import main
from racl.errors import DataError
from racl.learn.history import History
from racl.learn.recipe import Recipe, learn
from racl.model import load_model
from racl.options import expand
from racl.serve.settings import Settings
from racl.serve.store import keeping, sqlite
from serve.asking import GOOD, Asker, air_model, remembered

MODEL = air_model()


def rows(count: int, seed: int = 0) -> list[dict[str, object]]:
    chance = np.random.default_rng(seed)
    return [
        {
            **GOOD, "fare": float(chance.uniform(20, 500)), "stops": int(chance.integers(0, 3)),
            "has_bag": bool(chance.integers(0, 2)), "carrier": str(chance.choice(["AA", "UA"])),
            "persona": str(chance.choice(["business", "leisure"])), "budget": 60.0,
            "threshold": float(chance.uniform(-2, 8)),
        }
        for _ in range(count)
    ]  # fmt: skip


def tell(ask: Asker, decision: str, accepted: bool) -> None:
    assert ask("POST", f"/v1/decisions/{decision}/outcome", {"accepted": accepted}).status == 201


@pytest.fixture
def exported(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A log of 400 decisions, of which people took the better offers."""
    with remembered(store) as ask:
        made = ask("POST", "/v1/decide", {"rows": rows(400)}).json["decisions"]
        chance = np.random.default_rng(1)
        for one in made:
            if one["accepted"] and chance.random() < 0.9:
                tell(ask, one["id"], bool(one["margin"] + chance.logistic(0, 1.5) > 1.5))
    assert main(["export", str(store), "-o", str(tmp_path / "log.parquet")]) == 0
    assert "censored" in capsys.readouterr().out
    return tmp_path / "log.parquet"


def test_the_export_holds_everything_once(exported: Path, store: Path) -> None:
    table = pq.read_table(exported)
    assert table.num_rows == 400
    assert table.column_names[:8] == [column.name for column in MODEL.domain.columns]
    decisions = MODEL.decide(table.select(table.column_names[:8]))
    assert decisions.accepted.tolist() == table["logged_accepted"].to_pylist()
    assert decisions.plan.tolist() == table["shown"].to_pylist()
    outcomes = table["outcome"].to_pylist()
    assert all(
        one is None for one, shown in zip(outcomes, table["shown"].to_pylist(), strict=True) if shown is None
    )
    assert {True, False, None} == set(outcomes)
    assert b"censored" in pq.ParquetFile(exported).metadata.metadata[b"racl_log"]


def test_the_export_is_learned_from_as_it_is(exported: Path) -> None:
    table = pq.read_table(exported)
    recipe = Recipe(guard="none")
    learned = learn(MODEL.domain, History(table, "outcome", shown="shown"), recipe)
    told = sum(one is not None for one in table["outcome"].to_pylist())
    assert learned.record["rows"]["used"] == told
    assert np.isfinite(learned.weights).all()
    with pytest.raises(DataError, match="null"):
        learn(MODEL.domain, History(table, "outcome"), recipe)


def test_the_command_learns_from_the_export(exported: Path, tmp_path: Path) -> None:
    (tmp_path / "air.toml").write_text(AIR)
    words = ["fit", tmp_path / "air.toml", exported, "-o", tmp_path / "new.json", "--label", "outcome"]
    assert main([*map(str, words), "--shown", "shown", "--guard", "none"]) == 0
    assert load_model(tmp_path / "new.json").domain.name == "air"


def test_what_is_hidden_is_said_and_set_aside_and_the_rest_is_learned_from(
    exported: Path, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = sqlite.connect(str(store))()
    (tmp_path / "air.toml").write_text(AIR)
    for (name,) in log.run("SELECT id FROM decisions WHERE seq % 10 = 0"):
        assert keeping.mask(log, frozenset({"persona"}), before=None, name=name) == 1
    assert main(["export", str(store), "-o", str(tmp_path / "some.parquet")]) == 0
    assert "40 have something hidden; `racl fit --rejects FILE`" in capsys.readouterr().out
    words = ["fit", tmp_path / "air.toml", tmp_path / "some.parquet", "-o", tmp_path / "new.json"]
    more = ["--label", "outcome", "--shown", "shown", "--guard", "none", "--rejects", tmp_path / "aside.csv"]
    assert main([*map(str, words), *map(str, more)]) == 0
    assert "400 given, 40 refused" in capsys.readouterr().out


def test_only_the_plan_that_was_shown_is_learned_from() -> None:
    frame = [{**GOOD, "has_bag": False, "needs_bag": False, "budget": 100.0}] * 3
    options = expand(MODEL.domain, frame)
    assert options.count.tolist() == [2, 2, 2]
    from racl.frames import read_frame
    from racl.frames.beside import beside
    from racl.learn.shown import as_shown

    table = read_frame({"shown": ["keep", "add_bag", None]})
    found = as_shown(options, beside(table, "shown", "shown"))
    assert found.count.tolist() == [1, 1, 0]
    assert found.plan.tolist() == [0, 1]
    assert found.kept().tolist() == [0, -1, -1]
    assert (found.features == options.features[[0, 3]]).all()
    with pytest.raises(DataError, match="no plan"):
        as_shown(options, beside(read_frame({"shown": ["keep", "add_bags", None]}), "shown", "shown"))


def test_near_rejections_are_explored_at_the_share_that_is_logged(store: Path) -> None:
    near = {**GOOD, "threshold": MODEL.decide_one(GOOD).value or 0.0}
    near["threshold"] += 0.5
    far = {**near, "threshold": near["threshold"] + 50}
    with remembered(store, Settings(explore=0.25, explore_margin=1.0)) as ask:
        made = ask("POST", "/v1/decide", {"rows": [near] * 400}).json["decisions"]
        shown = [one for one in made if one.get("explored")]
        assert 50 <= len(shown) <= 150
        assert {(one["accepted"], one["plan"], one["credit"]) for one in shown} == {
            (True, "add_bag", "rejected-repairable-suboptimal")
        }
        assert not any(one["accepted"] for one in made if not one.get("explored"))
        assert not any(
            one["accepted"] for one in ask("POST", "/v1/decide", {"rows": [far] * 50}).json["decisions"]
        )
        logged = [ask("GET", f"/v1/decisions/{one['id']}").json for one in (shown[0], made[0])]
        assert logged[0]["probability"] == 0.25
        assert {one["probability"] for one in logged} <= {0.25, 0.75}
        assert ask("POST", f"/v1/decisions/{shown[0]['id']}/replay", {}).json["same"]
        tell(ask, shown[0]["id"], accepted=True)
    assert not keeping.verify(sqlite.connect(str(store))(), None).problems


def test_nothing_is_explored_unless_asked_for(store: Path) -> None:
    near = {**GOOD, "threshold": (MODEL.decide_one(GOOD).value or 0.0) + 1e-9}
    with remembered(store) as ask:
        made = ask("POST", "/v1/decide", {"rows": [near] * 200}).json["decisions"]
        assert not any(one["accepted"] or "explored" in one for one in made)


@pytest.mark.parametrize(
    "words", [["-o", "x.csv"], ["-o", "none/x.parquet"], ["-o", "x.parquet", "--model", "rail"]]
)
def test_an_export_that_cannot_be_says_why(
    store: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    with remembered(store):
        pass
    assert main(["export", str(store), *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not list(tmp_path.glob("*.parquet"))
