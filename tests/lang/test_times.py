"""Moments and periods as written, in the zone of the one who asks."""

from datetime import UTC, datetime, tzinfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lang.strategies import MOMENTS, PERIODS
from tests.together import together

from logboom.base.clock import NS_PER_DAY, NS_PER_S, format_time
from logboom.base.errors import Invalid
from logboom.lang.times import find_zone, parse_moment, resolve_period

# A Monday.
NOW_NS = int(datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC).timestamp()) * NS_PER_S
BERLIN = find_zone("Europe/Berlin")
TIMES_NS = st.integers(-(2**62), 2**62)
ZONES = st.sampled_from([UTC, BERLIN, find_zone("Asia/Kolkata"), find_zone("America/Sao_Paulo")])


@together(
    ("text", "expected"),
    [
        ("-1d@d", "2024-05-05T00:00:00Z"),
        ("@d", "2024-05-06T00:00:00Z"),
        ("@d+2h", "2024-05-06T02:00:00Z"),
        ("-h@h", "2024-05-06T06:00:00Z"),
        ("@w", "2024-05-05T00:00:00Z"),
        ("@w0", "2024-05-05T00:00:00Z"),
        ("@w7", "2024-05-05T00:00:00Z"),
        ("@w1", "2024-05-06T00:00:00Z"),
        ("@w6", "2024-05-04T00:00:00Z"),
        ("now/w", "2024-05-06T00:00:00Z"),
        ("now-1w/w", "2024-04-29T00:00:00Z"),
        ("-1mon@mon", "2024-04-01T00:00:00Z"),
        ("now/M", "2024-05-01T00:00:00Z"),
        ("now-1M/M", "2024-04-01T00:00:00Z"),
        ("@q", "2024-04-01T00:00:00Z"),
        ("now/y", "2024-01-01T00:00:00Z"),
        ("-1y", "2023-05-06T07:08:09Z"),
        ("-13mon", "2023-04-06T07:08:09Z"),
        ("now()-5min", "2024-05-06T07:03:09Z"),
        ("-2hours@h", "2024-05-06T05:00:00Z"),
        ("today", "2024-05-06T00:00:00Z"),
        ("Yesterday", "2024-05-05T00:00:00Z"),
        ("2024-05", "2024-05-01T00:00:00Z"),
        ("2024-05-06T10", "2024-05-06T10:00:00Z"),
        ("1714979289", "2024-05-06T07:08:09Z"),
    ],
)
def test_moments(text: str, expected: str) -> None:
    assert format_time(parse_moment(text, NOW_NS)) == expected


def test_the_last_day_of_a_shorter_month() -> None:
    end_of_march_ns = parse_moment("2024-03-31T12:00:00Z", 0)
    assert format_time(parse_moment("-1mon", end_of_march_ns)) == "2024-02-29T12:00:00Z"


@together(
    ("text", "expected"),
    [
        ("2024-05-06", "2024-05-05T22:00:00Z"),
        ("2024-05-06 10:00", "2024-05-06T08:00:00Z"),
        ("2024-01-06T10:00:00", "2024-01-06T09:00:00Z"),
        ("2024-05-06T10:00:00Z", "2024-05-06T10:00:00Z"),
        ("2024-05-06T10:00:00+05:30", "2024-05-06T04:30:00Z"),
        ("06/May/2024:10:00:00", "2024-05-06T08:00:00Z"),
        ("20240506T100000", "2024-05-06T08:00:00Z"),
        ("1714979289", "2024-05-06T07:08:09Z"),
        ("@mon", "2024-04-30T22:00:00Z"),
        ("@y", "2023-12-31T23:00:00Z"),
    ],
)
def test_what_has_no_zone_is_in_the_askers(text: str, expected: str) -> None:
    assert format_time(parse_moment(text, NOW_NS, BERLIN)) == expected


def test_a_day_back_is_a_day_of_the_calendar() -> None:
    """The day before had 25 hours."""
    now_ns = parse_moment("2024-10-27T23:30:00", 0, BERLIN)
    yesterday_ns = parse_moment("-1d@d", now_ns, BERLIN)
    assert yesterday_ns == parse_moment("2024-10-26", 0, BERLIN)


