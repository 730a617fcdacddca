"""The bar above the results where there is little room."""

import pytest
from playwright.sync_api import Page, expect
from tests.running import RunningService
from tests.ui.conftest import PHONE, OpenPage
from tests.ui.exploring import choose, event_rows, expect_found, keep_orders, open_explore, results

LINES_PX = 80
"""Two lines, and no third."""


def measure_bar(page: Page) -> float:
    box = results(page).locator("header").first.bounding_box()
    assert box is not None
    return box["height"]


def open_menu(page: Page) -> list[str]:
    page.get_by_role("button", name="More ▾", exact=True).click()
    return page.get_by_role("menu", name="More").get_by_role("menuitem").all_inner_texts()


def test_an_open_event_leaves_the_bar_two_lines(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    expect(page.get_by_role("button", name="More ▾")).to_be_hidden()
    event_rows(page).first.get_by_role("gridcell").first.click()
    expect(page.get_by_role("complementary", name="Event detail")).to_be_visible()
    expect(page.get_by_role("button", name="Saved", exact=True)).to_be_visible()
    assert measure_bar(page) < LINES_PX
    assert open_menu(page) == ["History", "Add to dashboard", "Download", "Share"]
    choose(page, "History")
    expect(page.get_by_role("dialog", name="History")).to_be_visible()


@pytest.mark.parametrize("query", ["", "* | stats count by level"])
def test_a_phone_has_all_in_two_lines(
    open_page: OpenPage, service: RunningService, env: str, query: str
) -> None:
    keep_orders(service, env)
    page = open_page(f"#/explore?env={env}&q={query}", size=PHONE)
    expect_found(page, "3 rows" if query else "24 events")
    assert measure_bar(page) < LINES_PX
    bar = results(page).locator("header").first
    assert bar.evaluate("bar => bar.scrollWidth - bar.clientWidth") == 0
    kept = ["Saved", "Save", "Alert…", "History", "Add to dashboard"]
    assert open_menu(page) == [*kept, "Download", "Share"]
    choose(page, "Save")
    expect(page.get_by_role("dialog")).to_be_visible()
