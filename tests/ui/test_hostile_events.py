"""Events that are out to harm who looks at them, in a browser: they are shown, and that is all."""

import json
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, ViewportSize
from tests.running import RunningService
from tests.ui.conftest import DESKTOP, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import event_rows, keep_events, minutes_ago, query_field, write_time
from tests.ui.hostile import HOSTILE, expect_harmless, show_line, show_text
from tests.waiting import poll_until

TALL: ViewportSize = {"width": 1280, "height": 9_000}
"""All rows of a list are in view."""
MOST_SCROLLS = 100
MOST_OF_A_LINE = 400
"""Longer texts are cut somewhere behind this."""
NO_VALUE = "\N{EN DASH}"
ENV = "attacked"
NAMES = "attacked-names"

Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows(service: RunningService) -> list[dict[str, Any]]:
    """Events with every hostile message, level and value, as the server answers them, newest first."""
    service.control.environments.create(ENV)
    newest = minutes_ago(1)
    keep_events(
        service,
        ENV,
        [
            {
                "timestamp": write_time(newest - timedelta(milliseconds=20 * place)),
                "message": text,
                "level": text,
                "value": text,
            }
            for place, text in enumerate(HOSTILE)
        ],
    )
    found: list[dict[str, Any]] = service.search(env=ENV, limit=1000)["rows"]
    assert [row["value"] for row in found] == HOSTILE
    return found


@pytest.fixture(scope="module")
def names(service: RunningService) -> list[str]:
    """What the server makes of an event whose fields have hostile names."""
    service.control.environments.create(NAMES)
    fields = {text: f"of {place}" for place, text in enumerate(HOSTILE)}
    keep_events(service, NAMES, [{"timestamp": write_time(minutes_ago(1)), "fields": fields}])
    [row] = service.search(env=NAMES)["rows"]
    return [name for name in row if not name.startswith("_")]


def open_attacked(open_page: OpenPage, env: str, size: ViewportSize = DESKTOP, **view: Any) -> Page:
    return open_page(f"#/explore?{urlencode({'env': env, **view}, doseq=True)}", size=size)


def texts_of(locator: Locator) -> list[str]:
    texts: list[str] = locator.evaluate_all("all => all.map((each) => each.textContent)")
    return texts


def expect_texts(locator: Locator, wanted: list[str]) -> None:
    """So many elements with so beginning texts, as a person reads them."""
    expect(locator).to_have_count(len(wanted))
    shown = [text.strip()[:MOST_OF_A_LINE] for text in texts_of(locator)]
    assert shown == [text.strip()[:MOST_OF_A_LINE] for text in wanted]


def test_there_are_three_hundred() -> None:
    assert len(HOSTILE) >= 300


def test_the_list_shows_messages_and_levels(open_page: OpenPage, rows: list[Row]) -> None:
    page = open_attacked(open_page, ENV, TALL)
    levels = page.locator("[role=gridcell].level")
    expect_texts(levels, [show_line(row["level"]) for row in rows])
    messages = page.get_by_role("gridcell").locator("[data-words]")
    expect_texts(messages, [show_line(row["message"]) for row in rows])
    expect_harmless(page)
    page.get_by_role("button", name="Wrap").click()
    expect(page.get_by_role("button", name="Wrap")).to_have_attribute("aria-pressed", "true")
    wrapped = texts_of(messages)
    assert wrapped
    assert wrapped == [show_text(row["message"]) for row in rows[: len(wrapped)]]
    expect_harmless(page)


def test_columns_show_names_and_values(
    open_page: OpenPage, rows: list[Row], names: list[str]
) -> None:
    page = open_attacked(open_page, ENV, TALL, col="value")
    cells = event_rows(page).locator("[data-field=value]")
    expect_texts(cells, [show_line(row["value"]) for row in rows])
    page = open_attacked(open_page, NAMES, col=names)
    expect_texts(
        page.get_by_role("columnheader").locator("button"),
        ["Time", "Level", *(show_line(name) for name in names), "Message"],
    )
    expect_harmless(page)


def test_the_histogram_names_levels(open_page: OpenPage, rows: list[Row]) -> None:
    page = open_attacked(open_page, ENV)
    legend = page.get_by_role("list", name="Levels").get_by_role("listitem")
    expect(legend).not_to_have_count(0)
    page.get_by_role("slider", name="Events over time").press("End")
    known = tuple(show_line(row["level"]).strip()[:20] for row in rows)
    shown = [text.strip() for text in texts_of(legend)]
    assert all(text.startswith((*known, "other")) for text in shown), shown
    expect_harmless(page)


def test_an_event_shows_names_and_values_in_every_tab(
    open_page: OpenPage, service: RunningService, names: list[str]
) -> None:
    [row] = service.search(env=NAMES)["rows"]
    page = open_attacked(open_page, NAMES, event=row["_id"])
    detail = page.get_by_role("complementary", name="Event detail")
    heads = detail.get_by_role("rowheader")
    expect(heads).not_to_have_count(0)
    shown = texts_of(heads)
    missing = [name for name in names if not any(text.endswith(show_line(name)) for text in shown)]
    assert missing == []
    expect_harmless(page)
    for tab in ("JSON", "Raw", "Context"):
        detail.get_by_role("tab", name=tab).click()
        expect(detail.get_by_role("tabpanel", name=tab)).to_contain_text("strike(1)")
        expect_harmless(page)


