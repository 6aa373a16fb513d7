"""Every view on a phone, in the dark, and by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from page.api import Api
from page.window import Window

PLACES = ("decide", "decisions", "models", "vetoes")


def test_no_view_scrolls_sideways_on_a_phone(phone: Window, crowded: str) -> None:
    with Api.of(crowded) as api:
        last = api.logged()[0]["id"]
    for place in (*PLACES, "vetoes?seconds=", f"decisions/{last}"):
        phone.go(crowded, place)
        assert not phone.wide(), place
    phone.go(crowded)
    phone.find(".glance").click()
    expect(phone.find(".verdict")).to_be_in_viewport()


def test_the_colours_follow_the_system_until_they_are_chosen(window: Window, url: str) -> None:
    def paper() -> str:
        found: str = window.find("body").evaluate("body => getComputedStyle(body).backgroundColor")
        return found

    window.go(url)
    light = paper()
    window.page.emulate_media(color_scheme="dark")
    dark = paper()
    assert light != dark
    window.find("#theme").click()
    assert paper() == light
    window.find("#theme").click()
    window.page.emulate_media(color_scheme="light")
    window.page.reload()
    window.settled()
    assert paper() == dark


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(window: Window, crowded: str, scheme: str) -> None:
    """At least 4.5 to 1, as WCAG asks of text."""
    window.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for place in ("decide", "decisions", "models", "vetoes?seconds="):
        window.go(crowded, place)
        assert window.page.evaluate(CONTRAST) == [], place


CONTRAST = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgb = (colour) => {
        canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map((one) => one / 255)
        .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
        .reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0);
    const behind = (node) => {
        for (let one = node; one; one = one.parentElement) {
            const found = rgb(getComputedStyle(one).backgroundColor);
            if (found[3] === 255) return found;
        }
        return [255, 255, 255, 255];
    };
    const faint = [];
    for (const node of document.querySelectorAll("body *")) {
        const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
        if (!own || node.closest("svg, dialog, option, noscript, .skip") || !node.checkVisibility()) continue;
        const [one, other] = [light(rgb(getComputedStyle(node).color)), light(behind(node))].sort((a, b) => b - a);
        const ratio = (one + 0.05) / (other + 0.05);
        if (ratio < 4.5) faint.push(`${node.tagName}.${node.className} ${node.textContent.slice(0, 20)} ${ratio.toFixed(2)}`);
    }
    return [...new Set(faint)];
}"""


def test_everything_is_reached_and_used_by_keyboard(window: Window, url: str, api: Api) -> None:
    window.go(url)
    keyboard = window.page.keyboard
    keyboard.press("Tab")
    assert window.text(":focus") == "Skip to the content"
    keyboard.press("Enter")
    keyboard.press("Tab")
    expect(window.find("#row-fare")).to_be_focused()
    keyboard.type("80")
    keyboard.press("Enter")
    window.wait("1.", ".log")
    window.wait("12.7", ".verdict")
    assert len(api.logged()) == 1
    window.find("#turn-threshold").focus()
    keyboard.press("End")
    window.wait("Rejected", ".verdict")
    window.find("nav a", has_text="Decisions").focus()
    keyboard.press("Enter")
    window.wait("Filters")
    expect(window.find("main")).to_be_focused()
    window.find(".log-table a").focus()
    keyboard.press("Enter")
    window.wait("All decisions")
    window.find("#key").focus()
    keyboard.press("Enter")
    expect(window.find("#key-text")).to_be_focused()
    keyboard.press("Escape")
    expect(window.find("#key-dialog")).to_be_hidden()


def test_every_control_has_a_name(window: Window, crowded: str) -> None:
    with Api.of(crowded) as api:
        last = api.logged()[0]["id"]
    for place in (*PLACES, f"decisions/{last}"):
        window.go(crowded, place)
        for summary in window.find("summary").all():
            if summary.is_visible():
                summary.click()
        assert window.page.evaluate(NAMELESS) == [], place


NAMELESS = """() => [...document.querySelectorAll("input, select, button, a, svg[role=img]")]
    .filter((node) => !(node.ariaLabel || node.labels?.length || node.textContent.trim()))
    .map((node) => node.outerHTML)"""


def test_two_models_are_chosen_between(window: Window, two_models: str) -> None:
    window.go(two_models)
    assert window.find("#model option").count() == 2
    for name in ("air", "air-too"):
        window.find("#model").select_option(name)
        window.wait(name, "h1")
    window.page.reload()
    window.settled()
    assert window.find("#model").input_value() == "air-too"
