"""A search that is asked again by itself, in a browser."""

from playwright.sync_api import Page, Request
from tests.running import RunningService
from tests.ui.conftest import OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    expect_found,
    keep_events,
    keep_orders,
    minutes_ago,
    open_explore,
    query_field,
    results,
    type_query,
    write_time,
)


def choose_period(page: Page, label: str) -> None:
    results(page).get_by_label("Refresh").select_option(label=label)


def test_new_events_are_found_without_anybody_asking(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    choose_period(page, "5 s")
    type_query(page, "level:error")
    keep_events(service, env, [{"message": "news"}])
    expect_found(page, "25 events")
    # What is being written is nobody's question yet, and stays.
    expect(query_field(page)).to_have_text("level:error")


def test_it_stops_when_it_is_switched_off(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    page = open_explore(open_page, env)
    expect_found(page, "24 events")
    page.clock.install()
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if is_search(request) else None)
    choose_period(page, "30 s")
    with page.expect_response("**/api/search"):
        page.clock.run_for(30_000)
    with page.expect_response("**/api/search"):
        page.clock.run_for(30_000)
    choose_period(page, "Off")
    page.clock.run_for(300_000)
    assert len(asked) == 2


def is_search(request: Request) -> bool:
    return request.url.endswith("/api/search")


def test_fixed_times_are_not_asked_for_again(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    keep_orders(service, env)
    begin, end = write_time(minutes_ago(60)), write_time(minutes_ago(0))
    page = open_explore(open_page, env, from_=begin, to=end)
    expect_found(page, "24 events")
    expect(results(page).get_by_label("Refresh")).to_have_count(0)
