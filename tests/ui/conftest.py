"""Runs a real browser on a real service; every page is watched for errors and violations of the content policy."""

import asyncio
import os
import shutil
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright
from tests.process.service import Service
from tests.running import CREDENTIALS, RunningService
from tests.ui.tabs import Tabs
from tests.ui.watching import Watch
from tests.ui.wires import Wire, laid

from logboom.api.access import SESSION_COOKIE
from logboom.ui.files import FIRST_PAGE, PAGES

# The one without a window does the same in half of the time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
FLAGS = ["--no-sandbox", "--js-flags=--no-opt --no-maglev"]
"""A page lives for a second: optimising its scripts takes longer than running them as they are."""
PICTURES = os.environ.get("LOGBOOM_SCREENSHOTS", "")
"""The folder where tests leave what they saw, for people to look at; if it is empty, none are taken."""
collect_ignore = [] if PICTURES else ["test_pictures.py"]
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}

OpenPage = Callable[..., Page]
KeepPicture = Callable[[Page, str], None]


class Served(Protocol):
    """Something that listens on a port of this machine."""

    port: int


@pytest.fixture(scope="session")
def started_browser() -> Iterator[tuple[Browser, AbstractEventLoop]]:
    """Yield the browser shared by all tests, and the event loop that its calls need."""
    if CHROMIUM is None:
        pytest.skip("SKIPPED: no chromium; make setup-dev installs it where it may")
    if not (PAGES / FIRST_PAGE).exists():
        # Where they could be built, it is a fault that they are not.
        give_up = pytest.skip if shutil.which("node") is None else pytest.fail
        give_up("SKIPPED: the pages are not built; make setup-dev builds them where there is Node")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


# Playwright leaves its loop marked as running, and no other can run meanwhile, which tests of other files need.
@pytest.fixture(scope="module")
def browser(started_browser: tuple[Browser, AbstractEventLoop]) -> Iterator[Browser]:
    browser, loop = started_browser
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def tabs(started_browser: tuple[Browser, AbstractEventLoop], service: RunningService) -> Tabs:
    browser, _ = started_browser
    return Tabs(browser, address_of(service))


@pytest.fixture
def open_page(browser: Browser, tabs: Tabs, service: RunningService) -> Iterator[OpenPage]:
    """Return a function that opens pages, by default of the shared service and signed in, and watches them.

    Whatever went wrong fails the test at its end.
    """
    watches: list[Watch] = []

    def open_page(
        address: str = "#/explore",
        *,
        on: Served = service,
        account: Mapping[str, str] | None = CREDENTIALS,
        size: ViewportSize = DESKTOP,
        troubled: tuple[str, ...] = (),
        elsewhere: str | None = None,
    ) -> Page:
        page = tabs.take(address_of(on))
        page.set_viewport_size(size)
        if account is CREDENTIALS and isinstance(on, RunningService):
            take_session(page.context, on)
        elif account:
            sign_in(page.context, account)
        watches.append(Watch(page, troubled, elsewhere))
        page.goto(f"/{address}")
        return page

    yield open_page
    for watch in watches:
        watch.end()
    tabs.leave()
    for watch in watches:
        watch.check()


def address_of(served: Served) -> str:
    return f"http://127.0.0.1:{served.port}"


def take_session(context: BrowserContext, service: RunningService) -> None:
    """Use the session of the service's own client, because checking a password takes time."""
    token = service.client.headers["Authorization"].removeprefix("Bearer ")
    context.add_cookies([{"name": SESSION_COOKIE, "value": token, "url": address_of(service)}])


def sign_in(context: BrowserContext, account: Mapping[str, str]) -> None:
    answer = context.request.post("/api/auth/login", data=dict(account))
    assert answer.ok, answer.text()


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Service]:
    """Yield the real server in a separate process, freshly installed and without accounts."""
    server = Service(tmp_path / "data", tmp_path / "server.log", {})
    try:
        server.spawn()
        server.await_ready()
        yield server
    finally:
        server.close()


@pytest.fixture
def wire(service: RunningService) -> Iterator[Wire]:
    """Yield the shared service behind a connection that can be cut."""
    with laid(service.port) as wire:
        yield wire


@pytest.fixture
def keep_picture(request: pytest.FixtureRequest) -> KeepPicture:
    """Return a function that saves a screenshot as an artefact of the test, if screenshots are wanted."""

    def keep(page: Page, name: str) -> None:
        if not PICTURES:
            return
        folder = request.config.rootpath / PICTURES
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{name}.png", animations="disabled")

    return keep
