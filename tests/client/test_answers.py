"""Both clients against a service that really listens."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

import racl
from client.asking import Ask
from racl.client import Chosen, NoAnswerError, ServiceError
from racl.errors import DataError, RaclError
from racl.serve.wire import Decided, Wrong
from serve.asking import GOOD, air_model

MODEL = air_model()


def test_the_library_offers_both_clients() -> None:
    assert racl.Client.__name__ == "Client"
    assert racl.AsyncClient.__name__ == "AsyncClient"


def test_a_row_is_decided_as_offline(ask: Ask, url: str) -> None:
    found, expected = ask(url, "decide_one", GOOD), MODEL.decide_one(GOOD)
    assert isinstance(found, Decided)
    assert found.model.startswith("air@")
    for name in ("accepted", "credit", "plan", "value", "margin", "cost"):
        assert getattr(found, name) == getattr(expected, name)


def test_bad_rows_of_many_come_back_as_what_is_wrong_with_them(ask: Ask, url: str) -> None:
    found = ask(url, "decide", [GOOD, {**GOOD, "fare": -1}, GOOD])
    assert [type(one) for one in found] == [Decided, Wrong, Decided]
    assert found[1].field == "/rows/1/fare"


def test_no_rows_are_no_decisions(ask: Ask, url: str) -> None:
    assert ask(url, "decide", []) == []


def test_the_best_of_a_choice_set_is_chosen(ask: Ask, url: str) -> None:
    found = ask(url, "choose", [{**GOOD, "fare": fare} for fare in (80.0, 40.0, 60.0)])
    assert isinstance(found, Chosen)
    assert (found.chosen, len(found.decisions)) == (1, 3)


def test_an_explanation_is_the_library_s(ask: Ask, url: str) -> None:
    found = ask(url, "explain", GOOD, model="air")
    assert found.words == str(MODEL.explain(GOOD))
    assert found.explanation == MODEL.explain(GOOD).to_dict()


def test_a_change_can_turn_a_decision(ask: Ask, url: str) -> None:
    assert ask(url, "what_if", GOOD, budget=39.0).turned
    assert ask(url, "what_if", GOOD, threshold=1e6).turned
    assert not ask(url, "what_if", GOOD, changes={"needs_bag": False}).turned


def test_models_and_versions_are_listed(ask: Ask, url: str) -> None:
    (found,) = ask(url, "models")
    assert found == ask(url, "model", "air")
    whole = ask(url, "model_version", "air")
    assert (whole.active, whole.version) == (True, found.active)
    assert whole.document["domain"]["name"] == "air"


def test_the_service_tells_that_it_is_ready(ask: Ask, url: str) -> None:
    assert ask(url, "ready").ready


def test_a_refused_row_is_an_error_with_its_place(ask: Ask, url: str) -> None:
    with pytest.raises(ServiceError, match="below the minimum") as caught:
        ask(url, "decide_one", {**GOOD, "fare": -1})
    assert (caught.value.status, caught.value.wrong.field) == (400, "/row/fare")
    assert caught.value.wrong.request_id
    assert isinstance(caught.value, RaclError)


def test_what_is_not_there_is_an_error(ask: Ask, url: str) -> None:
    for name in ("nothing", "../../healthz", "a b", "?", "é", ""):
        with pytest.raises(ServiceError) as caught:
            ask(url, "model_version", name)
        assert caught.value.status == 404


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_json_does_not_hold_is_not_sent(ask: Ask, url: str, value: object) -> None:
    with pytest.raises(DataError, match="cannot be sent"):
        ask(url, "decide_one", {**GOOD, "fare": value})


@pytest.mark.parametrize("value", [np.float64(80), np.int32(80), Decimal(80)])
def test_numbers_of_other_libraries_are_numbers(ask: Ask, url: str, value: object) -> None:
    assert ask(url, "decide_one", {**GOOD, "fare": value}).value == MODEL.decide_one(GOOD).value


def test_a_service_that_is_not_there_is_an_error(ask: Ask) -> None:
    with pytest.raises(NoAnswerError, match="no answer"):
        ask("http://127.0.0.1:1", "ready")


def test_an_address_that_is_none_is_an_error(ask: Ask) -> None:
    with pytest.raises(NoAnswerError):
        ask("127.0.0.1", "ready")
