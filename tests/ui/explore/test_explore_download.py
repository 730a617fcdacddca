"""Results as files, in a browser."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    event_rows,
    expect_copied,
    expect_found,
    keep_events,
    keep_orders,
    minutes_ago,
    open_explore,
    read_clipboard,
    take_tool,
    write_time,
)

OpenShop = Callable[..., Page]
MORE_THAN_A_PAGE = 620


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on the orders of a shop."""
    keep_orders(service, env)
    return lambda **view: open_explore(open_page, env, **view)


def open_dialog(page: Page) -> Locator:
    # The browser would ask where to, in a window of its own.
    page.evaluate("window.showSaveFilePicker = undefined")
    take_tool(page, "Download")
    return page.get_by_role("dialog", name="Download")


def download(page: Page, label: str) -> Path:
    dialog = page.get_by_role("dialog", name="Download")
    dialog.get_by_label("Format").select_option(label=label)
    with page.expect_download() as started:
        dialog.get_by_role("button", name="Download").click()
    expect(dialog.get_by_role("status")).to_contain_text("Done:")
    assert started.value.suggested_filename.startswith("logboom.")
    return started.value.path()


def test_csv_has_a_line_for_each_match(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error", f="+status:500")
    expect_found(page, "4 events")
    expect(open_dialog(page)).to_contain_text("4 events: all matches, not only those on the page.")
    with download(page, "CSV, for spreadsheets").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    assert {row["level"] for row in rows} == {"error"}
    assert rows[0]["message"] == "order 0 failed: no answer of 10.0.0.0"


def test_all_matches_come_not_only_those_on_the_page(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    times = [write_time(minutes_ago(1 + number / 100)) for number in range(MORE_THAN_A_PAGE)]
    keep_events(service, env, [{"timestamp": time, "n": n} for n, time in enumerate(times)])
    page = open_explore(open_page, env)
    expect_found(page, f"{MORE_THAN_A_PAGE} events")
    expect(event_rows(page).first).to_be_visible()
    open_dialog(page)
    lines = download(page, "NDJSON, one JSON object per line").read_text().splitlines()
    assert sorted(json.loads(line)["n"] for line in lines) == list(range(MORE_THAN_A_PAGE))
    expect(page.get_by_role("dialog", name="Download")).to_contain_text(f"{MORE_THAN_A_PAGE} lines")


def test_only_the_chosen_columns_come_when_asked_for(open_shop: OpenShop) -> None:
    page = open_shop(col=["service", "status"], q="level:warn")
    expect_found(page, "4 events")
    dialog = open_dialog(page)
    dialog.get_by_label("Only the time and the selected columns: service, status").check()
    with download(page, "CSV, for spreadsheets").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["_time", "service", "status"]
    assert [row[1:] for row in rows[1:]] == [["web", "429"]] * 4


def test_a_table_comes_as_it_is(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count by level | sort level")
    expect_found(page, "3 rows")
    expect(open_dialog(page)).to_contain_text("3 rows")
    content = download(page, "CSV, for spreadsheets").read_text()
    assert content.split() == ["level,count", "error,4", "info,16", "warn,4"]


def test_parquet_comes_whole(open_shop: OpenShop) -> None:
    page = open_shop()
    expect_found(page, "24 events")
    open_dialog(page)
    content = download(page, "Parquet, for data tools").read_bytes()
    assert (content[:4], content[-4:]) == (b"PAR1", b"PAR1")


def test_the_same_is_told_for_a_command_line(open_shop: OpenShop, env: str) -> None:
    page = open_shop(q="level:error")
    expect_found(page, "4 events")
    dialog = open_dialog(page)
    dialog.get_by_role("button", name="Copy as curl").click()
    expect(page.get_by_text("Copied").first).to_be_visible()
    assert "/api/export?query=level%3Aerror" in read_clipboard(page)
    dialog.get_by_role("button", name="Copy as logboom command").click()
    expect_copied(page, "logboom query --url")
    assert f"--env '{env}'" in read_clipboard(page)
