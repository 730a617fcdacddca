"""Accounts and API keys, made and taken away in a browser; who has which role sees what."""

import json
import re
import uuid

import pytest
from tests.running import CREDENTIALS, RunningService
from tests.ui.administering import (
    act,
    confirm,
    dialog,
    error_at,
    expect_said,
    fill_password,
    row_of,
)
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect

PASSWORD = "four unrelated quiet words"
NEW_PASSWORD = "five other words nobody says"


@pytest.fixture
def name() -> str:
    return f"ann-{uuid.uuid4().hex[:8]}"


def make_user(service: RunningService, name: str, role: str) -> dict[str, str]:
    account = {"username": name, "password": PASSWORD}
    service.client.post("/api/users", json={**account, "role": role}).raise_for_status()
    return account


def log_in(service: RunningService, name: str, password: str) -> int:
    answer = service.anonymous.post(
        "/api/auth/login", json={"username": name, "password": password}
    )
    service.anonymous.cookies.clear()
    return answer.status_code


def test_an_account_is_made_limited_and_used(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    page = open_page("#/admin/users")
    page.get_by_role("button", name="New user").click()
    expect(page.get_by_label("User name")).to_be_focused()
    page.get_by_label("User name").fill(name)
    fill_password(page, "Password", PASSWORD)
    page.get_by_label("Role").select_option("viewer")
    page.get_by_label("Environments").fill(env)
    page.get_by_role("button", name="Create").click()
    expect_said(page, f"User {name} created")
    row = row_of(page, "Users", name)
    expect(row).to_contain_text("Viewer")
    expect(row).to_contain_text(env)
    theirs = open_page(f"#/explore?env={env}", account={"username": name, "password": PASSWORD})
    expect(theirs.get_by_role("combobox", name="Environment").get_by_role("option")).to_have_text(
        [env]
    )


def test_an_account_is_changed_disabled_and_deleted(
    open_page: OpenPage, service: RunningService, name: str
) -> None:
    make_user(service, name, "viewer")
    page = open_page("#/admin/users")
    row = row_of(page, "Users", name)
    act(row, "Edit")
    page.get_by_label("Role").select_option("editor")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("Editor")
    act(row, "Set a new password")
    fill_password(page, "New password", NEW_PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect_said(page, f"{name} has a new password")
    assert [log_in(service, name, each) for each in (PASSWORD, NEW_PASSWORD)] == [401, 200]
    act(row, "Disable")
    expect(row).to_contain_text("Disabled")
    assert log_in(service, name, NEW_PASSWORD) == 401
    act(row, "Delete")
    confirm(page, "Delete")
    expect(row).to_have_count(0)


def test_what_is_wrong_with_an_account_is_said_at_its_field(open_page: OpenPage) -> None:
    page = open_page("#/admin/users")
    page.get_by_role("button", name="New user").click()
    page.get_by_label("User name").fill("not allowed")
    fill_password(page, "Password", PASSWORD)
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "User name")).to_contain_text("not allowed")
    page.get_by_label("User name").fill(CREDENTIALS["username"])
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "User name")).to_contain_text("admin")


def test_one_changes_ones_own_password(
    open_page: OpenPage, service: RunningService, name: str
) -> None:
    page = open_page(account=make_user(service, name, "viewer"))
    page.get_by_text(name, exact=True).click()
    page.get_by_role("link", name="Your account").click()
    page.get_by_label("Current password").fill("not it at all")
    fill_password(page, "New password", NEW_PASSWORD)
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_role("button", name="Change password").click()
    expect_said(page, "Password changed")
    assert [log_in(service, name, each) for each in (PASSWORD, NEW_PASSWORD)] == [401, 200]


