"""The panel of fields, in a browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    event_rows,
    expect_found,
    filter_texts,
    keep_events,
    make_order,
    open_explore,
    read_clipboard,
)

OpenShop = Callable[..., Page]
ORDERS = 20


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on orders, a quarter of which has a field of two types and a flag."""
    orders = [make_order(number) for number in range(ORDERS)]
    for number, order in enumerate(orders[::4]):
        order |= {"code": f"E{number}" if number % 2 else number, "is_paid": True}
    keep_events(service, env, orders)
    return lambda **view: open_explore(open_page, env, **view)


def panel(page: Page) -> Locator:
    return page.get_by_role("region", name="Fields")


def open_field(page: Page, name: str) -> Locator:
    """The values of a field."""
    panel(page).get_by_role("button").filter(has=page.get_by_text(name, exact=True)).click()
    return panel(page).get_by_role("list", name=f"Values of {name}", exact=True)


def names_of(page: Page, group: str) -> Locator:
    lines = panel(page).get_by_role("list", name=group, exact=True).get_by_role("button")
    return lines.filter(has_text="of events")


@pytest.mark.parametrize(
    ("name", "kind", "share"),
    [
        ("service", "text", "100 %"),
        ("status", "number", "100 %"),
        ("is_paid", "boolean", "25 %"),
        ("code", "mixed", "25 %"),
    ],
)
def test_each_field_shows_its_type_and_share(
    open_shop: OpenShop, name: str, kind: str, share: str
) -> None:
    page = open_shop()
    line = panel(page).get_by_role("button").filter(has=page.get_by_text(name, exact=True))
    expect(line.get_by_role("img", name=kind)).to_be_visible()
    expect(line).to_contain_text(share)


def test_an_opened_field_has_its_top_values_with_counts(open_shop: OpenShop) -> None:
    page = open_shop()
    values = open_field(page, "service").get_by_role("listitem")
    expect(values).to_have_count(2)
    expect(values.first).to_contain_text("web")
    expect(values.first).to_contain_text("16 · 80 %")
    expect(values.last).to_contain_text("4 · 20 %")
    expect(panel(page)).to_contain_text("20 events, 2 distinct")


def test_numbers_have_their_spread(open_shop: OpenShop) -> None:
    page = open_shop()
    open_field(page, "duration_ms")
    facts = panel(page).get_by_role("definition")
    expect(facts).to_have_text(["0", "95", re.compile(r"1[78]\d"), "190"])


def test_numbers_are_drawn_in_buckets_once_the_field_is_opened(open_shop: OpenShop) -> None:
    page = open_shop()
    expect_found(page, "20 events")
    expect(panel(page).get_by_role("list", name="Distribution")).to_have_count(0)
    open_field(page, "duration_ms")
    bars = panel(page).get_by_role("list", name="Distribution of duration_ms")
    expect(bars.get_by_role("listitem")).to_have_count(20)
    expect(bars.get_by_role("listitem", name="0 to 10: 1 event", exact=True)).to_have_count(1)
    open_field(page, "status")
    bars = panel(page).get_by_role("list", name="Distribution of status").get_by_role("listitem")
    expect(bars.and_(page.get_by_role("listitem", name="200 to 220: 12 events"))).to_have_count(1)
    expect(bars.and_(page.get_by_role("listitem", name="500 to 520: 4 events"))).to_have_count(1)


def test_numbers_among_texts_are_drawn_alone(open_shop: OpenShop) -> None:
    page = open_shop(f="+code:*")
    expect_found(page, "5 events")
    open_field(page, "code")
    bars = panel(page).get_by_role("list", name="Distribution of code").get_by_role("listitem")
    expect(bars).to_have_count(5)
    expect(bars.and_(page.get_by_role("listitem", name=": 1 event"))).to_have_count(3)


def test_a_number_that_is_always_the_same_is_not_drawn(open_shop: OpenShop) -> None:
    page = open_shop(f="+level:error")
    expect_found(page, "4 events")
    open_field(page, "status")
    expect(panel(page).get_by_role("definition")).to_have_text(["500", "500", "500", "500"])
    expect(panel(page).get_by_role("list", name="Distribution")).to_have_count(0)


