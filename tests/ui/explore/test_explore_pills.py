"""Filters beside the query, in a browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    choose,
    event_rows,
    expect_found,
    filter_texts,
    keep_orders,
    open_explore,
    query_field,
    take_tool,
)

OpenShop = Callable[..., Page]


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on the orders of a shop."""
    keep_orders(service, env)
    return lambda **view: open_explore(open_page, env, **view)


def filters(page: Page) -> Locator:
    return page.get_by_role("list", name="Filters")


def act(page: Page, text: str, action: str) -> None:
    filters(page).get_by_role("button", name=f"Actions for filter {text}", exact=True).click()
    choose(page, action)


def test_a_filter_is_edited_in_its_place(open_shop: OpenShop) -> None:
    page = open_shop(f=["+level:error", "+service:payment"])
    expect_found(page, "4 events")
    filters(page).get_by_role("button", name="Remove filter service:payment").click()
    filters(page).get_by_role("button", name="Edit filter level:error").click()
    field = filters(page).get_by_role("textbox", name="Filter")
    expect(field).to_have_value("level:error")
    field.fill("level:(warn OR info)")
    field.press("Enter")
    expect(filter_texts(page)).to_have_text(["level:(warn OR info)"])
    expect_found(page, "20 events")


def test_leaving_the_field_leaves_the_filter(open_shop: OpenShop) -> None:
    page = open_shop(f="+level:error")
    act(page, "level:error", "Edit")
    field = filters(page).get_by_role("textbox", name="Filter")
    field.fill("level:warn")
    field.press("Escape")
    expect(filter_texts(page)).to_have_text(["level:error"])
    expect_found(page, "4 events")


def test_a_filter_that_cannot_be_read_is_refused_at_the_filter(open_shop: OpenShop) -> None:
    page = open_shop(f="+level:error")
    expect_found(page, "4 events")
    filters(page).get_by_role("button", name="Edit filter level:error").click()
    field = filters(page).get_by_role("textbox", name="Filter")
    field.fill("level:(error OR")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(filters(page).get_by_role("alert")).to_be_visible()
    expect_found(page, "4 events")
    field.fill("level:(error OR warn)")
    field.press("Enter")
    expect_found(page, "8 events")


def test_a_filter_of_the_address_that_cannot_be_read_is_told(open_shop: OpenShop) -> None:
    page = open_shop(f=["+level:error", "+service:(web OR"])
    expect(page.get_by_role("alert").filter(has_text="A filter cannot be read")).to_be_visible()
    filters(page).get_by_role("button", name="Remove filter service:(web OR").click()
    expect_found(page, "4 events")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_filter_is_turned_round_and_back(open_shop: OpenShop) -> None:
    page = open_shop(f="+level:error")
    act(page, "level:error", "Invert")
    expect(filter_texts(page)).to_have_text(["NOT level:error"])
    expect_found(page, "20 events")
    act(page, "NOT level:error", "Invert")
    expect(filter_texts(page)).to_have_text(["level:error"])
    expect_found(page, "4 events")


def test_a_filter_is_switched_off_and_on(open_shop: OpenShop) -> None:
    page = open_shop(f=["+level:error"])
    expect_found(page, "4 events")
    act(page, "level:error", "Disable")
    expect_found(page, "24 events")
    expect(filter_texts(page)).to_have_text(["level:error"])
    page.reload()
    expect_found(page, "24 events")
    act(page, "level:error", "Enable")
    expect_found(page, "4 events")


def test_a_filter_goes_into_the_query(open_shop: OpenShop) -> None:
    page = open_shop(q="slow OR failed", f="+service:web")
    expect_found(page, "4 events")
    act(page, "service:web", "Move to query")
    expect(filter_texts(page)).to_have_count(0)
    expect(query_field(page)).to_have_text(re.compile(r"^\(service:web\) AND \(slow OR failed\)$"))
    expect_found(page, "4 events")


