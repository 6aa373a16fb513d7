"""Models and versions: looked at, sent, activated, compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.air import PREFERENCE
from page.api import Api
from page.window import Window
from racl.model import Model
from serve.asking import GOOD, air_model

RATE = {
    "name": "FVR",
    "value": 0.0123,
    "count": 4,
    "of": 325,
    "low": 0.004,
    "high": 0.031,
    "method": "Wilson",
}
UNKNOWN = {**RATE, "name": "PlanAcc", "value": None, "method": "needs a truth model"}
FIT = {
    "learner": "latent",
    "guard": {"name": "certified", "margin": 0.25},
    "validation": {"against": "labels", "figures": {"fvr": RATE, "plan": UNKNOWN}},
    "personas": {"leisure": {"standard_errors": {"weights": {"price": 0.123}}}},
}


def other() -> dict[str, Any]:
    """Another version, which leisure travellers like less; it remembers how it was learned."""
    changed: Model = air_model(leisure={**PREFERENCE["leisure"], "bias": 6})
    return {**json.loads(json.dumps(changed.document())), "fit": FIT}


@pytest.fixture
def second(api: Api) -> str:
    """The hash of the other version, which does not decide yet."""
    found: str = api.post("/v1/models", other())["version"]
    return found


def pressed_twice(window: Window, words: str) -> None:
    window.find("button", has_text=words).click()
    window.find("button", has_text=f"Really {words.lower()}?").click()


def active(api: Api) -> str:
    found: str = api.get("/v1/models/air")["active"]
    return found


def test_weights_are_shown_by_persona(window: Window, url: str) -> None:
    window.go(url, "models")
    assert window.find(".weights thead th").all_inner_texts() == ["Feature", "business", "leisure"]
    assert window.find(".weights tbody tr").nth(1).locator("td").all_inner_texts() == ["\u22121", "\u22122.5"]
    assert "fare / 100" in window.text(".weights")
    assert "says nothing of how it was learned" in window.text()


def test_guard_and_validation_figures_are_shown(window: Window, url: str, second: str) -> None:
    window.go(url, f"models?version={second}")
    assert "certified, margin = 0.25" in window.text()
    assert window.find(".validation tbody tr").all_inner_texts() == [
        "FVR\t0.0123\t0.004 to 0.031\t\n\t4 of 325\tWilson"
    ]
    assert "Not known: PlanAcc (needs a truth model)" in window.text(".validation")
    assert "± 0.12" in window.text(".weights")
    window.find("summary", has_text="All that the file says").click()
    assert "0.0123 (4 of 325; 0.004 to 0.031, Wilson)" in window.text()


def test_another_version_is_looked_at(window: Window, url: str, second: str) -> None:
    window.go(url, "models")
    window.find("#shown-version").select_option(second)
    window.wait("certified")
    assert second in window.page.url


def test_a_version_is_activated_and_taken_back_after_a_second_word(
    window: Window, url: str, second: str, api: Api
) -> None:
    first = active(api)
    window.go(url, "models")
    window.find("button", has_text="Activate").click()
    assert active(api) == first
    window.find("button", has_text="Really activate?").click()
    window.wait("active", f".versions tr:has(code[title='{second}'])")
    assert active(api) == second
    pressed_twice(window, "Go back")
    window.wait("active", f".versions tr:has(code[title='{first}'])")
    assert active(api) == first


def test_going_back_where_nothing_was_before_is_refused(window: Window, url: str) -> None:
    window.go(url, "models")
    pressed_twice(window, "Go back")
    window.wait("no version decided before this one", ".fault")


def test_a_version_decides_in_the_shadow(window: Window, url: str, second: str, api: Api) -> None:
    window.go(url, "models")
    window.find("button", has_text="Into the shadow").click()
    window.wait("in the shadow", ".versions")
    assert api.get("/v1/models/air")["shadow"] == second
    window.find("button", has_text="Out of the shadow").click()
    window.find("button", has_text="Into the shadow").wait_for()
    assert api.get("/v1/models/air")["shadow"] is None


def test_where_nothing_is_in_the_shadow_the_page_says_what_it_would_be_for(window: Window, url: str) -> None:
    window.go(url, "models")
    window.wait("No version is in the shadow.", ".card.shadow")
    window.wait("There is no other version.", ".card.share")


def test_differences_of_the_shadow_are_counted_and_listed(
    window: Window, url: str, second: str, api: Api
) -> None:
    window.go(url, "models")
    window.find("button", has_text="Into the shadow").click()
    window.wait("0 decisions differ in credit or plan", ".card.shadow")
    window.wait("Nothing that was decided since differs.", ".card.shadow")
    made = api.decide()
    api.decide(persona="business")
    api.decide(budget=0.0)
    window.find(".card.shadow button", has_text="Look again").click()
    window.wait("1 decision differs in credit or plan", ".card.shadow")
    assert window.find(".differing tbody td").all_inner_texts()[:2] == [
        "Good with a repair by add_bag",
        "Repairable, not good enough",
    ]
    window.find(".differing a").click()
    window.wait(made["id"])


def test_a_shadow_that_was_is_still_told_of(window: Window, url: str, second: str, api: Api) -> None:
    api.post("/v1/models/air/shadow", {"version": second})
    api.decide()
    api.post("/v1/models/air/shadow", {"version": None})
    window.go(url, "models")
    window.wait(f"Earlier in the shadow: {second[:12]} (1 decision differs).", ".card.shadow")
    window.counted(".differing tbody tr", 1)


def test_many_differences_are_counted_and_the_latest_listed(
    phone: Window, url: str, second: str, api: Api
) -> None:
    api.post("/v1/models/air/shadow", {"version": second})
    for _ in range(3):
        api.post("/v1/decide", {"rows": [GOOD] * 1000})
    phone.go(url, "models")
    phone.wait("3,000 decisions differ in credit or plan", ".card.shadow")
    phone.find("summary", has_text="The latest 50 that differ").click()
    phone.counted(".differing tbody tr", 50)
    assert not phone.wide()


def test_a_row_that_the_shadow_refuses_is_a_difference(window: Window, url: str, api: Api) -> None:
    held = json.loads(json.dumps(air_model().document()))
    held["domain"]["candidate"]["fare"]["max"] = 60
    api.post("/v1/models/air/shadow", {"version": api.post("/v1/models", held)["version"]})
    api.decide()
    window.go(url, "models")
    window.wait("1 decision differs", ".card.shadow")
    window.wait("refused: /row/fare", ".differing")


def test_without_a_log_the_shadow_has_no_list_and_the_rest_stands(window: Window, forgetful: str) -> None:
    window.go(forgetful, "models")
    window.wait("this service keeps no log", ".card.shadow")
    window.wait("Weights by persona")


def test_a_share_is_set_seen_changed_and_taken_back(window: Window, url: str, second: str, api: Api) -> None:
    window.go(url, "models")
    window.wait("One version decides all requests.", ".card.share")
    window.find(".card.share input[type=number]").fill("12.5")
    pressed_twice(window, "Give it this share")
    window.wait(f"{second[:12]} decides 12.5 % of the requests", ".share-now")
    window.wait("decides 12.5 %", ".versions")
    assert (api.get("/v1/models/air")["candidate"], api.get("/v1/models/air")["share"]) == (second, 0.125)
    assert window.find(".card.share input[type=number]").input_value() == "12.5"
    window.find(".card.share input[type=range]").fill("100")
    pressed_twice(window, "Give it this share")
    window.wait("decides 100 % of the requests", ".share-now")
    assert api.decide()["model"] == f"air@{second[:12]}"
    window.find("button", has_text="Take the share back").click()
    window.wait("One version decides all requests.", ".card.share")
    assert api.get("/v1/models/air")["candidate"] is None


@pytest.mark.parametrize("text", ["", "0", "101", "-1"])
def test_a_share_that_is_none_goes_nowhere(
    window: Window, url: str, second: str, api: Api, text: str
) -> None:
    window.go(url, "models")
    window.find(".card.share input[type=number]").fill(text)
    window.find("button", has_text="Give it this share").click()
    assert window.find("button", has_text="Really give it this share?").count() == 0
    assert api.get("/v1/models/air")["candidate"] is None


def test_a_share_for_what_decides_meanwhile_is_refused_with_a_word(
    window: Window, url: str, second: str, api: Api
) -> None:
    window.go(url, "models")
    api.post("/v1/models/air/activate", {"version": second})
    pressed_twice(window, "Give it this share")
    window.wait("that version decides already", ".fault")


def test_a_model_file_is_sent(window: Window, url: str, api: Api, tmp_path: Path) -> None:
    file = tmp_path / "air.json"
    file.write_text(json.dumps(other()), "utf-8")
    window.go(url, "models")
    window.find("#model-file").set_input_files(file)
    window.find("button", has_text="Send").click()
    window.counted(".versions tbody tr", 2)
    assert len(api.get("/v1/models/air")["versions"]) == 2


def test_a_bad_model_file_is_refused_and_changes_nothing(
    window: Window, url: str, api: Api, tmp_path: Path
) -> None:
    file = tmp_path / "air.json"
    window.go(url, "models")
    for text in ("{", "<script>", '{"racl_model": 1}', "\0", json.dumps({**other(), "preference": {}})):
        file.write_text(text, "utf-8")
        window.find("#model-file").set_input_files(file)
        with window.page.expect_response("**/v1/models"):
            window.find("button", has_text="Send").click()
        window.find(".fault").wait_for()
    assert len(api.get("/v1/models/air")["versions"]) == 1


def test_two_versions_are_compared_on_what_was_logged(
    window: Window, url: str, second: str, api: Api
) -> None:
    window.go(url, "models")
    window.find("button", has_text="Compare").click()
    window.wait("There is nothing to compare on.", ".compared")
    for row in ({}, {"persona": "business"}, {"budget": 0.0}):
        api.decide(**row)
    window.find("button", has_text="Compare").click()
    window.wait("Of 3 logged rows 2 (66.7 %) have the same credit and plan.", ".compared")
    assert "rejects 1 that the first accepts" in window.text(".compared")
    window.find("summary", has_text="The latest 1 that differ").click()
    window.find(".compared a").click()
    window.wait("All decisions")
    assert second


def test_a_service_without_models_takes_the_first_one(window: Window, bare: str, tmp_path: Path) -> None:
    for place in ("decide", "vetoes", "models"):
        window.go(bare, place)
        window.wait("No model is served.")
    file = tmp_path / "air.json"
    file.write_text(json.dumps(other()), "utf-8")
    window.find("#model-file").set_input_files(file)
    window.find("button", has_text="Send").click()
    window.wait("Weights by persona")
