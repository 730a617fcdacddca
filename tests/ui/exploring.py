"""Helpers for tests of the Explore page: events of a small shop, addresses, and parts of the page."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page
from tests.running import RunningService, encode_lines
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.waiting import poll_until

Event = dict[str, Any]

ORDERS = 24
LEVELS = ("error", "warn", "info", "info", "info", "info")
MESSAGES = {
    "error": "order {} failed: no answer of 10.0.0.{}",
    "warn": "order {} is slow, retry on 10.0.0.{}",
    "info": "order {} was placed by 10.0.0.{}",
}
STATUSES = {"error": 500, "warn": 429, "info": 200}


def minutes_ago(minutes: float) -> datetime:
    return datetime.now(UTC) - timedelta(minutes=minutes)


def write_time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def make_order(number: int) -> Event:
    """Return an order, one a minute, the newest first; one in six is an error of `payment`, one a warning of `web`."""
    level = LEVELS[number % len(LEVELS)]
    return {
        "timestamp": write_time(minutes_ago(number + 1)),
        "level": level,
        "service": "payment" if level == "error" else "web",
        "message": MESSAGES[level].format(number, number),
        "status": STATUSES[level],
        "duration_ms": 10 * number,
    }


def keep_orders(service: RunningService, env: str, count: int = ORDERS) -> list[Event]:
    return keep_events(service, env, [make_order(number) for number in range(count)])


def keep_events(service: RunningService, env: str, events: Iterable[Event]) -> list[Event]:
    kept = list(events)
    service.keep(encode_lines(kept), {"env": env})
    return kept


def check_alerts(service: RunningService) -> None:
    """Check the alerts, in another thread: this one has the event loop of the browser."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(service.check_alerts).result()


def address_of(env: str, **view: Any) -> str:
    """Return the address of the page with these parameters: `q`, `f` with its sign, `from_`, `to` and so on."""
    named = {name.rstrip("_"): value for name, value in view.items()}
    return f"#/explore?{urlencode({'env': env, **named}, doseq=True)}"


def open_explore(open_page: OpenPage, env: str, **view: Any) -> Page:
    """Open the page with these parameters, see `address_of`."""
    return open_page(address_of(env, **view))


def query_field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Query")


def type_query(page: Page, text: str) -> None:
    """Replace the query in the editor, key by key."""
    field = query_field(page)
    field.press("ControlOrMeta+a")
    field.press("Delete")
    field.press_sequentially(text)


def run_query(page: Page, text: str) -> None:
    type_query(page, text)
    query_field(page).press("ControlOrMeta+Enter")


def results(page: Page) -> Locator:
    return page.get_by_role("region", name="Results", exact=True)


def event_rows(page: Page) -> Locator:
    rows = page.get_by_role("grid", name="Events").get_by_role("row")
    return rows.filter(has=page.get_by_role("gridcell"))


def expect_found(page: Page, words: str) -> None:
    """`words` is all that is said about how much was found, such as `4 events`."""
    expect(results(page).get_by_text(words, exact=True).first).to_be_visible()


def expect_settled(page: Page) -> None:
    """Wait until every panel has its answer, so that nothing moves any more."""
    expect(page.get_by_role("progressbar", name="Searching")).to_have_count(0)
    expect(page.get_by_role("region", name="Histogram")).to_contain_text("buckets of")
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)


def filter_texts(page: Page) -> Locator:
    return page.get_by_role("list", name="Filters").get_by_role("button", name="Edit filter")


def choose(page: Page, name: str) -> None:
    """Click an item of the open menu."""
    page.get_by_role("menuitem", name=name, exact=True).click()


MENUS = {
    "Save query": "Save",
    "Saved queries": "Save",
    "History": "Save",
    "Add to dashboard": "Save",
    "Copy link": "Share",
    "Download": "Share",
}
"""Which button above the results has what in its menu."""


def take_tool(page: Page, name: str) -> None:
    """Click a button above the results, or an item of its menu."""
    page.get_by_role("button", name=MENUS.get(name, name), exact=True).click()
    if name in MENUS:
        choose(page, name)


def open_link(open_page: OpenPage, link: str) -> Page:
    """Open the page that another user gets by a link to it."""
    _, hash_mark, place = link.partition("#")
    return open_page(hash_mark + place)


def read_clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def expect_copied(page: Page, part: str) -> None:
    """Wait until a text that contains this was copied; the previous one may still be there for a moment."""
    poll_until(lambda: part in read_clipboard(page), f"a copy of {part}")
