"""The list of events, in a browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.conftest import DESKTOP, PHONE, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    choose,
    event_rows,
    expect_found,
    expect_settled,
    filter_texts,
    keep_events,
    keep_orders,
    minutes_ago,
    open_explore,
    query_field,
    read_clipboard,
    write_time,
)
from tests.waiting import poll_until

OpenShop = Callable[..., Page]
MANY = 2_000


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on the orders of a shop."""
    keep_orders(service, env)
    return lambda **view: open_explore(open_page, env, **view)


def grid(page: Page) -> Locator:
    return page.get_by_role("grid", name="Events")


def headers(page: Page) -> Locator:
    return page.get_by_role("columnheader")


def open_header_menu(page: Page, name: str) -> None:
    headers(page).get_by_role("button", name=name, exact=True).click()


def click_word(page: Page, text: str, word: str) -> None:
    """A click in the middle of a word of the first message that has the text."""
    expect_settled(page)
    cell = event_rows(page).filter(has_text=text).first.get_by_role("gridcell").last
    place = cell.evaluate(
        """(cell, word) => {
          const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
          while (walker.nextNode()) {
            const at = walker.currentNode.data.indexOf(word)
            if (at < 0) continue
            const range = document.createRange()
            range.setStart(walker.currentNode, at)
            range.setEnd(walker.currentNode, at + word.length)
            const { x, y, width, height } = range.getBoundingClientRect()
            return [x + width / 2, y + height / 2]
          }
        }""",
        word,
    )
    page.mouse.click(*place)


def wheel_to(page: Page, row: Locator) -> bool:
    """On from here, as far as there are rows yet; whether the one that is looked for is among them."""
    page.mouse.wheel(0, 24 * 600)
    return row.count() > 0


def go_to_the_end(page: Page, last: Locator) -> bool:
    """Of the events that are there so far; whether the last of all is among them."""
    grid(page).press("End")
    return last.count() > 0


