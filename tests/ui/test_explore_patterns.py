"""Messages grouped by what stays the same in them, in a browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.exploring import (
    event_rows,
    expect_found,
    filter_texts,
    keep_orders,
    open_explore,
    read_clipboard,
    results,
)

OpenShop = Callable[..., Page]
PLACED = "order <num> was placed by <ip>"


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the patterns of the orders of a shop."""
    keep_orders(service, env)
    return lambda **view: open_explore(open_page, env, tab="patterns", **view)


def patterns(page: Page) -> Locator:
    return page.get_by_role("list", name="Patterns").get_by_role("listitem")


def test_messages_that_look_alike_are_one_pattern(open_shop: OpenShop) -> None:
    page = open_shop()
    expect(results(page)).to_contain_text("3 patterns in 24 messages")
    expect(patterns(page).first).to_contain_text(PLACED)
    expect(patterns(page).first).to_contain_text("16")
    expect(patterns(page).first).to_contain_text("67 %")
    expect(patterns(page).first.get_by_role("img", name="16 events over time")).to_be_visible()


def test_a_pattern_is_included(open_shop: OpenShop) -> None:
    page = open_shop()
    page.get_by_role("button", name=f"Include pattern {PLACED}").click()
    expect(patterns(page)).to_have_count(1)
    expect_found(page, "16 events")
    results(page).get_by_role("link", name="Events").click()
    expect(event_rows(page)).to_have_count(16)
    expect(event_rows(page).filter(has_text="was placed by")).to_have_count(16)
    expect(filter_texts(page)).to_have_count(1)


def test_a_pattern_is_excluded(open_shop: OpenShop) -> None:
    page = open_shop()
    page.get_by_role("button", name=f"Exclude pattern {PLACED}").click()
    expect(patterns(page)).to_have_count(2)
    expect_found(page, "8 events")
    expect(page.get_by_role("list", name="Patterns")).not_to_contain_text(PLACED)


def test_an_opened_pattern_has_a_sample(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error")
    patterns(page).get_by_role("button", expanded=False).click()
    expect(patterns(page)).to_contain_text("First seen")
    patterns(page).get_by_role("button", name="Copy pattern").click()
    expect(page.get_by_text("Copied").first).to_be_visible()
    assert read_clipboard(page) == "order <num> failed: no answer of <ip>"
    patterns(page).get_by_role("button", name="Copy sample").click()
    expect(page.get_by_text("Copied")).to_have_count(2)
    assert read_clipboard(page).startswith("order ")
