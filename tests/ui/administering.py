"""Helpers for tests of the admin pages: tables, their rows, and the actions of each row."""

from playwright.sync_api import Locator, Page
from tests.ui.expecting import expect


def rows_of(page: Page, table: str) -> Locator:
    rows = page.get_by_role("table", name=table, exact=True).get_by_role("row")
    return rows.filter(has=page.get_by_role("cell"))


def row_of(page: Page, table: str, name: str) -> Locator:
    """Return the row whose first cell has this name in bold."""
    return rows_of(page, table).filter(has=page.locator("strong", has_text=name))


def act(row: Locator, action: str) -> None:
    """Click an action of the row, a button or an item of its menu."""
    button = row.get_by_role("button", name=f"{action}:")
    more = row.get_by_role("button", name="More:")
    expect(button.or_(more).first).to_be_visible()
    if button.count():
        button.click()
    else:
        more.click()
        row.page.get_by_role("menuitem", name=action, exact=True).click()


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def confirm(page: Page, verb: str) -> None:
    dialog(page).get_by_role("button", name=verb, exact=True).click()
    expect(dialog(page)).to_have_count(0)


def error_at(page: Page, label: str) -> Locator:
    """Return the error that is shown for a field."""
    field = page.get_by_label(label, exact=True)
    expect(field).to_have_attribute("aria-invalid", "true")
    described = field.get_attribute("aria-describedby") or ""
    return page.locator(f"#{described.split()[-1]}")


def expect_said(page: Page, text: str) -> None:
    """Wait for a message at the edge of the page."""
    expect(page.get_by_role("status").filter(has_text=text).first).to_be_visible()


def fill_password(page: Page, label: str, password: str) -> None:
    page.get_by_label(label, exact=True).fill(password)
    page.get_by_label("Repeat the password").fill(password)
