"""The log is whole, says so, and notices whatever was done to it."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cli.air import Done, Racl
from racl.cli import main
from racl.serve.store import keeping, sqlite
from racl.serve.store.chain import START, linked
from racl.serve.store.connection import Connection
from serve.asking import GOOD, air_model, remembered


@pytest.fixture
def racl(capsys: pytest.CaptureFixture[str], store: Path) -> Racl:
    """`racl log`, on the memory."""

    def run(*words: str | Path) -> Done:
        capsys.readouterr()
        code = main(["log", *map(str, words), "--store", str(store)])
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return run


@pytest.fixture
def log(store: Path) -> Connection:
    """A log of six decisions and two outcomes."""
    with remembered(store) as ask:
        made = ask("POST", "/v1/decide", {"rows": [{**GOOD, "fare": fare} for fare in range(50, 56)]})
        for one in made.json["decisions"][:2]:
            assert ask("POST", f"/v1/decisions/{one['id']}/outcome", {"accepted": True}).status == 201
    return sqlite.connect(str(store))()


def test_a_whole_log_is_whole(log: Connection, racl: Racl) -> None:
    found = keeping.verify(log, None)
    assert (found.decisions, found.outcomes, found.problems) == (6, 2, [])
    assert racl("verify").code == 0


TAMPERED = {
    "a value": "UPDATE decisions SET value = value + 1 WHERE seq = 3",
    "a credit": "UPDATE decisions SET credit = 'accepted-already-good' WHERE seq = 2",
    "a row": """UPDATE decisions SET given = replace(given, '"fare":52', '"fare":53') WHERE seq = 3""",
    "a column too many": """UPDATE decisions SET given = replace(given, '{"fare"', '{"x":1,"fare"') WHERE seq = 3""",
    "a column too few": """UPDATE decisions SET given = replace(given, '"stops":1,', '') WHERE seq = 3""",
    "a tenant": "UPDATE decisions SET tenant = 'acme' WHERE seq = 4",
    "a salt": "UPDATE decisions SET salts = zeroblob(length(salts)) WHERE seq = 4",
    "a link": "UPDATE decisions SET link = zeroblob(32) WHERE seq = 6",
    "one taken out": "DELETE FROM decisions WHERE seq = 3",
    "the first taken out": "DELETE FROM decisions WHERE seq = 1",
    "the last taken out": "DELETE FROM decisions WHERE seq = 6",
    "two exchanged": "UPDATE decisions SET seq = CASE seq WHEN 2 THEN -3 WHEN 3 THEN -2 END WHERE seq IN (2, 3)",
    "an outcome": "UPDATE outcomes SET accepted = 0 WHERE seq = 1",
    "when an outcome was": "UPDATE outcomes SET happened = happened + 1 WHERE seq = 1",
    "whose outcome it is": "UPDATE outcomes SET decision = 'x' WHERE seq = 1",
    "an outcome taken out": "DELETE FROM outcomes WHERE seq = 2",
    "the first outcome taken out": "DELETE FROM outcomes WHERE seq = 1",
    "outcomes exchanged": "UPDATE outcomes SET seq = CASE seq WHEN 1 THEN -2 WHEN 2 THEN -1 END",
    "all outcomes taken out": "DELETE FROM outcomes",
    "all decisions taken out": "DELETE FROM decisions",
    "a probability": "UPDATE decisions SET probability = 0.5 WHERE seq = 1",
    "a persona": "UPDATE decisions SET persona = 'business' WHERE seq = 1",
    "no persona": "UPDATE decisions SET persona = NULL WHERE seq = 1",
    "a version": "UPDATE decisions SET version = 'x' WHERE seq = 1",
    "the model's weights": "UPDATE versions SET document = replace(document, '12.0', '13.0')",
    "a model taken out": "DELETE FROM versions",
    "one put in": (
        "INSERT INTO decisions SELECT 7, 'x', at, tenant, model, version, persona, accepted, credit, plan, value, margin,"
        " cost, explored, probability, given, salts, link FROM decisions WHERE seq = 6"
    ),
    "a masked value that is no digest": (
        """UPDATE decisions SET given = replace(given, '"fare":52', '"fare":{"mask":"zz"}') WHERE seq = 3"""
    ),
    "a masked value that never was": (
        """UPDATE decisions SET given = replace(given, '"fare":52', '"fare":{"masked":"00"}') WHERE seq = 3"""
    ),
}


def everything(log: Connection) -> list[Any]:
    tables = ("decisions", "outcomes", "versions")
    return [log.run(f"SELECT * FROM {table} ORDER BY 1, 2, 3") for table in tables]  # noqa: S608


@pytest.mark.parametrize("what", TAMPERED)
def test_whatever_is_done_to_the_log_is_noticed(log: Connection, racl: Racl, what: str) -> None:
    before = everything(log)
    log.run(TAMPERED[what])
    for chain in keeping.CHAINS:
        log.run(f"UPDATE {chain} SET seq = -seq WHERE seq < 0")  # noqa: S608
    assert everything(log) != before
    done = racl("verify")
    assert done.code == 1
    assert "NOT whole" in done.out


def test_masked_columns_are_gone_and_the_chain_still_holds(log: Connection, racl: Racl, store: Path) -> None:
    assert (
        racl("mask", "--column", "persona", "--column", "carrier", "--column", "fare").out
        == "hidden in 6 decisions\n"
    )
    found = keeping.verify(log, None)
    assert (found.masked, found.problems) == (6, [])
    held = b"".join(path.read_bytes() for path in store.parent.iterdir())  # while the log is open
    assert b'"fare":5' not in held
    log.close()
    rows = sqlite.connect(str(store))().run("SELECT given, persona FROM decisions")
    assert all("leisure" not in row[0] and '"UA"' not in row[0] and row[1] is None for row in rows)
    with remembered(store) as ask:
        (one, *_) = ask("GET", "/v1/decisions").json["decisions"]
        assert set(one["masked"]) == {"persona", "carrier", "fare"}
        assert "persona" not in one["row"]
        answer = ask("GET", f"/v1/decisions/{one['id']}/explanation")
        assert (answer.status, answer.error["code"]) == (409, "masked")
        assert ask("POST", f"/v1/decisions/{one['id']}/replay", {}).status == 409


def test_a_misspelt_column_is_not_hidden_in_silence(log: Connection, racl: Racl) -> None:
    done = racl("mask", "--column", "fare", "--column", "personna")
    assert (done.code, done.err) == (
        2,
        "racl log mask: no model has a column `personna` (did you mean `persona`?)\n",
    )
    assert keeping.verify(log, None).masked == 0


def test_masking_twice_changes_nothing(log: Connection, racl: Racl) -> None:
    racl("mask", "--column", "fare")
    assert racl("mask", "--column", "fare").out == "hidden in 0 decisions\n"
    assert not keeping.verify(log, None).problems


def test_what_is_pruned_is_vouched_for(log: Connection, racl: Racl, store: Path) -> None:
    time.sleep(0.01)
    middle = int(time.time() * 1e6)
    with remembered(store) as ask:
        ask("POST", "/v1/decide", {"row": GOOD})
    assert keeping.prune(log, b"secret", middle, middle) == 6
    found = keeping.verify(log, b"secret")
    assert (found.decisions, found.outcomes, found.problems) == (1, 0, [])
    log.run("UPDATE checkpoints SET link = zeroblob(32)")
    assert any("signature" in problem for problem in keeping.verify(log, b"secret").problems)
    assert keeping.verify(log, b"other").problems


def test_all_may_be_pruned_and_the_log_goes_on(log: Connection, racl: Racl, store: Path) -> None:
    assert racl("prune", "--older", "0m").out == "6 decisions forgotten\n"
    with remembered(store) as ask:
        ask("POST", "/v1/decide", {"row": GOOD})
    done = racl("verify")
    assert (done.code, done.out) == (
        0,
        "1 decisions (0 with something hidden), 0 outcomes, 2 checkpoints: whole\n",
    )


def test_a_checkpoint_binds_what_a_forger_could_relink(log: Connection, racl: Racl) -> None:
    assert racl("checkpoint").code == 0
    log.run("UPDATE decisions SET value = 0 WHERE seq = 2")
    relink(log)
    done = racl("verify")
    assert done.code == 1
    assert "vouches" in done.err


@pytest.mark.parametrize("chain", keeping.CHAINS)
def test_a_checkpoint_binds_the_end_that_a_forger_could_move(log: Connection, racl: Racl, chain: str) -> None:
    assert racl("checkpoint").code == 0
    log.run(f"DELETE FROM {chain} WHERE seq > 1")  # noqa: S608
    log.run(f"UPDATE heads SET seq = 1, link = (SELECT link FROM {chain}) WHERE chain = '{chain}'")  # noqa: S608
    done = racl("verify")
    assert done.code == 1
    assert f"{chain} end at 1, but a checkpoint vouches for" in done.err


def test_a_log_is_verified_masked_and_copied_while_decisions_come_in(
    store: Path, racl: Racl, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    with remembered(store) as ask:
        ask("POST", "/v1/decide", {"rows": [GOOD] * 10_000})
        stop = threading.Event()
        made = []

        def decide() -> None:
            while not stop.is_set():
                made.append(ask("POST", "/v1/decide", {"rows": [GOOD] * 500}).status)

        thread = threading.Thread(target=decide)
        thread.start()
        try:
            for words in (["verify"], ["mask", "--column", "carrier"], ["backup", "-o", copy], ["verify"]):
                assert racl(*words).code == 0
        finally:
            stop.set()
            thread.join()
    assert set(made) == {200}
    assert racl("verify").code == 0
    assert main(["log", "verify", "--store", str(copy)]) == 0
    assert copy.stat().st_mode & 0o777 == 0o600


def test_a_backup_is_restored_while_the_service_runs(store: Path, racl: Racl, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    strict = air_model(leisure={"bias": -99, "weights": {"price": 0, "nonstop": 0, "aa": 0}})
    with remembered(store) as ask:
        first = ask("GET", "/v1/models/air").json["active"]
        before = ask("POST", "/v1/decide", {"row": GOOD}).json["decisions"][0]
        assert racl("backup", "-o", copy).code == 0
        sent = ask("POST", "/v1/models", strict.document()).json["version"]
        ask("POST", "/v1/models/air/activate", {"version": sent})
        after = ask("POST", "/v1/decide", {"row": GOOD}).json["decisions"][0]
        assert racl("restore", "--from", copy).out == "1 decisions, 0 outcomes\n"
        ask.service.catch_up(sqlite.readers(str(store))())
        found = ask("GET", "/v1/models/air").json
        assert (found["active"], len(found["versions"])) == (first, 1)
        assert ask("GET", f"/v1/decisions/{before['id']}").status == 200
        assert ask("GET", f"/v1/decisions/{after['id']}").status == 404
        assert ask("POST", "/v1/decide", {"row": GOOD}).json["decisions"][0]["accepted"]
    assert racl("verify").out.startswith("2 decisions")
    with remembered(store) as ask:
        assert ask("GET", "/v1/models/air").json["active"] == first


def test_a_backup_is_restored_where_nothing_is_left(
    store: Path, log: Connection, racl: Racl, tmp_path: Path
) -> None:
    assert racl("backup", "-o", tmp_path / "copy.db").code == 0
    log.close()
    for file in store.parent.glob(f"{store.name}*"):
        file.unlink()
    assert racl("restore", "--from", tmp_path / "copy.db").code == 0
    assert racl("verify").out.startswith("6 decisions (0 with something hidden), 2 outcomes")


def test_a_backup_that_is_not_whole_is_not_restored(log: Connection, racl: Racl, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    assert racl("backup", "-o", copy).code == 0
    broken_copy = sqlite.connect(str(copy))()
    broken_copy.run("DELETE FROM decisions WHERE seq = 3")
    broken_copy.close()
    (tmp_path / "other.db").write_text("no log")
    for words, what in (
        (("--from", copy), "decisions 3 to 3 are missing"),
        (("--from", tmp_path / "none.db"), "no such file"),
        (("--from", tmp_path / "other.db"), "not a memory of racl's"),
        ((), "from where?"),
    ):
        done = racl("restore", *words)
        assert (done.code, what in done.err) == (2, True)
    assert racl("verify").out.startswith("6 decisions")


def test_a_backup_that_cannot_be_made_leaves_nothing(log: Connection, racl: Racl, tmp_path: Path) -> None:
    (tmp_path / "there.db").write_text("mine")
    for place, what in (("there.db", "is there already"), ("no/copy.db", "no such folder")):
        done = racl("backup", "-o", tmp_path / place)
        assert (done.code, what in done.err) == (2, True)
    full = tmp_path / "full"
    full.mkdir()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Path, "replace", broken)
        assert racl("backup", "-o", full / "copy.db").code == 2
    assert list(full.iterdir()) == []
    assert (tmp_path / "there.db").read_text() == "mine"


def broken(*given: object) -> None:
    raise OSError(28, "No space left on device", "copy.db")


def relink(log: Connection) -> None:
    """Compute all links anew, as somebody would who wants the change not to be seen."""
    link = START
    rows = list(keeping.decision_links(log, keeping.Checked(), 2**60))
    for one in rows:
        link = linked(link, one.leaf)
        log.run("UPDATE decisions SET link = ? WHERE seq = ?", (link, one.seq))
    log.run("UPDATE heads SET link = ? WHERE chain = 'decisions'", (link,))


def test_a_backup_made_while_the_service_runs_is_whole(store: Path, racl: Racl, tmp_path: Path) -> None:
    with remembered(store) as ask:
        made = ask("POST", "/v1/decide", {"row": GOOD}).json["decisions"][0]
        assert racl("backup", "-o", tmp_path / "copy.db").code == 0
        ask("POST", "/v1/decide", {"row": GOOD})
    copy = sqlite.connect(str(tmp_path / "copy.db"))()
    assert (keeping.verify(copy, None).decisions, keeping.verify(copy, None).problems) == (1, [])
    with remembered(tmp_path / "copy.db") as ask:
        assert ask("GET", f"/v1/decisions/{made['id']}").status == 200
