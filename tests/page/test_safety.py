"""Markup in everything that comes from elsewhere stays text; keys; faults; other hosts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from page.api import Api
from page.window import Window
from racl.model import Model, parse_model
from racl.serve.page_files import page_files
from racl.serve.store import keys, sqlite
from serve.asking import Asker, air_model, remembered
from serve.live import ANY_PORT, listening

SCRIPT = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>`${alert(3)}`"
PLACES = ("decide", "decisions", "models", "vetoes")


def scripted() -> Model:
    """The small domain with markup wherever a domain file takes free text."""
    held: Any = json.loads(json.dumps(air_model().document()))
    domain = held["domain"]
    domain["label"] = domain["description"] = SCRIPT
    for column in ("fare", "stops"):
        domain["candidate"][column] |= {"label": f"{column}{SCRIPT}", "description": SCRIPT, "unit": SCRIPT}
    domain["candidate"]["carrier"]["values"] = ["AA", SCRIPT]
    domain["context"]["persona"]["values"] = ["business", SCRIPT]
    domain["context"]["budget"] = {"type": "number", "min": 0, "unit": SCRIPT}
    domain["repairs"]["add_bag"] |= {"label": SCRIPT, "description": SCRIPT}
    domain["features"]["aa"] = "carrier == '<script>alert(4)</script>'"
    domain["candidate"]["carrier"]["values"].append("<script>alert(4)</script>")
    held["preference"][SCRIPT] = held["preference"].pop("leisure")
    held["fit"] = {"learner": SCRIPT, "guard": {"name": SCRIPT, SCRIPT: SCRIPT}, SCRIPT: [{SCRIPT: SCRIPT}]}
    held.pop("sha256", None)
    return parse_model(json.dumps(held))


def stricter() -> dict[str, Any]:
    """The same, whose words about a row that it refuses have markup in them."""
    held: dict[str, Any] = json.loads(json.dumps(scripted().document()))
    held["domain"]["candidate"]["carrier"]["values"].remove(SCRIPT)
    return held


ROW = {
    "fare": 80.0, "stops": 1, "has_bag": False, "carrier": SCRIPT, "persona": SCRIPT, "budget": 40.0,
    "threshold": 5.0, "needs_bag": True,
}  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[str]:
    """The address of a service whose model and log are full of markup."""
    with (
        remembered(tmp_path / "racl.db", ANY_PORT, scripted()) as found,
        listening(found.service) as url,
        Api.of(url) as api,
    ):
        api.post("/v1/models/air/shadow", {"version": api.post("/v1/models", stricter())["version"]})
        api.post("/v1/decide", {"rows": [ROW, {**ROW, "budget": 0.0}]})
        yield url


def harmless(window: Window) -> None:
    """Nothing of what was sent became a part of the page."""
    assert window.find("main script, main img, main [onerror], main style").count() == 0
    assert window.faults == []


def test_markup_in_a_model_and_its_log_is_shown_as_text(window: Window, hostile: str) -> None:
    window.go(hostile)
    window.page.evaluate("row => sessionStorage.setItem('racl-row-air', row)", json.dumps(ROW))
    for place in PLACES:
        window.go(hostile, place)
        window.page.reload()
        window.settled()
        for summary in window.find("summary").all():
            if summary.is_visible():
                summary.click()
        assert SCRIPT in window.text()
        harmless(window)


def test_markup_in_one_decision_is_shown_as_text(window: Window, hostile: str) -> None:
    window.go(hostile, "decisions")
    window.find(".log-table a").first.click()
    window.wait("All decisions")
    for words in ("Make it again", "to 40"):
        window.find("button", has_text=words).click()
    window.find("summary", has_text="in words").click()
    window.find("summary", has_text="The row").click()
    assert SCRIPT in window.text(".side")
    assert SCRIPT in window.text(".result")
    harmless(window)


def test_markup_in_every_text_field_stays_text(window: Window, url: str, api: Api) -> None:
    api.decide()
    window.go(url, "decisions")
    for name in ("plan", "persona"):
        window.find(f".filters [name={name}]").fill(SCRIPT)
        window.page.wait_for_url(re.compile(f"{name}="))
        window.page.reload()
        window.settled()
        assert window.find(f".filters [name={name}]").input_value() == SCRIPT
        harmless(window)
    window.find("#key").click()
    give(window, SCRIPT)
    window.wait("A key has no spaces", "dialog")
    give(window, SCRIPT.replace(" ", ""))
    window.wait("No decision is like that.")
    window.find("dialog").wait_for(state="hidden")
    window.go(url, "models")
    window.find("#model-file").set_input_files(
        {"name": f"{SCRIPT}.json", "mimeType": "", "buffer": json.dumps({SCRIPT: 1}).encode()}
    )
    window.find("button", has_text="Send").click()
    window.find(".fault").wait_for()
    harmless(window)


ADDRESSES = (
    "decisions/{}",
    "decisions?plan={}&persona={}&credit={}",
    "{}",
    "models?version={}",
    "vetoes?seconds={}",
)


def test_markup_in_the_address_stays_text(window: Window, url: str) -> None:
    for place in ADDRESSES:
        window.go(url, place.replace("{}", quote(SCRIPT, safe="")))
        harmless(window)


def test_the_policy_forbids_whatever_the_page_does_not_need(window: Window, url: str) -> None:
    answer = window.page.goto(url)
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    window.settled()
    tries = window.page.evaluate("""async () => {
        const done = [];
        try { document.body.innerHTML = "<b>x</b>"; done.push("markup"); } catch {}
        const script = document.createElement("script");
        try { script.text = "window.ran = true"; document.body.append(script); } catch {}
        if (window.ran) done.push("inline");
        try { await fetch("http://localhost:1/"); done.push("elsewhere"); } catch {}
        return done;
    }""")
    assert tries == []
    assert window.faults
    window.faults.clear()


def test_the_files_of_the_page_name_nothing_elsewhere_and_no_markup() -> None:
    for name, (_, body) in page_files().items():
        text = body.decode()
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            " style=",
            'onclick="',
        ):
            assert word not in text, f"{name}: {word}"
        assert "//" not in text.replace("http://www.w3.org/2000/svg", "").replace("// ", ""), name


# keys ---------------------------------------------------------------------------------------------------


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a service that wants keys, and a key for each scope."""
    store = tmp_path / "racl.db"
    with remembered(store, ANY_PORT) as found:
        yield from keyed(found, store)


