"""The log: looked through, one decision looked at."""

from __future__ import annotations

import pytest

from page.api import Api
from page.window import Window


@pytest.fixture
def log(api: Api) -> list[str]:
    """Ids of decisions: good with a repair, beyond the budget, not good enough, already good."""
    rows: list[dict[str, object]] = [
        {},
        {"budget": 0.0, "persona": "business"},
        {"threshold": 1e6},
        {"has_bag": True},
    ]
    return [api.decide(**row)["id"] for row in rows]


def listed(window: Window) -> list[str]:
    return window.find(".log-table td[data-label=credit]").all_inner_texts()


def test_an_empty_log_says_what_to_do(window: Window, url: str) -> None:
    window.go(url, "decisions")
    assert "Nothing has been decided yet." in window.text()
    window.find(".nothing a").click()
    window.wait("What if")


def test_the_log_shows_the_latest_first(window: Window, url: str, log: list[str]) -> None:
    window.go(url, "decisions")
    assert listed(window) == [
        "Already good", "Repairable, not good enough", "Repair beyond the budget", "Good with a repair",
    ]  # fmt: skip
    assert window.find(".log-table th a").first.get_attribute("href") == f"#/decisions/{log[-1]}"
    assert "air@" in window.text(".log-table tbody tr:first-child")


FILTERS = {
    "credit": ("rejected-repairable-over-budget", ["Repair beyond the budget"]),
    "accepted": ("true", ["Already good", "Good with a repair"]),
    "plan": ("add_bag", ["Good with a repair"]),
    "persona": ("business", ["Repair beyond the budget"]),
    "after": ("2199-01-01T00:00", []),
    "before": ("2001-01-01T00:00", []),
}


ROWS = ".log-table tbody tr"


@pytest.mark.usefixtures("log")
def test_the_log_is_filtered(window: Window, url: str) -> None:
    window.go(url, "decisions")
    for name, (value, expected) in FILTERS.items():
        field = window.find(f".filters [name={name}]")
        if name in ("credit", "accepted"):
            field.select_option(value)
        else:
            field.fill(value)
        window.counted(ROWS, len(expected))
        assert listed(window) == expected
        if not expected:
            window.wait("No decision is like that.")
        window.find("button[type=reset]").click()
        window.counted(ROWS, 4)


@pytest.mark.usefixtures("log")
def test_filters_stay_in_the_address(window: Window, url: str) -> None:
    window.go(url, "decisions")
    window.find(".filters [name=plan]").fill("add_bag")
    window.counted(ROWS, 1)
    window.page.reload()
    window.settled()
    assert listed(window) == ["Good with a repair"]
    assert window.find(".filters [name=plan]").input_value() == "add_bag"


@pytest.mark.usefixtures("log")
def test_the_log_is_filtered_by_version_and_model(window: Window, url: str, api: Api) -> None:
    version = api.get("/v1/models/air")["active"]
    window.go(url, f"decisions?version={version[:12]}&model=air")
    assert len(listed(window)) == 4
    window.go(url, f"decisions?version={'0' * 12}")
    window.wait("No decision is like that.")


def test_a_crowded_log_comes_by_pages(window: Window, url: str, api: Api) -> None:
    rows = [{"budget": 30 + number / 10} for number in range(130)]
    for row in rows[:3]:
        api.decide(**row)
    api.post("/v1/decide", {"rows": [{**api.logged()[0]["row"], **row} for row in rows[3:]]})
    window.go(url, "decisions")
    for shown in (50, 100, 130):
        assert window.find(".log-table tbody tr").count() == shown
        more = window.find("button", has_text="Earlier ones")
        if shown < 130:
            more.click()
            window.counted(ROWS, min(shown + 50, 130))
    assert window.find("button", has_text="Earlier ones").count() == 0
    links = window.find(".log-table th a").evaluate_all("all => all.map(one => one.hash)")
    assert len(set(links)) == 130
    api.decide()
    window.find("button", has_text="Look again").click()
    window.counted(ROWS, 50)


def test_one_decision_is_explained_as_it_was_made(window: Window, url: str, log: list[str]) -> None:
    window.go(url, "decisions")
    window.find(f"a[href='#/decisions/{log[0]}']").click()
    window.wait("Good with a repair", ".verdict")
    assert log[0] in window.text(".side")
    assert "the plan" in window.text("[data-repair=add_bag]")
    window.find("summary", has_text="The row as it was read").click()
    assert "needs_bag" in window.text(".side")
    window.find("#turn-budget").fill("1")
    window.wait("Repair beyond the budget", ".verdict")


def test_a_decision_is_made_again(window: Window, url: str, log: list[str]) -> None:
    window.go(url, f"decisions/{log[0]}")
    window.find("button", has_text="Make it again").click()
    window.wait("the same", ".replayed")
    assert "9.125\t9.125" in window.text(".replayed table")


def test_a_logged_row_is_taken_up_in_decide(window: Window, url: str, log: list[str]) -> None:
    window.go(url, f"decisions/{log[1]}")
    window.find("button", has_text="Open the row in Decide").click()
    window.wait("Candidate")
    assert window.find("#row-budget").input_value() == "0"
    assert window.find("#row-persona").input_value() == "business"


@pytest.mark.parametrize(
    ("button", "words", "taken"), [("taken", "Taken,", True), ("declined", "Declined,", False)]
)
def test_what_became_of_an_offer_is_told_once(
    window: Window, url: str, log: list[str], api: Api, button: str, words: str, taken: bool
) -> None:
    window.go(url, f"decisions/{log[0]}")
    window.find("button", has_text=f"It was {button}").click()
    window.wait(words, ".side")
    assert window.find("button", has_text="It was").count() == 0
    assert api.get(f"/v1/decisions/{log[0]}")["outcome"] is taken


def test_nothing_can_come_of_a_rejection(window: Window, url: str, log: list[str]) -> None:
    window.go(url, f"decisions/{log[2]}")
    assert "Nothing was offered" in window.text(".side")
    assert window.find("button", has_text="It was").count() == 0


def test_a_decision_that_is_not_there_is_said_not_to_be(window: Window, url: str) -> None:
    for name in ("0" * 32, "nothing", "%2e%2e%2fhealthz", "%00"):
        window.go(url, f"decisions/{name}")
        assert "no such" in window.text(".fault")
