"""The page in Chromium, looking at services that really listen.

Playwright's plain interface keeps an event loop running in its thread, which would be in the way of every other test
of this process: so it lives in a thread of its own, and so do the tests of this folder.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from page.api import Api
from page.window import Window, opened
from serve.asking import Asker, remembered
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
