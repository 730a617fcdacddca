"""Queries that are kept under a name, in a browser."""

import uuid

import pytest
from playwright.sync_api import Locator, Page
from tests.api.signing_in import PASSWORD, make_user
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    expect_found,
    filter_texts,
    keep_orders,
    open_explore,
    query_field,
    run_query,
    take_tool,
)

from logboom.control.access.users import Role


@pytest.fixture
def name() -> str:
    return f"failures {uuid.uuid4().hex}"


def save(page: Page, name: str, *, is_shared: bool = False, button: str = "Save") -> None:
    take_tool(page, "Save query")
    dialog = page.get_by_role("dialog", name="Save query")
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Description").fill("what went wrong")
    if is_shared:
        dialog.get_by_label("Share with everyone").check()
    dialog.get_by_role("button", name=button).click()
    expect(dialog).to_have_count(0)
    # It may be said twice at a time, when it was saved again.
    expect(page.get_by_text(f"Saved as {name}").last).to_be_visible()


def open_saved(page: Page, name: str) -> Locator:
    """The entry of the query in the list of all."""
    take_tool(page, "Saved queries")
    return entry(page, name)


def entry(page: Page, name: str) -> Locator:
    dialog = page.get_by_role("dialog", name="Saved queries")
    return dialog.get_by_role("listitem").filter(has_text=name)


def find_saved(service: RunningService, name: str) -> dict[str, object]:
    answer = service.client.get("/api/queries")
    found: list[dict[str, object]] = [each for each in answer.json() if each["name"] == name]
    assert len(found) == 1
    return found[0]


def test_a_query_is_saved_with_all_that_belongs_to_it_and_loaded(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_explore(
        open_page, env, q="failed", f=["+level:error", "-off"], from_="-3h", col="status"
    )
    expect_found(page, "4 events")
    save(page, name)
    kept = find_saved(service, name)
    assert (kept["query"], kept["filters"], kept["env"]) == ("failed", ["level:error"], env)
    assert (kept["from"], kept["columns"], kept["is_shared"]) == ("-3h", ["status"], False)
    other = open_explore(open_page, env)
    expect_found(other, "24 events")
    open_saved(other, name).get_by_role("button", name=name).first.click()
    expect_found(other, "4 events")
    expect(query_field(other)).to_have_text("failed")
    expect(filter_texts(other)).to_have_text(["level:error"])
    expect(other.get_by_role("button", name="Time: Last 3 hours")).to_be_visible()
    expect(other.get_by_role("columnheader", name="status")).to_be_visible()


def test_one_of_the_same_name_is_replaced(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, q="level:error")
    save(page, name)
    run_query(page, "level:warn")
    save(page, name, button="Replace")
    assert find_saved(service, name)["query"] == "level:warn"


def test_what_is_shared_is_seen_by_others_and_what_is_not_is_not(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, q="level:error")
    save(page, f"{name} of all", is_shared=True)
    save(page, f"{name} of mine")
    other = open_page(f"#/explore?env={env}", account=None)
    other.get_by_label("User name").fill(make_user(service, Role.VIEWER).username)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    expect_found(other, "24 events")
    shared = open_saved(other, name)
    expect(shared).to_have_count(1)
    expect(shared).to_contain_text("admin, shared")
    expect(shared.get_by_role("button", name="Delete")).to_have_count(0)
    shared.get_by_role("button").first.click()
    expect_found(other, "4 events")


def test_sharing_is_ended_and_a_query_deleted(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, q="level:error")
    save(page, name, is_shared=True)
    mine = open_saved(page, name)
    expect(mine).to_contain_text("yours, shared")
    mine.get_by_role("button", name="Make private").click()
    expect(mine).not_to_contain_text("shared")
    assert find_saved(service, name)["is_shared"] is False
    mine.get_by_role("button", name=f"Delete {name}").click()
    expect(mine).to_have_count(0)
    assert name not in service.client.get("/api/queries").text


def test_a_query_that_cannot_be_read_is_not_saved(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, q="level:(error OR")
    take_tool(page, "Save query")
    dialog = page.get_by_role("dialog", name="Save query")
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    assert name not in service.client.get("/api/queries").text


def test_a_saved_query_is_opened_beside_what_is_pinned(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, q="order", f="+level:error")
    expect_found(page, "4 events")
    save(page, name)
    other = open_explore(open_page, env, f=["!+status:500", "+service:web"])
    open_saved(other, name).get_by_role("button", name=name).first.click()
    expect(query_field(other)).to_have_text('"order"')
    expect(filter_texts(other)).to_have_text(["status:500", "level:error"])
    expect_found(other, "4 events")


def test_a_query_is_starred_and_renamed(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env, q="failed")
    save(page, f"a {name}")
    save(page, f"z {name}")
    of_both = open_saved(page, name)
    expect(of_both.locator("strong")).to_have_text([f"a {name}", f"z {name}"])
    of_both.last.get_by_role("button", name="Star").click()
    expect(of_both.locator("strong")).to_have_text([f"z {name}", f"a {name}"])
    of_both.first.get_by_role("button", name="Rename").click()
    field = page.get_by_label(f"New name of z {name}")
    field.press("Escape")
    of_both.first.get_by_role("button", name="Rename").click()
    field.fill(f"y {name}")
    field.press("Enter")
    expect(of_both.locator("strong")).to_have_text([f"y {name}", f"a {name}"])
    find_saved(service, f"y {name}")
    page.reload()
    first = open_saved(page, name).first
    expect(first.get_by_role("button", name="Star")).to_have_attribute("aria-pressed", "true")


def test_a_star_is_there_in_another_browser(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    page = open_explore(open_page, env, q="failed")
    save(page, f"a {name}")
    save(page, f"z {name}")
    of_both = open_saved(page, name)
    of_both.last.get_by_role("button", name="Star").click()
    expect(of_both.locator("strong")).to_have_text([f"z {name}", f"a {name}"])
    other = open_explore(open_page, env)
    assert other.context != page.context
    expect(open_saved(other, name).locator("strong")).to_have_text([f"z {name}", f"a {name}"])


def test_stars_of_the_browser_are_carried_over_once(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    page = open_explore(open_page, env, q="failed")
    save(page, f"a {name}")
    save(page, f"z {name}")
    saved = find_saved(service, f"z {name}")
    page.evaluate(f"localStorage.setItem('logboom.starred', '[\"gone\", \"{saved['id']}\"]')")
    of_both = open_saved(page, name)
    expect(of_both.locator("strong")).to_have_text([f"z {name}", f"a {name}"])
    assert find_saved(service, f"z {name}")["is_starred"]
    of_both.first.get_by_role("button", name="Star").click()
    expect(of_both.locator("strong")).to_have_text([f"a {name}", f"z {name}"])
    page.reload()
    expect(open_saved(page, name).locator("strong")).to_have_text([f"a {name}", f"z {name}"])
