"""The view that decides."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from page.api import Api
from page.window import Window
from serve.asking import GOOD


def start(window: Window, url: str, **changes: object) -> None:
    """Look at a row."""
    window.go(url)
    row = json.dumps({**GOOD, **changes})
    window.page.evaluate("row => sessionStorage.setItem('racl-row-air', row)", row)
    window.page.reload()
    window.settled()


def test_the_form_is_the_domain_s(window: Window, url: str) -> None:
    window.go(url)
    names = window.find("form.row input, form.row select").evaluate_all("all => all.map(one => one.name)")
    assert names == list(GOOD)
    assert window.find("#row-stops").get_attribute("step") == "1"
    assert window.find("#row-carrier option").all_inner_texts() == ["AA", "UA"]
    assert "USD" in window.text(".field[title=fare]")


def test_a_decision_is_shown_at_once_and_as_one_types(window: Window, url: str) -> None:
    start(window, url)
    window.wait("Good with a repair", ".verdict")
    window.find("#row-budget").fill("39")
    window.wait("Repair beyond the budget", ".verdict")
    window.find("#row-needs_bag").uncheck()
    window.wait("Already good", ".verdict")
    assert "Keep it as it came" in window.text(".option:has(.chip.plan)")


def test_requirements_repairs_and_plan_are_shown(window: Window, url: str) -> None:
    start(window, url)
    assert "1 of 1 failed as it came" in window.text(".requirements")
    assert "has_bag = no, needs_bag = yes" in window.text(".requirements .fails")
    assert "fails bag" in window.text("[data-repair=keep]")
    assert "the plan" in window.text("[data-repair=add_bag]")
    assert "has_bag no → yes" in window.text("[data-repair=add_bag]")
    assert window.find("[data-repair=add_bag] svg").evaluate_all("all => all.map(one => one.ariaLabel)") == [
        "cost 40, within the budget of 40", "value 9.125, reaches the threshold of 5",
    ]  # fmt: skip
    assert "add_bag, for 40 within the budget of 40" in window.text(".reason")


def test_sliders_flip_the_decision_live(window: Window, url: str, api: Api) -> None:
    start(window, url)
    window.find("#turn-budget").fill("20")
    window.wait("Repair beyond the budget", ".verdict")
    assert "What if: with a budget of 20" in window.text(".verdict")
    assert "over by 20" in window.text("[data-repair=add_bag]")
    window.find(
        "button",
    ).filter(has_text="to 40").click()
    window.wait("Good with a repair", ".verdict")
    window.find("#turn-threshold").press("End")
    window.wait("Repairable, not good enough", ".verdict")
    window.find(".verdict button").click()
    window.wait("Good with a repair", ".verdict")
    assert "What if" not in window.text(".verdict")
    assert api.logged() == []


def test_a_budget_can_be_typed_exactly(window: Window, url: str) -> None:
    start(window, url)
    exact = window.find("[aria-label='budget, exactly']")
    exact.fill("39.99999")
    window.wait("Rejected", ".verdict")
    for odd in ("", "-5"):
        exact.fill(odd)
        assert "39.99999" not in window.text(".verdict") or "Rejected" in window.text(".verdict")
    exact.fill("40")
    window.wait("Accepted", ".verdict")


def test_a_decision_is_logged_when_asked_for(window: Window, url: str, api: Api) -> None:
    start(window, url)
    for number in (1, 2):
        window.find("button[type=submit].main").first.click()
        window.wait(f"{number}.", ".log")
    logged = api.logged()
    assert [one["id"] for one in reversed(logged)] == list(reversed(window.find(".log a").all_inner_texts()))
    assert logged[0]["row"] == GOOD


def test_a_value_that_cannot_be_taken_is_pointed_at(window: Window, url: str) -> None:
    start(window, url)
    window.find("#row-fare").fill("-1")
    window.wait("below the minimum", ".field[title=fare] .wrong")
    assert window.find("#row-fare").get_attribute("aria-invalid") == "true"
    assert "Not decided" in window.text(".result")
    window.find("#row-fare").fill("")
    window.wait("missing", ".field[title=fare] .wrong")
    window.find("#row-fare").fill("80")
    window.wait("Accepted", ".verdict")
    assert window.find(".wrong").all_inner_texts() == [""] * len(GOOD)


def test_a_row_that_was_looked_at_is_still_there_and_can_be_left(window: Window, url: str) -> None:
    start(window, url, fare=77.5)
    assert window.find("#row-fare").input_value() == "77.5"
    window.find("button").filter(has_text="Start afresh").click()
    expect(window.find("#row-fare")).to_have_value("0")


def test_how_a_value_comes_about_can_be_unfolded(window: Window, url: str) -> None:
    start(window, url)
    window.find("summary").filter(has_text="How the value").click()
    assert "After add_bag" in window.text("main")
    window.find("summary").filter(has_text="in words").click()
    assert "air: accepted-repairable-good" in window.text("main pre")


def test_a_plan_of_several_steps_is_shown_in_words_and_bars(window: Window, stepwise: str) -> None:
    start(window, stepwise, budget=60)
    assert "plan\nAdd a bag, then Fly direct" in window.text(".verdict")
    assert (
        window.find(".options .option").first.inner_text().startswith("Add a bag, then Fly direct\nthe plan")
    )
    assert "fails direct" in window.text("[data-repair=add_bag]")
    window.find("#turn-budget").fill("20")
    window.wait("Repair beyond the budget", ".verdict")


def test_a_long_menu_is_folded_but_for_the_plan(window: Window, long_menu: str) -> None:
    start(window, long_menu)
    assert window.find(".options > ul > .option").count() == 12
    assert "the plan" in window.text(".options > ul > .option:first-child")
    window.find(".options summary", has_text="20 more").click()
    assert "more_29" in window.text(".options")


def test_an_overloaded_service_is_said_to_be(window: Window, url: str) -> None:
    start(window, url)
    window.page.route("**/v1/explain", lambda route: route.fulfill(status=503, json=OVERLOADED))
    window.find("#row-fare").fill("81")
    window.wait("too many requests at once", ".result .fault")
    window.page.unroute("**/v1/explain")
    window.find("#row-fare").fill("80")
    window.wait("Accepted", ".verdict")


OVERLOADED = {
    "error": {"code": "overloaded", "message": "too many requests at once", "field": "", "request_id": "r"}
}
