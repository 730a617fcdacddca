"""Results as files, written where somebody chose or handed over by the browser, and what becomes of half a file, in a browser."""

import json

import pytest
from playwright.sync_api import Download, Locator, Page, Route
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    address_of,
    expect_found,
    keep_events,
    minutes_ago,
    take_tool,
    write_time,
)
from tests.ui.wires import Wire

EVENTS = 3_000
HELD_AFTER_BYTES = 60_000
EXPORT = b"GET /api/export"
NDJSON = "NDJSON, one JSON object per line"
CSV = "CSV, for spreadsheets"
PARQUET = "Parquet, for data tools"

# A headless browser has no window to ask in. The file is a real one, of those that belong to the page.
CHOOSE = """
() => {
  window.showSaveFilePicker = async ({ suggestedName }) => {
    const folder = await navigator.storage.getDirectory()
    window.chosen = await folder.getFileHandle(suggestedName, { create: true })
    return window.chosen
  }
}
"""
CHOOSE_NOTHING = """
() => {
  window.showSaveFilePicker = () =>
    Promise.reject(new DOMException('The user aborted a request.', 'AbortError'))
}
"""
CHOOSE_WHAT_MAY_NOT_BE_WRITTEN = """
() => {
  window.showSaveFilePicker = async () => ({
    createWritable: () => Promise.reject(new DOMException('that folder is not yours', 'NotAllowedError')),
  })
}
"""
HAVE_NO_CHOICE = "() => { window.showSaveFilePicker = undefined }"
READ = "async () => await (await window.chosen.getFile()).text()"
READ_ENDS = """
async () => {
  const bytes = new Uint8Array(await (await window.chosen.getFile()).arrayBuffer())
  return [bytes.slice(0, 4), bytes.slice(-4)].map((each) => new TextDecoder().decode(each))
}
"""


@pytest.fixture
def page(open_page: OpenPage, service: RunningService, env: str, wire: Wire) -> Page:
    """Explore on many events, over a wire."""
    times = [write_time(minutes_ago(1 + number / 100)) for number in range(EVENTS)]
    keep_events(service, env, [{"timestamp": time, "n": n} for n, time in enumerate(times)])
    page = open_page(address_of(env), on=wire)
    expect_found(page, f"{EVENTS:,} events")
    return page


@pytest.fixture
def downloads(page: Page) -> list[Download]:
    """What the browser was handed over."""
    found: list[Download] = []
    page.on("download", lambda download: found.append(download))
    return found


def open_dialog(page: Page, way: str, label: str) -> Locator:
    page.evaluate(way)
    take_tool(page, "Download")
    dialog = page.get_by_role("dialog", name="Download")
    dialog.get_by_label("Format").select_option(label=label)
    return dialog


