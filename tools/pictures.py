"""The pictures of the page in the docs, made anew: `python -m tools.pictures`, in the root.

A service of the airline example is filled with a month of decisions, and Chromium (such as Debian's) looks at it.
"""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import httpx2
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

import racl
from racl.serve.opening import opened_service
from racl.serve.running import server
from racl.serve.service import Service
from racl.serve.settings import Settings

AIRLINE = Path("examples/airline")
PICTURES = Path("docs/pictures")
NOW = datetime(2026, 3, 31, 17, 30, tzinfo=UTC)
DAY = 86_400.0
DAYS = 30
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
Scheme = Literal["light", "dark"]
DESK: ViewportSize = {"width": 1180, "height": 1020}
PHONE: ViewportSize = {"width": 390, "height": 844}
GAP = 20
TICKET: dict[str, Any] = {
    "fare": 220, "carrier": "UA", "cabin": "main", "departs": 9.5, "minutes": 150, "stops": 0, "bags": 0,
    "refundable": False, "persona": "leisure", "bags_needed": 1, "budget": 50, "threshold": 60,
}  # fmt: skip


# a service with a past ---------------------------------------------------------------------------------


def rows() -> list[dict[str, Any]]:
    """The rows of the example, as JSON has them."""
    words = {"true": True, "false": False}
    with (AIRLINE / "rows.csv").open(encoding="utf-8", newline="") as file:
        return [
            {name: words.get(text, number(text)) for name, text in one.items() if text and name != "ticket"}
            for one in csv.DictReader(file)
        ]


def number(text: str) -> float | str:
    """The number that a text is, or the text."""
    try:
        return float(text)
    except ValueError:
        return text


def learned(model: racl.Model, seen: list[dict[str, Any]]) -> dict[str, Any]:
    """A model learned from what the other one decides of those rows, one label in twenty turned round."""
    draw = random.Random(7)
    seen = [{**row, "threshold": row["threshold"] + draw.uniform(-20, 20)} for row in seen for _ in range(5)]
    columns = {one.name: [row.get(one.name) for row in seen] for one in model.domain.columns}
    labels = [bool(one) != (draw.random() < 0.05) for one in model.decide(columns).accepted]
    learner = racl.RepairClassifier(model.domain, learner="latent", guard="validated", random_state=7)
    return learner.fit(columns, labels).model_.document()


@contextmanager
def listening(service: Service) -> Iterator[str]:
    """The address of a service that runs beside."""
    running = server(service)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    try:
        while not running.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join()


def fill(service: Service, http: httpx2.Client) -> None:
    """A month of decisions, for the last week with another version in the shadow, and at last with a share."""
    draw, seen, version = random.Random(11), rows(), ""
    first = racl.load_model(AIRLINE / "model.json")
    for day in range(DAYS):
        start = NOW.timestamp() - (DAYS - 1 - day) * DAY
        if day == DAYS - 7:
            service.clock = lambda start=start: start - 3 * 3600  # type: ignore[misc]
            version = post(http, "/v1/models", learned(first, seen))["version"]
            post(http, "/v1/models/air-ticket/shadow", {"version": version})
        for place in range(count := draw.randrange(35, 85)):
            service.clock = lambda at=start - 9 * 3600 + place * 8 * 3600 / count: at  # type: ignore[misc]
            row = draw.choice(seen)
            row = {**row, "fare": round(row["fare"] * draw.uniform(0.7, 1.1)), "budget": row["budget"] + 10}
            (made,) = post(http, "/v1/decide", {"row": row})["decisions"]
            if made["accepted"] and draw.random() < 0.6:
                post(http, f"/v1/decisions/{made['id']}/outcome", {"accepted": draw.random() < 0.7})
    post(http, "/v1/models/air-ticket/share", {"version": version, "share": 0.05})
    service.clock = NOW.timestamp
    post(http, "/v1/decide", {"row": TICKET})