def test_a_key_is_shown_once_and_does_what_it_may(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    page = open_page("#/admin/keys")
    page.get_by_role("button", name="New key").click()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("checkbox", name="Search").check()
    page.get_by_label("Environments").fill(env)
    page.get_by_role("button", name="Create").click()
    expect(dialog(page)).to_contain_text("cannot be shown again")
    key = page.get_by_label("Key", exact=True).input_value()
    dialog(page).get_by_role("button", name="Done").click()
    row = row_of(page, "API keys", name)
    expect(row).to_contain_text("Search")
    assert [ask(service, key, each) for each in (env, "default")] == [200, 403]
    act(row, "Edit")
    page.get_by_label("Environments").fill("*")
    page.get_by_role("button", name="Save").click()
    expect(row.get_by_role("cell").nth(2)).to_have_text("*")
    assert ask(service, key, "default") == 200
    act(row, "Delete")
    confirm(page, "Delete")
    expect(row).to_have_count(0)
    assert ask(service, key, env) == 401


def test_a_key_for_an_agent_comes_with_the_configuration_of_its_client(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    page = open_page("#/admin/keys")
    page.get_by_role("button", name="New agent key").click()
    page.get_by_label("Name", exact=True).fill(name)
    expect(page.get_by_role("checkbox", name="Agent tools")).to_be_checked()
    page.get_by_label("Environments").fill(env)
    page.get_by_label("Tools", exact=True).fill("list_*\nsearch")
    page.get_by_role("button", name="Create").click()
    key = page.get_by_label("Key", exact=True).input_value()
    shown = dialog(page).locator("pre")
    expect(shown).to_contain_text(f"http://127.0.0.1:{service.port}/mcp")
    expect(shown).to_contain_text(key)
    page.get_by_label("Client").select_option(label="VS Code")
    configured = json.loads(shown.inner_text())["servers"]["logboom"]
    answer = service.anonymous.post(
        configured["url"],
        headers={**configured["headers"], "Accept": "application/json, text/event-stream"},
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    )
    assert answer.status_code == 200
    assert '"name":"search"' in answer.text
    assert '"name":"count"' not in answer.text
    dialog(page).get_by_role("button", name="Done").click()
    act(row_of(page, "API keys", name), "Connect")
    expect(shown).to_contain_text("LOGBOOM_KEY")
    assert key not in page.content()


def ask(service: RunningService, key: str, env: str) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    answer = service.anonymous.post("/api/search", json={"query": "", "env": env}, headers=headers)
    return answer.status_code


# Editors and admins see how many alerts fire, also those of other tests.
TOP: list[str | re.Pattern[str]] = [
    "Explore",
    "Dashboards",
    re.compile(r"^Alerts( \d+)?$"),
    "Send data",
]
ADMIN = [
    *("Data ingestion", "Environments", "Indexes", "Lookup tables"),
    *("Users", "Single sign-on", "API keys"),
    *("General", "Tunables", "Channels", "Status", "Audit"),
]


@pytest.mark.parametrize(
    ("role", "pages"),
    [
        ("viewer", ["Indexes", "Lookup tables"]),
        ("editor", ["Data ingestion", "Indexes", "Lookup tables"]),
        ("admin", ADMIN),
    ],
)
def test_a_role_is_shown_its_pages_and_refused_the_others(
    open_page: OpenPage, service: RunningService, name: str, role: str, pages: list[str]
) -> None:
    page = open_page(account=make_user(service, name, role))
    navigation = page.get_by_role("navigation", name="Pages")
    expect(navigation.get_by_role("link")).to_have_text([*TOP, "Admin"])
    navigation.get_by_role("link", name="Admin").click()
    side = page.get_by_role("navigation", name="Admin area")
    expect(side.get_by_role("link")).to_have_text(pages)
    expect(side.locator("[aria-current=page]")).to_have_text(pages[0])
    page.goto("/#/admin/users")
    refused = page.get_by_text("Your role does not have access to this page.")
    expect(refused).to_be_visible(visible=role != "admin")


def test_an_editor_looks_at_sources_but_changes_none(
    open_page: OpenPage, service: RunningService, name: str
) -> None:
    page = open_page("#/admin/ingestion", account=make_user(service, name, "editor"))
    expect(page.get_by_text("Only admins can create and change sources.")).to_be_visible()
    expect(page.get_by_role("button", name="New source")).to_have_count(0)
    tabs = page.get_by_role("navigation", name="Ingestion methods").get_by_role("link")
    expect(tabs).to_have_text(["Sources"])
