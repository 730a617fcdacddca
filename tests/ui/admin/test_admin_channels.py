"""Channels and what alerts send, in a browser: made, tested, chosen in an alert, muted, and seen in its history."""

import re
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Page
from tests.alerts.receivers import receiving
from tests.running import RunningService
from tests.ui.administering import (
    act,
    confirm,
    dialog,
    error_at,
    expect_said,
    row_of,
    rows_of,
)
from tests.ui.axe import find_faults
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import address_of, keep_orders
from tests.ui.hostile import HOSTILE, expect_harmless

from logboom.control.saved.channels import MOST_CHANNELS

PLACE = "#/admin/channels"
TABLE = "Channels"
SECRET = "hush-hush"


@pytest.fixture
def name() -> str:
    return f"on call {uuid.uuid4().hex[:8]}"


@pytest.fixture(autouse=True)
def nothing_left(service: RunningService) -> Iterator[None]:
    yield
    for path in ("/api/alerts", "/api/channels"):
        for each in service.client.get(path).json():
            service.client.delete(f"{path}/{each['id']}").raise_for_status()


def open_form(open_page: OpenPage, name: str) -> Page:
    page = open_page(PLACE)
    page.get_by_role("button", name="New channel").click()
    page.get_by_label("Name", exact=True).fill(name)
    return page


def test_a_channel_is_made_tested_changed_and_deleted(
    open_page: OpenPage, service: RunningService, name: str
) -> None:
    with receiving() as receiver:
        page = open_form(open_page, name)
        page.get_by_label("URL").fill("http://169.254.169.254/")
        dialog(page).get_by_role("button", name="Create", exact=True).click()
        expect(error_at(page, "URL")).to_contain_text("link-local")
        page.get_by_label("URL").fill(receiver.url)
        page.get_by_label("Signing secret").fill(SECRET)
        page.get_by_label("Headers").fill(f"Authorization: Bearer {SECRET}")
        assert find_faults(page) == []
        confirm(page, "Create")
        expect_said(page, f"Channel {name} created")
        row = row_of(page, TABLE, name)
        expect(row).to_contain_text(receiver.url)
        act(row, "Test")
        expect(page.get_by_role("status").filter(has_text="the test was delivered")).to_be_visible()
        receiver.plan.append(500)
        act(row, "Test")
        expect(page.get_by_role("alert").filter(has_text="answered 500")).to_be_visible()
        assert find_faults(page) == []
        act(row, "Edit")
        expect(page.get_by_label("Signing secret")).to_have_value("********")
        page.get_by_label("Name", exact=True).fill(f"{name} too")
        confirm(page, "Save")
        expect_said(page, "Saved")
    [kept] = service.control.channels.list()
    assert (kept.name, kept.secret) == (f"{name} too", SECRET)
    assert kept.headers == {"Authorization": f"Bearer {SECRET}"}
    act(row_of(page, TABLE, f"{name} too"), "Delete")
    confirm(page, "Delete")
    expect_said(page, f"Channel {name} too deleted")


def test_the_form_asks_for_what_the_kind_takes(open_page: OpenPage, name: str) -> None:
    page = open_form(open_page, name)
    page.get_by_label("Kind").select_option("E-mail")
    expect(page.get_by_label("URL")).to_have_count(0)
    page.get_by_label("Recipients").fill("ops@example.org")
    page.get_by_label("Mail server").fill("smtp://bot:hush@mail.example.org")
    confirm(page, "Create")
    expect_said(page, f"Channel {name} created")
    act(row_of(page, TABLE, name), "Edit")
    expect(page.get_by_label("Mail server")).to_have_value("smtp://bot:********@mail.example.org")


def test_hostile_words_are_words(open_page: OpenPage, service: RunningService, name: str) -> None:
    made = []
    for text in HOSTILE:
        channel = {"name": text, "kind": "email", "to": ["a@b"], "smtp_url": "smtp://localhost"}
        if service.client.post("/api/channels", json=channel).status_code == 201:
            made.append(text)
    assert len(made) == MOST_CHANNELS
    page = open_page(PLACE)
    expect(rows_of(page, TABLE)).to_have_count(len(made))
    expect_harmless(page)
    page.goto("/#/alerts")
    page.get_by_role("button", name="New alert").click()
    expect(dialog(page).get_by_role("checkbox")).to_have_count(len(made))
    expect_harmless(page)


def run_alerts(service: RunningService) -> None:
    """Check the alerts, in another thread: this one has the event loop of the browser."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(service.check_alerts).result()
        pool.submit(service.deliver).result()


def test_an_alert_is_sent_muted_and_has_a_history(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    with receiving() as receiver:
        channel = {"name": name, "kind": "webhook", "url": receiver.url}
        service.client.post("/api/channels", json=channel).raise_for_status()
        page = open_page(address_of(env))
        page.get_by_role("button", name="Alert…").click()
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("is", exact=True).select_option("at least")
        page.get_by_label("within the last").select_option("7 days")
        page.get_by_label("Severity").select_option("Critical")
        page.get_by_label("Without data").select_option("fire")
        page.get_by_label("Labels").fill("team=shop")
        page.get_by_role("checkbox", name=name).check()
        # While a new preview is made, the last one is faded.
        expect(page.locator("section[aria-busy=true]")).to_have_count(0)
        assert find_faults(page) == []
        confirm(page, "Create")
        expect_said(page, f"Alert {name} created")
        run_alerts(service)
        [taken] = receiver.requests
    assert taken.read()["labels"] == {"team": "shop"}
    assert taken.read()["severity"] == "critical"
    page.goto("/#/alerts")
    row = row_of(page, "Alerts", name)
    expect(row).to_contain_text("Critical")
    expect(row).to_contain_text("Firing")
    act(row, "History")
    expect(dialog(page)).to_contain_text(f"Firing → {name}: sent")
    expect(dialog(page)).to_contain_text("still firing")
    assert find_faults(page) == []
    dialog(page).get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(rf"#/explore\?.*env={env}&from="))
    page.goto("/#/alerts")
    act(row, "Mute for 1 day")
    expect(row).to_contain_text("Muted until")
    act(row, "Unmute")
    expect(row).not_to_contain_text("Muted until")


def test_the_link_that_is_sent_opens_what_fired(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    with receiving() as receiver:
        channel = {"name": name, "kind": "webhook", "url": receiver.url}
        made = service.client.post("/api/channels", json=channel).json()
        alert = {
            "name": name,
            "env": env,
            "query": "failed",
            "filters": ["level:error"],
            "operator": "at_least",
            "threshold": 0,
            "window_secs": 604_800,
            "channels": [made["id"]],
        }
        service.client.post("/api/alerts", json=alert).raise_for_status()
        run_alerts(service)
        link = receiver.requests[0].read()["link"]
    page = open_page(link[link.index("#") :])
    expect(
        page.get_by_role("region", name="Results", exact=True).get_by_text("in ").first
    ).to_be_visible()
    expect(page.get_by_text("level:error").first).to_be_visible()
