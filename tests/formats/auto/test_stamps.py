"""The times in front of log lines: every layout, missing years around new year and leap days, orders of day and month."""

from datetime import UTC, datetime

import msgspec
from tests.formats.feeding import read
from tests.together import together

from logboom.formats.auto.stamps import CLOCK_ONLY, EPOCH, LAYOUTS
from logboom.formats.reader import Options
from logboom.model.timestamps import parse_time

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MOMENT = datetime(2026, 11, 15, 8, 30, 59, tzinfo=UTC)
WITHOUT_DAY = ("[   12.345678]", "8:30AM")


def to_ns(moment: datetime) -> int:
    return int(moment.timestamp()) * 10**9


def read_time_of(stamp: str, now: datetime = NOW) -> int:
    """The time of lines that begin so, as any reader of events sees it."""
    text = f"{stamp} INFO something\n{stamp} WARN else\n".encode()
    lines, _ = read("auto", [text], Options(now_ns=to_ns(now)))
    value = msgspec.json.decode(lines[0])["timestamp"]
    if isinstance(value, str):
        parsed = parse_time(value, quoted=True)
        assert parsed is not None
        return parsed.time_ns
    assert isinstance(value, int)
    return value


@together("example", [each.example for each in LAYOUTS if each.example not in WITHOUT_DAY])
def test_every_layout_reads_its_example(example: str) -> None:
    time_ns = read_time_of(example)
    expected = to_ns(MOMENT)
    if "+0100" in example:
        expected -= 3600 * 10**9
    if example == "2026-11-15 08:30":
        expected -= 59 * 10**9
    assert time_ns // 10**9 == expected // 10**9


def test_some_layouts_are_the_same_moment_as_their_neighbours() -> None:
    assert read_time_of(CLOCK_ONLY.example) == to_ns(MOMENT) + 123_000_000
    assert read_time_of(EPOCH.example) == 1_794_731_459_123_000_000


@together(
    ("stamp", "expected"),
    [
        ("2026-11-15 08:30:59 CET", "2026-11-15T07:30:59"),
        ("2026-11-15 08:30:59 PDT", "2026-11-15T15:30:59"),
        ("[15-Nov-2026 08:30:59 Europe/Berlin]", "2026-11-15T07:30:59"),
        ("2026-07-15 08:30:59.123 America/Argentina/Buenos_Aires", "2026-07-15T11:30:59"),
        ("2026-07-15 08:30:59 Europe/Berlin", "2026-07-15T06:30:59"),
        ("2026-07-15 08:30:59 Europe/Nowhere", "2026-07-15T08:30:59"),
        ("2026-11-15T08:30:59.000-0500", "2026-11-15T13:30:59"),
        ("2026-11-15 08:30:59+02", "2026-11-15T06:30:59"),
        ("2026-11-15  8:30:59", "2026-11-15T08:30:59"),
        ("[15/Nov/2026:08:30:59 +0100]", "2026-11-15T07:30:59"),
        ("11/15/2026 12:30:59 AM", "2026-11-15T00:30:59"),
        ("11/15/2026, 8:30:59 PM", "2026-11-15T20:30:59"),
        ("15/11/2026 08:30:59", "2026-11-15T08:30:59"),
        ("1794731459123", "2026-11-15T08:30:59"),
        ("Sunday, November 15, 2026 8:30:59 AM", "2026-11-15T08:30:59"),
        ("20261115 083059", "2026-11-15T08:30:59"),
    ],
)
def test_variants(stamp: str, expected: str) -> None:
    moment = datetime.fromisoformat(expected).replace(tzinfo=UTC)
    assert read_time_of(stamp) // 10**9 == to_ns(moment) // 10**9


@together(
    ("now", "stamp", "expected"),
    [
        ("2026-01-01T00:00:30", "Dec 31 23:59:59", "2025-12-31T23:59:59"),
        ("2025-12-31T23:59:59", "Jan  1 00:00:01", "2026-01-01T00:00:01"),
        ("2026-01-02T12:00:00", "01-02 11:00:00.000", "2026-01-02T11:00:00"),
        ("2026-01-02T12:00:00", "12-31 11:00:00.000", "2025-12-31T11:00:00"),
        ("2026-06-01T00:00:00", "Feb 29 10:00:00", "2024-02-29T10:00:00"),
        ("2024-02-29T12:00:00", "0229 10:00:00.000000", "2024-02-29T10:00:00"),
        ("2024-02-28T12:00:00", "0229 10:00:00.000000", "2024-02-29T10:00:00"),
        ("2026-11-15T00:10:00", "23:59:59.000", "2026-11-14T23:59:59"),
        ("2026-11-14T23:59:59", "00:10:00.000", "2026-11-15T00:10:00"),
    ],
)
def test_what_a_time_leaves_out_is_taken_from_now(now: str, stamp: str, expected: str) -> None:
    at, moment = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (now, expected))
    assert read_time_of(stamp, at) == to_ns(moment)


def test_the_order_of_day_and_month_is_the_one_that_fits_all_lines() -> None:
    text = b"05/06/2025 10:00:00 one\n14/06/2025 10:00:00 two\n"
    lines, _ = read("auto", [text], Options(now_ns=to_ns(NOW)))
    times = [msgspec.json.decode(line)["timestamp"] for line in lines]
    assert times == [to_ns(datetime(2025, 6, day, 10, tzinfo=UTC)) for day in (5, 14)]
