"""The hunt for the cause of the incident in the sample data, by clicks alone."""

import re

from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.axe import find_faults
from tests.ui.conftest import PHONE, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    choose,
    event_rows,
    expect_settled,
    filter_texts,
    keep_events,
    make_order,
    open_explore,
    results,
)
from tests.ui.hostile import MARKUP, NAMES
from tests.waiting import poll_until

ASK = "What is different here?"


def differences(page: Page) -> Locator:
    return page.get_by_role("complementary", name=ASK)


def fields(page: Page) -> Locator:
    return differences(page).get_by_role("heading", level=3)


def find_errors(service: RunningService, env: str) -> tuple[float, float]:
    """Where in the histogram of a day the errors stand out, as shares of its width."""
    wanted = {"env": env, "from": "-24h", "to": "now", "query": "level:error", "buckets": 48}
    buckets = service.client.post("/api/histogram", json=wanted).json()["buckets"]
    loud = [place for place, bucket in enumerate(buckets) if bucket["count"] > 30]
    return loud[0] / len(buckets), (loud[-1] + 1) / len(buckets)


def drag(page: Page, begin: float, end: float) -> None:
    box = page.get_by_role("slider", name="Events over time").locator(".u-over").bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * begin, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * end, middle, steps=4)
    page.mouse.up()


def test_the_cause_of_the_incident_is_found_by_clicks(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    samples = {"env": env, "events": 20_000, "hours": 24, "seed": 7}
    assert service.client.post("/api/samples", json=samples).is_success
    page = open_explore(open_page, env, from_="-24h")
    expect_settled(page)

    # A mountain of errors: what is different there?
    drag(page, *find_errors(service, env))
    expect(page).to_have_url(re.compile("from=20"))
    expect_settled(page)
    page.get_by_role("button", name=ASK).click()
    expect(fields(page).first).to_have_text("version")
    values = differences(page).get_by_role("list", name="Values of version").get_by_role("listitem")
    expect(values.first).to_contain_text("2.4.1")
    expect(values.first).to_contain_text(re.compile("more|only here"))
    assert find_faults(page) == []

    # Only a release of payments has it: what does that one say?
    differences(page).get_by_role("button", name="Include version 2.4.1").click()
    expect(filter_texts(page)).to_have_count(1)
    differences(page).get_by_role("button", name="Close comparison").click()
    expect(differences(page)).to_have_count(0)
    results(page).get_by_role("link", name="Patterns").click()
    leak = page.get_by_role("list", name="Patterns").get_by_role("listitem")
    leak.get_by_role("button", name=re.compile("Sample of pattern Connection leak")).first.click()
    expect(leak.filter(has_text="RefundAudit.open(RefundAudit.java:57)").first).to_be_visible()


def test_picked_events_are_compared_with_the_others(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    """By mouse, by keys and by the menu, on a phone as well; whatever the values look like."""
    strange, name = MARKUP[0], NAMES[0]
    events = [
        make_order(number) | {"host": "b" if number % 6 else strange, name: number % 6 == 0}
        for number in range(48)
    ]
    keep_events(service, env, events)
    page = open_explore(open_page, env)
    expect_settled(page)
    rows = event_rows(page)
    rows.filter(has_text="failed").nth(0).click(
        modifiers=["ControlOrMeta"], position={"x": 3, "y": 8}
    )
    rows.filter(has_text="failed").nth(1).get_by_text("error", exact=True).click()
    choose(page, "Select event to compare")
    bar = page.get_by_role("group", name="Selected events")
    expect(bar).to_contain_text("2 events selected")
    page.keyboard.press("j")
    page.keyboard.press("Space")
    expect(bar).to_contain_text("3 events selected")
    page.keyboard.press("Space")
    expect(bar).to_contain_text("2 events selected")
    bar.get_by_role("button", name=ASK).click()
    expect(differences(page)).to_contain_text("2 selected events")
    expect(differences(page)).to_contain_text("2 events here")
    expect(fields(page).filter(has_text="host")).to_have_count(1)
    expect(fields(page).filter(has_text="service")).to_have_count(1)

    shared = page.url.partition("#")[2]
    phone = open_page(f"#{shared}", size=PHONE)
    expect(fields(phone).first).to_be_visible()
    assert find_faults(phone) == []
    differences(phone).press("Escape")
    expect(differences(phone)).to_have_count(0)
    poll_until(lambda: "sel=" not in phone.url, "an address without a selection")
