"""Times as programs write them: every layout, missing years, zones, and what is no time."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.formats.times import DAY_NS, LAYOUTS, read_time

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
moments = st.integers(86_400 * 365, 86_400 * 365 * 200).map(
    lambda seconds: datetime.fromtimestamp(seconds, UTC)
)


def to_ns(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000


NOW_NS = to_ns(NOW)
MOMENT = datetime(2026, 11, 15, 8, 30, 59, tzinfo=UTC)
FRACTIONS = {".123456": 123_456_000, ".123": 123_000_000}


@together("example", LAYOUTS)
def test_every_layout_reads_its_example(example: str) -> None:
    fraction = next((ns for text, ns in FRACTIONS.items() if text in example), 0)
    east = timedelta(hours=1) if "CET" in example else timedelta()
    assert read_time(example, NOW_NS) == to_ns(MOMENT - east) + fraction


@together(
    ("text", "expected"),
    [
        ("Nov  5 08:30:59", "2026-11-05T08:30:59"),
        ("Nov 5 08:30:59", "2026-11-05T08:30:59"),
        ("Nov 15 2026 08:30:59 -0500", "2026-11-15T13:30:59"),
        ("Nov 15 08:30:59.5 EST", "2026-11-15T13:30:59.500"),
        ("November 15, 2026 12:30:59 AM", "2026-11-15T00:30:59"),
        ("Nov 15, 2026 12:30:59 PM", "2026-11-15T12:30:59"),
        ("14 Nov 07:01:22.119", "2026-11-14T07:01:22.119"),
        ("Sunday, 15-Nov-2026 08:30:59 +01:00", "2026-11-15T07:30:59"),
        ("2026-11-15\t08:30:59", "2026-11-15T08:30:59"),
        ("Jun 30 23:59:60", "2026-07-01T00:00:00"),
    ],
)
def test_dialects_of_the_layouts(text: str, expected: str) -> None:
    assert read_time(text, NOW_NS) == to_ns(datetime.fromisoformat(expected).replace(tzinfo=UTC))


@together(
    "text",
    ["", "soon", "Foo 15 08:30:59", "Feb 30 08:30:59", "Nov 15 24:30:59", "Nov 15 08:61:59",
     "2026/13/01 08:30:59", "Nov 15 9999 08:30:59", "Nov 15 08:30:59 " + "x" * 100],
)  # fmt: skip
def test_what_is_no_time_is_none(text: str) -> None:
    assert read_time(text, NOW_NS) is None


@given(moments, st.timedeltas(timedelta(days=-364), timedelta(days=1)))
def test_a_time_without_a_year_is_the_one_nearest_to_now(now: datetime, away: timedelta) -> None:
    """From less than a year ago to a day ahead, every time is read as what it was."""
    moment = (now + away).replace(microsecond=0)
    assert read_time(f"{moment:%b %d %H:%M:%S}", to_ns(now)) == to_ns(moment)


@given(moments, st.timedeltas(timedelta(days=1, seconds=1), timedelta(days=300)))
def test_a_time_without_a_year_is_never_more_than_a_day_ahead(
    now: datetime, ahead: timedelta
) -> None:
    time_ns = read_time(f"{now + ahead:%b %d %H:%M:%S}", to_ns(now))
    assert time_ns is not None
    assert time_ns <= to_ns(now) + DAY_NS


@given(moments, st.sampled_from(["%b %d %Y %H:%M:%S", "%a %b %d %H:%M:%S %Y", "%d/%b/%Y:%H:%M:%S"]))
def test_a_written_time_comes_back(moment: datetime, layout: str) -> None:
    assert read_time(moment.strftime(layout), NOW_NS) == to_ns(moment)
