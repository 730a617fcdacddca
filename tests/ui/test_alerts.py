"""Alerts in a browser: made of what is explored, seen when they fire, changed, deleted."""

import re
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Locator, Page, Request
from tests.api.signing_in import PASSWORD, make_user
from tests.running import CREDENTIALS, RunningService
from tests.ui.administering import act, confirm, dialog, error_at, expect_said, row_of, rows_of
from tests.ui.axe import find_faults
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    address_of,
    check_alerts,
    expect_found,
    filter_texts,
    keep_events,
    keep_orders,
    minutes_ago,
    query_field,
    write_time,
)
from tests.ui.hostile import HOSTILE, expect_harmless, show_line

from logboom.control.access.users import Role

PLACE = "#/alerts"
TABLE = "Alerts"
BY_SERVICE = "level:error | stats count as failures by service"
Account = Mapping[str, str]


@pytest.fixture
def name() -> str:
    return f"failures {uuid.uuid4().hex[:8]}"


@pytest.fixture(autouse=True)
def no_alerts_left(service: RunningService) -> Iterator[None]:
    """Other tests count those that fire."""
    yield
    for alert in service.client.get("/api/alerts").json():
        service.client.delete(f"/api/alerts/{alert['id']}").raise_for_status()


@pytest.fixture
def somebody(service: RunningService) -> Account:
    """An account that sees no alerts but its own."""
    return {"username": make_user(service, Role.VIEWER).username, "password": PASSWORD}


def open_form(open_page: OpenPage, env: str, account: Account = CREDENTIALS, **view: Any) -> Page:
    """The form of a new alert, of what the Explore page shows."""
    page = open_page(address_of(env, **view), account=account)
    expect(
        page.get_by_role("region", name="Results", exact=True).get_by_text("in ").first
    ).to_be_visible()
    page.get_by_role("button", name="Alert…").click()
    expect(dialog(page)).to_have_accessible_name("New alert")
    return page


def preview(page: Page) -> Locator:
    return dialog(page).get_by_role("region", name="Preview")


