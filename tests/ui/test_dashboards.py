"""Dashboards in a browser: seen, made, changed, shared and filled from Explore."""

import json
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, ViewportSize
from tests.running import RunningService
from tests.ui.axe import find_faults
from tests.ui.conftest import DESKTOP, PHONE, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    check_alerts,
    choose,
    keep_orders,
    minutes_ago,
    open_explore,
    query_field,
    read_clipboard,
    take_tool,
    write_time,
)
from tests.ui.hostile import HOSTILE, expect_harmless
from tests.waiting import poll_until

Make = Callable[..., dict[str, Any]]

QUERIES = {
    "line": "* | timechart span=5m count by level",
    "area": "* | timechart span=5m avg(duration_ms)",
    "stacked": "* | timechart span=5m count by service",
    "bar": "* | stats count by service",
    "pie": "* | stats count by level",
    "single": "level:error | timechart span=5m count",
    "heatmap": "* | eval b = pow(2, floor(log(duration_ms, 2))) | timechart 5m count by b",
    "table": "* | stats count, avg(duration_ms) as mean_ms by service",
    "logs": "level:error",
    "patterns": "* | patterns",
}
TEXT = "## About\n**bold** [link](https://example.com) <b>no</b> [bad](javascript:strike)"


def panel(kind: str, query: str, place: int, **chart: Any) -> dict[str, Any]:
    x, y = 12 * (place % 2), 8 * (place // 2)
    placed = {"x": x, "y": y, "w": 12, "h": 8}
    return {"title": f"as {kind}", "query": query, "chart": {"kind": kind, **chart}, **placed}


@pytest.fixture
def make(service: RunningService, env: str) -> Make:
    """Makes dashboards of the orders of a shop."""
    keep_orders(service, env)

    def make_one(*panels: dict[str, Any], **members: Any) -> dict[str, Any]:
        body = {"name": f"shop {uuid.uuid4().hex[:8]}", "env": env, "panels": panels, **members}
        answer = service.client.post("/api/dashboards", json=body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    return make_one


def make_every_kind(make: Make) -> dict[str, Any]:
    panels = [
        panel(kind, query, place, show="sum") for place, (kind, query) in enumerate(QUERIES.items())
    ]
    return make(*panels, panel("text", "", len(panels), text=TEXT))


def open_dashboard(open_page: OpenPage, made: dict[str, Any], size: ViewportSize = DESKTOP) -> Page:
    page = open_page(f"#/dashboards/{made['id']}", size=size)
    expect(page.get_by_role("heading", level=1)).to_contain_text(made["name"])
    return page


def panel_of(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def read(service: RunningService, made: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = service.client.get(f"/api/dashboards/{made['id']}").json()
    return kept


def test_every_kind_of_panel_is_shown(open_page: OpenPage, make: Make) -> None:
    page = open_dashboard(open_page, make_every_kind(make))
    for kind in ("line", "area", "stacked", "heatmap"):
        expect(panel_of(page, f"as {kind}").locator("canvas")).to_be_visible()
    expect(panel_of(page, "as bar").get_by_role("list", name="Bars")).to_contain_text("payment")
    expect(panel_of(page, "as pie").get_by_role("list", name="Slices")).to_contain_text("error")
    expect(panel_of(page, "as single").get_by_text("4", exact=True)).to_be_visible()
    expect(panel_of(page, "as table").get_by_role("table")).to_contain_text("mean_ms")
    expect(panel_of(page, "as logs").locator(".event")).to_have_count(4)
    expect(panel_of(page, "as patterns").locator(".pattern").first).to_be_visible()
    text = panel_of(page, "as text")
    expect(text.get_by_role("heading", name="About")).to_be_visible()
    expect(text.get_by_role("link")).to_have_count(1)
    expect(text).to_contain_text("<b>no</b>")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_dashboard_keeps_nobody_out(open_page: OpenPage, make: Make, size: ViewportSize) -> None:
    variables = [{"name": "service", "field": "service", "default": ""}]
    made = make(*make_every_kind(make)["panels"], variables=variables)
    page = open_dashboard(open_page, made, size)
    expect(panel_of(page, "as logs").locator(".event").first).to_be_visible()
    faults = find_faults(page)
    assert not faults, "\n".join(faults)
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    faults = find_faults(page)
    assert not faults, "\n".join(faults)


def test_a_panel_fails_alone_and_is_asked_again(open_page: OpenPage, make: Make) -> None:
    made = make(panel("logs", "level:error", 0), panel("single", "* | stats count", 1))
    page = open_page("#/dashboards")
    failing = True

    def answer(route: Route) -> None:
        if failing and "stats count" in (route.request.post_data or ""):
            error = {"error": {"code": "overloaded", "message": "<b>too busy</b>"}}
            route.fulfill(status=429, json=error)
        else:
            route.continue_()

    page.route("**/api/search", answer)
    page.get_by_role("link", name=made["name"]).click()
    broken = panel_of(page, "as single")
    expect(broken.get_by_role("alert")).to_contain_text("<b>too busy</b>")
    expect(panel_of(page, "as logs").locator(".event")).to_have_count(4)
    failing = False
    broken.get_by_role("button", name="Retry").click()
    expect(broken.get_by_text("24", exact=True)).to_be_visible()


def test_equal_questions_are_asked_once_and_few_at_a_time(open_page: OpenPage, make: Make) -> None:
    same = [panel("single", "* | stats count", place) for place in range(6)]
    others = [panel("single", f"* | stats count | limit {n}", n) for n in range(6, 12)]
    made = make(*same, *others, **{"from": "-6h"})
    page = open_page("#/dashboards")
    asked: list[str] = []
    held: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route.request.url)
        held.append(route)

    page.route("**/api/search", hold)
    page.get_by_role("link", name=made["name"]).click()
    while len(asked) < 7:
        page.wait_for_timeout(50)
        assert len(held) <= 4
        if len(held) == min(4, 7 - len(asked) + len(held)):
            held.pop(0).continue_()
    for route in held:
        route.continue_()
    expect(page.get_by_text("24", exact=True)).to_have_count(12)
    assert len(asked) == 7


def test_a_variable_narrows_every_panel(open_page: OpenPage, make: Make) -> None:
    variables = [{"name": "service", "field": "service", "default": ""}]
    made = make(panel("single", "service:$service | stats count", 0), variables=variables)
    page = open_dashboard(open_page, made)
    expect(panel_of(page, "as single").get_by_text("24", exact=True)).to_be_visible()
    choice = page.get_by_role("combobox", name="service")
    choice.click()
    page.get_by_role("option", name="payment").click()
    expect(panel_of(page, "as single").get_by_text("4", exact=True)).to_be_visible()
    assert "var-service=payment" in page.url
    choice.fill('x" OR *')
    choice.press("Enter")
    expect(panel_of(page, "as single").get_by_text("0", exact=True)).to_be_visible()
    page.go_back()
    expect(panel_of(page, "as single").get_by_text("4", exact=True)).to_be_visible()
    page.get_by_role("button", name="Actions for as single").click()
    choose(page, "Open in Explore")
    expect(query_field(page)).to_contain_text("service:payment | stats count")


def test_a_panel_is_added_from_explore(
    open_page: OpenPage, service: RunningService, make: Make, env: str
) -> None:
    made = make()
    page = open_explore(open_page, env, q="level:error | timechart span=5m count", chart="bar")
    take_tool(page, "Add to dashboard")
    dialog = page.get_by_role("dialog", name="Add to dashboard")
    dialog.get_by_label("Dashboard").select_option(label=made["name"])
    dialog.get_by_label("Panel title").fill("errors over time")
    dialog.get_by_role("button", name="Add").click()
    expect(panel_of(page, "errors over time").locator("canvas")).to_be_visible()
    [kept] = read(service, made)["panels"]
    assert kept["query"] == "level:error | timechart 5m count"
    assert (kept["chart"], kept["env"]) == ({"kind": "bar"}, "")


def test_panels_are_moved_resized_edited_and_removed(
    open_page: OpenPage, service: RunningService, make: Make
) -> None:
    made = make(panel("single", "* | stats count", 0), panel("logs", "level:error", 1))
    page = open_dashboard(open_page, made)
    page.get_by_role("button", name="Edit", exact=True).click()
    handle = page.get_by_role("button", name=re.compile("Move or resize as single"))
    handle.press("ArrowRight")
    handle.press("Shift+ArrowDown")
    box = page.get_by_role("button", name=re.compile("Move or resize as logs")).bounding_box()
    assert box
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] - 900, box["y"] + 8, steps=5)
    page.mouse.up()
    page.get_by_role("button", name="Actions for as single").click()
    choose(page, "Edit")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Title").fill("errors")
    dialog.get_by_label("Query").fill("level:error | stat count")
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog).to_contain_text("stat")
    dialog.get_by_label("Query").fill("level:error | stats count")
    dialog.get_by_label("Thresholds").fill("1 amber, 3 red")
    dialog.get_by_role("button", name="Apply").click()
    expect(panel_of(page, "errors").get_by_text("4", exact=True)).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Edit", exact=True)).to_be_visible()
    single, logs = read(service, made)["panels"]
    assert (single["title"], single["x"], single["h"]) == ("errors", 1, 9)
    assert [each["color"] for each in single["chart"]["thresholds"]] == ["amber", "red"]
    assert (logs["x"], logs["y"]) == (0, 9)
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("button", name="Actions for as logs").click()
    choose(page, "Remove")
    expect(panel_of(page, "as logs")).to_have_count(0)
    page.get_by_role("button", name="Discard").click()
    expect(panel_of(page, "as logs").locator(".event").first).to_be_visible()


