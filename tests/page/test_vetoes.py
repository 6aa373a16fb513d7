"""What is being lost, as one looks at it."""

from __future__ import annotations

from page.api import Api
from page.window import Window


def test_where_nothing_was_decided_nothing_is_lost(window: Window, url: str) -> None:
    window.go(url, "vetoes")
    assert "Nothing was decided in that time." in window.text()


def test_what_is_lost_is_shown(window: Window, url: str, api: Api) -> None:
    for row in ({}, {"budget": 10.0}, {"budget": 39.0}, {"threshold": 1e6}, {"has_bag": True}):
        api.decide(**row)
    window.go(url, "vetoes")
    assert window.find(".headline strong").all_inner_texts() == ["5", "60 %", "20 %", "3"]
    assert "Repair beyond the budget\t2\t40 %" in window.text()
    assert window.find(".columns .fill").count() == 4
    assert window.find("section", has_text="Which requirements").locator("tbody tr").all_inner_texts() == [
        "bag\t3\n\t3\t0"
    ]
    assert "1 more would turn 1 of 3 rejections; 30 more turn 2, and no budget the other 1." in window.text()
    assert window.find("section", has_text="What the menu does").locator("tbody tr").all_inner_texts() == [
        "Add a bag\nadd_bag\n\t1\n\t2",
    ]  # fmt: skip
    for summary in window.find("summary").all():
        summary.click()
    assert "+ 30\t2\t66.7 %" in window.text()


def test_a_repair_that_nobody_takes_and_budgets_that_turn_nothing_are_told(
    window: Window, url: str, api: Api
) -> None:
    api.decide(threshold=1e6)
    window.go(url, "vetoes")
    assert "never chosen" in window.text()
    assert "No budget, however high, turns any" in window.text()


def test_other_times_are_looked_at(window: Window, url: str, api: Api) -> None:
    api.decide()
    window.go(url, "vetoes?seconds=3600")
    assert window.find("#period").input_value() == "3600"
    for seconds in ("86400", ""):
        window.find("#period").select_option(seconds)
        window.page.wait_for_url(f"**#/vetoes?seconds={seconds}")
        window.wait("Credits over time")


def test_a_crowded_log_is_shown_in_columns(window: Window, crowded: str) -> None:
    window.go(crowded, "vetoes?seconds=")
    assert window.find(".columns g").count() == 30
    assert "a column is 1 day" in window.text()
    assert not window.wide()