def create(page: Page, name: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    confirm(page, "Create")
    expect_said(page, f"Alert {name} created")


def make_alert(service: RunningService, name: str, env: str, **members: object) -> dict[str, Any]:
    document = {
        "name": name,
        "env": env,
        "query": "level:error",
        "operator": "above",
        "threshold": 1,
    }
    answer = service.client.post("/api/alerts", json={**document, **members})
    assert answer.status_code == 201, answer.text
    alert: dict[str, Any] = answer.json()
    return alert


def find_alert(service: RunningService, name: str) -> dict[str, Any]:
    alerts = service.client.get("/api/alerts").json()
    [found] = [each for each in alerts if each["name"] == name]
    alert: dict[str, Any] = found
    return alert


def describe_firings(answer: dict[str, Any]) -> str:
    """What the page says of a preview, up to how long they lasted."""
    count = len(answer["firings"])
    if not count:
        return "Would not have fired."
    return f"Would have fired {'once' if count == 1 else f'{count} times'},"


def test_an_alert_is_made_of_what_is_explored(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_form(open_page, env, q="failed", f=["+level:error", "-off"], index="ma*")
    expect(dialog(page)).to_contain_text("Searches for level:error · failed")
    page.get_by_label("is", exact=True).select_option("at least")
    page.get_by_label("Threshold").fill("2")
    page.get_by_label("within the last").select_option("15 minutes")
    page.get_by_label("checked every").select_option("5 minutes")
    sentence = "Fires when the number of events is at least 2 within the last 15 minutes, checked every 5 minutes."
    expect(dialog(page)).to_contain_text(sentence)
    create(page, name)
    made = find_alert(service, name)
    assert (made["query"], made["filters"]) == ("failed", ["level:error"])
    assert (made["env"], made["index"]) == (env, "ma*")
    assert (made["window_secs"], made["every_secs"], made["column"]) == (900, 300, "")
    assert (made["operator"], made["threshold"], made["enabled"]) == ("at_least", 2, True)


def test_the_preview_says_what_checks_would_have_found(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    asked: list[Request] = []

    def note(request: Request) -> None:
        if request.url.endswith("/api/alerts/preview"):
            asked.append(request)

    page = open_page(address_of(env, q="level:error"))
    page.on("request", note)
    page.get_by_role("button", name="Alert…").click()
    expect(preview(page)).to_contain_text("Would have fired")
    [request] = asked
    body: dict[str, Any] = request.post_data_json or {}
    for operator, threshold in (("above", 0), ("above", 5), ("at least", 1)):
        page.get_by_label("is", exact=True).select_option(operator)
        page.get_by_label("Threshold").fill(str(threshold))
        body |= {"operator": operator.replace(" ", "_"), "threshold": threshold}
        answer = service.client.post("/api/alerts/preview", json=body).json()
        expect(preview(page)).to_contain_text(describe_firings(answer))
        firings = preview(page).get_by_role("list", name="Firings").get_by_role("listitem")
        expect(firings).to_have_count(len(answer["firings"]))
    assert len(asked) == 1, "the values are there, only the threshold is another"
    page.get_by_label("within the last").select_option("1 hour")
    expect(preview(page)).to_contain_text(re.compile(r"Would have fired once, for (18|19|20) min"))
    with page.expect_response("**/api/alerts/preview"):
        preview(page).get_by_role("combobox", name="Over").select_option("Last 7 days")
    expect(preview(page)).to_contain_text("Would have fired once")
    assert len(asked) == 3


def test_values_are_read_from_the_chart_by_the_keyboard(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_form(open_page, env, q="level:error")
    page.get_by_label("within the last").select_option("1 hour")
    chart = preview(page).get_by_role("slider", name="Values over time")
    chart.press("End")
    expect(chart).to_have_attribute("aria-valuetext", re.compile(": 4, fires$"))
    chart.press("Home")
    expect(chart).to_have_attribute("aria-valuetext", re.compile(": 0$"))
    faults = find_faults(page)
    assert not faults, "\n".join(faults)


def test_a_column_of_a_table_is_chosen(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    query = "* | stats max(duration_ms) as slowest, count() as orders by service"
    page = open_form(open_page, env, q=query)
    expect(dialog(page)).to_contain_text("Fires when orders is above 0")
    value = page.get_by_label("Value", exact=True)
    assert value.locator("option").all_inner_texts()[1:] == ["slowest", "orders"]
    value.select_option("slowest")
    page.get_by_label("Threshold").fill("500")
    page.get_by_label("within the last").select_option("1 hour")
    expect(preview(page)).to_contain_text("Would not have fired.")
    page.get_by_label("is", exact=True).select_option("below")
    expect(preview(page)).to_contain_text("Would have fired once")
    create(page, name)
    assert find_alert(service, name)["column"] == "slowest"


def test_one_that_fires_is_shown_with_its_groups_and_leads_to_its_events(
    open_page: OpenPage, service: RunningService, env: str, name: str, somebody: Account
) -> None:
    keep_orders(service, env)
    page = open_form(open_page, env, somebody, q=BY_SERVICE, f="+status:500")
    page.get_by_label("Threshold").fill("3")
    page.get_by_label("within the last").select_option("1 hour")
    create(page, name)
    page.goto(f"/{PLACE}")
    row = row_of(page, TABLE, name)
    expect(row).to_contain_text("Not checked yet")
    expect(page.get_by_role("link", name="Alerts", exact=True)).to_be_visible()
    check_alerts(service)
    expect(row).to_contain_text("Firing")
    expect(row.get_by_role("list", name="Groups")).to_have_text("service=payment: 4")
    expect(page.get_by_role("link", name="Alerts 1 firing")).to_be_visible()
    faults = find_faults(page)
    assert not faults, "\n".join(faults)
    row.get_by_role("link", name=f"Explore: {name}").click()
    expect(query_field(page)).to_have_text(BY_SERVICE)
    expect(filter_texts(page)).to_have_text(["status:500"])
    expect_found(page, "1 row")
    place = parse_qs(page.url.partition("?")[2])
    from_, to = (datetime.fromisoformat(place[end][0]) for end in ("from", "to"))
    assert (to - from_).total_seconds() == pytest.approx(3600, abs=0.01)


def test_an_alert_is_changed_switched_off_and_on_and_deleted(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    make_alert(service, name, env, description="what fails")
    page = open_page(PLACE)
    row = row_of(page, TABLE, name)
    expect(row).to_contain_text("what fails")
    expect(row).to_contain_text("the number of events is above 1 within the last 5 minutes")
    act(row, "Edit")
    page.get_by_label("Threshold").fill("2.5")
    dialog(page).get_by_text("Searches for").click()
    page.get_by_label("Query", exact=True).fill("level:warn")
    page.get_by_label("Filters").fill("service:web\nstatus:429")
    confirm(page, "Save")
    expect(row).to_contain_text("service:web · status:429 · level:warn")
    changed = find_alert(service, name)
    assert (changed["query"], changed["threshold"]) == ("level:warn", 2.5)
    assert (changed["filters"], changed["description"]) == (
        ["service:web", "status:429"],
        "what fails",
    )
    act(row, "Switch off")
    expect(row).to_contain_text("Off")
    assert find_alert(service, name)["enabled"] is False
    act(row, "Switch on")
    expect(row).to_contain_text("Not checked yet")
    act(row, "Delete")
    dialog(page).get_by_role("button", name="Cancel").click()
    expect(row).to_have_count(1)
    act(row, "Delete")
    confirm(page, "Delete")
    expect_said(page, f"Alert {name} deleted")
    expect(row).to_have_count(0)
    assert name not in service.client.get("/api/alerts").text


def test_what_is_wrong_is_said_at_its_field(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    make_alert(service, name, env)
    page = open_page(PLACE)
    page.get_by_role("button", name="New alert").click()
    send = dialog(page).get_by_role("button", name="Create")
    page.get_by_label("Threshold").fill("")
    send.click()
    expect(error_at(page, "Name")).to_be_visible()
    expect(error_at(page, "Threshold")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.get_by_label("Name", exact=True).fill(name.upper())
    page.get_by_label("Threshold").fill("1")
    send.click()
    expect(error_at(page, "Name")).to_contain_text(name.upper())
    page.get_by_label("Name", exact=True).fill(f"{name} two")
    dialog(page).get_by_text("Searches for").click()
    page.get_by_label("Query", exact=True).fill("level:(error OR")
    dialog(page).get_by_text("Searches for").click()
    send.click()
    expect(error_at(page, "Query")).to_be_visible()
    assert f"{name} two" not in service.client.get("/api/alerts").text


def test_an_alert_that_cannot_be_asked_says_why(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    make_alert(service, name, env, query=BY_SERVICE, column="nothing", window_secs=3600)
    check_alerts(service)
    page = open_page(PLACE)
    row = row_of(page, TABLE, name)
    expect(row).to_contain_text("Check failed")
    expect(row).to_contain_text("no column 'nothing', expected one of service, failures")
    act(row, "Edit")
    expect(preview(page)).to_contain_text("failed: no column 'nothing'")
    page.get_by_label("Value", exact=True).select_option("failures")
    expect(preview(page)).to_contain_text("Would have fired")
    expect(preview(page)).not_to_contain_text("failed: ")


def test_who_comes_second_is_told_that_somebody_was_faster(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    alert = make_alert(service, name, env)
    page = open_page(PLACE)
    act(row_of(page, TABLE, name), "Edit")
    changed = service.client.patch(f"/api/alerts/{alert['id']}", json={"threshold": 7})
    assert changed.is_success, changed.text
    page.get_by_label("Threshold").fill("8")
    dialog(page).get_by_role("button", name="Save").click()
    expect(dialog(page)).to_contain_text("Someone else")
    dialog(page).get_by_role("button", name="Reload current values").click()
    expect(page.get_by_label("Threshold")).to_have_value("7")


def test_an_alert_is_made_by_the_keyboard_alone(
    open_page: OpenPage, service: RunningService, env: str, name: str
) -> None:
    keep_orders(service, env)
    page = open_page(address_of(env, q="level:error"))
    button = page.get_by_role("button", name="Alert…")
    button.press("Enter")
    expect(dialog(page).get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog(page)).to_have_count(0)
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog(page).get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect_said(page, f"Alert {name} created")
    assert find_alert(service, name)["query"] == "level:error"


def test_names_values_and_columns_are_only_shown(
    open_page: OpenPage, service: RunningService, env: str, somebody: Account
) -> None:
    time = write_time(minutes_ago(1))
    keep_events(service, env, [{"timestamp": time, "service": text} for text in HOSTILE[::20]])
    page = open_page(PLACE, account=somebody)
    strike = '<img src=x onerror="strike(1)">'
    column = strike.replace('"', "'")
    names = []
    for text in HOSTILE[::5]:
        body = {
            "name": text,
            "description": text,
            "env": env,
            "query": f'* | stats count() as "{column}" by service',
            "operator": "above",
            "threshold": 0,
        }
        answer = page.context.request.post(
            "/api/alerts", data=body, headers={"Sec-Fetch-Site": "same-origin"}
        )
        assert answer.status in (201, 400, 409), answer.text()
        names += [text] if answer.status == 201 else []
    assert len(names) > 40
    check_alerts(service)
    page.reload()
    rows = rows_of(page, TABLE)
    expect(rows).to_have_count(len(names))
    shown: list[str] = rows.locator("strong").evaluate_all(
        "all => all.map((each) => each.textContent)"
    )
    assert sorted(shown) == sorted(show_line(text) for text in names)
    expect(rows.first.get_by_role("list", name="Groups")).to_contain_text("service=")
    expect_harmless(page)
    act(rows.first, "Edit")
    expect(dialog(page)).to_contain_text(f"Fires when {column} is above 0")
    expect(preview(page)).to_contain_text("Would have fired")
    expect_harmless(page)
