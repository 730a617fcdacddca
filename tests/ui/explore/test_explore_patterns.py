"""Messages grouped by what stays the same in them, in a browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    event_rows,
    expect_copied,
    expect_found,
    filter_texts,
    keep_events,
    keep_orders,
    make_order,
    minutes_ago,
    open_explore,
    read_clipboard,
    results,
    write_time,
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
    expect(filter_texts(page)).to_have_text(f"pattern: {PLACED}")


def test_patterns_have_a_level_and_a_service_and_new_ones_are_marked(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    """Orders of the last hour fail, as they did not in the hour before."""
    failing, placed = make_order(0), make_order(2)
    before = placed | {"timestamp": write_time(minutes_ago(90))}
    coloured = placed | {
        "message": "\x1b[32morder 7\x1b[0m was placed by 10.0.0.7",
        "level": "debug",
    }
    keep_events(service, env, [failing, placed, before, coloured])
    page = open_explore(open_page, env, tab="patterns")
    first, second = patterns(page).nth(0), patterns(page).nth(1)
    expect(first).to_contain_text(PLACED)
    expect(first).to_contain_text("+1 web")
    expect(second).to_contain_text("error payment new")
    expect(first).not_to_contain_text("new")
    page.get_by_role("button", name="Only new in this range (1)").click()
    expect(patterns(page)).to_have_count(1)


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
    expect_copied(page, "failed: no answer of 10.0.0.")
    assert read_clipboard(page).startswith("order ")


def variable(page: Page, name: str) -> Locator:
    return patterns(page).first.get_by_role("button", name=name, exact=True)


def test_a_variable_shows_what_stood_in_its_place(open_shop: OpenShop) -> None:
    page = open_shop()
    variable(page, "<num>").hover()
    values = page.get_by_role("tooltip")
    expect(values).to_contain_text("16 values in 16 messages")
    expect(values.get_by_role("listitem")).to_have_count(8)
    expect(values).to_contain_text("and 8 others")
    page.mouse.move(0, 0)
    expect(values).to_have_count(0)


def test_the_keyboard_walks_over_the_variables_of_an_opened_pattern(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    hosts = ("10.0.0.1", "10.0.0.2", "10.0.0.2")
    events = [
        make_order(number) | {"message": f"{host} is up"} for number, host in enumerate(hosts)
    ]
    keep_events(service, env, events)
    page = open_explore(open_page, env, tab="patterns")
    opener = patterns(page).get_by_role("button", expanded=False)
    opener.press("Enter")
    patterns(page).get_by_role("button", expanded=True).press("Tab")
    expect(variable(page, "<ip>")).to_be_focused()
    values = page.get_by_role("tooltip")
    expect(values.get_by_role("listitem")).to_have_text(["10.0.0.2 2", "10.0.0.1 1"])
    expect(variable(page, "<ip>")).to_have_accessible_description(
        re.compile("2 values in 3 messages")
    )
    page.keyboard.press("Escape")
    expect(values).to_have_count(0)
