"""When both clients try again, and what reaches the service when they do."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from client.asking import QUICK, Ask
from client.flaky import Flaky
from racl.client import NoAnswerError, Retry, ServiceError
from racl.client.requests import Request, decide_one
from racl.client.trying import asked_for, pause
from serve.asking import GOOD

ASKED = decide_one(GOOD, None, "k")


def test_an_overloaded_service_is_asked_again(ask: Ask, shaky: str, flaky: Flaky) -> None:
    flaky.left = 3
    assert ask(shaky, "decide_one", GOOD).accepted
    assert len(flaky.seen) == 4


def test_every_try_carries_the_same_idempotency_key(ask: Ask, shaky: str, flaky: Flaky) -> None:
    flaky.left = 2
    ask(shaky, "decide_one", GOOD)
    ask(shaky, "decide_one", GOOD)
    keys = [json.loads(body)["idempotency_key"] for body in flaky.seen]
    assert len(set(keys[:3])) == 1
    assert keys[3] != keys[0]


def test_a_key_that_is_given_is_sent(ask: Ask, shaky: str, flaky: Flaky) -> None:
    ask(shaky, "decide", [GOOD], idempotency_key="order-7")
    assert json.loads(flaky.seen[0])["idempotency_key"] == "order-7"


def test_after_the_last_try_the_refusal_is_raised(ask: Ask, shaky: str, flaky: Flaky) -> None:
    flaky.left = 9
    with pytest.raises(ServiceError, match="too much") as caught:
        ask(shaky, "decide_one", GOOD)
    assert caught.value.status == 503
    assert len(flaky.seen) == QUICK.tries


@pytest.mark.parametrize("status", [400, 401, 404, 409, 413, 500])
def test_other_refusals_are_final(ask: Ask, shaky: str, flaky: Flaky, status: int) -> None:
    flaky.left, flaky.status = 1, status
    with pytest.raises(ServiceError):
        ask(shaky, "decide_one", GOOD)
    assert len(flaky.seen) == 1


def test_the_service_is_given_the_time_that_it_asks_for(ask: Ask, shaky: str, flaky: Flaky) -> None:
    flaky.left, flaky.retry_after = 1, "1"
    start = time.monotonic()
    assert ask(shaky, "decide_one", GOOD, retry=Retry(first=0.001, most=2)).accepted
    assert time.monotonic() - start >= 1


def test_a_service_that_asks_for_too_much_patience_is_left_alone(ask: Ask, shaky: str, flaky: Flaky) -> None:
    flaky.left, flaky.retry_after = 1, "3600"
    with pytest.raises(ServiceError):
        ask(shaky, "decide_one", GOOD)
    assert len(flaky.seen) == 1


def test_an_answer_of_something_else_is_no_answer(ask: Ask, shaky: str, flaky: Flaky) -> None:
    flaky.left, flaky.status, flaky.body = 1, 200, b"<html>a proxy</html>"
    with pytest.raises(NoAnswerError, match="200 with something"):
        ask(shaky, "decide_one", GOOD)


# the rule, case by case ---------------------------------------------------------------------------------


def unavailable(after: str = "") -> httpx2.Response:
    return httpx2.Response(503, headers={"retry-after": after} if after else {})


def test_pauses_double_up_to_the_most() -> None:
    retry = Retry(tries=9, first=1, most=5)
    assert [pause(retry, ASKED, unavailable(), tried, 1) for tried in (1, 2, 3, 4, 8, 9)] == [
        1, 2, 4, 5, 5, None,
    ]  # fmt: skip


def test_chance_takes_off_at_most_half_of_a_pause() -> None:
    assert pause(Retry(), ASKED, unavailable(), 1, 0) == pytest.approx(0.05)


def test_a_lost_connection_is_tried_again_where_asking_twice_is_asking_once() -> None:
    lost = httpx2.ReadError("gone")
    assert pause(Retry(), ASKED, lost, 1, 0) is not None
    once = Request("POST", "/v1/models/air/rollback", bytes, b"{}", repeats=False)
    assert pause(Retry(), once, lost, 1, 0) is None
    assert pause(Retry(), once, httpx2.ConnectError("refused"), 1, 0) is not None


def test_retry_after_is_seconds_or_a_date() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert asked_for(unavailable("7"), now) == 7
    assert asked_for(unavailable(format_datetime(now + timedelta(seconds=9), usegmt=True)), now) == 9
    assert asked_for(unavailable(format_datetime(now - timedelta(seconds=9), usegmt=True)), now) == 0
    for other in ("", "soon", "-3", "1e3", "Thu, 99 Jan"):
        assert asked_for(unavailable(other), now) == 0
