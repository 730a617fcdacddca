"""The bar above the results where there is little room."""

import pytest
from playwright.sync_api import Page
from tests.running import RunningService
from tests.ui.conftest import PHONE, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    MENUS,
    event_rows,
    expect_found,
    keep_orders,
    open_explore,
    results,
    take_tool,
)

LINES_PX = 80
"""Two lines, and no third."""


def measure_bar(page: Page) -> float:
    box = results(page).locator("header").first.bounding_box()
    assert box is not None
    return box["height"]


def test_an_open_event_leaves_the_bar_two_lines(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    event_rows(page).first.get_by_role("gridcell").first.click()
    expect(page.get_by_role("complementary", name="Event detail")).to_be_visible()
    assert measure_bar(page) < LINES_PX
    take_tool(page, "History")
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
    for tool in MENUS:
        if tool != "Copy link":
            take_tool(page, tool)
            expect(page.get_by_role("dialog")).to_be_visible()
            page.keyboard.press("Escape")