def test_a_dashboard_is_exported_and_imported(
    open_page: OpenPage, service: RunningService, make: Make, tmp_path: Path
) -> None:
    made = make(panel("single", "* | stats count", 0))
    page = open_dashboard(open_page, made)
    with page.expect_download() as saving:
        page.get_by_role("button", name="Export").click()
    saved = saving.value.path().read_text()
    assert "owner" not in json.loads(saved)
    page.get_by_role("link", name="Dashboards").last.click()
    place = tmp_path / "copy.json"
    place.write_text(saved)
    page.get_by_label("File to import").set_input_files(place)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{made['name']} (2)")
    expect(panel_of(page, "as single").get_by_text("24", exact=True)).to_be_visible()
    page.go_back()
    place.write_text("<html>")
    page.get_by_label("File to import").set_input_files(place)
    expect(page.get_by_text("The file is not JSON.")).to_be_visible()


def test_a_dashboard_is_refreshed_shared_and_fills_the_screen(
    open_page: OpenPage, service: RunningService, env: str, make: Make
) -> None:
    page = open_dashboard(open_page, make(panel("single", "* | stats count", 0)))
    count = panel_of(page, "as single")
    expect(count.get_by_text("24", exact=True)).to_be_visible()
    keep_orders(service, env, 1)
    page.get_by_role("button", name="Refresh").click()
    expect(count.get_by_text("25", exact=True)).to_be_visible()
    keep_orders(service, env, 1)
    page.clock.install()
    page.get_by_label("Refresh every").select_option("30 s")
    page.clock.run_for(30_000)
    expect(count.get_by_text("26", exact=True)).to_be_visible()
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("others see the dashboard once it is shared")).to_be_visible()
    assert read_clipboard(page) == page.url
    page.get_by_role("button", name="Full screen").click()
    expect(page.locator(":fullscreen")).to_contain_text("as single")
    page.get_by_role("button", name="Full screen").click()
    expect(page.locator(":fullscreen")).to_have_count(0)


