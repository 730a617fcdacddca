"""Writing a query and running it, in a browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route
from tests.conftest import MakeService
from tests.running import RunningService, encode_lines
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    event_rows,
    expect_found,
    keep_events,
    keep_orders,
    open_explore,
    query_field,
    results,
    run_query,
    take_tool,
    type_query,
)
from tests.waiting import poll_until

OpenShop = Callable[..., Page]
KeepPicture = Callable[[Page, str], None]
COMPLETE = "**/api/query/complete?*"


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on the orders of a shop."""
    keep_orders(service, env)
    return lambda **view: open_explore(open_page, env, **view)


def suggestions(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Completions").get_by_role("option")


def test_enter_runs_what_was_typed_and_tells_what_it_cost(open_shop: OpenShop) -> None:
    page = open_shop()
    expect_found(page, "24 events")
    type_query(page, "level:error")
    query_field(page).press("Escape")
    query_field(page).press("Enter")
    expect_found(page, "4 events")
    expect(event_rows(page)).to_have_count(4)
    expect(event_rows(page).first).to_contain_text("order 0 failed: no answer of 10.0.0.0")
    results(page).get_by_text(re.compile(r"^in [\d.]+ m?s$")).click()
    costs = results(page).get_by_role("list", name="Query statistics")
    # There are two blocks just after midnight, of which one may be skipped.
    expect(costs).to_contain_text(re.compile(r"\d+ rows scanned"))
    expect(costs).to_contain_text("blocks skipped")
    expect(costs).to_contain_text("read")


def test_what_was_searched_for_is_marked(open_shop: OpenShop) -> None:
    page = open_shop(q="failed")
    expect(event_rows(page)).to_have_count(4)
    expect(event_rows(page).first.locator("mark")).to_have_text("failed")


def test_an_error_is_underlined_and_repaired_by_a_click(open_shop: OpenShop) -> None:
    page = open_shop()
    run_query(page, "level:error | stat count by service")
    underlined = query_field(page).locator(".cm-lintRange-error")
    expect(underlined).to_have_text("stat")
    page.get_by_role("button", name="level:error | stats count by service", exact=True).click()
    expect(underlined).to_have_count(0)
    expect(query_field(page)).to_have_text("level:error | stats count by service")
    query_field(page).press("ControlOrMeta+Enter")
    expect(page.get_by_role("grid", name="Result").get_by_role("row").last).to_have_text("payment4")


@pytest.mark.parametrize(
    ("written", "message", "repaired", "found"),
    [
        (
            "level:error | project-away host",
            'Unknown pipe "project-away", write drop a, b',
            "level:error | drop host",
            "4 events",
        ),
        (
            "count by service",
            "An aggregate without its pipe",
            "| stats count by service",
            "2 rows",
        ),
    ],
)
def test_a_habit_of_another_language_is_repaired_by_a_click(
    open_shop: OpenShop,
    keep_picture: KeepPicture,
    written: str,
    message: str,
    repaired: str,
    found: str,
) -> None:
    page = open_shop()
    run_query(page, written)
    expect(page.locator(".remarks")).to_contain_text(message)
    keep_picture(page, f"query-repair-{len(written)}")
    expect(page.locator(".remarks").get_by_role("button")).to_have_text(repaired)
    page.get_by_role("button", name=f"Try {repaired}", exact=True).click()
    expect(query_field(page)).to_have_text(repaired)
    expect_found(page, found)


def test_what_was_read_as_meant_and_what_no_event_has_is_told(
    open_shop: OpenShop, keep_picture: KeepPicture
) -> None:
    page = open_shop()
    run_query(page, "level=[error,info] | stats count by servce")
    expect_found(page, "1 row")
    page.get_by_text("2 remarks").click()
    expect(page.locator(".remarks")).to_contain_text('"[error,info]" is read as "(error,info)"')
    expect(
        page.get_by_text("no event has a field servce, did you mean service?", exact=False)
    ).to_be_visible()
    keep_picture(page, "query-read-as-meant")
    missing = page.get_by_role("list", name="Unknown fields")
    expect(missing).to_contain_text("No event has the field servce.")
    missing.get_by_role("button", name="Use service", exact=True).click()
    expect_found(page, "2 rows")
    expect(missing).to_have_count(0)


def test_fields_and_their_values_with_counts_are_suggested(open_shop: OpenShop) -> None:
    page = open_shop()
    type_query(page, "serv")
    expect(suggestions(page).filter(has_text="service").first).to_be_visible()
    query_field(page).press("Tab")
    expect(query_field(page)).to_have_text("service:")
    expect(suggestions(page).filter(has_text="web")).to_contain_text("20")
    expect(suggestions(page).filter(has_text="payment")).to_contain_text("4")
    suggestions(page).filter(has_text="payment").click()
    expect(query_field(page)).to_have_text("service:payment")
    query_field(page).press("Enter")
    expect_found(page, "4 events")


def test_suggestions_go_when_the_query_is_run_also_those_still_to_come(
    open_shop: OpenShop,
) -> None:
    page = open_shop()
    expect_found(page, "24 events")
    type_query(page, "level:error serv")
    expect(suggestions(page).first).to_be_visible()
    query_field(page).press("ControlOrMeta+Enter")
    expect(suggestions(page)).to_have_count(0)
    held: list[Route] = []
    page.route(COMPLETE, lambda route: held.append(route))
    with page.expect_request(COMPLETE):
        type_query(page, "level:warn")
    query_field(page).press("ControlOrMeta+Enter")
    expect_found(page, "4 events")
    for route in held:
        route.continue_()
    expect(suggestions(page)).to_have_count(0)


def test_values_of_a_field_with_a_blank_in_its_name_are_suggested(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_events(service, env, [{"team name": team, "message": "x"} for team in ("tea", "coffee")])
    page = open_explore(open_page, env)
    type_query(page, "tea")
    expect(suggestions(page).filter(has_text='"team name"')).to_contain_text("2 events")
    query_field(page).press("Tab")
    expect(query_field(page)).to_have_text('"team name":')
    expect(suggestions(page)).to_have_count(2)
    suggestions(page).filter(has_text="coffee").click()
    expect(query_field(page)).to_have_text('"team name":coffee')
    query_field(page).press("Enter")
    expect_found(page, "1 event")


def test_pipes_and_functions_are_suggested(open_shop: OpenShop) -> None:
    page = open_shop()
    type_query(page, "* | sta")
    expect(suggestions(page).filter(has_text="stats").first).to_be_visible()
    query_field(page).press("Tab")
    expect(query_field(page)).to_have_text("* | stats")
    query_field(page).press_sequentially("cou")
    expect(suggestions(page).filter(has_text="count").first).to_be_visible()
    query_field(page).press("Tab")
    expect(query_field(page)).to_have_text("* | stats count")
    query_field(page).press_sequentially(" by serv")
    expect(suggestions(page).filter(has_text="service").first).to_be_visible()
    query_field(page).press("Tab")
    expect(query_field(page)).to_have_text("* | stats count by service")
    query_field(page).press("Enter")
    expect_found(page, "2 rows")


def test_enter_completes_what_is_half_a_pipe_and_runs_what_is_whole(open_shop: OpenShop) -> None:
    page = open_shop(from_="-5m", to="now")
    expect_found(page, "4 events")
    type_query(page, "* | ")
    expect(suggestions(page).first).to_contain_text("stats")
    expect(suggestions(page).first).to_have_attribute("aria-selected", "true")
    query_field(page).press_sequentially("to")
    expect(suggestions(page).first).to_contain_text("top")
    query_field(page).press_sequentially("p level")
    query_field(page).press("Enter")
    expect_found(page, "3 rows")
    expect(suggestions(page)).to_have_count(0)
    # Counts are those of the time that is looked at; Escape leaves nothing but the suggestions.
    type_query(page, "level:")
    expect(suggestions(page).filter(has_text="info")).to_contain_text("2 events")
    query_field(page).press("Escape")
    expect(suggestions(page)).to_have_count(0)
    query_field(page).press("Escape")
    query_field(page).press_sequentially("jl")
    expect(query_field(page)).to_have_text("level:jl")
    query_field(page).press("ControlOrMeta+a")
    query_field(page).press("Delete")
    query_field(page).press_sequentially("level:warn")
    query_field(page).press("Shift+Enter")
    query_field(page).press_sequentially("service:web")
    query_field(page).press("ControlOrMeta+Enter")
    expect_found(page, "1 event")
    # What was run before is offered to whoever begins anew.
    type_query(page, "")
    query_field(page).blur()
    query_field(page).focus()
    expect(suggestions(page)).to_contain_text(["level:warn⏎service:web", "* | top level"])
    query_field(page).press("ArrowDown")
    query_field(page).press("Enter")
    expect(query_field(page)).to_have_text("* | top level")
    # Menus close by Escape too, and leave everything else open.
    results(page).get_by_text(re.compile(r"^in [\d.]+ m?s$")).click()
    costs = results(page).get_by_role("list", name="Query statistics")
    expect(costs).to_be_visible()
    page.keyboard.press("Escape")
    expect(costs).to_be_hidden()


def test_the_environment_and_the_index_are_chosen(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    service.keep(encode_lines([{"message": "x"}] * 3), {"env": env, "index": "audit"})
    page = open_page()
    expect(page.get_by_label("Environment")).to_have_value("default")
    page.get_by_label("Environment").select_option(env)
    expect_found(page, "27 events")
    index = page.get_by_role("combobox", name="Index")
    index.click()
    page.get_by_role("option", name="audit").click()
    expect_found(page, "3 events")
    page.get_by_role("listbox").get_by_role("option", name="default").click()
    expect_found(page, "27 events")
    expect(index).to_have_value("audit,default")
    page.get_by_role("listbox").get_by_role("option", name="default").click()
    expect_found(page, "3 events")
    index.fill("au*")
    index.press("Enter")
    expect_found(page, "3 events")
    index.fill("")
    index.press("Enter")
    expect_found(page, "27 events")


def test_control_and_arrow_up_brings_back_earlier_queries(open_shop: OpenShop) -> None:
    page = open_shop()
    run_query(page, "level:error")
    expect_found(page, "4 events")
    run_query(page, "service:web")
    expect_found(page, "20 events")
    type_query(page, "half a thought")
    field = query_field(page)
    field.press("Escape")
    for shown in ("service:web", "level:error"):
        field.press("Control+ArrowUp")
        expect(field).to_have_text(shown)
    for shown in ("service:web", "half a thought"):
        field.press("Control+ArrowDown")
        expect(field).to_have_text(shown)


def test_a_query_is_run_again_from_the_history(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error", f="+service:payment")
    expect_found(page, "4 events")
    run_query(page, "level:warn")
    expect_found(page, "0 events")
    take_tool(page, "History")
    history = page.get_by_role("dialog", name="History")
    expect(history.get_by_role("listitem")).to_have_count(2)
    history.get_by_label("Search history").fill("ERROR")
    history.get_by_role("button", name="service:payment · level:error").click()
    expect_found(page, "4 events")
    expect(query_field(page)).to_have_text("level:error")
    take_tool(page, "History")
    history.get_by_role("button", name="Clear history").click()
    expect(history).to_contain_text("Queries you run will appear here.")


def test_a_search_that_takes_too_long_is_cancelled(
    open_page: OpenPage, start_service: MakeService
) -> None:
    busy = start_service(queries=(1, 64, 50.0))
    keep_orders(busy, "default")
    page = open_page("#/explore", on=busy)
    expect_found(page, "24 events")
    cancel = page.get_by_role("search", name="Query").get_by_role("button", name="Cancel")
    with busy.gate.enter():
        run_query(page, "level:error")
        poll_until(lambda: busy.gate.waiting > 0, "the search to wait for its turn")
        cancel.click()
        expect(page.get_by_role("button", name="Run")).to_be_visible()
        expect_found(page, "24 events")
    page.get_by_role("button", name="Run").click()
    expect_found(page, "4 events")
