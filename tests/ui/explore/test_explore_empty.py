"""Why there are no results, and addresses that show the same again, in a browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService, encode_lines
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    event_rows,
    expect_found,
    filter_texts,
    keep_events,
    keep_orders,
    minutes_ago,
    open_explore,
    open_link,
    query_field,
    read_clipboard,
    take_tool,
    write_time,
)

OpenShop = Callable[..., Page]


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on the orders of a shop."""
    keep_orders(service, env)
    return lambda **view: open_explore(open_page, env, **view)


def reasons(page: Page) -> Locator:
    return page.get_by_role("region", name="Why there are no results")


def test_each_part_of_the_filter_is_counted_alone(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error service:web")
    parts = reasons(page).get_by_role("row")
    expect(parts.filter(has_text="level:error")).to_contain_text("4")
    expect(parts.filter(has_text="service:web")).to_contain_text("20")
    parts.filter(has_text="level:error").get_by_role("button", name="Remove").click()
    expect_found(page, "20 events")
    page.go_back()
    parts.filter(has_text="level:error").get_by_role("button", name="Keep only this").click()
    expect_found(page, "4 events")


def test_a_field_that_does_not_exist_has_near_names(open_shop: OpenShop) -> None:
    page = open_shop(q="servise:web")
    expect(reasons(page)).to_contain_text("No event has the field servise.")
    reasons(page).get_by_role("button", name="Use service").click()
    expect(query_field(page)).to_have_text("service:web")
    expect_found(page, "20 events")


def test_a_value_that_does_not_occur_has_near_ones(open_shop: OpenShop) -> None:
    page = open_shop(q="service:paymnt")
    expect(reasons(page)).to_contain_text("No event has the value paymnt in service.")
    reasons(page).get_by_role("button", name="Use payment").click()
    expect_found(page, "4 events")


def test_an_index_that_does_not_exist_has_near_ones(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error", index="defalt")
    expect(reasons(page)).to_contain_text("There is no index defalt.")
    reasons(page).get_by_role("button", name="Use default").click()
    expect_found(page, "4 events")
    expect(query_field(page)).to_have_text("level:error")


def test_events_outside_of_the_range_are_offered(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    ages = [60 * 24 * 3, 60 * 24 * 3 + 10, 60 * 24 * 5]
    events = [{"timestamp": write_time(minutes_ago(age)), "kind": "old"} for age in ages]
    keep_events(service, env, [*events, {"timestamp": write_time(minutes_ago(60 * 24 * 2))}])
    # A newer event is not what was asked for.
    page = open_explore(open_page, env, q="kind:old")
    reasons(page).get_by_role("button", name="Go to the newest events").click()
    expect_found(page, "2 events")
    page.go_back()
    reasons(page).get_by_role("button", name="Search all time: 3 events").click()
    expect_found(page, "3 events")


def test_words_of_other_fields_than_the_message_are_found(open_shop: OpenShop) -> None:
    page = open_shop(q="payment")
    reasons(page).get_by_role("button", name="Search all fields: 4 events").click()
    expect_found(page, "4 events")


def test_the_query_is_cleared(open_shop: OpenShop) -> None:
    page = open_shop(q="nothing", f="+like:it")
    reasons(page).get_by_role("button", name="Clear the query").click()
    expect(filter_texts(page)).to_have_count(0)
    expect(query_field(page)).not_to_contain_text("nothing")
    expect_found(page, "24 events")


def test_events_that_have_only_just_arrived_are_told(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    service.ingest(encode_lines([{"message": "news"}, {"message": "news"}]), {"env": env})
    page = open_explore(open_page, env, q="news")
    expect(reasons(page)).to_contain_text(
        re.compile("2 events (have )?arrived and will be searchable")
    )
    service.flush()
    page.get_by_role("button", name="Run").click()
    expect_found(page, "2 events")


def test_the_whole_view_is_in_the_address(open_shop: OpenShop, open_page: OpenPage) -> None:
    page = open_shop()
    query_field(page).press_sequentially("order")
    query_field(page).press("ControlOrMeta+Enter")
    page.get_by_role("button", name="Include only error, 4 events").click()
    page.get_by_role("button", name="Add column status").click()
    page.get_by_role("button", name="Time: Last 1 hour").click()
    page.get_by_role("button", name="Last 3 hours").click()
    event_rows(page).first.get_by_role("gridcell").first.click()
    check_view(page)
    page.reload()
    check_view(page)
    check_view(open_link(open_page, page.url))


def check_view(page: Page) -> None:
    expect(query_field(page)).to_have_text("order")
    expect(filter_texts(page)).to_have_text(["level = error"])
    headers = page.get_by_role("grid", name="Events").get_by_role("columnheader")
    expect(headers).to_have_text(["Time", "Level", "Service", "status", "Message"])
    expect(page.get_by_role("button", name="Time: Last 3 hours")).to_be_visible()
    expect_found(page, "4 events")
    expect(page.get_by_role("complementary", name="Event detail")).to_contain_text("order 0 failed")


def test_a_shared_link_has_fixed_times(open_shop: OpenShop, open_page: OpenPage) -> None:
    page = open_shop(q="level:error")
    expect_found(page, "4 events")
    take_tool(page, "Copy link")
    expect(page.get_by_text("Link copied, with a fixed time range")).to_be_visible()
    other = open_link(open_page, read_clipboard(page))
    expect_found(other, "4 events")
    expect(other.get_by_role("button", name="Time: ")).not_to_have_text("Last 1 hour")