def walk_to_flag(chart: Locator) -> str:
    """What is said of the newest time of a chart that is marked."""
    expect(chart).to_be_visible()
    said = ""

    def walk() -> bool:
        nonlocal said
        chart.press("End")
        for _ in range(40):
            said = chart.get_attribute("aria-valuetext") or ""
            if "⚑" in said:
                return True
            chart.press("ArrowLeft")
        return False

    # Marks come a little later than the chart.
    poll_until(walk, "a mark")
    return said


def test_charts_over_time_mark_what_a_query_finds_and_alerts(
    open_page: OpenPage, service: RunningService, make: Make, tmp_path: Path, env: str
) -> None:
    made = make(panel("line", "* | timechart span=5m count", 0), **{"from": "-2h"})
    page = open_dashboard(open_page, made)
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Query for marks").fill("level:error | stat count")
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog.get_by_role("alert")).to_contain_text("stat")
    dialog.get_by_label("Query for marks").fill("level:error")
    dialog.get_by_role("checkbox", name="Mark when alerts fired").check()
    dialog.get_by_role("button", name="Apply").click()
    chart = panel_of(page, "as line").get_by_role("slider")
    assert "failed: no answer" in walk_to_flag(chart)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Edit", exact=True)).to_be_visible()
    assert read(service, made)["marks"] == {"query": "level:error", "alerts": True}
    with page.expect_download() as saving:
        page.get_by_role("button", name="Export").click()
    place = tmp_path / "copy.json"
    place.write_text(saving.value.path().read_text())
    page.get_by_role("link", name="Dashboards").last.click()
    page.get_by_label("File to import").set_input_files(place)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{made['name']} (2)")
    assert "failed: no answer" in walk_to_flag(panel_of(page, "as line").get_by_role("slider"))


