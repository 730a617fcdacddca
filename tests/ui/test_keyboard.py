"""Everything by the keyboard alone: from signing in to what was looked for, and back."""

from typing import Any

from playwright.sync_api import Page
from tests.running import CREDENTIALS, RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    event_rows,
    expect_found,
    expect_settled,
    filter_texts,
    keep_orders,
    open_explore,
    query_field,
)

STOPS = 45
FOCUSED = """
() => {
  let element = document.activeElement
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  const shows = (each) => {
    const style = getComputedStyle(each)
    return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
  }
  // Where the focus is drawn around: itself, or what frames it.
  const frames = [element, element.parentElement, element.getRootNode().host, element.closest('.editor')]
  const { left, top, right, bottom } = element.getBoundingClientRect()
  return {
    name: element.ariaLabel || element.innerText?.slice(0, 60) || element.id || element.tagName,
    tag: element.tagName,
    isInDialog: element.closest('dialog') !== null,
    isSeen: frames.some((each) => each && shows(each)) || element.role === 'separator',
    isInView: right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
  }
}
"""


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def walk(page: Page, stops: int) -> list[dict[str, Any]]:
    """Return the element that has the focus after this many presses of Tab."""
    found = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        found.append(page.evaluate(FOCUSED))
    return found


def test_from_signing_in_to_an_event_and_back(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_page(f"#/explore?env={env}", account=None)
    expect(page.get_by_label("User name")).to_be_focused()
    page.keyboard.type(CREDENTIALS["username"])
    press(page, "Tab")
    page.keyboard.type(CREDENTIALS["password"])
    press(page, "Enter")
    expect_found(page, "24 events")

    press(page, "/")
    expect(query_field(page)).to_be_focused()
    page.keyboard.type("status>=400 ")
    press(page, "Control+Enter")
    expect_found(page, "8 events")
    press(page, "Escape")
    expect(query_field(page)).to_be_focused()
    press(page, "Tab")

    press(page, "j", "j", "j", "k")
    expect(event_rows(page).nth(1)).to_have_attribute("aria-selected", "true")
    press(page, "o")
    detail = page.get_by_role("complementary", name="Event detail")
    expect(detail).to_contain_text("order 1 is slow")
    press(page, "j")
    expect(detail).to_contain_text("order 6 failed")
    press(page, "Escape")
    expect(detail).to_have_count(0)
    expect(event_rows(page).nth(2)).to_have_attribute("aria-selected", "true")


def test_enter_opens_the_event_that_was_moved_to_wherever_the_focus_was(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    detail = page.get_by_role("complementary", name="Event detail")
    press(page, "j", "j", "Enter")
    expect(detail).to_contain_text("order 1 ")
    press(page, "Escape")
    expect(detail).to_have_count(0)
    page.get_by_role("button", name="Run", exact=True).focus()
    press(page, "j", "Enter")
    expect(detail).to_contain_text("order 2 ")
    press(page, "Escape", "k", "ArrowUp", "Enter")
    expect(detail).to_contain_text("order 0 ")


def test_values_are_included_and_excluded(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    press(page, "j", "x")
    expect(filter_texts(page)).to_have_text(["level ≠ error"])
    expect_found(page, "20 events")
    press(page, "j", "f")
    expect(filter_texts(page)).to_have_text(["level ≠ error", "level = warn"])
    expect_found(page, "4 events")


def test_help_time_and_live_have_their_keys(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    press(page, "?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    for key in ("/", "Enter", "j", "k", "f", "x", "l", "?", "t"):
        expect(keys.get_by_role("rowheader", name=key, exact=True)).to_be_visible()
    press(page, "Escape")
    expect(keys).to_have_count(0)
    press(page, "t")
    expect(page.get_by_role("dialog", name="Choose a time range")).to_be_visible()
    press(page, "Escape")
    expect(page.get_by_label("Type a range")).to_have_count(0)
    press(page, "l")
    expect(page.get_by_role("region", name="Live events")).to_be_visible()
    press(page, "l")
    expect(event_rows(page).first).to_be_visible()


def test_keys_are_letters_where_one_writes(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    page.get_by_label("Search fields").focus()
    page.keyboard.type("jkfxl?t/")
    expect(page.get_by_label("Search fields")).to_have_value("jkfxl?t/")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_tab_goes_through_the_page_in_order_and_is_always_seen(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    expect_settled(page)
    stops = walk(page, STOPS)
    assert [stop for stop in stops if not stop["isSeen"] or not stop["isInView"]] == []
    names = [stop["name"] for stop in stops]
    wanted = ["Skip to the page", "Logboom", "Explore", "Send data", "Index", "Query", "Run"]
    places = [next(place for place, name in enumerate(names) if name == each) for each in wanted]
    assert places == sorted(places)


def test_the_first_stop_leads_over_the_navigation(open_page: OpenPage) -> None:
    page = open_page("#/admin/tunables")
    expect(page.get_by_role("heading", name="Storage engine")).to_be_visible()
    press(page, "Tab", "Enter", "Tab")
    expect(page.get_by_role("button", name="Flush now")).to_be_focused()


def test_a_dialog_keeps_the_focus_and_gives_it_back(open_page: OpenPage) -> None:
    page = open_page("#/admin/environments")
    button = page.get_by_role("button", name="New environment")
    button.focus()
    press(page, "Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Name", exact=True)).to_be_focused()
    stops = walk(page, 8)
    # Behind the last stop of the page are those of the browser itself.
    own = [stop for stop in stops if stop["tag"] != "BODY"]
    assert [stop for stop in own if not stop["isSeen"] or not stop["isInDialog"]] == []
    press(page, "Escape")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()
