"""What a machine can find of what keeps people out of first runs, dialogs and panels: axe on each, light and dark."""

import uuid

import pytest
from playwright.sync_api import Locator, Page
from tests.process.service import Service
from tests.running import RunningService
from tests.ui.administering import act, dialog, row_of
from tests.ui.axe import find_faults
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    event_rows,
    expect_found,
    keep_orders,
    open_explore,
    run_query,
    take_tool,
)

PASSWORD = "four unrelated quiet words"


@pytest.fixture
def name() -> str:
    return f"checked {uuid.uuid4().hex[:8]}"


def check(page: Page) -> None:
    faults = find_faults(page)
    assert not faults, "\n".join(faults)


def panel(page: Page, name: str) -> Locator:
    return page.get_by_role("dialog", name=name)


def test_the_first_run_keeps_nobody_out(open_page: OpenPage, fresh_server: Service) -> None:
    page = open_page("", on=fresh_server, account=None)
    expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
    check(page)
    page.get_by_label("User name").fill("ann")
    page.get_by_label("Password", exact=True).fill("short")
    page.get_by_label("Repeat the password").fill("shorter")
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    check(page)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("heading", name="What now?")).to_be_visible()
    check(page)


def test_a_refused_sign_in_keeps_nobody_out(open_page: OpenPage) -> None:
    page = open_page("", account=None)
    page.get_by_label("User name").fill("nobody")
    page.get_by_label("Password").fill("wrong password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    check(page)


@pytest.mark.parametrize(
    ("place", "button", "label"),
    [
        ("/admin/ingestion/tokens", "New token", "Token"),
        ("/admin/keys", "New key", "Key"),
        ("/admin/keys", "New agent key", "Key"),
    ],
)
def test_a_new_secret_keeps_nobody_out(
    open_page: OpenPage, name: str, place: str, button: str, label: str
) -> None:
    page = open_page(f"#{place}")
    page.get_by_role("button", name=button).click()
    dialog(page).get_by_label("Name", exact=True).fill(name)
    if button == "New key":
        page.get_by_role("checkbox", name="Search").check()
    page.get_by_role("button", name="Create").click()
    expect(dialog(page).get_by_label(label, exact=True)).to_be_visible()
    check(page)


def test_questions_before_something_goes_keep_nobody_out(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    service.client.post("/api/tokens", json={"name": name, "env": env}).raise_for_status()
    page = open_page("#/admin/environments")
    act(row_of(page, "Environments", env), "Delete")
    expect(dialog(page)).to_contain_text("24 events")
    check(page)
    dialog(page).get_by_role("textbox").fill(env)
    expect(dialog(page).get_by_role("button", name="Delete with all events")).to_be_enabled()
    check(page)
    page.goto("/#/admin/ingestion/tokens")
    act(row_of(page, "Tokens", name), "Delete")
    expect(dialog(page)).to_contain_text(name)
    check(page)


def test_saving_a_query_and_finding_it_again_keeps_nobody_out(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_page(f"#/explore?env={env}&q=level:error")
    expect_found(page, "4 events")
    take_tool(page, "Save query")
    form = panel(page, "Save query")
    expect(form).to_be_visible()
    check(page)
    form.get_by_label("Name").fill(name)
    form.get_by_label("Share with everyone").check()
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    take_tool(page, "Saved queries")
    expect(panel(page, "Saved queries")).to_contain_text(name)
    check(page)


def test_the_history_and_the_keys_keep_nobody_out(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_page(f"#/explore?env={env}")
    expect_found(page, "24 events")
    for query in ("level:error", "failed"):
        run_query(page, query)
        expect_found(page, "4 events")
    take_tool(page, "History")
    expect(panel(page, "History").get_by_role("listitem")).to_have_count(2)
    check(page)
    page.keyboard.press("Escape")
    take_tool(page, "Keyboard shortcuts")
    expect(panel(page, "Keyboard shortcuts").get_by_role("rowheader").first).to_be_visible()
    check(page)


def test_a_download_keeps_nobody_out(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, col="status")
    expect_found(page, "24 events")
    page.evaluate("() => { window.showSaveFilePicker = undefined }")
    take_tool(page, "Download")
    opened = panel(page, "Download")
    opened.get_by_role("button", name="Download").click()
    expect(opened.get_by_role("status")).to_contain_text("Done:")
    check(page)
    page.route("**/api/export?*", lambda route: route.abort())
    opened.get_by_role("button", name="Download").click()
    expect(opened.get_by_role("alert")).to_be_visible()
    check(page)


def test_live_events_keep_nobody_out(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_page(f"#/explore?env={env}&live=1")
    live = page.get_by_role("region", name="Live events")
    expect(live.get_by_role("status")).to_have_text("live")
    check(page)
    keep_orders(service, env)
    expect(event_rows(page).first).to_be_visible()
    live.get_by_role("button", name="Pause").click()
    expect(live.get_by_role("status")).to_have_text("paused")
    check(page)
