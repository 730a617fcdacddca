"""Events whose text is not in the message, as Docker, Fluent Bit and GELF send them, in a browser."""

import pytest
from playwright.sync_api import Page
from tests.running import RunningService
from tests.ui.conftest import KeepPicture, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    Event,
    event_rows,
    keep_events,
    minutes_ago,
    open_explore,
    results,
    write_time,
)

EVENTS: list[Event] = [
    {"message": "plain event 7 of the shop", "level": "info"},
    {"log": "docker container 7 started\n", "stream": "stdout"},
    {"line": "a line of a push client", "level": "warn"},
    {"version": "1.1", "host": "web-1", "short_message": "gelf event from web-1", "level": 3},
    {"text": "said in a text", "channel": "ops"},
    {"user": "ann", "action": "login"},
]
TEXTS = [
    "plain event 7 of the shop",
    "docker container 7 started",
    "a line of a push client",
    "gelf event from web-1",
    "said in a text",
    "user=ann",
]


@pytest.fixture
def page(open_page: OpenPage, service: RunningService, env: str) -> Page:
    timed = [
        {"timestamp": write_time(minutes_ago(place + 1)), **event}
        for place, event in enumerate(EVENTS)
    ]
    keep_events(service, env, timed)
    return open_explore(open_page, env)


def test_the_list_and_the_context_show_what_an_event_says(
    page: Page, keep_picture: KeepPicture
) -> None:
    expect(event_rows(page)).to_have_count(len(EVENTS))
    for place, text in enumerate(TEXTS):
        expect(event_rows(page).nth(place)).to_contain_text(text)
    expect(event_rows(page).nth(1)).not_to_contain_text("stream")
    expect(event_rows(page).nth(1)).not_to_contain_text("⏎")
    event_rows(page).nth(1).locator("time").click()
    page.get_by_role("tab", name="Context").click()
    around = page.get_by_role("list", name="Events around this one")
    for text in TEXTS:
        expect(around).to_contain_text(text)
    keep_picture(page, "explore-text")


def test_a_word_that_is_shown_is_found(page: Page) -> None:
    event_rows(page).nth(1).get_by_text("docker").click(position={"x": 10, "y": 8})
    page.get_by_role("menuitem", name="Include").click()
    expect(event_rows(page)).to_have_count(1)
    expect(event_rows(page).first.locator("mark")).to_have_text("docker")


def test_a_pattern_of_a_stand_in_leads_to_its_events(page: Page) -> None:
    results(page).get_by_role("link", name="Patterns").click()
    page.get_by_role("button", name="Include pattern docker container <num> started").click()
    results(page).get_by_role("link", name="Events").click()
    expect(event_rows(page)).to_have_count(1)
    expect(event_rows(page).first).to_contain_text("docker container 7 started")
