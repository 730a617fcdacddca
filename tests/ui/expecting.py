"""Expectations of a page that cost little while it loads.

Playwright describes all of a page whenever it expects something of an element and does not find it, for the case that
this fails in the end. While a page loads, that is more work than loading it.
"""

from typing import Any, cast

from playwright.sync_api import Expect, Locator, Page
from playwright.sync_api import expect as expect_described
from tests.ui.tabs import PATIENCE_MS

HOLD_WITHOUT_ELEMENTS = ("not_", "to_have_count", "to_be_hidden")

# How long something takes says something about the machine; what never comes fails all the same.
expect_described.set_options(timeout=PATIENCE_MS)


class _FoundFirst:
    """The assertions of Playwright, each of which first waits until there is an element."""

    def __init__(self, locator: Locator) -> None:
        self._locator = locator

    def to_be_visible(self, *, visible: bool = True, timeout: float | None = None) -> None:
        self._locator.wait_for(state="visible" if visible else "hidden", timeout=timeout)

    def __getattr__(self, name: str) -> Any:
        check = getattr(expect_described(self._locator), name)
        if name.startswith(HOLD_WITHOUT_ELEMENTS):
            return check

        def wait_and_check(*wanted: Any, timeout: float | None = None, **options: Any) -> None:
            self._locator.first.wait_for(state="attached", timeout=timeout)
            check(*wanted, timeout=timeout, **options)

        return wait_and_check


def _expect(actual: Page | Locator) -> Any:
    return expect_described(actual) if isinstance(actual, Page) else _FoundFirst(actual)


expect = cast(Expect, _expect)
"""The function of Playwright of the same name, for pages and elements."""
