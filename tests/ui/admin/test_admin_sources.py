"""Files that the service reads by itself, set up in a browser."""

import re
import uuid
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.running import RunningService
from tests.ui.administering import act, confirm, dialog, error_at, expect_said, row_of
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.waiting import poll_until

PLACE = "#/admin/ingestion/sources"
LINES = "ready to serve\nserved one\nserved two\n"


@pytest.fixture
def name() -> str:
    return f"source {uuid.uuid4().hex[:8]}"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A directory with a log, an older one and something else."""
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "app.log").write_text(LINES)
    (folder / "app.log.1").write_text("an older line\n")
    (folder / "readme.txt").write_text("not a log\n")
    return folder


def open_form(open_page: OpenPage, name: str, path: Path, env: str) -> Page:
    page = open_page(PLACE)
    page.get_by_role("button", name="New source").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Path", exact=True).fill(str(path))
    page.get_by_label("Environment").select_option(env)
    page.get_by_label("Poll interval in seconds").fill("3600")
    return page


def make_source(service: RunningService, env: str, name: str, path: str) -> str:
    body = {"name": name, "environment": env, "path": path, "poll_interval_secs": 3600}
    answer = service.client.post("/api/sources", json=body)
    assert answer.is_success, answer.text
    source_id: str = answer.json()["id"]
    return source_id


def test_the_formats_and_presets_are_those_of_the_server(
    open_page: OpenPage, service: RunningService, env: str, name: str, logs: Path
) -> None:
    known = service.client.get("/api/sources/formats").json()
    page = open_form(open_page, name, logs / "*", env)
    choice = page.get_by_label("Format", exact=True)
    offered = choice.locator("option").evaluate_all("all => all.map(({ value }) => value)")
    assert sorted(offered) == sorted(known["formats"])
    choice.select_option("grok")
    pattern = page.get_by_label("Grok pattern")
    listed = page.locator(f"#{pattern.get_attribute('list')} option")
    expect(listed).to_have_count(len(known["grok_presets"]))
    values = listed.evaluate_all("all => all.map(({ value }) => value)")
    assert values == known["grok_presets"]


def test_a_path_is_chosen_by_looking_around(
    open_page: OpenPage, service: RunningService, env: str, name: str, logs: Path
) -> None:
    page = open_form(open_page, name, logs.parent / "*", env)
    page.get_by_role("button", name="Browse…").click()
    browser = page.get_by_role("region", name="Directory browser")
    browser.get_by_role("button", name="logs/").click()
    expect(browser).to_contain_text(str(logs))
    expect(browser.get_by_role("listitem")).to_have_count(3)
    browser.get_by_role("button", name="↑ Up").click()
    browser.get_by_role("button", name="logs/").click()
    expect(browser.get_by_role("listitem")).to_have_count(3)
    browser.get_by_role("button", name="*.log here", exact=True).click()
    expect(page.get_by_label("Path", exact=True)).to_have_value(f"{logs}/*.log")
    page.get_by_role("button", name="Browse…").click()
    browser.get_by_role("button", name=re.compile("^app.log ")).click()
    browser.get_by_role("button", name="Include rotated files").click()
    expect(page.get_by_label("Path", exact=True)).to_have_value(f"{logs}/app.log*")
    page.get_by_role("button", name="Create").click()
    expect_said(page, f"Source {name} created")
    row = row_of(page, "Sources", name)
    expect(row).to_contain_text(f"{logs}/app.log*")
    expect(row).to_contain_text(env)
    act(row, "Run now")
    expect_said(page, f"{name}: all files have been read")
    expect(row).to_contain_text("OK")
    service.flush()
    assert service.count(env=env) == 4


def test_every_setting_is_kept_and_shown_again(
    open_page: OpenPage, service: RunningService, env: str, name: str, logs: Path
) -> None:
    page = open_form(open_page, name, logs / "*.log", env)
    page.get_by_label("Exclude").fill(f"{logs}/secret.log\n\n{logs}/other.log")
    page.get_by_label("Index", exact=True).fill("shop")
    page.get_by_label("Source tag").fill("till")
    page.get_by_label("Format").select_option("grok")
    page.get_by_label("Grok pattern").fill("%{WORD:verb} %{GREEDYDATA:rest}")
    page.get_by_label("Compression").select_option("none")
    page.get_by_label("Multiline").check()
    page.get_by_label("First line").fill(r"^\S")
    page.get_by_label("Maximum lines").fill("20")
    page.get_by_label("Enabled").uncheck()
    page.get_by_role("button", name="Create").click()
    row = row_of(page, "Sources", name)
    expect(row).to_contain_text("Disabled")
    [kept] = [each for each in service.client.get("/api/sources").json() if each["name"] == name]
    wanted = {
        "exclude": [f"{logs}/secret.log", f"{logs}/other.log"],
        "environment": env,
        "index": "shop",
        "source": "till",
        "format": "grok",
        "grok": "%{WORD:verb} %{GREEDYDATA:rest}",
        "compression": "none",
        "multiline": {"pattern": r"^\S", "max_lines": 20},
        "poll_interval_secs": 3600,
        "enabled": False,
    }
    assert {member: kept[member] for member in wanted} == wanted
    act(row, "Edit")
    expect(page.get_by_label("First line")).to_have_value(r"^\S")
    expect(page.get_by_label("Grok pattern")).to_have_value("%{WORD:verb} %{GREEDYDATA:rest}")
    page.get_by_label("Index", exact=True).fill("stall")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("stall")


def test_what_is_wrong_is_said_at_its_field(
    open_page: OpenPage, env: str, name: str, logs: Path
) -> None:
    page = open_form(open_page, name, Path("relative/*.log"), env)
    page.get_by_label("Poll interval in seconds").fill("1")
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "Poll interval in seconds")).to_contain_text("5")
    page.get_by_label("Poll interval in seconds").fill("5")
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "Path")).to_contain_text("absolute")
    expect(page.get_by_label("Path", exact=True)).to_be_focused()
    page.get_by_label("Path", exact=True).fill(str(logs / "*.log"))
    page.get_by_label("Multiline").check()
    page.get_by_label("First line").fill("(")
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "First line")).to_be_visible()
    expect(dialog(page)).to_be_visible()


def test_its_state_changes_while_one_looks(
    open_page: OpenPage, service: RunningService, env: str, name: str, logs: Path
) -> None:
    source_id = make_source(service, env, name, f"{logs}/*.log")
    page = open_page(PLACE)
    row = row_of(page, "Sources", name)
    expect(row).to_contain_text("Waiting")
    service.client.post(f"/api/sources/{source_id}/run").raise_for_status()
    expect(row).to_contain_text("OK")
    act(row, "Files")
    expect(dialog(page)).to_contain_text("1 file, 3 events")
    expect(dialog(page).get_by_role("cell", name=f"{logs}/app.log")).to_be_visible()
    dialog(page).get_by_label("Find a file").fill("nothing like it")
    expect(dialog(page)).to_contain_text("No files match.")


def count_now(service: RunningService, env: str) -> int:
    service.flush()
    return service.count(env=env)


def test_a_reset_reads_everything_again_and_a_delete_ends_it(
    open_page: OpenPage, service: RunningService, env: str, name: str, logs: Path
) -> None:
    make_source(service, env, name, f"{logs}/*.log")
    page = open_page(PLACE)
    row = row_of(page, "Sources", name)
    act(row, "Run now")
    expect_said(page, f"{name}: all files have been read")
    act(row, "Reset")
    expect(dialog(page)).to_contain_text("3 events")
    confirm(page, "Read everything again")
    expect_said(page, f"{name} will start over on its next run")
    act(row, "Run now")
    poll_until(lambda: count_now(service, env) == 6, "every line a second time")
    act(row, "Disable")
    expect(row).to_contain_text("Disabled")
    act(row, "Delete")
    confirm(page, "Delete")
    expect(row).to_have_count(0)


def test_what_may_not_be_read_is_refused_at_its_field(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    page = open_form(open_page, name, service.root / "*.log", env)
    page.get_by_role("button", name="Create").click()
    expect(error_at(page, "Path")).to_contain_text("may not be read")
    page.get_by_label("Path", exact=True).fill("/proc/*")
    page.get_by_role("button", name="Browse…").click()
    browser = page.get_by_role("region", name="Directory browser")
    expect(browser).not_to_contain_text("cmdline")
