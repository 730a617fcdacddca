"""Times as text, to the nanosecond, over everything an event's time can be."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.together import together

from logboom.base.clock import NS_PER_DAY, NS_PER_S, format_day, format_time, system_clock


@together(
    ("time_ns", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (1_500_000_000, "1970-01-01T00:00:01.5Z"),
        (1_700_000_000_000_000_001, "2023-11-14T22:13:20.000000001Z"),
        (-(2**63), "1677-09-21T00:12:43.145224192Z"),
        (2**63 - 1, "2262-04-11T23:47:16.854775807Z"),
    ],
)
def test_a_time_has_as_many_digits_as_it_needs(time_ns: int, text: str) -> None:
    assert format_time(time_ns) == text


@given(st.integers(-(2**63), 2**63 - 1))
@settings(deadline=None)
def test_a_time_read_back_is_the_same(time_ns: int) -> None:
    seconds, _, fraction = format_time(time_ns).removesuffix("Z").partition(".")
    whole = datetime.fromisoformat(seconds).replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    total_s = whole.days * 86_400 + whole.seconds
    assert total_s * NS_PER_S + int(fraction.ljust(9, "0") or 0) == time_ns


@given(st.integers(-(2**63), 2**63 - 1))
@settings(deadline=None)
def test_the_day_of_a_time_is_the_day_in_its_text(time_ns: int) -> None:
    assert format_time(time_ns).startswith(format_day(time_ns // NS_PER_DAY))


def test_the_system_clock_is_after_this_was_written() -> None:
    assert system_clock() > 1_700_000_000 * NS_PER_S
