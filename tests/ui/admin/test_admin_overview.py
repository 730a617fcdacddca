"""What there is and how the service is: indexes, status and the audit trail, in a browser."""

import re

import pytest
from playwright.sync_api import Locator, Page
from tests.process.service import PASSWORD, USERNAME, Service
from tests.running import RunningService, encode_lines
from tests.ui.administering import row_of, rows_of
from tests.ui.conftest import PHONE, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import expect_found, make_order
from tests.waiting import poll_until

ACCOUNT = {"username": USERNAME, "password": PASSWORD}


@pytest.fixture
def shop(service: RunningService, env: str) -> str:
    """An environment with two indexes, one of them larger."""
    for index, count in (("orders", 24), ("returns", 3)):
        events = [make_order(number) for number in range(count)]
        service.keep(encode_lines(events), {"env": env, "index": index})
    return env


def test_the_address_of_the_admin_area_leads_to_its_first_page(open_page: OpenPage) -> None:
    page = open_page("#/alerts")
    page.goto("/#/admin")
    expect(page).to_have_url(re.compile(r"#/admin/ingestion"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"#/alerts"))


def test_a_table_wider_than_the_page_shows_at_its_edge_that_there_is_more(
    open_page: OpenPage, shop: str
) -> None:
    at_right, at_left = (
        re.compile(r"-16px 0px 12px .*inset$"),
        re.compile(r" 16px 0px 12px .*inset"),
    )
    place, name = f"#/admin/indexes?env={shop}", f"Indexes of {shop}"
    box = open_page(place, size=PHONE).get_by_role("region", name=name)
    expect(box).to_have_css("box-shadow", at_right)
    expect(box).not_to_have_css("box-shadow", at_left)
    box.focus()
    box.press("ArrowRight")
    expect(box).to_have_css("box-shadow", at_left)
    box.evaluate("box => { box.scrollLeft = box.scrollWidth }")
    expect(box).not_to_have_css("box-shadow", at_right)
    expect(open_page(place).get_by_role("region", name=name)).to_have_css("box-shadow", "none")


def test_indexes_say_what_they_hold_and_lead_to_their_events(
    open_page: OpenPage, shop: str
) -> None:
    page = open_page(f"#/admin/indexes?env={shop}")
    table = f"Indexes of {shop}"
    names = rows_of(page, table).get_by_role("link")
    expect(names).to_have_count(2)
    expect(page.get_by_role("definition").nth(1)).to_have_text("27")
    page.get_by_role("button", name="Events").click()
    expect(names).to_have_text(["orders", "returns"])
    page.get_by_role("button", name="Events").click()
    expect(names).to_have_text(["returns", "orders"])
    small = rows_of(page, table).filter(has_text="returns")
    expect(small.get_by_role("cell").nth(1)).to_have_text("3")
    names.filter(has_text="returns").click()
    expect_found(page, "3 events")
    expect(page.get_by_role("combobox", name="Index")).to_have_value("returns")


def test_another_environment_is_chosen_and_left_again(open_page: OpenPage, shop: str) -> None:
    page = open_page("#/admin/indexes?env=default")
    page.get_by_label("Environment").select_option(shop)
    expect(page.get_by_role("table", name=f"Indexes of {shop}")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Environment")).to_have_value("default")


def test_an_environment_without_events_says_so(open_page: OpenPage, env: str) -> None:
    page = open_page(f"#/admin/indexes?env={env}")
    expect(page.get_by_text(f"There are no events in {env} yet.")).to_be_visible()


def test_the_status_is_that_of_the_service(open_page: OpenPage, service: RunningService) -> None:
    page = open_page("#/admin/status")
    expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    node = service.client.get("/api/admin/status").json()["node"]
    expect(row_of(page, "Nodes", node)).to_contain_text("this one")


def test_the_status_follows_what_comes_in(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_page("#/admin/status")
    errors = figure(page, "Ingest", "Errors")
    before = int(errors.inner_text().replace(",", ""))
    service.ingest(b"no JSON\nnor this\n", {"env": env})
    expect(errors).to_have_text(f"{before + 2:,}")
    expect(figure(page, "Machine and listeners", "Syslog")).to_have_text("Off")
    expect(page.get_by_role("meter", name="Disk")).to_be_visible()


def figure(page: Page, group: str, name: str) -> Locator:
    """The number that has this name."""
    term = page.get_by_role("region", name=group).get_by_role("term").filter(has_text=name)
    return term.locator("xpath=following-sibling::dd[1]")


def count_records(server: Service, action: str) -> int:
    """So many records of an action can be found; the service writes them a little later."""
    server.flush()
    query = f"action:={action}"
    total: int = server.search(query, env="_system", index="_self", limit=0, count=True)["total"]
    return total


def test_the_audit_trail_says_who_did_what_and_is_filtered(
    open_page: OpenPage, fresh_server: Service
) -> None:
    fresh_server.sign_in()
    page = open_page("#/admin/environments", on=fresh_server, account=ACCOUNT)
    page.get_by_role("button", name="New environment").click()
    page.get_by_label("Name").fill("audited")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    refused = page.request.post("/api/auth/login", data={**ACCOUNT, "password": "wrong"})
    assert refused.status == 401
    poll_until(lambda: count_records(fresh_server, "login_failed") == 1, "the record of the login")

    page.goto("/#/admin/audit")
    records = rows_of(page, "Audit records")
    made = records.filter(has_text="env.create")
    expect(made).to_contain_text(USERNAME)
    expect(made).to_contain_text("audited")
    expect(made).to_contain_text("ok")
    expect(made).to_contain_text("127.0.0.1")
    page.get_by_label("Action").select_option("login_failed")
    expect(records).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="1 record")).to_be_visible()
    page.get_by_role("link", name="Open in Explore").click()
    expect_found(page, "1 event")
    page.go_back()
    page.get_by_label("Action").select_option("")
    page.get_by_label("Who").select_option(USERNAME)
    expect(made).to_have_count(1)
    page.get_by_role("combobox", name="Time").fill("yesterday")
    page.get_by_role("combobox", name="Time").press("Enter")
    expect(page.get_by_text("No audit events match.")).to_be_visible()
