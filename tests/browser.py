"""A real browser for tests: headless Chromium that may read files and this machine, nothing else.

Import the fixture in a ``conftest.py``: ``from tests.browser import browser_page as browser_page``
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass
class Observed:
    """A page, with everything it asked for and everything it complained about."""

    page: "Page"
    requests: list[str] = field(default_factory=list)
    """Addresses that a network would have been needed for; they were refused."""
    errors: list[str] = field(default_factory=list)
    """Messages of the console's error and warning kinds, and uncaught exceptions."""

    def open(self, place: str | Path) -> "Page":
        """Open a file or an address and wait until it has loaded."""
        address = place.resolve().as_uri() if isinstance(place, Path) else place
        self.page.goto(address)
        return self.page

    def clean(self) -> None:
        """Fail if the page complained or wanted the network."""
        assert self.errors == []
        assert self.requests == []


def find_chromium() -> str | None:
    """Return the browser to use: $LENGTHWISE_CHROMIUM, or the first one on the path."""
    return os.environ.get("LENGTHWISE_CHROMIUM") or next(
        filter(None, map(shutil.which, NAMES)), None
    )


def _local(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in ("file", "data", "blob", "about") or parts.hostname in LOCAL_HOSTS


def observe(page: "Page") -> Observed:
    """Watch a page, and refuse every request that would leave this machine."""
    seen = Observed(page)

    def route(asked: Any) -> None:
        if _local(asked.request.url):
            asked.continue_()
        else:
            seen.requests.append(asked.request.url)
            asked.abort()

    def console(message: Any) -> None:
        if message.type in ("error", "warning"):
            seen.errors.append(message.text)

    page.route("**/*", route)
    page.on("console", console)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.set_default_timeout(20_000)
    return seen


@contextmanager
def chromium(**context: Any) -> Iterator[Observed]:
    """Start a browser with one watched page; ``context`` goes to Playwright's new_context."""
    from playwright.sync_api import sync_playwright

    executable = find_chromium()
    assert executable is not None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        try:
            yield observe(browser.new_context(**context).new_page())
        finally:
            browser.close()


@pytest.fixture
def browser_page() -> Iterator[Observed]:
    """A page in headless Chromium; the test is skipped, with the reason, where there is none."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra: dev)")
    if find_chromium() is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the path")
    with chromium() as seen:
        yield seen
