"""One event and everything about it, in a browser."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    Event,
    event_rows,
    expect_found,
    filter_texts,
    keep_events,
    make_order,
    minutes_ago,
    open_explore,
    open_link,
    query_field,
    read_clipboard,
    write_time,
)

OpenShop = Callable[..., Page]
ORDERS = 30
BIG = 9_007_199_254_740_993
"""No double has it."""
LONGEST = 1_234_567_890_123_456_789


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on orders, every tenth of one trace; the newest with large numbers and nested values."""
    orders = [make_order(number) for number in range(ORDERS)]
    for order in orders[::10]:
        order["trace_id"] = "4bf92f3577b34da6"
    orders[0] |= {"big": BIG, "longest": LONGEST, "cart": {"items": ["tea", "cup"], "total": 12.5}}
    keep_events(service, env, orders)
    return lambda **view: open_explore(open_page, env, **view)


def detail(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Event detail")


def message_of(page: Page) -> Locator:
    return detail(page).get_by_role("region", name="message", exact=True)


def open_event(page: Page, number: int) -> Locator:
    row = event_rows(page).filter(has_text=f"order {number} ")
    row.get_by_role("gridcell").first.click()
    expect(message_of(page)).to_contain_text(f"order {number} ")
    return detail(page)


def open_tab(page: Page, name: str) -> None:
    detail(page).get_by_role("tab", name=name).click()


def test_all_fields_are_shown_and_searched(open_shop: OpenShop) -> None:
    page = open_shop()
    shown = open_event(page, 0)
    names = shown.get_by_role("rowheader")
    expect(names.filter(has_text="cart.total")).to_be_visible()
    expect(shown.get_by_role("row").filter(has_text="longest")).to_contain_text(str(LONGEST))
    shown.get_by_label("Search in this event").fill("payment")
    expect(names).to_have_count(1)
    expect(names).to_contain_text("service")
    shown.get_by_label("Search in this event").fill("nothing like it")
    expect(shown).to_contain_text("No matching fields")


def test_the_tree_nests_and_has_every_digit(open_shop: OpenShop) -> None:
    page = open_shop()
    open_event(page, 0)
    open_tab(page, "JSON")
    tree = detail(page).get_by_role("list", name="Event as a tree")
    expect(tree).to_contain_text(f"big: {BIG}")
    expect(tree).to_contain_text(f"longest: {LONGEST}")
    expect(tree.get_by_text("cart", exact=True)).to_be_visible()
    expect(tree.get_by_text('"tea"')).to_be_visible()
    tree.get_by_text("cart", exact=True).click()
    expect(tree.get_by_text('"tea"')).to_be_hidden()
    tree.get_by_role("button", name=f"Include longest {LONGEST}").click()
    expect_found(page, "1 event")


def test_the_event_is_shown_as_it_came_in(open_shop: OpenShop) -> None:
    page = open_shop()
    open_event(page, 0)
    open_tab(page, "Raw")
    detail(page).get_by_role("button", name="Copy raw").click()
    expect(page.get_by_text("Raw event copied")).to_be_visible()
    raw = json.loads(read_clipboard(page))
    assert (raw["longest"], raw["cart"]["items"]) == (LONGEST, ["tea", "cup"])
    expect(detail(page)).to_contain_text(f'"big":{BIG}')


def test_it_is_copied_as_json(open_shop: OpenShop) -> None:
    page = open_shop()
    open_event(page, 0).get_by_role("button", name="Copy as JSON").click()
    expect(page.get_by_text("Copied as JSON")).to_be_visible()
    copied = json.loads(read_clipboard(page))
    assert (copied["big"], copied["service"]) == (BIG, "payment")


def test_its_link_opens_it_elsewhere(open_shop: OpenShop, open_page: OpenPage) -> None:
    page = open_shop(q="level:error")
    open_event(page, 6).get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    other = open_link(open_page, read_clipboard(page))
    expect(detail(other)).to_contain_text("order 6 failed")
    expect(query_field(other)).to_have_text("level:error")
    expect_found(other, "5 events")
    expect(other.get_by_role("button", name="Time: ")).not_to_have_text("Last 1 hour")


@pytest.mark.parametrize(
    ("action", "text", "found"),
    [
        ("Include service payment", "service = payment", "5 events"),
        ("Exclude service payment", "service ≠ payment", "25 events"),
        ("Include status 500", "status = 500", "5 events"),
    ],
)
def test_a_value_is_included_or_excluded(
    open_shop: OpenShop, action: str, text: str, found: str
) -> None:
    page = open_shop()
    open_event(page, 0).get_by_role("button", name=action).click()
    expect(filter_texts(page)).to_have_text([text])
    expect_found(page, found)


def test_a_value_is_copied_and_its_field_becomes_a_column(open_shop: OpenShop) -> None:
    page = open_shop()
    shown = open_event(page, 0)
    shown.get_by_role("button", name=f"Copy longest {LONGEST}").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert read_clipboard(page) == str(LONGEST)
    shown.get_by_role("button", name="Add column service").click()
    headers = page.get_by_role("grid", name="Events").get_by_role("columnheader")
    expect(headers).to_have_text(["Time", "Level", "service", "Message"])


def test_the_events_around_it_are_shown_and_more_of_them(open_shop: OpenShop) -> None:
    page = open_shop()
    open_event(page, 15)
    open_tab(page, "Context")
    around = detail(page).get_by_role("list", name="Events around this one").get_by_role("listitem")
    expect(around).to_have_count(21)
    expect(around.and_(page.locator("[aria-current=true]"))).to_contain_text("order 15 ")
    expect(around.first).to_contain_text("order 25 ")
    expect(around.last).to_contain_text("order 5 ")
    detail(page).get_by_role("button", name="Earlier events").click()
    expect(around.first).to_contain_text("order 29 ")
    expect(detail(page).get_by_role("button", name="No earlier events")).to_be_disabled()
    detail(page).get_by_role("button", name="Later events").click()
    expect(around).to_have_count(ORDERS)


def test_the_context_keeps_to_the_same_service(open_shop: OpenShop) -> None:
    page = open_shop()
    open_event(page, 12)
    open_tab(page, "Context")
    around = detail(page).get_by_role("list", name="Events around this one").get_by_role("listitem")
    expect(around).to_have_count(21)
    detail(page).get_by_role("group", name="Only events with the same").get_by_role(
        "button", name="service"
    ).click()
    expect(around).to_have_count(5)
    around.filter(has_text="order 18 ").get_by_role("button").click()
    expect(around.and_(page.locator("[aria-current=true]"))).to_contain_text("order 18 ")
    with page.context.expect_page() as opened:
        detail(page).get_by_role("link", name="Open in a new tab").click()
    expect_found(opened.value, "5 events")


def test_a_trace_leads_to_all_its_events(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error")
    open_event(page, 0).get_by_role("button", name="All events of this trace").click()
    expect_found(page, "3 events")
    expect(query_field(page)).to_have_text('trace_id:="4bf92f3577b34da6"')
    expect(detail(page)).to_be_hidden()


def test_a_trace_that_began_before_the_range_is_seen_whole(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error", from_="-5m", to="now")
    expect_found(page, "1 event")
    open_event(page, 0).get_by_role("button", name="All events of this trace").click()
    expect_found(page, "3 events")


def test_a_trace_leaves_a_range_that_is_long_enough(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error", from_="-6h", to="now")
    open_event(page, 0).get_by_role("button", name="All events of this trace").click()
    expect_found(page, "3 events")
    assert page.url.endswith("&from=-6h&sort=_time")


def test_the_next_event_and_the_end_are_a_key_away(open_shop: OpenShop) -> None:
    page = open_shop()
    shown = open_event(page, 0)
    expect(shown.get_by_role("button", name="Previous event")).to_be_disabled()
    shown.get_by_role("button", name="Next event").click()
    expect(shown).to_contain_text("order 1 is slow")
    shown.get_by_role("button", name="Next event").press("ArrowDown")
    expect(shown).to_contain_text("order 2 was placed")
    shown.get_by_role("button", name="Next event").press("Escape")
    expect(detail(page)).to_be_hidden()
    page.go_back()
    expect(detail(page)).to_contain_text("order 2 was placed")


def test_an_event_that_is_gone_is_said_to_be(open_shop: OpenShop) -> None:
    page = open_shop(event="AAAAAAAAAAAAAAAAAAAAAAAAAA")
    expect(detail(page).get_by_role("status")).to_contain_text("This event does not exist")


STACK = """shop.OutOfStock: lamp is sold out
\tat shop.Orders.place(Orders.java:12)
\tat org.springframework.web.Dispatcher.run(Dispatcher.java:1)
\tat java.base/java.lang.Thread.run(Thread.java:2)"""


def make_span(name: str, parent: str, end_s: float, took_ms: int, **more: object) -> Event:
    moment = minutes_ago(1) + timedelta(seconds=end_s)
    ids = {"trace_id": "t-1", "span_id": name, "parent_span_id": parent}
    return {"timestamp": write_time(moment), "service": name, **ids, "duration_ms": took_ms, **more}


def test_a_message_is_laid_out_and_its_trace_is_a_waterfall(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_events(
        service,
        env,
        [
            make_span("edge", "", 2.0, 2000, message='done {"cart":{"total":12.5}}'),
            make_span("shop", "edge", 1.5, 1000, message="order failed", stack_trace=STACK),
            make_span("db", "shop", 1.4, 200, message="op=select rows=3 table=orders"),
        ],
    )
    page = open_explore(open_page, env)
    event_rows(page).first.get_by_role("gridcell").first.click()
    message = message_of(page)
    expect(message.locator("pre.json")).to_have_text('{ "cart": { "total": 12.5 } }')
    message.get_by_role("button", name="Raw text").click()
    expect(message.locator("pre")).to_have_text('done {"cart":{"total":12.5}}')
    names = detail(page).get_by_role("rowheader")
    expect(names.last).to_contain_text("_id")

    page.keyboard.press("j")
    stack = detail(page).get_by_role("region", name="stack_trace", exact=True)
    expect(stack.get_by_text("at shop.Orders.place")).to_be_visible()
    expect(stack.get_by_text("at org.springframework")).to_be_hidden()
    stack.get_by_text("2 library frames").click()
    expect(stack.get_by_text("at org.springframework")).to_be_visible()

    open_tab(page, "Trace")
    spans = detail(page).get_by_role("list", name="Trace, oldest first").get_by_role("listitem")
    expect(spans).to_contain_text(["edge", "shop", "db"])
    expect(spans.nth(1)).to_have_attribute("aria-current", "true")
    spans.nth(2).get_by_role("button").click()
    expect(spans.nth(2)).to_have_attribute("aria-current", "true")
    open_tab(page, "Fields")
    expect(message_of(page).get_by_role("definition")).to_have_text(["select", "3", "orders"])
    detail(page).get_by_role("button", name="All events of this trace").click()
    expect_found(page, "3 events")
    expect(event_rows(page).first).to_contain_text("op=select")