def test_only_the_rows_in_view_are_on_the_page_and_scrolling_brings_the_others(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    times = [write_time(minutes_ago(1 + number / 100)) for number in range(MANY)]
    keep_events(
        service, env, [{"timestamp": time, "message": f"m{n}"} for n, time in enumerate(times)]
    )
    page = open_explore(open_page, env)
    expect_found(page, "2,000 events")
    expect(grid(page)).to_have_attribute("aria-rowcount", str(MANY + 1))
    expect(event_rows(page).first).to_contain_text("m0")
    assert event_rows(page).count() < 100
    grid(page).focus()
    last = event_rows(page).filter(has_text=f"m{MANY - 1}")
    # Each page of 500 is asked for when the end of those before comes near.
    poll_until(lambda: go_to_the_end(page, last), "the last of all events")
    expect(last).to_be_visible()
    expect(last).to_have_attribute("aria-rowindex", str(MANY + 1))
    expect(page.get_by_text("End of results")).to_be_visible()
    assert event_rows(page).count() < 100
    grid(page).press("Home")
    expect(event_rows(page).first).to_contain_text("m0")


def test_the_wheel_scrolls_to_later_pages(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    times = [write_time(minutes_ago(1 + number / 100)) for number in range(600)]
    keep_events(
        service, env, [{"timestamp": time, "message": f"m{n}"} for n, time in enumerate(times)]
    )
    page = open_explore(open_page, env)
    expect(event_rows(page).first).to_contain_text("m0")
    event_rows(page).first.hover()
    page.mouse.wheel(0, 24 * 450)
    expect(event_rows(page).filter(has_text="m460")).to_be_visible()
    last = event_rows(page).filter(has_text="m599")
    poll_until(lambda: wheel_to(page, last), "the last of all events")
    expect(last).to_be_visible()


def test_columns_are_chosen_moved_and_taken_away(open_shop: OpenShop) -> None:
    page = open_shop(col=["service", "status"])
    expect(headers(page)).to_have_text(["Time", "Level", "service", "status", "Message"])
    open_header_menu(page, "status")
    choose(page, "Move left")
    expect(headers(page)).to_have_text(["Time", "Level", "status", "service", "Message"])
    expect_settled(page)
    headers(page).get_by_role("button", name="service").drag_to(
        headers(page).get_by_role("button", name="status")
    )
    expect(headers(page)).to_have_text(["Time", "Level", "service", "status", "Message"])
    expect(event_rows(page).first.get_by_role("gridcell").nth(2)).to_have_text("payment")
    open_header_menu(page, "service")
    choose(page, "Remove column")
    expect(headers(page)).to_have_text(["Time", "Level", "Service", "status", "Message"])
    page.reload()
    expect(headers(page)).to_have_text(["Time", "Level", "Service", "status", "Message"])


def test_a_column_is_resized_by_mouse_and_by_keyboard(open_shop: OpenShop) -> None:
    page = open_shop(col=["service", "status"])
    edge = headers(page).get_by_role("separator", name="Width of service")
    expect(edge).to_have_attribute("aria-valuenow", "150")
    expect_settled(page)
    box = edge.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 100, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    expect(edge).to_have_attribute("aria-valuenow", "250")
    edge.press("ArrowLeft")
    expect(edge).to_have_attribute("aria-valuenow", "234")
    page.reload()
    expect(edge).to_have_attribute("aria-valuenow", "234")
    cell = event_rows(page).first.get_by_role("gridcell").nth(2).bounding_box()
    assert cell
    assert round(cell["width"]) == 234
    open_header_menu(page, "service")
    choose(page, "Reset width")
    expect(edge).to_have_attribute("aria-valuenow", "150")


def test_long_lines_wrap_when_asked_to(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    lines = "\n".join(f"at line {number} of a long stack" for number in range(5))
    keep_events(service, env, [{"timestamp": write_time(minutes_ago(1)), "message": lines}])
    page = open_explore(open_page, env)
    row = event_rows(page)
    expect(row).to_have_count(1)
    before = measure(row)
    page.get_by_role("button", name="Wrap", exact=True).click()
    expect(page.get_by_role("button", name="Wrap", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(row.get_by_role("gridcell").last).to_have_text(lines, use_inner_text=True)
    poll_until(lambda: measure(row) > 3 * before, "the row to be as high as its text")


def measure(row: Locator) -> float:
    """How high it is."""
    box = row.bounding_box()
    assert box
    return box["height"]


def test_repeats_are_folded_colours_shown_and_any_column_sorts(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    coloured = "\x1b[1;31mred alert\x1b[0m on deck \x1b]0;title\x07five"
    events = [{"message": coloured, "app": "ship", "n": 2}]
    events += [{"message": "ping lost", "app": "net", "n": 3} for _ in range(3)]
    events += [{"message": "started", "host": "web-1", "n": 1}]
    for place, event in enumerate(events):
        event["timestamp"] = write_time(minutes_ago(1 + place))
    keep_events(service, env, events)
    page = open_explore(open_page, env)
    rows = event_rows(page)
    texts = rows.locator("[data-words]")
    expect(texts).to_have_text(["red alert on deck five", "ping lost", "started"])
    expect(headers(page)).to_have_text(["Time", "Level", "app", "Message"])
    expect(rows.last).to_contain_text("web-1")
    shown = rows.first.get_by_text("red alert", exact=True)
    plain = rows.last.locator("[data-words]")
    assert len({each.evaluate("(e) => getComputedStyle(e).color") for each in (shown, plain)}) == 2

    rows.get_by_role("button", name="3 repeated events, expand").click()
    expect(texts).to_have_text(["red alert on deck five", *["ping lost"] * 3, "started"])
    page.keyboard.press("u")
    expect(texts).to_have_count(3)

    open_header_menu(page, "Time")
    choose(page, "Oldest first")
    expect(texts).to_have_text(["started", "ping lost", "red alert on deck five"])
    expect_found(page, "5 events")
    page.get_by_role("button", name="Add column n").click()
    open_header_menu(page, "n")
    choose(page, "Sort descending")
    expect(texts).to_have_text(["ping lost", "red alert on deck five", "started"])
    expect(headers(page).filter(has_text="n").nth(0)).to_have_attribute("aria-sort", "descending")
    page.reload()
    expect(texts).to_have_text(["ping lost", "red alert on deck five", "started"])


def test_an_event_without_a_message_shows_its_fields(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_events(service, env, [{"timestamp": write_time(minutes_ago(1)), "user": "ann", "age": 41}])
    page = open_explore(open_page, env)
    cell = event_rows(page).get_by_role("gridcell").last
    expect(cell).to_contain_text("user=ann")
    expect(cell).to_contain_text("age=41")
    cell.get_by_text("ann", exact=True).click()
    choose(page, "Include user: ann")
    expect(filter_texts(page)).to_have_text(["user = ann"])
    expect_found(page, "1 event")


def test_words_are_included_excluded_and_copied(open_shop: OpenShop) -> None:
    page = open_shop()
    click_word(page, "order 3 ", "10.0.0.3")
    choose(page, "Copy")
    expect(page.get_by_text("Copied")).to_be_visible()
    assert read_clipboard(page) == "10.0.0.3"
    click_word(page, "order 3 ", "placed")
    choose(page, "Exclude placed")
    expect_found(page, "8 events")
    click_word(page, "order 1 ", "slow")
    choose(page, "Include slow")
    expect_found(page, "4 events")
    expect(filter_texts(page)).to_have_text(['NOT "placed"', '"slow"'])


def test_values_lead_to_a_new_search_and_to_counts(open_shop: OpenShop) -> None:
    page = open_shop(f="+level:info", col="service")
    event_rows(page).first.get_by_text("web", exact=True).click()
    choose(page, "New search for this")
    expect(filter_texts(page)).to_have_count(0)
    expect(query_field(page)).to_have_text('service:="web"')
    expect_found(page, "20 events")
    event_rows(page).first.get_by_text("web", exact=True).click()
    choose(page, "Count by service")
    expect_found(page, "1 row")


def test_levels_have_their_colours(open_shop: OpenShop) -> None:
    page = open_shop()
    levels = [
        event_rows(page).nth(place).get_by_text(level, exact=True)
        for place, level in enumerate(("error", "warn", "info"))
    ]
    expect(levels[2]).to_be_visible()
    colours = {level.evaluate("(text) => getComputedStyle(text).color") for level in levels}
    assert len(colours) == 3


def test_a_phone_has_a_menu_to_sort_by(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_page(f"#/explore?env={env}", size=PHONE)
    expect(event_rows(page).first).to_contain_text("order 0 ")
    order = page.get_by_label("Sort by")
    order.select_option("Oldest first")
    expect(event_rows(page).first).to_contain_text("order 23 ")
    assert "sort=_time" in page.url
    order.select_option("duration_ms, descending")
    expect(event_rows(page).first).to_contain_text("order 23 ")
    order.select_option("duration_ms, ascending")
    expect(event_rows(page).first).to_contain_text("order 0 ")
    page.reload()
    expect(order).to_have_value("duration_ms")
    order.select_option("Newest first")
    expect(order).to_have_value("")
    page.set_viewport_size(DESKTOP)
    expect(order).to_have_count(0)
