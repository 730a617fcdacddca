"""Pages that are reused by later tests, because opening one mostly takes compiling its scripts."""

from playwright.sync_api import Browser, Page
from tests.ui.watching import TELL_VIOLATIONS

PLAIN_DOCUMENT = "/ready"
"""Without scripts, and of the same site, so that the browser keeps the process and what it has compiled."""
MOST_IDLE = 2
"""Few tests look at more pages at once."""
PATIENCE_MS = 20_000
"""How long a page may take to show what is expected: many times what it takes on a loaded machine."""
HAS_FAKE_CLOCK = "'__pwClock' in globalThis"
"""As Playwright installs it."""


class Tabs:
    """The pages of one browser. Those of `site` are reused; each is like a new one but for its history."""

    def __init__(self, browser: Browser, site: str) -> None:
        self._browser = browser
        self._site = site
        self._idle: list[Page] = []
        self._taken: list[Page] = []

    def take(self, site: str) -> Page:
        """Return a page without cookies or stored values, in a context of its own whose addresses begin with `site`."""
        page = self._idle.pop() if site == self._site and self._idle else self._open(site)
        self._taken.append(page)
        return page

    def _open(self, site: str) -> Page:
        context = self._browser.new_context(
            base_url=site,
            timezone_id="UTC",
            locale="en-GB",
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(TELL_VIOLATIONS)
        return context.new_page()

    def leave(self) -> None:
        """Give back all pages that were taken."""
        for page in self._taken:
            if len(self._idle) < MOST_IDLE and self._can_be_reused(page):
                clear(page)
                self._idle.append(page)
            else:
                page.context.close()
        self._taken.clear()

    def _can_be_reused(self, page: Page) -> bool:
        """Return whether a page can be reused; a fake clock cannot be removed again."""
        return page.url.startswith(f"{self._site}/") and not page.evaluate(HAS_FAKE_CLOCK)


def clear(page: Page) -> None:
    """Undo whatever a test may have done to the page and its context."""
    page.unroute_all(behavior="wait")
    page.emulate_media(color_scheme="null", reduced_motion="null")
    page.mouse.move(0, 0)
    page.goto(PLAIN_DOCUMENT)
    page.evaluate("localStorage.clear()")
    page.context.clear_cookies()
    for other in page.context.pages:
        if other is not page:
            other.close()
