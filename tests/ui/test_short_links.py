"""Short links to what is shown, in a browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from tests.api.signing_in import PASSWORD, make_user
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    expect_found,
    filter_texts,
    keep_orders,
    open_explore,
    open_link,
    query_field,
    read_clipboard,
    take_tool,
)

from logboom.control.access.users import Role
from logboom.control.saved import links

OpenShop = Callable[..., Page]
SHORT = re.compile(r"#/s/([0-9a-z]{10})$")


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on the orders of a shop."""
    keep_orders(service, env)
    return lambda **view: open_explore(open_page, env, **view)


def share(page: Page, said: str = "Short link copied, with a fixed time range") -> str:
    take_tool(page, "Copy link")
    expect(page.get_by_text(said, exact=True)).to_be_visible()
    return read_clipboard(page)


def test_a_short_link_shows_another_person_the_same(
    open_shop: OpenShop, open_page: OpenPage, service: RunningService
) -> None:
    page = open_shop(q="order", f=["+level:error", "-off"], from_="-3h", col="status")
    expect_found(page, "4 events")
    link = share(page)
    found = SHORT.search(link)
    assert found
    kept = service.client.get(f"/api/links/{found[1]}").json()["address"]
    assert kept.startswith("/explore?q=%22order%22&")
    assert "from=-3h" not in kept
    other = open_page(f"#/s/{found[1]}", account=None)
    other.get_by_label("User name").fill(make_user(service, Role.VIEWER).username)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    expect_found(other, "4 events")
    expect(query_field(other)).to_have_text('"order"')
    expect(filter_texts(other)).to_have_text(["level:error", "off"])
    expect(other.get_by_role("columnheader", name="status")).to_be_visible()


def test_a_short_link_is_no_stop_on_the_way_back(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error")
    expect_found(page, "4 events")
    link = share(page)
    page.evaluate("place => { location.hash = place }", link[link.index("#") :])
    expect_found(page, "4 events")
    expect(page).to_have_url(re.compile(r"#/explore\?q=level%3Aerror&"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"#/explore\?env="))
    expect_found(page, "4 events")


def test_an_unknown_link_is_told(open_page: OpenPage) -> None:
    page = open_link(open_page, "#/s/0000000000")
    expect(page.get_by_text("There is no link 0000000000 here")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Explore").click()
    expect(query_field(page)).to_be_visible()


def test_where_no_short_link_can_be_made_the_whole_address_is_copied(
    open_shop: OpenShop, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "MOST_BYTES_OF_A_SHELF", 0)
    page = open_shop(q="level:error")
    expect_found(page, "4 events")
    link = share(page, "Link copied, with a fixed time range")
    assert "#/explore?q=level" in link
    expect_found(open_link(open_page, link), "4 events")
