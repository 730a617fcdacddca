"""Lookup tables as a page: made from a file, looked at, replaced, deleted."""

from tests.running import RunningService
from tests.ui.administering import act, confirm, dialog, expect_said, row_of
from tests.ui.conftest import PHONE, OpenPage
from tests.ui.expecting import expect
from tests.ui.hostile import HOSTILE, expect_harmless, show_line

TEAMS = b'[{"host":"web-1","team":"front"},{"host":"db-1","team":"back, of \\"all\\""}]'


def test_a_table_is_made_from_json_looked_at_replaced_and_deleted(
    open_page: OpenPage, service: RunningService
) -> None:
    page = open_page("#/admin/lookups")
    page.get_by_role("button", name="New lookup table").click()
    chosen = {"name": "teams of 2026.json", "mimeType": "application/json", "buffer": TEAMS}
    page.get_by_label("File", exact=True).set_input_files(chosen)  # type: ignore[arg-type]
    expect(page.get_by_label("Name", exact=True)).to_have_value("teams_of_2026")
    shown = dialog(page).get_by_role("table", name="Rows")
    expect(shown.get_by_role("cell")).to_have_text(["web-1", "front", "db-1", 'back, of "all"'])
    confirm(page, "Create")
    expect_said(page, "Lookup table teams_of_2026 created")
    kept = service.client.get("/api/lookups/teams_of_2026").json()["csv"]
    assert kept == 'host,team\nweb-1,front\ndb-1,"back, of ""all"""\n'

    row = row_of(page, "Lookup tables", "teams_of_2026")
    expect(row.get_by_role("cell")).to_contain_text(["teams_of_2026", "host, team", "2"])
    act(row, "Replace")
    rows = page.get_by_label("Rows", exact=True).and_(page.locator("textarea"))
    expect(rows).to_have_value(kept)
    rows.fill("host,team\nweb-1\n")
    expect(dialog(page)).to_contain_text("row 2 has 1 cells, the first line has 2")
    hostile = [text for text in HOSTILE if text.strip() and "\r" not in text]
    quoted = [text.replace('"', '""') for text in hostile]
    rows.fill("".join(["host,team\n", *(f'web-1,"{text}"\n' for text in quoted)]))
    confirm(page, "Replace")
    act(row, "View")
    cells = dialog(page).locator("td:last-child")
    expect(cells.first).to_have_text(show_line(hostile[0]))
    expect_harmless(page)
    dialog(page).get_by_role("link", name="Open in Explore").click()
    expect(page.get_by_role("grid", name="Result")).to_contain_text("web-1")

    page.go_back()
    act(row_of(page, "Lookup tables", "teams_of_2026"), "Delete")
    confirm(page, "Delete")
    assert service.client.get("/api/lookups/teams_of_2026").status_code == 404


def test_a_phone_has_room_for_the_navigation(open_page: OpenPage) -> None:
    page = open_page("#/alerts", size=PHONE)
    pages = page.get_by_role("navigation", name="Pages")
    expect(pages).to_be_hidden()
    menu = page.get_by_role("button", name="☰ Alerts")
    menu.click()
    expect(pages.get_by_role("link")).to_have_count(5)
    page.keyboard.press("Escape")
    expect(pages).to_be_hidden()
    menu.click()
    pages.get_by_role("link", name="Admin").click()
    expect(pages).to_be_hidden()
    side = page.get_by_role("navigation", name="Admin area")
    expect(side.get_by_role("link")).to_have_count(0)
    side.get_by_role("button", name="Data ingestion").click()
    side.get_by_role("link", name="Lookup tables").click()
    expect(page.get_by_role("heading", name="Lookup tables")).to_be_visible()
    expect(side.get_by_role("button", name="Lookup tables")).to_be_visible()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]
