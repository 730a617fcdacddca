"""What holds for the whole service, and how it works inside, changed in a browser."""

from datetime import timedelta

import pytest
from tests.conftest import MakeService
from tests.running import RunningService
from tests.ui.administering import confirm, dialog, error_at, expect_said
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import keep_events, minutes_ago, write_time
from tests.waiting import poll_until

OLD_DAYS = 100


@pytest.fixture
def own(start_service: MakeService) -> RunningService:
    """A service whose settings are the test's to change."""
    return start_service()


def read(service: RunningService, section: str, name: str) -> object:
    return service.client.get("/api/settings").json()[section][name]


def test_old_events_go_once_retention_says_so_and_somebody_agrees(
    open_page: OpenPage, own: RunningService
) -> None:
    old = write_time(minutes_ago(0) - timedelta(days=OLD_DAYS))
    keep_events(own, "default", [{"timestamp": old, "message": "old"}, {"message": "new"}])
    page = open_page("#/admin/general", on=own)
    page.get_by_role("button", name="Sweep now…").click()
    expect_said(page, "Nothing to remove")
    days = page.get_by_label("Retention in days")
    days.fill("0")
    page.get_by_role("button", name="Save").first.click()
    expect(error_at(page, "Retention in days")).to_be_visible()
    days.fill("30")
    page.get_by_role("button", name="Save").first.click()
    expect_said(page, "Saved")
    assert read(own, "general", "retention_days") == 30
    page.get_by_label("Size limit in GB").fill("0.5")
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_role("button", name="Save").first).to_be_disabled()
    poll_until(
        lambda: read(own, "general", "retention_bytes") == 500_000_000, "the size to be kept"
    )
    page.get_by_role("button", name="Sweep now…").click()
    expect(dialog(page)).to_contain_text("1 event in 1 block")
    assert own.count(env="default") == 2
    confirm(page, "Remove them")
    expect_said(page, "1 event removed")
    assert own.count(env="default") == 1


def test_push_requests_in_protobuf_are_switched(open_page: OpenPage, own: RunningService) -> None:
    before = read(own, "ingest", "push_protobuf")
    page = open_page("#/admin/general", on=own)
    page.get_by_label("Decode push requests in protobuf").set_checked(not before)
    page.get_by_role("button", name="Save").last.click()
    expect_said(page, "Saved")
    assert read(own, "ingest", "push_protobuf") is not before
    expect(page.get_by_role("region", name="About")).to_contain_text("Logboom 0")


def test_the_storage_engine_is_tuned(open_page: OpenPage, own: RunningService) -> None:
    page = open_page("#/admin/tunables", on=own)
    expect(page.get_by_role("heading", name="Storage engine")).to_be_visible()
    page.get_by_label("Events per block").fill("0")
    page.get_by_role("button", name="Save").click()
    expect(error_at(page, "Events per block")).to_be_visible()
    page.get_by_label("Events per block").fill("1234")
    page.get_by_label("Flush interval in seconds").fill("2.5")
    page.get_by_role("button", name="Save").click()
    expect_said(page, "Saved")
    assert read(own, "storage", "block_flush_rows") == 1234
    assert read(own, "storage", "block_flush_secs") == 2.5


def test_what_waits_is_written_at_once(open_page: OpenPage, own: RunningService) -> None:
    own.ingest(b'{"message":"one"}\n{"message":"two"}')
    page = open_page("#/admin/tunables", on=own)
    page.get_by_role("button", name="Flush now").click()
    expect_said(page, "Written: 2 events in 1 block")
    assert own.count(env="default") == 2
    page.get_by_role("button", name="Flush now").click()
    expect_said(page, "Nothing to flush")
