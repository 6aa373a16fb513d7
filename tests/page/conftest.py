"""The page in Chromium, looking at services that really listen.

Playwright's plain interface keeps an event loop running in its thread, which would be in the way of every other test
of this process: so it lives in a thread of its own, and so do the tests of this folder.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from page.api import Api
from page.window import Window, opened
from racl.model import Model, parse_model
from racl.serve.service import Service
from serve.asking import GOOD, Asker, air_model, remembered, served
from serve.live import ANY_PORT, listening

T = TypeVar("T")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
THREAD = ThreadPoolExecutor(1, thread_name_prefix="browser")


def there(act: Callable[..., T], *given: Any, **named: Any) -> T:
    """What comes of something done in the browser's thread."""
    return THREAD.submit(act, *given, **named).result()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Run a test of this folder in the browser's thread."""
    names = pyfuncitem._fixtureinfo.argnames
    there(pyfuncitem.obj, **{name: pyfuncitem.funcargs[name] for name in names})
    return True


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no Chromium on this machine: `apt-get install chromium`")
    playwright: Playwright = there(lambda: sync_playwright().start())
    browser = there(playwright.chromium.launch, executable_path=found, args=ARGUMENTS)
    yield browser
    there(browser.close)
    there(playwright.stop)


@pytest.fixture
def window(chromium: Browser) -> Iterator[Window]:
    """A tab in which nothing may go wrong unnoticed."""
    found = there(opened, chromium, viewport={"width": 1200, "height": 800})
    yield found
    there(found.close)
    assert found.faults == []


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Window]:
    """The same on a phone."""
    found = there(opened, chromium, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    yield found
    there(found.close)
    assert found.faults == []


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Asker]:
    """A service of the small domain that remembers."""
    with remembered(tmp_path / "racl.db", ANY_PORT) as found:
        yield found


@pytest.fixture
def url(kept: Asker) -> Iterator[str]:
    """The address of the service that remembers."""
    with listening(kept.service) as found:
        yield found


@pytest.fixture
def api(url: str) -> Iterator[Api]:
    """The same service, asked without a browser."""
    with Api.of(url) as found:
        yield found


@pytest.fixture
def bare() -> Iterator[str]:
    """The address of a service without any model."""
    with listening(Service(ANY_PORT)) as found:
        yield found


@pytest.fixture
def crowded(kept: Asker, url: str) -> str:
    """The address of a service with a month of decisions."""
    start = 1_700_000_000 // 86400 * 86400 + 3600
    with Api.of(url) as api:
        for day in range(30):
            kept.service.clock = lambda day=day: start + day * 86400.0  # type: ignore[misc]
            rows = [{**GOOD, "budget": float(number), "fare": 20.0 * number} for number in range(10 + day)]
            api.post("/v1/decide", {"rows": rows})
    return url


@pytest.fixture
def forgetful() -> Iterator[str]:
    """The address of a service without a memory."""
    with listening(served(ANY_PORT)) as found:
        yield found


@pytest.fixture
def two_models(tmp_path: Path) -> Iterator[str]:
    """The address of a service of two domains."""
    held: Any = air_model().document()
    held["domain"]["name"] = "air-too"
    other = parse_model(json.dumps(held))
    with (
        remembered(tmp_path / "racl.db", ANY_PORT, air_model(), other) as kept,
        listening(kept.service) as found,
    ):
        yield found


def changed(change: Callable[[dict[str, Any]], None]) -> Model:
    """The small domain's model with something else in its domain."""
    held: Any = json.loads(json.dumps(air_model().document()))
    change(held["domain"])
    return parse_model(json.dumps(held))


@pytest.fixture
def stepwise() -> Iterator[str]:
    """The address of a service whose plans take two steps."""

    def two_steps(domain: dict[str, Any]) -> None:
        domain["rule"] = {"steps": 2}
        domain["requirements"]["direct"] = "stops == 0"
        domain["repairs"]["direct"] = {
            "label": "Fly direct",
            "applies": "stops > 0",
            "sets": {"stops": "0"},
            "cost": 10,
        }

    with listening(served(ANY_PORT, changed(two_steps))) as found:
        yield found


@pytest.fixture
def long_menu() -> Iterator[str]:
    """The address of a service with thirty repairs, the last of which is the one that helps."""

    def many(domain: dict[str, Any]) -> None:
        bag = domain["repairs"].pop("add_bag")
        for number in range(30):
            domain["repairs"][f"more_{number}"] = {"sets": {"fare": f"fare + {number}"}, "cost": number}
        domain["repairs"]["add_bag"] = bag

    with listening(served(ANY_PORT, changed(many))) as found:
        yield found