@together(
    ("text", "start", "end"),
    [
        ("5m", "2024-05-06T07:03:09Z", "2024-05-06T07:08:09Z"),
        ("1h30m", "2024-05-06T05:38:09Z", "2024-05-06T07:08:09Z"),
        ("1mon", "2024-04-06T07:08:09Z", "2024-05-06T07:08:09Z"),
        ("2024", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
        ("2024-12", "2024-12-01T00:00:00Z", "2025-01-01T00:00:00Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"),
        ("2024-05-06T07", "2024-05-06T07:00:00Z", "2024-05-06T08:00:00Z"),
        ("2024-05-06 07:08", "2024-05-06T07:08:00Z", "2024-05-06T07:09:00Z"),
        ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z", "2024-05-06T07:08:10Z"),
        ("2024-05-06T07:08:09.5", "2024-05-06T07:08:09.5Z", "2024-05-06T07:08:09.6Z"),
        ("today", "2024-05-06T00:00:00Z", "2024-05-07T00:00:00Z"),
        (" yesterday ", "2024-05-05T00:00:00Z", "2024-05-06T00:00:00Z"),
        ("1714979289", "2024-05-06T07:08:09Z", "2024-05-06T07:08:10Z"),
        ("1714979289123", "2024-05-06T07:08:09.123Z", "2024-05-06T07:08:09.124Z"),
    ],
)
def test_periods(text: str, start: str, end: str) -> None:
    from_ns, to_ns = resolve_period(text, NOW_NS)
    assert (format_time(from_ns), format_time(to_ns)) == (start, end)


@pytest.mark.parametrize(
    ("day", "hours"), [("2024-03-31", 23), ("2024-10-27", 25), ("2024-05-06", 24)]
)
def test_a_day_is_as_long_as_it_is_in_its_zone(day: str, hours: int) -> None:
    from_ns, to_ns = resolve_period(day, NOW_NS, BERLIN)
    assert to_ns - from_ns == hours * 3600 * NS_PER_S
    assert format_time(from_ns).endswith(("22:00:00Z", "23:00:00Z"))


@together(
    "text",
    [
        "",
        "5",
        "5x",
        "-5m",
        "now",
        "tomorrow",
        "2024-13",
        "0000",
        "2024-02-30",
        "2024-5-6",
        "24:00",
        "5 m",
        "9999-01-01",
    ],
)
def test_what_is_no_period_is_refused(text: str) -> None:
    if text == "5":
        assert resolve_period(text, NOW_NS) == (5 * NS_PER_S, 6 * NS_PER_S)
        return
    with pytest.raises(Invalid, match="expected a length such as 5m"):
        resolve_period(text, NOW_NS)


@together("text", ["-1x", "@x", "@w8", "now@", "-5mm", "2024-00", "@5d", "now now", "5m"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="expected RFC 3339"):
        parse_moment(text, NOW_NS)


@settings(deadline=None)
@given(PERIODS, TIMES_NS, ZONES)
def test_a_period_does_not_end_before_it_begins(text: str, now_ns: int, zone: tzinfo) -> None:
    from_ns, to_ns = resolve_period(text, now_ns, zone)
    assert from_ns <= to_ns


@settings(deadline=None)
@given(MOMENTS | st.text(max_size=12), TIMES_NS, ZONES)
def test_a_moment_is_readable_or_not_whatever_the_time(
    text: str, now_ns: int, zone: tzinfo
) -> None:
    try:
        parse_moment(text, NOW_NS)
    except Invalid:
        with pytest.raises(Invalid):
            parse_moment(text, now_ns, zone)
    else:
        assert -(2**63) <= parse_moment(text, now_ns, zone) < 2**63


@settings(deadline=None)
@given(
    st.sampled_from(["@s", "@m", "@h", "@d", "@w", "@w3", "/w", "@mon", "@q", "@y"]),
    TIMES_NS,
    ZONES,
)
def test_a_snap_goes_back_and_stays(snap: str, now_ns: int, zone: tzinfo) -> None:
    snapped_ns = parse_moment(snap, now_ns, zone)
    assert now_ns - 367 * NS_PER_DAY < snapped_ns <= now_ns
    assert parse_moment(snap, snapped_ns, zone) == snapped_ns


@pytest.mark.parametrize("text", ["1600-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01"])
def test_a_year_that_cannot_be_stored_is_named(text: str) -> None:
    with pytest.raises(Invalid, match="expected a year from 1678 to 2261"):
        parse_moment(text, NOW_NS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-25T02:30:00", "2026-10-25T00:30:00"),
        ("2026-10-25T03:00:00", "2026-10-25T02:00:00"),
        ("2026-03-29T03:00:00", "2026-03-29T01:00:00"),
    ],
)
def test_a_time_that_clocks_show_twice_is_the_first(text: str, expected: str) -> None:
    found_ns = parse_moment(text, NOW_NS, BERLIN)
    assert datetime.fromtimestamp(found_ns // 10**9, UTC) == datetime.fromisoformat(f"{expected}Z")


@pytest.mark.parametrize("now", ["2026-10-25T00:40:00", "2026-10-25T01:40:00"])
def test_hours_begin_while_clocks_repeat_one(now: str) -> None:
    now_ns = int(datetime.fromisoformat(f"{now}Z").timestamp()) * 10**9
    assert parse_moment("-0s@h", now_ns, BERLIN) == now_ns - 40 * 60 * 10**9
