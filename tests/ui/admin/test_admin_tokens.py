"""Tokens of shippers, made and taken away in a browser."""

import uuid

import pytest
from playwright.sync_api import Page
from tests.conftest import MakeService
from tests.running import RunningService
from tests.ui.administering import act, confirm, dialog, error_at, expect_said, row_of
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import read_clipboard
from tests.waiting import poll_until

PLACE = "#/admin/ingestion/tokens"
EVENT = b'{"message":"here"}'


@pytest.fixture
def name() -> str:
    return f"shipper {uuid.uuid4().hex[:8]}"


def make_token(page: Page, name: str, env: str, indexes: str = "*") -> str:
    """Fills in the form; the secret, which is copied as it is shown."""
    page.get_by_role("button", name="New token").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Environment").select_option(env)
    page.get_by_label("Indexes").fill(indexes)
    page.get_by_role("button", name="Create").click()
    expect(dialog(page)).to_contain_text("cannot be shown again")
    secret = page.get_by_label("Token", exact=True).input_value()
    dialog(page).get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Token copied")).to_be_visible()
    assert read_clipboard(page) == secret
    dialog(page).get_by_role("button", name="Done").click()
    return secret


def send(service: RunningService, secret: str, index: str = "shop") -> int:
    headers = {"Authorization": f"Bearer {secret}"}
    answer = service.ingest(EVENT, {"index": index}, headers)
    ingested: int = answer.json().get("ingested", -answer.status_code)
    return ingested


def test_a_token_is_shown_once_and_writes_where_it_may(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    page = open_page(PLACE)
    secret = make_token(page, name, env, "shop\nstall-*")
    assert [send(service, secret, index) for index in ("shop", "stall-1", "other")] == [1, 1, 0]
    row = row_of(page, "Tokens", name)
    expect(row).to_contain_text("shop, stall-*")
    expect(row).to_contain_text(env)
    expect(row).to_contain_text("Enabled")
    page.reload()
    expect(row.get_by_role("cell").nth(4)).not_to_have_text("never")
    assert secret not in page.content()


def test_a_token_is_changed_disabled_and_deleted(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    page = open_page(PLACE)
    secret = make_token(page, name, env)
    row = row_of(page, "Tokens", name)
    act(row, "Edit")
    page.get_by_label("Indexes").fill("stall")
    dialog(page).get_by_role("button", name="Save").click()
    expect(row).to_contain_text("stall")
    assert [send(service, secret), send(service, secret, "stall")] == [0, 1]
    act(row, "Disable")
    expect(row).to_contain_text("Disabled")
    assert send(service, secret, "stall") == -401
    act(row, "Delete")
    confirm(page, "Delete")
    expect_said(page, f"Token {name} deleted")
    expect(row).to_have_count(0)


def test_what_is_wrong_is_said_at_its_field(open_page: OpenPage, env: str) -> None:
    page = open_page(PLACE)
    page.get_by_role("button", name="New token").click()
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "Name")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.get_by_label("Name", exact=True).fill("x")
    page.get_by_label("Indexes").fill("")
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "Indexes")).to_be_visible()


def test_who_comes_second_is_told_that_somebody_was_faster(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    page = open_page(PLACE)
    make_token(page, name, env)
    act(row_of(page, "Tokens", name), "Edit")
    [token] = [each for each in service.client.get("/api/tokens").json() if each["name"] == name]
    changed = service.client.patch(f"/api/tokens/{token['id']}", json={"indexes": ["theirs"]})
    assert changed.is_success, changed.text
    page.get_by_label("Indexes").fill("mine")
    dialog(page).get_by_role("button", name="Save").click()
    expect(dialog(page)).to_contain_text("Someone else")
    dialog(page).get_by_role("button", name="Reload current values").click()
    expect(page.get_by_label("Indexes")).to_have_value("theirs")


def test_a_way_in_is_closed_and_opened(open_page: OpenPage, start_service: MakeService) -> None:
    own = start_service()
    page = open_page(PLACE, on=own)
    save = page.get_by_role("button", name="Save")
    page.get_by_label("Native endpoints").uncheck()
    save.click()
    expect_said(page, "Saved")
    expect(save).to_be_disabled()
    assert own.ingest(EVENT).status_code == 403
    page.get_by_label("Native endpoints").check()
    save.click()
    # Its button waits as well while it is under way.
    poll_until(lambda: own.ingest(EVENT).status_code == 200, "the way in to be open again")
    expect(save).to_be_disabled()