def post(http: httpx2.Client, path: str, body: Any) -> Any:
    """What comes of a request."""
    return http.post(path, json=body).raise_for_status().json()


# and a look at it --------------------------------------------------------------------------------------


@contextmanager
def tab(browser: Browser, url: str, size: ViewportSize, scheme: Scheme = "light") -> Iterator[Page]:
    """A tab in which the ticket has been typed in already."""
    context = browser.new_context(viewport=size, color_scheme=scheme, timezone_id="UTC", locale="en-GB")
    page = context.new_page()
    page.clock.set_fixed_time(NOW)
    page.goto(url)
    page.evaluate("row => sessionStorage.setItem('racl-row-air-ticket', row)", json.dumps(TICKET))
    yield page
    context.close()


def look(page: Page, url: str, view: str) -> None:
    """Go to a view and wait until it stands."""
    page.goto("about:blank")
    page.goto(f"{url}/#/{view}")
    page.wait_for_selector("main[data-ready] .view")
    if not view:
        page.wait_for_selector(".verdict")
    page.wait_for_load_state("networkidle")


def shot(page: Page, height: int = 0) -> Image.Image:
    """What the tab shows, down to a height."""
    size = page.viewport_size or DESK
    clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"]}
    return Image.open(io.BytesIO(page.screenshot(clip=clip, full_page=bool(height))))  # type: ignore[arg-type]


def kept(picture: Image.Image, name: str) -> None:
    """Write a picture, in few colours."""
    path = PICTURES / f"page-{name}.png"
    few = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    print(path, picture.size)


def desk(browser: Browser, url: str) -> None:
    """The views as they are at a desk."""
    with tab(browser, url, DESK) as page:
        for view, name, height in (
            ("", "decide-light", 0),
            ("decisions", "decisions-light", 760),
            ("vetoes", "vetoes-light", 1720),
        ):
            look(page, url, view)
            kept(shot(page, height), name)
        look(page, url, f"models?version={newest(url)}")
        top = page.locator(".which-version").bounding_box()
        full = shot(page, 2000)
        kept(full.crop((0, int(top["y"]) - 10, DESK["width"], 1830)) if top else full, "version-light")
        page.locator("summary", has_text="that differ").click()
        kept(shot(page, 760), "models-light")
    with tab(browser, url, DESK, "dark") as page:
        look(page, url, "")
        page.get_by_label("budget, exactly").fill("30")
        page.wait_for_selector(".verdict.no")
        kept(shot(page), "decide-dark")


def newest(url: str) -> str:
    """The version that was learned."""
    (model,) = httpx2.get(f"{url}/v1/models").json()["models"]
    found: str = model["versions"][-1]["version"]
    return found


def phone(browser: Browser, url: str) -> None:
    """Four views beside each other on a phone."""
    with tab(browser, url, PHONE) as page:
        look(page, url, "")
        shots = [shot(page)]
        page.locator(".glance").click()
        shots.append(shot(page))
        for view in ("decisions", "vetoes"):
            look(page, url, view)
            shots.append(shot(page))
    wide = PHONE["width"] + GAP
    sheet = Image.new("RGB", (wide * len(shots) - GAP, PHONE["height"]), (118, 128, 142))
    for place, one in enumerate(shots):
        sheet.paste(one, (place * wide, 0))
    kept(sheet, "phone")


def main() -> int:
    """Fill a service and take the pictures."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        sys.exit("there is no Chromium on this machine: `apt-get install chromium`")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(models=(str(AIRLINE / "model.json"),), port=0, store=f"{folder}/racl.db")
        service = opened_service(settings, lambda: NOW.timestamp() - DAYS * DAY)
        with listening(service) as url, httpx2.Client(base_url=url, timeout=60) as http:
            fill(service, http)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
                desk(browser, url)
                phone(browser, url)
                browser.close()
        if service.memory is not None:
            service.memory.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
