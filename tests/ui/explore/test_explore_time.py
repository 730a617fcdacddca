"""Choosing what time is looked at, in a browser."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    event_rows,
    expect_found,
    keep_events,
    minutes_ago,
    open_explore,
    write_time,
)

OpenTimes = Callable[..., Page]
AGES_MINUTES = (2, 30, 120, 600)


def find_midnight() -> datetime:
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


@pytest.fixture
def open_times(open_page: OpenPage, service: RunningService, env: str) -> OpenTimes:
    """Opens the page on one event of each age."""
    times = [minutes_ago(age) for age in AGES_MINUTES]
    keep_events(service, env, [{"timestamp": write_time(time), "message": "x"} for time in times])
    return lambda **view: open_explore(open_page, env, **view)


def time_button(page: Page) -> Locator:
    return page.get_by_role("group", name="Time range").get_by_role("button", name="Time:")


def open_panel(page: Page) -> Locator:
    time_button(page).click()
    return page.get_by_role("dialog", name="Choose a time range")


def type_range(page: Page, text: str) -> None:
    field = open_panel(page).get_by_label("Type a range")
    field.fill(text)
    field.press("Enter")


def test_a_quick_range_is_one_click_away(open_times: OpenTimes) -> None:
    page = open_times()
    expect(time_button(page)).to_have_text("Last 1 hour")
    expect_found(page, "2 events")
    panel = open_panel(page)
    expect(panel.get_by_role("button", name="Last 1 hour")).to_have_attribute(
        "aria-pressed", "true"
    )
    panel.get_by_role("button", name="Last 3 hours").click()
    expect(panel).to_be_hidden()
    expect(time_button(page)).to_have_text("Last 3 hours")
    expect_found(page, "3 events")


@pytest.mark.parametrize(
    ("typed", "words", "found"),
    [
        ("3h", "Last 3 hours", "3 events"),
        ("last 20 minutes", "Last 20 minutes", "1 event"),
        ("-3h to -1h", "3 hours ago \N{EN DASH} 1 hour ago", "1 event"),
        ("all time", "All time", "4 events"),
    ],
)
def test_a_range_is_typed_as_people_say_it(
    open_times: OpenTimes, typed: str, words: str, found: str
) -> None:
    page = open_times()
    type_range(page, typed)
    expect(time_button(page)).to_have_text(words)
    expect_found(page, found)


def test_days_and_their_hours_are_typed_too(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    midnight = find_midnight()
    noon = midnight - timedelta(hours=12)
    times = [noon - timedelta(days=1), noon, noon + timedelta(hours=1), midnight]
    keep_events(service, env, [{"timestamp": write_time(time)} for time in times])
    page = open_explore(open_page, env)
    type_range(page, "yesterday")
    expect(time_button(page)).to_have_text("Yesterday")
    expect_found(page, "2 events")
    type_range(page, f"{noon:%Y-%m-%d} 11:30-12:30")
    expect(time_button(page)).to_have_text(re.compile(f"^{noon:%b} {noon.day} .*11:30 . 12:30$"))
    expect_found(page, "1 event")


def test_what_is_understood_is_shown_while_typing(open_times: OpenTimes) -> None:
    page = open_times()
    panel = open_panel(page)
    field = panel.get_by_label("Type a range")
    field.fill("yesterday")
    midnight = find_midnight()
    ends = f"{midnight - timedelta(days=1):%Y-%m-%d} 00:00:00 to {midnight:%Y-%m-%d} 00:00:00"
    expect(panel).to_contain_text(f"Yesterday: {ends}")
    field.fill("the day it broke")
    expect(panel).to_contain_text("“the day it broke” is not a valid time")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.press("Enter")
    expect(panel).to_be_visible()
    expect(time_button(page)).to_have_text("Last 1 hour")


def test_both_ends_are_set_on_their_own(open_times: OpenTimes) -> None:
    page = open_times()
    begin, end = minutes_ago(125), minutes_ago(25)
    panel = open_panel(page)
    panel.get_by_label("From").fill("the beginning")
    expect(panel).to_contain_text("“the beginning” is not a valid time")
    expect(panel.get_by_role("button", name="Apply")).to_be_disabled()
    panel.get_by_label("From").fill(f"{begin:%Y-%m-%d %H:%M:%S}")
    panel.get_by_label("To", exact=True).fill(f"{end:%Y-%m-%d %H:%M:%S}")
    panel.get_by_role("button", name="Apply").click()
    expect_found(page, "2 events")
    expect(time_button(page)).to_contain_text(f"{end:%H:%M:%S}")


def test_another_zone_shows_other_times(open_times: OpenTimes) -> None:
    page = open_times(from_="-5m")
    shown = event_rows(page).get_by_role("time")
    moment = datetime.fromisoformat(shown.get_attribute("datetime") or "")
    expect(shown).to_contain_text(f"{moment:%Y-%m-%d %H:%M:%S}")
    zone = open_panel(page).get_by_role("combobox", name="Time zone")
    zone.fill("tokyo")
    page.get_by_role("option", name="Asia/Tokyo").click()
    ahead = moment + timedelta(hours=9)
    expect(shown).to_contain_text(f"{ahead:%Y-%m-%d %H:%M:%S}")
    page.reload()
    expect(shown).to_contain_text(f"{ahead:%Y-%m-%d %H:%M:%S}")


@pytest.mark.parametrize("typed", ["Kolkata", "calcutta"])
def test_a_zone_is_found_by_its_name_of_today_and_the_former_one(
    open_times: OpenTimes, typed: str
) -> None:
    page = open_times(from_="-5m")
    zone = open_panel(page).get_by_role("combobox", name="Time zone")
    zone.fill(typed)
    option = page.get_by_role("listbox", name="Time zone").get_by_role("option")
    expect(option).to_have_text(["Asia/Kolkata"])
    option.click()
    expect(zone).to_have_value("Asia/Kolkata")


def test_days_begin_where_the_zone_says(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    # In Kiritimati (UTC+14) it is already the next day at noon.
    yesterday_evening = find_midnight() - timedelta(hours=6)
    keep_events(service, env, [{"timestamp": write_time(yesterday_evening)}])
    page = open_explore(open_page, env, from_="", to="")
    expect_found(page, "1 event")
    zone = open_panel(page).get_by_role("combobox", name="Time zone")
    zone.fill("Pacific/Kiritimati")
    zone.press("Enter")
    page.keyboard.press("Escape")
    day = yesterday_evening + timedelta(hours=14)
    type_range(page, f"{day:%Y-%m-%d}")
    expect(time_button(page)).to_have_text(re.compile(f"^{day:%b} {day.day} .*Kiritimati$"))
    expect_found(page, "1 event")


def test_ranges_are_walked_back_and_forth(open_times: OpenTimes) -> None:
    page = open_times()
    previous = page.get_by_role("button", name="Previous range")
    expect(previous).to_be_disabled()
    for typed in ("3h", "5m"):
        type_range(page, typed)
        expect(time_button(page)).to_have_text(re.compile(f"Last {typed[0]}"))
    previous.click()
    expect(time_button(page)).to_have_text("Last 3 hours")
    previous.click()
    expect(time_button(page)).to_have_text("Last 1 hour")
    expect_found(page, "2 events")
    page.get_by_role("button", name="Next range").click()
    expect(time_button(page)).to_have_text("Last 3 hours")
    expect_found(page, "3 events")


def test_the_browser_goes_back_and_forward_through_ranges(open_times: OpenTimes) -> None:
    page = open_times()
    expect_found(page, "2 events")
    type_range(page, "3h")
    expect_found(page, "3 events")
    page.go_back()
    expect(time_button(page)).to_have_text("Last 1 hour")
    expect_found(page, "2 events")
    page.go_forward()
    expect(time_button(page)).to_have_text("Last 3 hours")
    expect_found(page, "3 events")


def test_the_range_is_moved_and_widened(open_times: OpenTimes) -> None:
    page = open_times(from_=write_time(minutes_ago(125)), to=write_time(minutes_ago(35)))
    expect_found(page, "1 event")
    page.get_by_role("button", name="Later").click()
    expect_found(page, "2 events")
    page.get_by_role("button", name="Earlier").click()
    expect_found(page, "1 event")
    page.get_by_role("button", name="Zoom out").click()
    expect_found(page, "3 events")