def test_filters_are_removed_one_by_one_and_all(open_shop: OpenShop) -> None:
    page = open_shop(f=["+level:error", "+status:500", "+service:payment"])
    act(page, "status:500", "Remove")
    expect(filter_texts(page)).to_have_text(["level:error", "service:payment"])
    filters(page).get_by_role("button", name="Remove all").click()
    expect(filter_texts(page)).to_have_count(0)
    expect_found(page, "24 events")
    page.go_back()
    expect(filter_texts(page)).to_have_text(["level:error", "service:payment"])


def test_a_filter_is_put_together_from_what_there_is(open_shop: OpenShop) -> None:
    page = open_shop()
    expect_found(page, "24 events")
    filters(page).get_by_role("button", name="Add filter").click()
    form = page.get_by_role("form", name="New filter")
    form.get_by_role("combobox", name="Field").fill("serv")
    form.get_by_role("option", name="service").click()
    form.get_by_role("combobox", name="Operator").select_option("is not")
    form.get_by_role("combobox", name="Value").click()
    expect(form.get_by_role("option", name="web")).to_contain_text("20")
    form.get_by_role("option", name="payment").click()
    form.get_by_role("button", name="Add", exact=True).click()
    expect(filter_texts(page)).to_have_text(["service ≠ payment"])
    expect_found(page, "20 events")


def test_a_filter_may_compare_numbers(open_shop: OpenShop) -> None:
    page = open_shop()
    filters(page).get_by_role("button", name="Add filter").click()
    form = page.get_by_role("form", name="New filter")
    form.get_by_role("combobox", name="Field").fill("status")
    form.get_by_role("combobox", name="Operator").select_option(">=")
    form.get_by_role("combobox", name="Value").fill("429")
    form.get_by_role("button", name="Add", exact=True).click()
    expect_found(page, "8 events")


def unpin_button(page: Page, text: str) -> Locator:
    return filters(page).get_by_role("button", name=f"Unpin filter {text}", exact=True)


def test_a_pinned_filter_stays_when_another_query_takes_the_place(open_shop: OpenShop) -> None:
    page = open_shop(q="order", f=["+service:web", "+level:warn"], col="service")
    expect_found(page, "4 events")
    act(page, "service:web", "Pin")
    expect(unpin_button(page, "service:web")).to_be_visible()
    expect(unpin_button(page, "level:warn")).to_have_count(0)
    event_rows(page).first.get_by_text("web", exact=True).click()
    choose(page, "New search for this")
    expect(filter_texts(page)).to_have_text(["service:web"])
    expect(query_field(page)).to_have_text('service:="web"')
    page.reload()
    expect(unpin_button(page, "service:web")).to_be_visible()
    take_tool(page, "History")
    history = page.get_by_role("dialog", name="History")
    history.get_by_role("button", name="level:warn").first.click()
    expect(filter_texts(page)).to_have_text(["service:web", "level:warn"])
    expect_found(page, "4 events")


def test_a_filter_is_pinned_and_unpinned_by_keys(open_shop: OpenShop) -> None:
    page = open_shop(f="+level:error")
    expect_found(page, "4 events")
    actions = filters(page).get_by_role("button", name="Actions for filter level:error", exact=True)
    actions.focus()
    actions.press("Enter")
    item = page.get_by_role("menuitem", name="Pin", exact=True)
    expect(item).to_be_visible()
    item.focus()
    item.press("Enter")
    expect(filters(page).get_by_role("group", name="Filter level:error, pinned")).to_be_visible()
    unpin_button(page, "level:error").press("Enter")
    expect(unpin_button(page, "level:error")).to_have_count(0)
    expect(filter_texts(page)).to_have_text(["level:error"])


def test_a_cleared_query_leaves_what_is_pinned(open_shop: OpenShop) -> None:
    page = open_shop(q="nowhere", f=["!+level:error", "+service:payment"])
    page.get_by_role("button", name="Clear the query").click()
    expect(filter_texts(page)).to_have_text(["level:error"])
    expect_found(page, "4 events")
