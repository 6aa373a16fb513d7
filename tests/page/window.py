"""A tab of the browser, and what went wrong in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Request,
    expect,
)

PATIENCE = 25_000  # milliseconds, for a machine that does other things too
FAILED = "Failed to load resource"  # the browser's own word for every answer of 400 and more

expect.set_options(timeout=PATIENCE)


@dataclass
class Window:
    """A tab; `faults` is what no page may do: fail, be stopped by its policy, or call elsewhere."""

    context: BrowserContext
    page: Page
    faults: list[str] = field(default_factory=list)

    def go(self, url: str, place: str = "") -> Window:
        """Look at a view of a service."""
        self.page.evaluate("document.querySelector('main')?.removeAttribute('data-ready')")
        self.page.goto(f"{url}/#/{place}")
        self.settled()
        return self

    def go_on(self, place: str) -> None:
        """Look at another view of the same service."""
        self.find(f"nav a[href='#/{place}']").click()

    def settled(self) -> None:
        """Wait until a view is there."""
        self.page.wait_for_selector("main[data-ready] .view")

    def find(self, selector: str, has_text: str | None = None) -> Locator:
        """What stands at a place, with these words in it."""
        return self.page.locator(selector, has_text=has_text)

    def text(self, selector: str = "main") -> str:
        """What one reads at a place."""
        return self.page.locator(selector).inner_text()

    def wait(self, words: str, selector: str = "main") -> None:
        """Wait until words stand at a place."""
        self.page.locator(selector).filter(has_text=words).first.wait_for()

    def counted(self, selector: str, count: int) -> None:
        """Wait until so many stand at a place."""
        expect(self.page.locator(selector)).to_have_count(count)

    def wide(self) -> bool:
        """Whether one would have to scroll sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))

    def close(self) -> None:
        """Close the tab."""
        self.context.close()


def opened(browser: Browser, **settings: Any) -> Window:
    """A tab of its own, with nothing remembered."""
    context = browser.new_context(**settings)
    context.set_default_timeout(PATIENCE)
    found = Window(context, context.new_page())

    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(FAILED):
            found.faults.append(message.text)

    def dismissed(dialog: Dialog) -> None:
        found.faults.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def asked(request: Request) -> None:
        if urlsplit(request.url).hostname != "127.0.0.1":
            found.faults.append(f"asked for {request.url}")

    found.page.on("console", said)
    found.page.on("pageerror", lambda fault: found.faults.append(str(fault)))
    found.page.on("dialog", dismissed)
    context.on("request", asked)
    return found
