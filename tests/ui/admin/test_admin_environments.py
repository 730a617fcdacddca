"""Environments, made and removed in a browser."""

import uuid

from tests.running import RunningService
from tests.ui.administering import act, dialog, error_at, expect_said, row_of
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import keep_orders

PLACE = "#/admin/environments"


def test_an_environment_is_made_with_its_own_retention(
    open_page: OpenPage, service: RunningService
) -> None:
    name = f"new-{uuid.uuid4().hex[:8]}"
    page = open_page(PLACE)
    page.get_by_role("button", name="New environment").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Retention in days").fill("30")
    page.get_by_role("button", name="Create").click()
    row = row_of(page, "Environments", name)
    expect(row).to_contain_text("30 days")
    act(row, "Change")
    page.get_by_label("Retention in days").fill("7")
    page.get_by_label("Size limit in GB").fill("2.5")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("7 days, at most 2.5 GB")
    [kept] = [each for each in service.client.get("/api/envs").json() if each["name"] == name]
    assert (kept["retention_days"], kept["retention_bytes"]) == (7, 2_500_000_000)


def test_each_says_what_it_holds(open_page: OpenPage, service: RunningService, env: str) -> None:
    keep_orders(service, env)
    page = open_page(PLACE)
    row = row_of(page, "Environments", env)
    expect(row.get_by_role("cell").nth(2)).to_have_text("1")
    expect(row.get_by_role("cell").nth(3)).to_have_text("24")
    expect(row.get_by_role("cell").nth(4)).to_contain_text("kB")


def test_it_goes_only_when_its_name_is_repeated(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_page(PLACE)
    row = row_of(page, "Environments", env)
    act(row, "Delete")
    remove = dialog(page).get_by_role("button", name="Delete with all events")
    expect(dialog(page)).to_contain_text("24 events")
    expect(remove).to_be_disabled()
    dialog(page).get_by_role("textbox").fill(env[:-1])
    expect(remove).to_be_disabled()
    dialog(page).get_by_role("textbox").fill(env)
    remove.click()
    expect_said(page, f"Environment {env} deleted")
    expect(row).to_have_count(0)
    assert env not in [each["name"] for each in service.client.get("/api/envs").json()]


def test_the_default_one_stays(open_page: OpenPage) -> None:
    row = row_of(open_page(PLACE), "Environments", "default")
    expect(row.get_by_role("button", name="Change: default")).to_be_visible()
    expect(row.get_by_role("button", name="Delete")).to_have_count(0)


def test_what_is_wrong_is_said_at_its_field(open_page: OpenPage, env: str) -> None:
    page = open_page(PLACE)
    page.get_by_role("button", name="New environment").click()
    page.get_by_label("Name", exact=True).fill("Not Allowed")
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "Name")).to_contain_text("Not Allowed")
    page.get_by_label("Name", exact=True).fill(env)
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "Name")).to_contain_text(env)
    page.get_by_label("Name", exact=True).fill("fine")
    page.get_by_label("Retention in days").fill("0")
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "Retention in days")).to_contain_text("1")
