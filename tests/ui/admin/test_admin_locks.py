"""Settings that environment variables fix: they are shown, say what fixes them, and cannot be changed, in a browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page
from tests.process.service import PASSWORD, USERNAME, Service
from tests.ui.administering import expect_said
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect

ACCOUNT = {"username": USERNAME, "password": PASSWORD}
RETENTION = "Retention in days"
ROWS = "Events per block"
SECONDS = "Flush interval in seconds"


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with retention and the fill of blocks fixed, and the wait of blocks not."""
    folder = tmp_path_factory.mktemp("fixed")
    variables = {"SERVICE_RETENTION_DEFAULT_DAYS": "45", "SERVICE_BLOCK_FLUSH_ROWS": "1234"}
    server = Service(folder / "data", folder / "server.log", variables)
    try:
        server.start()
        yield server
    finally:
        server.close()


def hint_of(page: Page, field: Locator) -> Locator:
    return page.locator(f"#{(field.get_attribute('aria-describedby') or '').split()[0]}")


@pytest.mark.parametrize(
    ("place", "label", "value", "variable"),
    [
        ("general", RETENTION, "45", "SERVICE_RETENTION_DEFAULT_DAYS"),
        ("tunables", ROWS, "1234", "SERVICE_BLOCK_FLUSH_ROWS"),
    ],
)
def test_what_a_variable_fixes_is_shown_and_cannot_be_changed(
    open_page: OpenPage, fixed: Service, place: str, label: str, value: str, variable: str
) -> None:
    page = open_page(f"#/admin/{place}", on=fixed, account=ACCOUNT)
    field = page.get_by_label(label)
    expect(field).to_have_value(value)
    expect(field).to_be_disabled()
    expect(hint_of(page, field)).to_contain_text(f"Fixed by the environment variable {variable}.")


def test_what_is_beside_it_can_still_be_changed(open_page: OpenPage, fixed: Service) -> None:
    page = open_page("#/admin/tunables", on=fixed, account=ACCOUNT)
    wait = page.get_by_label(SECONDS)
    expect(wait).to_be_enabled()
    expect(hint_of(page, wait)).not_to_contain_text("environment variable")
    wait.fill("2.5")
    page.get_by_role("button", name="Save").click()
    expect_said(page, "Saved")
    page.reload()
    expect(wait).to_have_value("2.5")
    expect(page.get_by_label(ROWS)).to_have_value("1234")


def test_the_syslog_page_has_nothing_that_is_fixed(open_page: OpenPage, fixed: Service) -> None:
    page = open_page("#/admin/ingestion/syslog", on=fixed, account=ACCOUNT)
    expect(page.get_by_label("Listen for syslog")).to_be_enabled()
    expect(page.get_by_role("main")).not_to_contain_text("environment variable")


def test_a_reset_of_the_admin_that_is_still_asked_for_is_warned_of(
    open_page: OpenPage, fixed: Service
) -> None:
    page = open_page("#/admin/general", on=fixed, account=ACCOUNT)
    expect(page.get_by_label(RETENTION)).to_be_visible()
    expect(page.get_by_text("SERVICE_ADMIN_RESET is set.")).to_have_count(0)
    fixed.stop()
    fixed.settings |= {"SERVICE_ADMIN_RESET": "1", "SERVICE_ADMIN_PASSWORD": PASSWORD}
    fixed.spawn()
    fixed.await_ready()
    page = open_page("#/admin/general", on=fixed, account=ACCOUNT)
    expect(page.get_by_text("SERVICE_ADMIN_RESET is set.")).to_be_visible()
