"""Events over time, in a browser."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page
from tests.running import RunningService
from tests.ui.conftest import PHONE, OpenPage
from tests.ui.expecting import expect
from tests.ui.exploring import (
    expect_found,
    expect_settled,
    filter_texts,
    keep_events,
    keep_orders,
    make_order,
    minutes_ago,
    open_explore,
    write_time,
)
from tests.waiting import poll_until

OpenShop = Callable[..., Page]


@pytest.fixture
def open_shop(open_page: OpenPage, service: RunningService, env: str) -> OpenShop:
    """Opens the page on the orders of a shop."""
    keep_orders(service, env)
    return lambda **view: open_explore(open_page, env, **view)


def histogram(page: Page) -> Locator:
    return page.get_by_role("region", name="Histogram")


def bars(page: Page) -> Locator:
    return histogram(page).get_by_role("slider", name="Events over time")


def legend(page: Page) -> Locator:
    return histogram(page).get_by_role("list", name="Levels")


def test_it_says_how_many_of_each_level_in_buckets_of_what_size(open_shop: OpenShop) -> None:
    page = open_shop()
    expect(histogram(page)).to_contain_text("24 events, buckets of 1 minute")
    for name in (
        "Include only info, 16 events",
        "Include only warn, 4 events",
        "Include only error, 4 events",
    ):
        expect(legend(page).get_by_role("button", name=name)).to_be_visible()


def test_a_narrower_range_has_smaller_buckets(open_shop: OpenShop) -> None:
    page = open_shop(from_="-5m")
    expect(histogram(page)).to_contain_text("buckets of 5 seconds")


def test_colours_of_the_levels_are_drawn_on_each_other(open_shop: OpenShop) -> None:
    page = open_shop()
    expect_settled(page)
    # Of three levels; drawn a moment after it is there.
    poll_until(lambda: count_colours(page) >= 3, "the colours of all levels")
    colours = count_colours(page)
    page.get_by_role("button", name="Include only error, 4 events").click()
    expect_found(page, "4 events")
    expect(legend(page).get_by_role("listitem")).to_have_count(1)
    poll_until(lambda: count_colours(page) < colours, "fewer colours")


def count_colours(page: Page) -> int:
    """How many strong colours the chart has."""
    found: int = (
        bars(page)
        .locator("canvas")
        .evaluate(
            """(canvas) => {
          const copy = document.createElement('canvas')
          Object.assign(copy, { width: canvas.width, height: canvas.height })
          const picture = copy.getContext('2d', { willReadFrequently: true })
          picture.drawImage(canvas, 0, 0)
          const { data } = picture.getImageData(0, 0, canvas.width, canvas.height)
          const counts = new Map()
          for (let at = 0; at < data.length; at += 4) {
            if (data[at + 3] < 255) continue
            const colour = data.slice(at, at + 3).join()
            counts.set(colour, (counts.get(colour) ?? 0) + 1)
          }
          return [...counts.values()].filter((count) => count > 100).length
        }"""
        )
    )
    return found


def test_a_brush_zooms_into_a_part_of_the_time(open_shop: OpenShop) -> None:
    page = open_shop()
    expect_found(page, "24 events")
    expect_settled(page)
    box = bars(page).bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.9 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], middle, steps=4)
    page.mouse.move(box["x"] + 0.7 * box["width"], middle, steps=4)
    page.mouse.up()
    expect(page.get_by_role("button", name="Time: ")).not_to_have_text("Last 1 hour")
    summary = histogram(page).get_by_text("events, buckets of")
    expect(summary).to_contain_text("10 seconds")
    # A fifth of an hour: about twelve of the events of each minute.
    count = int((summary.text_content() or "").split()[0])
    assert 10 <= count <= 14
    expect_found(page, f"{count} events")
    page.go_back()
    expect_found(page, "24 events")


def test_a_click_on_a_bar_zooms_into_its_bucket(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    times = [minutes_ago(age) for age in (20, 20, 20, 45)]
    keep_events(service, env, [{"timestamp": write_time(time)} for time in times])
    page = open_explore(open_page, env)
    expect_found(page, "4 events")
    expect_settled(page)
    box = bars(page).locator("canvas").bounding_box()
    assert box
    walk_to_bar(page)
    page.mouse.click(box["x"] + find_bar(page), box["y"] + box["height"] / 2)
    expect_found(page, "3 events")


def walk_to_bar(page: Page) -> None:
    """With the keyboard, from the newest bucket to the first that has events."""
    expect_settled(page)
    bars(page).focus()
    bars(page).press("End")
    expect(bars(page)).to_have_attribute("aria-valuetext", re.compile(r"\d event"))
    last = int(bars(page).get_attribute("aria-valuemax") or 0)
    for _ in range(last):
        if "0 events" not in (bars(page).get_attribute("aria-valuetext") or ""):
            break
        bars(page).press("ArrowLeft")


def find_bar(page: Page) -> float:
    """The middle of the bucket that the keyboard is at, from the left of the chart."""
    place: float = (
        bars(page)
        .locator(".here")
        .evaluate("(element) => element.offsetLeft + element.offsetWidth / 2")
    )
    return place


def test_the_mouse_shows_what_a_bucket_has(open_shop: OpenShop) -> None:
    page = open_shop()
    expect_found(page, "24 events")
    walk_to_bar(page)
    box = bars(page).bounding_box()
    assert box
    place = find_bar(page)
    bars(page).press("Escape")
    expect(bars(page)).not_to_contain_text("All")
    page.mouse.move(box["x"] + place, box["y"] + box["height"] / 2)
    expect(bars(page)).to_contain_text(re.compile(r"All\s*1"))
    expect(bars(page)).to_contain_text(re.compile(r"error\s*1"))


def test_the_keyboard_walks_over_buckets_and_zooms(open_shop: OpenShop) -> None:
    page = open_shop()
    expect_found(page, "24 events")
    walk_to_bar(page)
    expect(bars(page)).to_have_attribute("aria-valuetext", re.compile("1 event, error 1$"))
    bars(page).press("ArrowLeft")
    expect(bars(page)).to_have_attribute("aria-valuetext", re.compile("1 event, warn 1$"))
    bars(page).press("Enter")
    expect_found(page, "1 event")
    expect(legend(page).get_by_role("listitem")).to_have_count(1)


def test_the_legend_includes_and_excludes_a_level(open_shop: OpenShop) -> None:
    page = open_shop()
    page.get_by_role("button", name="Exclude info").click()
    expect_found(page, "8 events")
    expect(filter_texts(page)).to_have_text(["level ≠ info"])
    page.get_by_role("button", name="Include only warn, 4 events").click()
    expect_found(page, "4 events")
    expect(filter_texts(page)).to_have_text(["level ≠ info", "level = warn"])


def test_it_is_folded_away_and_stays_so(open_shop: OpenShop) -> None:
    page = open_shop()
    expect(bars(page)).to_be_visible()
    page.get_by_role("button", name="Events over time").click()
    expect(bars(page)).to_be_hidden()
    page.reload()
    expect_found(page, "24 events")
    expect(bars(page)).to_be_hidden()
    page.get_by_role("button", name="Events over time").click()
    expect(bars(page)).to_be_visible()


def test_a_table_has_the_events_that_it_was_made_of(open_shop: OpenShop) -> None:
    page = open_shop(q="level:error | stats count by service")
    expect_found(page, "1 row")
    expect(histogram(page)).to_contain_text("4 events, buckets of 1 minute")


def compare_button(page: Page) -> Locator:
    return histogram(page).get_by_role("button", name="Compare with the previous period")


def test_the_time_before_is_laid_over_the_bars(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    start = minutes_ago(0).replace(second=0, microsecond=0) - timedelta(minutes=30)
    now = [start + timedelta(minutes=1, seconds=second) for second in range(6)]
    earlier = [start - timedelta(minutes=9, seconds=-second) for second in range(4)]
    keep_events(service, env, [{"timestamp": write_time(time)} for time in (*now, *earlier)])
    end = start + timedelta(minutes=10)
    page = open_explore(open_page, env, from_=write_time(start), to=write_time(end))
    expect(histogram(page)).to_contain_text("6 events, buckets of 10 seconds")
    expect(histogram(page)).not_to_contain_text("previous period, ")
    expect(compare_button(page)).to_have_attribute("aria-pressed", "false")
    compare_button(page).press("Enter")
    expect(histogram(page)).to_contain_text("4 in the previous period, +50 %")
    assert "before=1" in page.url
    page.reload()
    expect(histogram(page)).to_contain_text("4 in the previous period, +50 %")
    expect(compare_button(page)).to_have_attribute("aria-pressed", "true")
    bars(page).press("Home")
    for _ in range(6):
        bars(page).press("ArrowRight")
    expect(bars(page)).to_have_attribute(
        "aria-valuetext", re.compile(r": 6 events, 4 in the previous period")
    )
    compare_button(page).click()
    expect(histogram(page)).not_to_contain_text("previous period, ")
    assert "before=1" not in page.url


def test_the_time_before_follows_filters(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    orders = [make_order(number) for number in (1, 2, 3)]
    earlier = [make_order(number) | {"timestamp": write_time(minutes_ago(90))} for number in (0, 2)]
    keep_events(service, env, [*orders, *earlier])
    page = open_explore(open_page, env, before="1")
    expect(histogram(page)).to_contain_text("3 events")
    expect(histogram(page)).to_contain_text("2 in the previous period, +50 %")
    page.get_by_role("button", name="Include only warn, 1 event").click()
    expect(histogram(page)).to_contain_text("1 event,")
    expect(histogram(page)).to_contain_text("none in the previous period")


def test_all_of_the_time_has_no_time_before(open_shop: OpenShop) -> None:
    page = open_shop(from_="", to="")
    expect_found(page, "24 events")
    expect(compare_button(page)).to_be_disabled()


def test_it_is_broken_down_by_any_field_and_made_higher(open_shop: OpenShop) -> None:
    page = open_shop()
    choice = page.get_by_label("Break down by")
    choice.select_option("service")
    values = histogram(page).get_by_role("list", name="Values").get_by_role("listitem")
    expect(values).to_contain_text(["web", "payment"])
    values.filter(has_text="payment").get_by_role("button", name="Include only payment").click()
    expect(filter_texts(page)).to_have_text(["service = payment"])
    choice.select_option("")
    expect(histogram(page).get_by_role("list")).to_have_count(0)
    edge = page.get_by_role("separator", name="Height of the histogram")
    edge.focus()
    page.keyboard.press("ArrowDown")
    page.reload()
    expect(edge).to_have_attribute("aria-valuenow", "112")
    expect(page.get_by_label("Break down by")).to_have_value("")


def test_the_legend_stays_within_a_narrow_screen(
    open_page: OpenPage, service: RunningService, env: str
) -> None:
    levels = ["debug", "info", "notice", "warn", "error", "fatal"]
    keep_events(service, env, [{"message": "x", "level": level} for level in levels])
    page = open_page(f"#/explore?env={env}", size=PHONE)
    expect(histogram(page).get_by_role("listitem")).to_have_count(len(levels))
    for item in histogram(page).get_by_role("listitem").all():
        box = item.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE["width"]