def keyed(found: Asker, store: Path) -> Iterator[tuple[str, dict[str, str]]]:
    connection = sqlite.connect(str(store))()
    tokens = {}
    for scope in ("decide", "read", "admin"):
        key, tokens[scope] = keys.made("default", [scope], "", 0.0, None)
        keys.add(connection, key)
    found.service.catch_up(connection)
    connection.close()
    with listening(found.service) as url:
        yield url, tokens


def give(window: Window, key: str) -> None:
    window.find("#key-text").fill(key)
    window.find("dialog button[type=submit]").click()


def test_a_key_is_asked_for_kept_in_the_tab_and_forgotten(
    window: Window, closed: tuple[str, dict[str, str]]
) -> None:
    url, tokens = closed
    window.go(url, "models")
    window.find("dialog[open]").wait_for()
    assert "a key is wanted" in window.text(".fault")
    for wrong in ("wrong", "\u00fc b"):
        give(window, wrong)
        window.wait("does not hold" if wrong == "wrong" else "no spaces", "dialog")
    give(window, tokens["admin"])
    window.wait("Weights by persona")
    window.page.reload()
    window.settled()
    window.wait("Weights by persona")
    assert tokens["admin"] not in window.page.content() + json.dumps(window.context.storage_state())
    window.find("#key").click()
    window.find("#key-forget").click()
    window.find("dialog[open]").wait_for()
    window.find("#key-close").click()
    assert window.page.evaluate("sessionStorage.getItem('racl-key')") is None


def test_what_a_key_does_not_allow_is_said(window: Window, closed: tuple[str, dict[str, str]]) -> None:
    url, tokens = closed
    window.go(url)
    give(window, tokens["read"])
    window.wait("the key does not allow `decide`")
    window.go(url, "models")
    window.find("button", has_text="Go back").click()
    window.find("button", has_text="Really go back?").click()
    window.wait("the key does not allow `admin`", ".fault")


# faults -------------------------------------------------------------------------------------------------


def test_a_service_that_is_gone_is_said_to_be(window: Window, url: str) -> None:
    window.go(url)
    for place, words in (("decisions", "Filters"), ("models", "Versions"), ("vetoes", "Nothing was decided")):
        window.context.set_offline(True)
        window.go_on(place)
        window.wait("The service did not answer. Is it running?", ".fault")
        window.context.set_offline(False)
        window.find("button", has_text="Try again").click()
        window.wait(words)


def test_without_a_log_the_page_says_so_and_still_decides(window: Window, forgetful: str) -> None:
    for place in ("decisions", "vetoes"):
        window.go(forgetful, place)
        window.wait("this service keeps no log", ".fault")
    window.go(forgetful)
    window.find("#row-fare").fill("80")
    window.wait("Accepted", ".verdict")