def test_times_have_their_first_and_last(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    events = [
        make_order(number) | {"due": f"2026-01-0{number + 1}T10:00:00Z"} for number in range(3)
    ]
    keep_events(service, env, events)
    page = open_explore(open_page, env)
    open_field(page, "due")
    facts = panel(page).get_by_role("definition")
    expect(facts).to_have_text([re.compile("2026-01-01 10:00"), re.compile("2026-01-03 10:00")])
    expect(panel(page).get_by_role("list", name="Distribution")).to_have_count(0)


def test_the_mix_of_types_is_told(open_shop: OpenShop) -> None:
    page = open_shop()
    open_field(page, "code")
    expect(panel(page)).to_contain_text("int 60 %, str 40 %")


def test_values_are_included_excluded_and_copied(open_shop: OpenShop) -> None:
    page = open_shop()
    values = open_field(page, "service")
    values.get_by_role("button", name="Copy payment").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert read_clipboard(page) == "payment"
    values.get_by_role("button", name="Exclude payment").click()
    expect_found(page, "16 events")
    expect(filter_texts(page)).to_have_text(["service ≠ payment"])
    page.get_by_role("button", name="Remove filter").click()
    expect_found(page, "20 events")
    values.get_by_role("button", name="Include payment").click()
    expect_found(page, "4 events")
    expect(filter_texts(page)).to_have_text(["service = payment"])


def test_more_values_are_found_by_how_they_begin(open_shop: OpenShop) -> None:
    page = open_shop()
    values = open_field(page, "message").get_by_role("listitem")
    panel(page).get_by_role("button", name="More values").click()
    expect(values).to_have_count(ORDERS)
    panel(page).get_by_label("Values of message that start with").fill("order 1 ")
    expect(values).to_have_count(1)
    expect(values).to_contain_text("order 1 is slow")
    panel(page).get_by_label("Values of message that start with").fill("nothing")
    expect(values).to_have_text(["No matching values"])


def test_fields_are_searched_and_put_in_order(open_shop: OpenShop) -> None:
    page = open_shop()
    panel(page).get_by_label("Sort fields").select_option("name")
    names = ["_index", "code", "duration_ms", "is_paid", "level", "message", "service", "status"]
    expect(names_of(page, "All fields")).to_contain_text(names)
    panel(page).get_by_label("Search fields").fill("STAT")
    expect(names_of(page, "All fields")).to_have_count(1)
    expect(names_of(page, "All fields")).to_contain_text("status")
    panel(page).get_by_label("Search fields").fill("nothing like it")
    expect(panel(page)).to_contain_text("No matching fields")


def test_a_pinned_field_stays_on_top_after_a_reload(open_shop: OpenShop) -> None:
    page = open_shop()
    panel(page).get_by_role("button", name="Pin code").click()
    expect(names_of(page, "Pinned")).to_contain_text(["code"])
    page.reload()
    expect(names_of(page, "Pinned")).to_contain_text(["code"])
    panel(page).get_by_role("button", name="Unpin code").click()
    expect(panel(page).get_by_role("list", name="Pinned")).to_have_count(0)


def test_a_field_becomes_a_column(open_shop: OpenShop) -> None:
    page = open_shop()
    panel(page).get_by_role("button", name="Add column status").click()
    expect(page.get_by_role("columnheader")).to_contain_text(["Service", "status", "Message"])
    expect(event_rows(page).first.locator("[data-field=status]")).to_have_text("500")
    expect(names_of(page, "Columns")).to_contain_text(["status"])
    panel(page).get_by_role("button", name="Remove column status").click()
    expect(page.get_by_role("columnheader")).to_contain_text(["Level", "Service", "Message"])


def test_events_are_counted_by_a_field(open_shop: OpenShop) -> None:
    page = open_shop()
    open_field(page, "service")
    panel(page).get_by_role("button", name="Count by service").click()
    expect(page.get_by_role("grid", name="Result").get_by_role("row")).to_have_text(
        [re.compile("^service"), "web16", "payment4"]
    )


def test_the_panel_is_hidden_and_shown(open_shop: OpenShop) -> None:
    page = open_shop()
    page.get_by_role("button", name="Hide fields").click()
    expect(panel(page)).to_be_hidden()
    page.get_by_role("button", name="Show fields").click()
    expect(panel(page)).to_be_visible()


@pytest.fixture
def open_crowd(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on events that have 10,000 fields between them."""
    orders = [make_order(number) for number in range(ORDERS)]
    for number, order in enumerate(orders):
        order |= {f"label_{number * 500 + place}": place for place in range(500)}
    keep_events(service, env, orders)
    return lambda **view: open_explore(open_page, env, **view)


def test_of_many_fields_the_first_are_shown_and_others_are_found(
    open_crowd: OpenShop, keep_picture: Callable[[Page, str], None]
) -> None:
    page = open_crowd()
    expect(panel(page).get_by_text("500+", exact=True)).to_be_visible()
    expect(names_of(page, "All fields").first).to_contain_text("_index")
    panel(page).get_by_role("searchbox", name="Search fields").fill("LABEL_9999")
    expect(names_of(page, "All fields")).to_have_count(1)
    expect(names_of(page, "All fields")).to_contain_text("label_9999")
    keep_picture(page, "explore-many-fields")


def test_more_fields_are_loaded_when_asked_for(open_crowd: OpenShop) -> None:
    page = open_crowd()
    panel(page).get_by_role("button", name="Load more fields").click()
    expect(panel(page).get_by_text("1,000+", exact=True)).to_be_visible()
