"""Both clients against a service that remembers: the log, and the models that decide."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from cli.air import PREFERENCE
from client.asking import Ask
from racl.client import ServiceError, blocking
from racl.semantics import Credit
from serve.asking import GOOD, air_model

OTHER = air_model(leisure={**PREFERENCE["leisure"], "bias": 6})


def test_the_log_is_read_page_by_page(ask: Ask, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking, "PAGE", 3)
    monkeypatch.setattr("racl.client.asynchronous.PAGE", 3)
    sent = ask(kept, "decide", [{**GOOD, "budget": float(budget)} for budget in range(36, 44)])
    found = ask(kept, "decisions")
    assert [one.id for one in found] == [one.id for one in reversed(sent)]
    assert found[0].row == {**GOOD, "budget": 43.0}


def test_the_log_is_filtered(ask: Ask, kept: str) -> None:
    ask(kept, "decide", [GOOD, {**GOOD, "budget": 0.0}, {**GOOD, "persona": "business"}])
    early, late = datetime(2020, 1, 1, tzinfo=UTC), datetime.now(UTC) + timedelta(hours=1)
    for expected, asked in (
        (1, {"credit": Credit("rejected-repairable-over-budget")}), (1, {"accepted": False}), (2, {"accepted": True}),
        (2, {"plan": "add_bag", "model": "air"}), (1, {"persona": "business"}), (3, {"after": early, "before": late}),
        (0, {"after": late}), (0, {"version": "0" * 12}),
    ):  # fmt: skip
        assert len(ask(kept, "decisions", **asked)) == expected, asked


def test_one_key_is_one_decision(ask: Ask, kept: str) -> None:
    first, again = (ask(kept, "decide_one", GOOD, idempotency_key="order-7") for _ in range(2))
    assert first == again
    assert len(ask(kept, "decisions")) == 1
    with pytest.raises(ServiceError) as caught:
        ask(kept, "decide_one", {**GOOD, "fare": 1.0}, idempotency_key="order-7")
    assert caught.value.status == 409


def test_a_logged_decision_is_explained_made_again_and_asked_what_if(ask: Ask, kept: str) -> None:
    made = ask(kept, "decide_one", GOOD)
    assert ask(kept, "decision", made.id).id == made.id
    assert ask(kept, "explanation", made.id).words == str(air_model().explain(GOOD))
    assert ask(kept, "replay", made.id).same
    assert ask(kept, "what_if", id=made.id, budget=1.0).turned
    with pytest.raises(ServiceError) as caught:
        ask(kept, "decision", "0" * 32)
    assert caught.value.status == 404


def test_what_became_of_an_offer_is_told_once(ask: Ask, kept: str) -> None:
    made = ask(kept, "decide_one", GOOD)
    at = datetime.now(UTC)
    assert ask(kept, "outcome", made.id, accepted=True, at=at).at == at
    assert ask(kept, "outcome", made.id, accepted=True).accepted
    assert ask(kept, "decision", made.id).outcome is True
    with pytest.raises(ServiceError) as caught:
        ask(kept, "outcome", made.id, accepted=False)
    assert caught.value.status == 409


def test_versions_are_sent_activated_and_taken_back(ask: Ask, kept: str) -> None:
    first = ask(kept, "model", "air").active
    sent = ask(kept, "register", OTHER)
    assert (sent.name, sent.active) == ("air", False)
    assert ask(kept, "register", OTHER.document()).version == sent.version
    assert ask(kept, "activate", "air", sent.version[:12]).active == sent.version
    assert ask(kept, "decide_one", GOOD).credit == "rejected-repairable-suboptimal"
    assert ask(kept, "roll_back", "air").active == first
    with pytest.raises(ServiceError) as caught:
        ask(kept, "roll_back", "air")
    assert caught.value.status == 409


def test_versions_decide_in_the_shadow_for_a_share_and_are_compared(ask: Ask, kept: str) -> None:
    first, second = ask(kept, "model", "air").active, ask(kept, "register", OTHER).version
    assert ask(kept, "shadow", "air", second).shadow == second
    made = ask(kept, "decide_one", GOOD)
    assert [one.id for one in ask(kept, "differences", "air").differences] == [made.id]
    assert ask(kept, "shadow", "air", None).shadow is None
    assert ask(kept, "share", "air", second, 0.25).share == 0.25
    assert ask(kept, "share", "air", None).candidate is None
    found = ask(kept, "compare", "air", first, second)
    assert (found.compared, found.same, found.rejected) == (1, 0, 1)


def test_what_is_being_lost_is_told(ask: Ask, kept: str) -> None:
    ask(kept, "decide", [GOOD, {**GOOD, "budget": 10.0}])
    found = ask(kept, "vetoes", "air", after=datetime(2020, 1, 1, tzinfo=UTC))
    assert (found.counted, found.studied) == (2, 1)
    assert [(one.more, one.turned) for one in found.curve] == [(30.0, 1)]
    assert found.repairs[0].would_turn == 1


def test_the_client_wants_nothing_of_the_server() -> None:
    """What `racl[client]` installs is enough."""
    code = """
import sys
for name in ("starlette", "uvicorn", "apsw", "sqlalchemy", "alembic", "psycopg", "uvloop", "httptools"):
    sys.modules[name] = None
import racl
racl.Client("http://127.0.0.1:1").close()
assert not {"numba", "pandas", "polars", "sklearn"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_without_its_extra_the_client_says_what_to_install() -> None:
    code = """
import sys
sys.modules["httpx2"] = None
import racl
try:
    racl.Client
except ModuleNotFoundError as fault:
    assert "pip install 'racl[client]'" in str(fault), fault
else:
    raise SystemExit("it was there")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