def test_an_alert_that_fired_is_marked(
    open_page: OpenPage, service: RunningService, make: Make, env: str
) -> None:
    name = f"many errors {uuid.uuid4().hex[:8]}"
    rule = {"name": name, "query": "level:error", "env": env, "operator": "above", "threshold": 0}
    alert = service.client.post("/api/alerts", json=rule).json()
    end = write_time(minutes_ago(-60))
    shown = panel("line", "* | timechart span=1h count", 0)
    made = make(shown, marks={"alerts": True}, **{"from": "-2h", "to": end})
    check_alerts(service)
    page = open_dashboard(open_page, made)
    assert name in walk_to_flag(panel_of(page, "as line").get_by_role("slider"))
    service.client.delete(f"/api/alerts/{alert['id']}").raise_for_status()


def test_marks_that_cannot_be_loaded_leave_the_panels(open_page: OpenPage, make: Make) -> None:
    made = make(panel("single", "* | stats count", 0), marks={"query": "level:error"})
    page = open_page("#/dashboards")

    def answer(route: Route) -> None:
        if "level:error" in (route.request.post_data or ""):
            route.fulfill(status=429, json={"error": {"code": "overloaded", "message": "too busy"}})
        else:
            route.continue_()

    page.route("**/api/search", answer)
    page.get_by_role("link", name=made["name"]).click()
    expect(page.get_by_role("alert")).to_contain_text("Marks could not be loaded: Too busy")
    expect(panel_of(page, "as single").get_by_text("24", exact=True)).to_be_visible()


def test_hostile_texts_are_shown_and_that_is_all(open_page: OpenPage, make: Make) -> None:
    texts = [text for text in HOSTILE if "\ud800" not in text][:90]
    panels = [
        panel("text", "", place, text=text) | {"title": text, "w": 2, "h": 2, "x": 2 * (place % 12)}
        for place, text in enumerate(texts)
    ]
    hostile = texts[0]
    charts = [{"kind": hostile, "unit": hostile, "thresholds": [{"value": 1, "color": hostile}]}]
    drawn = [panel("line", "* | stats count by service", 0) | {"chart": each} for each in charts]
    variables = [{"name": "v", "field": hostile, "default": hostile}]
    page = open_dashboard(
        open_page, make(*panels, *drawn, variables=variables, description=hostile)
    )
    expect(page.locator("section.panel")).to_have_count(len(texts) + 1)
    expect_harmless(page)
    page.goto(page.url.split("#")[0] + "#/dashboards")
    expect(page.get_by_role("table", name="Dashboards")).to_be_visible()
    expect_harmless(page)


def test_one_that_is_gone_says_so(open_page: OpenPage) -> None:
    page = open_page("#/dashboards/nowhere%2f")
    expect(page.get_by_role("link", name="All dashboards")).to_be_visible()


def test_leaving_for_another_page_asks_for_no_dashboard(open_page: OpenPage) -> None:
    page = open_page("#/dashboards")
    expect(page.get_by_role("heading", name="Dashboards")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("link", name="Admin").click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Dashboards")
    assert not [url for url in asked if "/api/dashboards/" in url]
