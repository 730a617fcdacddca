"""Results of pipes as table and chart, in a browser."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    choose,
    expect_copied,
    expect_found,
    expect_settled,
    filter_texts,
    keep_events,
    keep_orders,
    minutes_ago,
    open_explore,
    query_field,
    read_clipboard,
    write_time,
)

OpenShop = Callable[..., Page]
BY_LEVEL = "* | stats count, avg(duration_ms) as mean by level"


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on the orders of a shop."""
    keep_orders(service, env)
    return lambda **view: open_explore(open_page, env, **view)


def table(page: Page) -> Locator:
    return page.get_by_role("grid", name="Result")


def click_cell(page: Page, name: str) -> None:
    expect_settled(page)
    table(page).get_by_role("gridcell", name=name, exact=True).click()


def cells(page: Page) -> list[list[str]]:
    rows = table(page).get_by_role("row").filter(has=page.get_by_role("gridcell")).all()
    return [row.get_by_role("gridcell").all_inner_texts() for row in rows]


def view_tab(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Result views").get_by_role("link", name=name).click()


def chart(page: Page) -> Locator:
    return page.get_by_role("slider", name="Chart")


def test_groups_are_a_table(open_shop: OpenShop) -> None:
    page = open_shop(q=BY_LEVEL)
    expect_found(page, "3 rows")
    expect(table(page).get_by_role("columnheader")).to_have_text(["level", "count", "mean"])
    assert sorted(cells(page)) == [
        ["error", "4", "90"],
        ["info", "16", "125"],
        ["warn", "4", "100"],
    ]


def test_what_is_there_is_not_shown_as_missing(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    teams = ["\x1b[0m", "", "null", None]
    keep_events(service, env, [{"team": team, "message": "x"} for team in teams])
    page = open_explore(open_page, env, q="* | stats count by team")
    expect_found(page, "4 rows")
    assert sorted(cells(page)) == [
        ['""', "1"],
        ["<U+001B>[0m", "1"],
        ["null", "1"],
        ["\u2013", "1"],
    ]


def test_the_text_null_is_told_from_no_value_over_time(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    teams = ["null", "null", "null", None]
    keep_events(service, env, [{"team": team, "message": "x"} for team in teams])
    page = open_explore(open_page, env, q="* | timechart 1d count by team", tab="chart")
    legend = page.get_by_role("list", name="Series").get_by_role("button")
    expect(legend).to_have_text(['"null"', "NULL"])
    view_tab(page, "Table")
    click_cell(page, "3")
    choose(page, "Show events")
    expect_found(page, "3 events")


def test_a_click_on_a_head_sorts(open_shop: OpenShop) -> None:
    page = open_shop(q=BY_LEVEL)
    expect_found(page, "3 rows")
    mean = table(page).get_by_role("columnheader", name="mean")
    mean.get_by_role("button").click()
    expect(mean).to_have_attribute("aria-sort", "descending")
    assert [row[2] for row in cells(page)] == ["125", "100", "90"]
    mean.get_by_role("button").click()
    expect(mean).to_have_attribute("aria-sort", "ascending")
    assert [row[2] for row in cells(page)] == ["90", "100", "125"]
    level = table(page).get_by_role("columnheader", name="level")
    level.get_by_role("button").click()
    expect(level).to_have_attribute("aria-sort", "ascending")
    assert [row[0] for row in cells(page)] == ["error", "info", "warn"]


def test_a_cell_leads_to_its_events(open_shop: OpenShop) -> None:
    page = open_shop(q="duration_ms<100 | stats count by level, service")
    click_cell(page, "error")
    choose(page, "Show events")
    expect(query_field(page)).to_have_text("duration_ms<100")
    expect(filter_texts(page)).to_have_text(["level = error", "service = payment"])
    expect_found(page, "2 events")
    page.go_back()
    expect(table(page)).to_be_visible()


def test_a_cell_is_included_excluded_and_copied(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count by level")
    click_cell(page, "info")
    choose(page, "Exclude info")
    expect_found(page, "2 rows")
    click_cell(page, "warn")
    choose(page, "Include warn")
    expect_found(page, "1 row")
    table(page).get_by_role("gridcell", name="warn").press("Enter")
    choose(page, "Copy")
    expect(page.get_by_text("Copied")).to_be_visible()
    assert read_clipboard(page) == "warn"


def test_the_keyboard_walks_over_cells(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count by level | sort level")
    expect_found(page, "3 rows")
    table(page).get_by_role("gridcell", name="error").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(table(page).get_by_role("gridcell").last).to_be_focused()
    page.keyboard.press("Enter")
    choose(page, "Show events")
    expect(filter_texts(page)).to_have_text(["level = warn"])


def test_the_table_is_copied_for_a_spreadsheet(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count by level | sort level")
    expect_found(page, "3 rows")
    page.get_by_role("button", name="Copy as CSV").click()
    expect(page.get_by_text("3 rows copied")).to_be_visible()
    assert read_clipboard(page).splitlines() == ["level,count", "error,4", "info,16", "warn,4"]


def test_groups_are_bars_that_lead_to_their_events(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count by level")
    view_tab(page, "Chart")
    bars = page.get_by_role("list", name="Bars").get_by_role("button")
    expect(bars).to_have_count(3)
    expect(page.get_by_role("button", name="Line")).to_be_disabled()
    bars.and_(page.get_by_role("button", name="warn, count 4: show the events")).click()
    expect(filter_texts(page)).to_have_text(["level = warn"])
    expect_found(page, "4 events")


def test_time_is_a_line_or_bars_with_a_legend(open_shop: OpenShop) -> None:
    page = open_shop(q="* | timechart span=5m count by level", tab="chart")
    kinds = page.get_by_role("group", name="Chart type")
    expect(kinds.get_by_role("button", name="Line")).to_have_attribute("aria-pressed", "true")
    expect(chart(page)).to_be_visible()
    series = page.get_by_role("list", name="Series").get_by_role("button")
    expect(series).to_have_count(3)
    kinds.get_by_role("button", name="Bar").click()
    expect(kinds.get_by_role("button", name="Bar")).to_have_attribute("aria-pressed", "true")
    expect(chart(page)).to_be_visible()
    assert "chart=bar" in page.url
    chart(page).press("End")
    expect(chart(page)).to_have_attribute("aria-valuetext", re.compile(r"\d\d:\d\d:\d\d: \w+ \S+$"))
    series.filter(has_text="error").click()
    for name, is_shown in (("error", "true"), ("info", "false"), ("warn", "false")):
        expect(series.filter(has_text=name)).to_have_attribute("aria-pressed", is_shown)
    chart(page).press("End")
    expect(chart(page)).to_have_attribute("aria-valuetext", re.compile(": error "))
    series.filter(has_text="info").click(modifiers=["Control"])
    expect(series.filter(has_text="info")).to_have_attribute("aria-pressed", "true")
    expect(series.filter(has_text="error")).to_have_attribute("aria-pressed", "true")
    series.filter(has_text="info").click(modifiers=["Control"])
    series.filter(has_text="error").click()
    expect(series.filter(has_text="warn")).to_have_attribute("aria-pressed", "true")


def test_a_course_over_time_opens_as_a_chart_with_figures(open_shop: OpenShop) -> None:
    page = open_shop(q="* | timechart span=5m count by level")
    expect(chart(page)).to_be_visible()
    expect(page.get_by_role("list", name="Series")).to_contain_text(
        re.compile(r"last \d+\s*max \d+")
    )
    view_tab(page, "Table")
    expect(table(page)).to_be_visible()


def test_dragging_over_a_chart_zooms_in(open_shop: OpenShop) -> None:
    page = open_shop(q="* | timechart span=5m count", from_="-3h")
    expect(chart(page).locator("canvas")).to_be_visible()
    expect_settled(page)
    box = chart(page).locator("canvas").bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.3 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], middle, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile("from=20"))
    assert "tab=events" not in page.url
    expect(chart(page)).to_be_visible()


@pytest.mark.parametrize(
    ("unit", "shown"), [(None, r" (ms|s)$"), ("bytes", r" k?B$"), ("percent", r" %$")]
)
def test_numbers_have_the_unit_of_their_name_or_the_chosen_one(
    open_shop: OpenShop, unit: str | None, shown: str
) -> None:
    page = open_shop(q="* | timechart span=1h max(duration_ms) as longest_ms", from_="-3h")
    if unit:
        page.get_by_label("Unit").select_option(unit)
        page.wait_for_url(re.compile(f"unit={unit}"))
    chart(page).press("Home")
    # The chart is drawn again for another unit, and then begins at no particular place.
    for _ in range(10):
        if re.search(shown, chart(page).get_attribute("aria-valuetext") or ""):
            break
        chart(page).press("ArrowRight")
    expect(chart(page)).to_have_attribute("aria-valuetext", re.compile(shown))


def test_fifty_series_and_the_rest_are_drawn(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    teams = [f"team {number}" for number in range(60)]
    keep_events(service, env, [{"team": team, "message": "x"} for team in teams])
    page = open_explore(open_page, env, q="* | timechart 1d limit=50 count by team")
    legend = page.get_by_role("list", name="Series").get_by_role("button")
    expect(legend).to_have_count(51)
    expect(legend.last).to_have_text("OTHER")


def test_a_chart_is_saved_as_a_picture_and_as_numbers(open_shop: OpenShop) -> None:
    page = open_shop(q="* | timechart span=5m count by level")
    expect(chart(page)).to_be_visible()
    with page.expect_download() as saving:
        page.get_by_role("button", name="PNG").click()
    assert saving.value.suggested_filename == "chart.png"
    assert saving.value.path().read_bytes().startswith(b"\x89PNG")
    with page.expect_download() as saving:
        page.get_by_role("button", name="CSV").click()
    assert saving.value.path().read_text().startswith("_time,")
    page.get_by_label("Marks", exact=True).select_option("Events of a query")
    page.get_by_label("Query for marks").fill("level:error")
    page.keyboard.press("Enter")
    expect(page.get_by_text("4 marks", exact=True)).to_be_visible()
    chart(page).focus()
    page.keyboard.press("End")
    flagged = re.compile("⚑")
    for _ in range(40):
        if flagged.search(chart(page).get_attribute("aria-valuetext") or ""):
            break
        page.keyboard.press("ArrowLeft")
    expect(chart(page)).to_have_attribute("aria-valuetext", flagged)
    page.get_by_label("Marks", exact=True).select_option("Fired alerts")
    expect(page.get_by_label("Query for marks")).to_be_hidden()
    # Other tests have alerts that fire.
    expect(page.get_by_text(re.compile(r"^\d+ marks?$"))).to_be_visible()


def test_numbers_of_a_table_have_units_and_are_copied_as_they_are(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count, sum(duration_ms) as total_ms by service", tab="table")
    row = table(page).get_by_role("row").filter(has_text="web")
    total = row.get_by_role("gridcell").last
    expect(total).to_have_text("2.4 s")
    expect(total).to_have_attribute("title", "2400")
    expect(total).to_have_css("text-align", "end")
    total.click()
    choose(page, "Copy")
    expect_copied(page, "2400")
    page.get_by_role("button", name="Copy as CSV").click()
    expect_copied(page, "web,20,2400")
    page = open_shop(q="* | timechart span=30d sum(duration_ms) by service", tab="table")
    expect(table(page)).to_contain_text(" s")
    assert all(cell.endswith("s") for row in cells(page) for cell in row[1:])


def test_a_pie_is_saved_as_a_picture(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count by service", tab="chart", chart="pie")
    expect(page.get_by_role("list", name="Slices")).to_be_visible()
    with page.expect_download() as saving:
        page.get_by_role("button", name="PNG").click()
    assert saving.value.path().read_bytes().startswith(b"\x89PNG")


def test_durations_are_a_heatmap(open_shop: OpenShop) -> None:
    page = open_shop(
        q="* | eval bucket = pow(2, floor(log(duration_ms, 2))) | timechart 1h count by bucket",
        chart="heatmap",
        from_="-3h",
    )
    heatmap = page.get_by_role("button", name="Heatmap")
    expect(heatmap).to_have_attribute("aria-pressed", "true")
    expect(chart(page).locator("canvas")).to_be_visible()
    page.get_by_role("button", name="Line").click()
    expect(heatmap).to_have_attribute("aria-pressed", "false")


def test_one_of_two_numbers_has_an_axis_of_its_own(open_shop: OpenShop) -> None:
    page = open_shop(q="* | timechart span=5m count, avg(duration_ms)")
    page.get_by_label("Second axis").select_option("avg(duration_ms)")
    expect(chart(page).locator("canvas")).to_be_visible()
    expect(page.get_by_label("Second axis")).to_have_value("avg(duration_ms)")


def test_a_place_in_a_chart_leads_to_its_events(open_shop: OpenShop) -> None:
    page = open_shop(q="level:info | timechart span=1h count", tab="chart", from_="-3h")
    expect(chart(page)).to_be_visible()
    expect_settled(page)
    chart(page).press("End")
    expect(chart(page)).to_have_attribute("aria-valuetext", re.compile(r"\d$"))
    words = chart(page).get_attribute("aria-valuetext") or ""
    found = words.split()[-1]
    chart(page).press("Enter")
    expect(query_field(page)).to_have_text("level:info")
    expect_found(page, f"{found} event{'' if found == '1' else 's'}")


def test_a_click_into_a_chart_leads_to_its_events(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    noon = minutes_ago(0).replace(hour=12, minute=0) - timedelta(days=2)
    times = [noon + timedelta(minutes=minutes) for minutes in (10, 20, 70, 80, 90)]
    keep_events(service, env, [{"timestamp": write_time(time)} for time in times])
    page = open_explore(
        open_page,
        env,
        q="* | timechart span=1h count",
        tab="chart",
        chart="bar",
        from_=f"{noon:%Y-%m-%dT12:00:00Z}",
        to=f"{noon:%Y-%m-%dT14:00:00Z}",
    )
    expect(chart(page).locator("canvas")).to_be_visible()
    expect_settled(page)
    box = chart(page).locator("canvas").bounding_box()
    assert box
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 0.7 * box["height"])
    expect_found(page, "3 events")
    expect(page.get_by_role("grid", name="Events")).to_be_visible()


def test_one_number_stands_alone(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error | stats count", tab="chart")
    single = page.get_by_role("button", name="4 count")
    expect(single).to_be_visible()
    expect(page.get_by_role("button", name="Single value")).to_have_attribute(
        "aria-pressed", "true"
    )
    single.click()
    expect(query_field(page)).to_have_text("level:error")
    expect_found(page, "4 events")


def test_what_cannot_be_drawn_says_why(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats values(service) as names", tab="chart")
    expect(page.get_by_role("region", name="Results", exact=True)).to_contain_text(
        re.compile("numeric", re.IGNORECASE)
    )


def slices(page: Page) -> Locator:
    return page.get_by_role("list", name="Slices").get_by_role("listitem")


def test_groups_are_a_pie_with_values_and_shares(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count by service", tab="chart")
    page.get_by_role("button", name="Pie").click()
    expect(slices(page)).to_have_text(
        [re.compile(r"web\s*20\s*83 %"), re.compile(r"payment\s*4\s*17 %")]
    )
    assert "chart=pie" in page.url
    page.reload()
    expect(page.get_by_role("button", name="Pie")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="payment, 4, 17 %: show the events").press("Enter")
    expect(filter_texts(page)).to_have_text(["service = payment"])
    expect_found(page, "4 events")


def test_a_click_into_the_pie_leads_to_its_events(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count by service", tab="chart", chart="pie")
    expect(slices(page)).to_have_count(2)
    expect_settled(page)
    box = slices(page).first.locator("xpath=ancestor::div[1]").locator("svg").bounding_box()
    assert box
    # A sixth of the circle up to the top belongs to the smaller one.
    page.mouse.click(box["x"] + 0.35 * box["width"], box["y"] + 0.15 * box["height"])
    expect(filter_texts(page)).to_have_text(["service = payment"])
    expect_found(page, "4 events")


def test_many_groups_are_few_slices_and_the_rest(open_shop: OpenShop) -> None:
    page = open_shop(q="* | stats count by message", tab="chart", chart="pie")
    expect(slices(page)).to_have_count(12)
    expect(slices(page).last).to_have_text(re.compile(r"other: 13 groups\s*13\s*54 %"))
    expect(slices(page).last.get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize(
    "query",
    [BY_LEVEL, "* | timechart count", "* | stats count", "* | stats count by level, service"],
)
def test_what_is_not_one_number_for_each_group_is_no_pie(open_shop: OpenShop, query: str) -> None:
    page = open_shop(q=query, tab="chart", chart="pie")
    expect(page.get_by_role("button", name="Pie")).to_be_disabled()
    expect(page.get_by_role("button", name="Pie")).to_have_attribute("aria-pressed", "false")
