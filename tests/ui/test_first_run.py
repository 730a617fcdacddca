"""From nothing to the first result, in a browser."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.process.service import Service
from tests.running import CREDENTIALS, RunningService
from tests.ui.conftest import KeepPicture, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import event_rows, open_explore
from tests.ui.wires import Wire, laid

PASSWORD = "four unrelated quiet words"


@pytest.fixture
def slow_wire(fresh_server: Service) -> Iterator[Wire]:
    """To the fresh server, where answers can be made to wait until somebody has seen it."""
    with laid(fresh_server.port) as wire:
        yield wire


def fill_account(page: Page, password: str, repeated: str) -> None:
    page.get_by_label("User name").fill("ann")
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_label("Repeat the password").fill(repeated)
    page.get_by_role("button", name="Create the account").click()


def test_a_fresh_install_leads_to_an_account_then_data_then_the_first_result(
    open_page: OpenPage, fresh_server: Service, slow_wire: Wire
) -> None:
    page = open_page("", on=slow_wire, account=None)
    expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
    expect(page.get_by_label("User name")).to_be_focused()
    fill_account(page, "short", "short")
    expect(page.get_by_role("alert")).to_be_visible()
    fill_account(page, PASSWORD, "something else")
    expect(page.get_by_role("alert")).to_have_text("The two passwords differ.")
    expect(page.get_by_label("Repeat the password")).to_be_focused()
    late = open_page("", on=fresh_server, account=None)
    fill_account(page, PASSWORD, PASSWORD)
    expect(page.get_by_role("heading", name="What now?")).to_be_visible()

    fill_account(late, "another good password", "another good password")
    expect(late.get_by_role("heading", name="Setup is already complete")).to_be_visible()
    late.get_by_role("button", name="Go to sign in").click()
    expect(late.get_by_role("heading", name="Sign in")).to_be_visible()

    slow_wire.hold(b"POST /api/samples", after_bytes=0)
    page.get_by_role("button", name="Load sample data").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    slow_wire.release()
    page.wait_for_url("**/#/explore?from=-24h")
    expect(event_rows(page).first).to_be_visible()
    # The day that is shown has moved on a little since they were made.
    nearly_all = re.compile(r"(49,[89]\d\d|50,000) events")
    expect(page.get_by_role("region", name="Histogram")).to_contain_text(nearly_all)
    expect(page.get_by_role("region", name="Fields")).to_contain_text("service")


def test_the_setup_code_is_asked_for_where_there_is_one(
    open_page: OpenPage, tmp_path: Path, keep_picture: KeepPicture
) -> None:
    settings = {"SERVICE_SETUP_CODE": "from the console"}
    with closing(Service(tmp_path / "data", tmp_path / "server.log", settings)) as server:
        server.spawn()
        server.await_ready()
        page = open_page("", on=server, account=None)
        page.get_by_label("Setup code").fill("wrong")
        fill_account(page, PASSWORD, PASSWORD)
        expect(page.get_by_role("alert")).to_contain_text("setup code is wrong")
        keep_picture(page, "setup-code")
        page.get_by_label("Setup code").fill("from the console")
        fill_account(page, PASSWORD, PASSWORD)
        expect(page.get_by_role("heading", name="What now?")).to_be_visible()


def test_somebody_unknown_signs_in_and_arrives_where_he_wanted(open_page: OpenPage) -> None:
    page = open_page("#/admin/status", account=None)
    page.get_by_label("User name").fill(CREDENTIALS["username"])
    page.get_by_label("Password").fill("wrong password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("password")
    page.get_by_label("Password").fill(CREDENTIALS["password"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    assert page.url.endswith("#/admin/status")


def test_signing_out_ends_the_session(open_page: OpenPage, service: RunningService) -> None:
    account = {"username": "leaver", "password": PASSWORD}
    service.client.post("/api/users", json={**account, "role": "viewer"}).raise_for_status()
    page = open_page(account=account)
    page.get_by_text("leaver", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_an_empty_environment_offers_ways_in(open_page: OpenPage, env: str) -> None:
    page = open_explore(open_page, env)
    expect(page.get_by_role("heading", name="No events yet")).to_be_visible()
    expect(page.get_by_role("button", name="Load sample data")).to_be_visible()
    expect(page.get_by_role("link", name="Set up a source")).to_be_visible()
    page.get_by_role("link", name="Send data").last.click()
    expect(page.get_by_role("heading", name="Send data")).to_be_visible()
    expect(page.get_by_label("Environment")).to_have_value(env)


def test_who_may_change_nothing_is_offered_nothing_that_does(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    account = {"username": "onlooker", "password": PASSWORD}
    service.client.post("/api/users", json={**account, "role": "viewer"}).raise_for_status()
    page = open_page(f"#/explore?env={env}", account=account)
    expect(page.get_by_role("heading", name="No events yet")).to_be_visible()
    expect(page.get_by_role("button", name="Load sample data")).not_to_be_visible()