def test_the_field_panel_shows_names_and_values(
    open_page: OpenPage, rows: list[Row], names: list[str]
) -> None:
    page = open_attacked(open_page, NAMES)
    panel = page.get_by_role("region", name="Fields")
    lines = panel.locator("button[aria-expanded] .name")
    expect(lines.first).to_be_visible()
    wanted, shown = {show_line(name.lower()).lower() for name in names}, set[str]()
    for _ in range(MOST_SCROLLS):
        shown |= {text.lower() for text in texts_of(lines)}
        if wanted <= shown:
            break
        lines.last.scroll_into_view_if_needed()
        page.mouse.wheel(0, 400)
    assert wanted <= shown
    closed = panel.locator("button[aria-expanded=false]")

    def are_open() -> bool:
        """The panel draws only the fields in view, so opening some brings others into it, or out of it."""
        closed.evaluate_all("all => all.forEach((each) => each.click())")
        return closed.count() == 0

    poll_until(are_open, "all fields in view to be open")
    expect_harmless(page)


def test_patterns_are_shown_with_their_samples(open_page: OpenPage, rows: list[Row]) -> None:
    page = open_attacked(open_page, ENV, tab="patterns")
    patterns = page.get_by_role("list", name="Patterns").get_by_role("listitem")
    expect(patterns).to_have_count(100)
    more = page.get_by_role("button", name=re.compile("^Show .* more"))
    while more.count():
        more.click()
    closed = patterns.locator("button[aria-expanded=false]")
    closed.evaluate_all("all => all.forEach((each) => each.click())")
    expect(closed).to_have_count(0)
    known = {show_text(row["message"]) for row in rows}
    assert set(texts_of(patterns.locator("pre"))) <= known
    expect_harmless(page)


def test_tables_and_charts_show_groups(open_page: OpenPage, rows: list[Row]) -> None:
    query = "| stats count() as events by value | sort value"
    page = open_attacked(open_page, ENV, size=TALL, q=query, tab="table")
    cells = page.get_by_role("grid", name="Result").get_by_role("row").locator("td:first-child")
    expect(cells).to_have_count(len(rows))
    known = {show_line(row["value"])[:50] or NO_VALUE for row in rows}
    assert {text[:50] for text in texts_of(cells)} == known
    expect_harmless(page)
    page = open_attacked(open_page, ENV, q=query, tab="chart", chart="bar")
    expect(page.get_by_role("region", name="Results", exact=True)).to_contain_text("strike(1)")
    expect_harmless(page)


def test_filters_of_hostile_values_are_shown_and_explained(
    open_page: OpenPage, rows: list[Row]
) -> None:
    filters = [f"value:={json.dumps(row['value'])}" for row in rows[:20]]
    page = open_attacked(open_page, ENV, f=[f"+{each}" for each in filters])
    shown = page.get_by_role("list", name="Filters").get_by_role("button", name="Edit filter")
    expect_texts(shown, [show_line(f"value =\xa0{row['value'] or '(empty)'}") for row in rows[:20]])
    expect(page.get_by_role("region", name="Why there are no results")).to_be_visible()
    expect_harmless(page)


@pytest.mark.parametrize("part", ["q", "env", "index", "f", "col", "from", "to", "event", "tab"])
def test_an_address_is_only_read(open_page: OpenPage, env: str, part: str) -> None:
    page = open_page("#/explore")
    for text in HOSTILE[::25]:
        page.goto(f"/#/explore?{urlencode({'env': env, part: text})}")
    expect(page.get_by_role("region", name="Results", exact=True)).to_be_visible()
    expect_harmless(page)


def test_a_path_that_is_no_page_is_named(open_page: OpenPage) -> None:
    page = open_page("#/<img src=x onerror=strike(1)>")
    expect(page.get_by_role("status")).to_contain_text("There is no page")
    expect_harmless(page)


def test_the_live_tail_shows_messages(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    page = open_attacked(open_page, env, TALL, live="1")
    live = page.get_by_role("region", name="Live events")
    expect(live.get_by_role("status")).to_have_text("live")
    keep_events(service, env, [{"message": text} for text in HOSTILE])
    shown = event_rows(page).locator("[data-words]")
    expect(shown).to_have_count(len(HOSTILE))
    known = {show_line(text)[:MOST_OF_A_LINE] for text in HOSTILE}
    assert {text[:MOST_OF_A_LINE] for text in texts_of(shown)} == known
    expect_harmless(page)


def test_completions_show_names_and_values(
    open_page: OpenPage, service: RunningService, env: str, names: list[str]
) -> None:
    keep_events(service, env, [{"value": text} for text in HOSTILE[:8]])
    for place, typed in {env: "value:", NAMES: "fields"}.items():
        page = open_attacked(open_page, place)
        expect(event_rows(page).first).to_be_visible()
        query_field(page).press_sequentially(typed)
        completions = page.get_by_role("listbox", name="Completions").get_by_role("option")
        expect(completions.first).to_be_visible()
        expect_harmless(page)


def test_half_of_a_pair_is_shown_as_what_cannot_be_shown(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    service.keep(b'{"message":"half \\ud800 and \\udc00 of a pair"}', {"env": env})
    page = open_attacked(open_page, env)
    expect(event_rows(page)).to_contain_text("half \ufffd and \ufffd of a pair")
