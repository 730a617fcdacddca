"""Spans of time: where they begin in a zone."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logboom.base.errors import Invalid
from logboom.engine.terms.spans import (
    SPANS,
    begin_span,
    choose_span,
    floor_times,
    list_starts,
    measure_span,
    next_span,
)
from logboom.lang import ast

SECOND = 10**9
ZONES = [
    UTC,
    *map(ZoneInfo, ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "America/Santiago")),
]
zones = st.sampled_from(ZONES)
spans = st.sampled_from(
    [
        *SPANS,
        ast.Quantity(7, "m"),
        ast.Quantity(2, "h"),
        ast.Quantity(1.5, "h"),
        ast.Quantity(2, "w"),
    ]
)
times = st.integers(0, 2 * 10**9).map(lambda second: second * SECOND + 5)


def read_time(text: str, zone: tzinfo) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()) * SECOND


@settings(deadline=None)
@given(st.lists(times, max_size=20), spans, zones)
def test_many_times_are_floored_like_each_alone(
    moments: list[int], span: ast.Quantity, zone: tzinfo
) -> None:
    frame = pl.DataFrame({"t": pl.Series(moments, dtype=pl.Int64)})
    floored = frame.select(floor_times(pl.col("t"), span, zone)).to_series().to_list()
    assert floored == [begin_span(moment, span, zone) for moment in moments]


@settings(deadline=None)
@given(times, spans, zones)
def test_a_time_lies_in_its_span(moment: int, span: ast.Quantity, zone: tzinfo) -> None:
    start_ns = begin_span(moment, span, zone)
    assert start_ns <= moment < next_span(start_ns, span, zone)
    assert begin_span(start_ns, span, zone) == start_ns


CHANGES = {
    "Europe/Berlin": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "America/New_York": ("2026-03-08T07:00", "2026-11-01T06:00"),
    "Antarctica/Troll": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "Australia/Lord_Howe": ("2026-04-04T15:00", "2026-10-03T15:30"),
}
"""When clocks are changed, by an hour, by two, or by half of one."""


@pytest.mark.parametrize("hours", [1.5, 2, 3, 4, 5, 6, 12, 24])
@pytest.mark.parametrize("name", CHANGES)
def test_spans_are_in_order_while_clocks_are_changed(name: str, hours: float) -> None:
    zone, span = ZoneInfo(name), ast.Quantity(hours, "h")
    for change in CHANGES[name]:
        changed_ns = read_time(change, UTC)
        moments = [changed_ns + minute * 60 * SECOND for minute in range(-1500, 1500, 10)]
        starts = [begin_span(moment, span, zone) for moment in moments]
        assert starts == sorted(starts)
        for moment, start_ns in zip(moments, starts, strict=True):
            assert start_ns <= moment < next_span(start_ns, span, zone)
        frame = pl.DataFrame({"t": moments})
        assert frame.select(floor_times(pl.col("t"), span, zone)).to_series().to_list() == starts


@settings(deadline=None)
@given(times, st.sampled_from(SPANS), st.integers(1, 20), zones)
def test_spans_follow_each_other_without_a_gap(
    first_ns: int, span: ast.Quantity, count: int, zone: tzinfo
) -> None:
    end_ns = first_ns + count * measure_span(span)
    starts = list_starts(first_ns, end_ns, span, zone)
    assert starts[0] <= first_ns
    assert starts == sorted(set(starts))
    for moment in (first_ns, end_ns - 1, (first_ns + end_ns) // 2):
        assert begin_span(moment, span, zone) in starts


@settings(deadline=None)
@given(times, st.sampled_from(SPANS), st.sampled_from(SPANS[:12]), zones)
def test_longer_spans_are_made_of_shorter_ones(
    moment: int, long: ast.Quantity, short: ast.Quantity, zone: tzinfo
) -> None:
    if measure_span(short) <= measure_span(long):
        inner_ns = begin_span(moment, short, zone)
        assert begin_span(inner_ns, long, zone) == begin_span(moment, long, zone)


@settings(deadline=None)
@given(times, st.integers(1, 10**10), st.integers(1, 200), zones)
def test_the_chosen_span_gives_no_more_than_wanted(
    first_ns: int, seconds: int, most: int, zone: tzinfo
) -> None:
    end_ns = first_ns + seconds * SECOND
    most = max(most, 2)
    span = choose_span(first_ns, end_ns, most, zone)
    assert len(list_starts(first_ns, end_ns, span, zone)) <= most


@pytest.mark.parametrize(
    ("zone", "span", "moment", "start"),
    [
        ("Europe/Berlin", ast.Quantity(1, "d"), "2026-03-29T12:00", "2026-03-29T00:00"),
        ("Europe/Berlin", ast.Quantity(1, "w"), "2026-03-29T12:00", "2026-03-23T00:00"),
        ("Europe/Berlin", ast.Quantity(12, "h"), "2026-10-25T13:00", "2026-10-25T12:00"),
        ("Asia/Kathmandu", ast.Quantity(1, "h"), "2026-01-01T12:30", "2026-01-01T12:00"),
        ("Asia/Kathmandu", ast.Quantity(30, "m"), "2026-01-01T12:35", "2026-01-01T12:30"),
    ],
)
def test_spans_begin_where_clocks_say(
    zone: str, span: ast.Quantity, moment: str, start: str
) -> None:
    found = begin_span(read_time(moment, ZoneInfo(zone)), span, ZoneInfo(zone))
    assert found == read_time(start, ZoneInfo(zone))


def test_a_day_without_midnight_begins_when_clocks_are_put_forward() -> None:
    # On 2025-09-07 the clocks of Santiago went from 00:00 to 01:00.
    zone = ZoneInfo("America/Santiago")
    found = begin_span(read_time("2025-09-07T12:00", zone), ast.Quantity(1, "d"), zone)
    assert found == read_time("2025-09-07T01:00", zone)


def test_too_many_spans_are_refused_with_one_that_fits() -> None:
    with pytest.raises(Invalid, match="span 1s makes more than 10000 rows, expected 1m or longer"):
        list_starts(0, 400_000 * SECOND, ast.Quantity(1, "s"), UTC)


@pytest.mark.parametrize("span", [ast.Quantity(101 * 366, "d"), ast.Quantity(10**12, "w")])
def test_a_span_longer_than_any_data_is_refused(span: ast.Quantity) -> None:
    with pytest.raises(Invalid, match="too long, expected at most 100 years"):
        measure_span(span)