def start(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Download").click()


def numbers_of(text: str) -> list[int]:
    return sorted(json.loads(line)["n"] for line in text.splitlines())


def test_the_chosen_file_has_everything(page: Page, downloads: list[Download]) -> None:
    dialog = open_dialog(page, CHOOSE, NDJSON)
    start(dialog)
    expect(dialog.get_by_role("status")).to_contain_text("Done:")
    expect(dialog.get_by_role("status")).to_contain_text(f"{EVENTS:,} lines")
    assert numbers_of(page.evaluate(READ)) == list(range(EVENTS))
    assert page.evaluate("window.chosen.name") == "logboom.ndjson"
    assert downloads == []


def test_the_chosen_file_may_be_of_any_kind(page: Page) -> None:
    dialog = open_dialog(page, CHOOSE, PARQUET)
    start(dialog)
    expect(dialog.get_by_role("status")).to_contain_text("Done:")
    assert page.evaluate(READ_ENDS) == ["PAR1", "PAR1"]


def test_a_second_download_replaces_the_first(page: Page) -> None:
    dialog = open_dialog(page, CHOOSE, CSV)
    for _ in range(2):
        start(dialog)
        expect(dialog.get_by_role("status")).to_contain_text("Done:")
        assert len(page.evaluate(READ).splitlines()) == EVENTS + 1


def test_who_chooses_no_file_gets_none_and_no_complaint(
    page: Page, downloads: list[Download]
) -> None:
    dialog = open_dialog(page, CHOOSE_NOTHING, CSV)
    start(dialog)
    expect(dialog.get_by_role("button", name="Close").last).to_be_visible()
    expect(dialog.get_by_role("alert")).to_have_count(0)
    expect(dialog.get_by_role("progressbar")).to_have_count(0)
    assert downloads == []
    page.evaluate(CHOOSE)
    start(dialog)
    expect(dialog.get_by_role("status")).to_contain_text("Done:")


def test_a_file_that_may_not_be_written_is_told(page: Page) -> None:
    dialog = open_dialog(page, CHOOSE_WHAT_MAY_NOT_BE_WRITTEN, CSV)
    start(dialog)
    expect(dialog.get_by_role("alert")).to_have_text("That folder is not yours")
    expect(dialog.get_by_role("button", name="Download")).to_be_enabled()


@pytest.mark.parametrize("way", [CHOOSE, HAVE_NO_CHOICE], ids=["chosen", "handed over"])
def test_a_cancelled_download_leaves_nothing_and_can_be_started_again(
    page: Page, wire: Wire, downloads: list[Download], way: str
) -> None:
    wire.hold(EXPORT, HELD_AFTER_BYTES)
    dialog = open_dialog(page, way, NDJSON)
    start(dialog)
    expect(dialog.get_by_role("status")).to_contain_text("lines")
    expect(dialog.get_by_label("Format")).to_be_disabled()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog.get_by_role("status")).to_contain_text("Cancelled after")
    expect(dialog.get_by_role("alert")).to_have_count(0)
    assert downloads == []
    if way == CHOOSE:
        assert page.evaluate(READ) == ""
    wire.release()
    start(dialog)
    expect(dialog.get_by_role("status")).to_contain_text(f"{EVENTS:,} lines")
    expect(dialog.get_by_role("status")).to_contain_text("Done:")


def test_closing_the_dialog_ends_the_download(
    page: Page, wire: Wire, downloads: list[Download]
) -> None:
    wire.hold(EXPORT, HELD_AFTER_BYTES)
    dialog = open_dialog(page, HAVE_NO_CHOICE, NDJSON)
    with page.expect_event("requestfailed", lambda request: "/api/export" in request.url):
        start(dialog)
        expect(dialog.get_by_role("status")).to_contain_text("lines")
        page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert downloads == []


@pytest.mark.parametrize("way", [CHOOSE, HAVE_NO_CHOICE], ids=["chosen", "handed over"])
@pytest.mark.parametrize("label", [NDJSON, CSV])
def test_a_connection_that_breaks_is_told_and_leaves_no_half_file(
    page: Page, wire: Wire, downloads: list[Download], way: str, label: str
) -> None:
    wire.hold(EXPORT, HELD_AFTER_BYTES)
    dialog = open_dialog(page, way, label)
    start(dialog)
    expect(dialog.get_by_role("status")).to_contain_text("lines")
    wire.cut()
    expect(dialog.get_by_role("alert")).to_have_text("The connection was lost during the download")
    expect(dialog.get_by_role("status")).not_to_contain_text("Done")
    assert downloads == []
    if way == CHOOSE:
        assert page.evaluate(READ) == ""
    wire.mend()
    start(dialog)
    expect(dialog.get_by_role("status")).to_contain_text("Done:")
    expect(dialog.get_by_role("alert")).to_have_count(0)


def test_an_export_that_fails_on_the_server_is_told_and_leaves_no_half_file(
    page: Page, downloads: list[Download]
) -> None:
    error = {"error": {"code": "timeout", "message": "too slow"}}
    body = f'{{"n":1}}\n{json.dumps(error, separators=(",", ":"))}\n'

    def fail(route: Route) -> None:
        route.fulfill(body=body, content_type="application/x-ndjson")

    page.route("**/api/export?*", fail)
    dialog = open_dialog(page, HAVE_NO_CHOICE, NDJSON)
    start(dialog)
    expect(dialog.get_by_role("alert")).to_have_text("The export is incomplete: too slow")
    assert downloads == []


def test_an_export_that_is_refused_is_told(page: Page, service: RunningService, env: str) -> None:
    dialog = open_dialog(page, CHOOSE, CSV)
    service.client.delete(f"/api/envs/{env}", params={"name": env}).raise_for_status()
    start(dialog)
    expect(dialog.get_by_role("alert")).to_contain_text(env)
    assert page.evaluate(READ) == ""
