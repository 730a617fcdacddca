"""Following new events, in a browser."""

from playwright.sync_api import Locator, Page
from tests.running import RunningService, encode_lines
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import event_rows, expect_found, keep_events, keep_orders, open_explore
from tests.waiting import poll_until

MOST_ROWS = 2_000


def live(page: Page) -> Locator:
    return page.get_by_role("region", name="Live events")


def messages(page: Page) -> Locator:
    return event_rows(page).locator("[data-words]")


def start(page: Page) -> None:
    page.get_by_role("button", name="Live").click()
    expect_state(page, "live")


def expect_state(page: Page, words: str) -> None:
    expect(live(page).get_by_role("status")).to_have_text(words)


def tell(service: RunningService, env: str, *texts: str, level: str = "info") -> None:
    keep_events(service, env, [{"message": text, "level": level} for text in texts])


def test_new_events_come_on_top_of_those_that_are_there(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, col="status")
    expect_found(page, "24 events")
    start(page)
    expect(messages(page).first).to_contain_text("order 0 failed")
    tell(service, env, "the first")
    expect(messages(page).first).to_have_text("the first")
    tell(service, env, "the second")
    expect(messages(page).first).to_have_text("the second")
    expect(messages(page).nth(1)).to_have_text("the first")
    expect(page.get_by_role("columnheader").filter(has_text="status")).to_be_visible()
    expect_found(page, "26 events")
    # It moves on by itself.
    histogram = page.get_by_role("region", name="Histogram")
    expect(histogram).to_contain_text("26 events")

    live(page).get_by_role("button", name="Stop").click()
    expect(live(page)).to_have_count(0)
    expect_found(page, "26 events")
    page.keyboard.press("l")
    expect_state(page, "live")


def test_only_what_matches_appears(open_page: OpenPage, service: RunningService, env: str) -> None:
    page = open_explore(open_page, env, q="alarm", f="+level:error", live="1")
    expect_state(page, "live")
    expect(page.get_by_text("Waiting for matching events…")).to_be_visible()
    tell(service, env, "alarm, but calm")
    tell(service, env, "no trouble", level="error")
    tell(service, env, "alarm in earnest", level="error")
    expect(messages(page)).to_have_text(["alarm in earnest"])


def test_while_paused_events_gather_out_of_sight(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_explore(open_page, env, live="1")
    expect_state(page, "live")
    tell(service, env, "before")
    expect(messages(page)).to_have_count(1)
    live(page).get_by_role("button", name="Pause").click()
    expect_state(page, "paused")
    tell(service, env, "one", "two", "three")
    show = live(page).get_by_role("button", name="Show 3 new")
    expect(show).to_be_visible()
    expect(messages(page)).to_have_count(1)
    show.click()
    expect(messages(page)).to_have_count(4)
    # Whoever looks at an event does not want it to move away.
    event_rows(page).first.get_by_role("gridcell").first.click()
    expect_state(page, "paused")
    expect(page.get_by_role("complementary", name="Event detail")).to_contain_text("three")


def test_the_rate_is_told(open_page: OpenPage, service: RunningService, env: str) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    page.clock.install()
    start(page)
    expect(live(page)).to_contain_text("0.0 events/s")
    page.clock.pause_at(page.evaluate("Date.now() + 60_000"))
    tell(service, env, *(f"event {number}" for number in range(20)))
    poll_until(lambda: read_rate(page) == "4.0 events/s", "20 events in 5 seconds")
    page.clock.run_for(6_000)
    expect(live(page)).to_contain_text("0.0 events/s")


def read_rate(page: Page) -> str:
    """A tenth of a second later."""
    page.clock.run_for(100)
    return live(page).get_by_text("events/s").inner_text()


def test_scrolling_away_holds_new_events_back(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_explore(open_page, env, live="1")
    expect_state(page, "live")
    tell(service, env, *(f"old {number}" for number in range(100)))
    expect_found(page, "100 events")
    event_rows(page).first.hover()
    page.mouse.wheel(0, 400)
    expect_state(page, "paused")
    expect(live(page).get_by_role("button", name="Resume")).to_be_visible()
    tell(service, env, "new 1", "new 2")
    show = live(page).get_by_role("button", name="Show 2 new")
    expect(show).to_be_visible()
    expect_found(page, "100 events")
    show.click()
    expect_found(page, "102 events")
    expect(messages(page).first).to_contain_text("new 2")
    expect(messages(page).first).to_be_in_viewport()
    expect_state(page, "live")
    tell(service, env, "new 3")
    expect(messages(page).first).to_contain_text("new 3")


def test_it_is_said_when_more_came_than_are_kept(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_explore(open_page, env, live="1")
    expect_state(page, "live")
    tell(service, env, *(f"event {number}." for number in range(MOST_ROWS + 12)))
    expect(live(page)).to_contain_text(
        "12 more events arrived than this list keeps. Run a search to see them."
    )
    expect(messages(page).first).to_contain_text(f"event {MOST_ROWS + 11}.")


def test_a_table_cannot_be_followed(open_page: OpenPage, service: RunningService, env: str) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, q="* | stats count by level")
    expect_found(page, "3 rows")
    page.get_by_role("button", name="Live").click()
    expect(live(page).get_by_role("status")).to_contain_text("cannot be followed")


def test_the_first_events_bring_their_fields(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, index="new")
    expect(page.get_by_text("No fields")).to_be_visible()
    start(page)
    service.keep(
        encode_lines([{"message": "the first", "colour": "red"}]), {"env": env, "index": "new"}
    )
    expect(page.get_by_role("region", name="Fields")).to_contain_text("colour")
