"""When the server cannot be asked, in a browser: what was there stays, and one place says what is wrong."""

import re

from playwright.sync_api import Page, Route
from tests.api.signing_in import PASSWORD as THEIR_PASSWORD
from tests.api.signing_in import make_user
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    address_of,
    event_rows,
    expect_found,
    expect_settled,
    keep_orders,
    open_explore,
    query_field,
    run_query,
)
from tests.ui.wires import Wire

from logboom.control.access.users import Role

SEARCH = "/api/search"
BUSY = {"error": {"code": "overloaded", "message": "too many searches"}}


def test_what_was_found_stays_and_it_is_asked_again(
    open_page: OpenPage, service: RunningService, env: str, wire: Wire
) -> None:
    keep_orders(service, env)
    page = open_page(address_of(env), on=wire, troubled=(SEARCH,))
    expect_found(page, "24 events")
    expect_settled(page)
    wire.cut()
    run_query(page, "level:error")
    alert = page.get_by_role("alert")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text("The server cannot be reached. Showing results from ")
    expect(alert).to_contain_text(re.compile(r"Retrying in \d+ s\."))
    expect(event_rows(page)).not_to_have_count(0)
    expect(page.get_by_text("cannot be reached")).to_have_count(1)
    wire.mend()
    alert.get_by_role("button", name="Retry").click()
    expect_found(page, "4 events")
    expect(alert).to_have_count(0)

    refusals: list[str] = []

    def refuse_once(route: Route) -> None:
        refusals.append(route.request.url)
        if len(refusals) > 1:
            route.continue_()
        else:
            route.fulfill(status=429, json=BUSY, headers={"Retry-After": "2"})

    page.route(f"**{SEARCH}", refuse_once)
    run_query(page, "level:warn status:429")
    expect(alert).to_contain_text("Too many searches.")
    # Nobody presses anything.
    expect(event_rows(page).first).to_contain_text("is slow")
    expect(alert).to_have_count(0)


def open_refused(open_page: OpenPage, service: RunningService, env: str) -> Page:
    """Explore with events, below a query that could not be read."""
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    run_query(page, "level:error | stat count")
    expect(page.locator(".remarks")).to_contain_text("stat")
    return page


def test_a_query_that_cannot_be_read_leaves_what_was_found(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_refused(open_page, service, env)
    expect(event_rows(page)).not_to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)
    # A table of nothing is explained as events are.
    run_query(page, "level:eror | stats count")
    expect(page.get_by_role("grid", name="Result")).to_be_visible()
    why = page.get_by_role("region", name="Why there are no results")
    why.get_by_role("button", name="Use error").first.click()
    expect(page.get_by_role("grid", name="Result").get_by_role("gridcell")).to_have_text(["4"])
    expect(why).to_have_count(0)


def test_a_result_stays_in_its_place_while_its_histogram_and_fields_are_late(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_refused(open_page, service, env)
    expect_settled(page)
    for path in ("histogram", "fields?*"):
        page.route(f"**/api/{path}", lambda _: None)
    run_query(page, "level:error | stats count")
    cell = page.get_by_role("grid", name="Result").get_by_role("gridcell")
    expect(cell).to_have_text(["4"])
    expect(page.get_by_text("This query cannot be run")).to_have_count(0)
    place = cell.bounding_box()
    assert place
    # This lets the held requests through.
    page.unroute_all()
    expect(page.get_by_role("region", name="Histogram")).to_contain_text("4 events")
    expect_settled(page)
    assert cell.bounding_box() == place


def test_a_session_that_ends_says_so_and_leads_back(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    user = make_user(service, Role.VIEWER)
    account = {"username": user.username, "password": THEIR_PASSWORD}
    page = open_page(address_of(env, q="level:error"), account=account)
    expect_found(page, "4 events")
    query_field(page).focus()
    page.context.request.post("/api/auth/logout", headers={"Sec-Fetch-Site": "same-origin"})
    # Not `press` of the field: the page may be leaving already, if it asked for something just now.
    page.keyboard.press("ControlOrMeta+Enter")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_text("Your session has expired or was ended")).to_be_visible()
    sign_in(page, account)
    expect_found(page, "4 events")
    expect(query_field(page)).to_have_text("level:error")


def sign_in(page: Page, account: dict[str, str]) -> None:
    page.get_by_label("User name").fill(account["username"])
    page.get_by_label("Password").fill(account["password"])
    page.get_by_role("button", name="Sign in").click()
