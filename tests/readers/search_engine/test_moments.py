"""Times in the patterns that requests ask for."""

from datetime import UTC, timedelta, timezone, tzinfo

import pytest

from logboom.readers.search_engine.hits.moments import format_moment

TIME_NS = 1_772_445_600_123_456_789
INDIA = timezone(timedelta(hours=5, minutes=30))
WEST = timezone(-timedelta(hours=8))


@pytest.mark.parametrize(
    ("pattern", "zone", "expected"),
    [
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", INDIA, "2026-03-02T15:30:00.123+05:30"),
        ("yyyy-MM-dd'T'HH:mm:ssXXX", UTC, "2026-03-02T10:00:00Z"),
        ("HH:mmxxx", UTC, "10:00+00:00"),
        ("HH:mm X", WEST, "02:00 -08"),
        ("HH:mm X", INDIA, "15:30 +0530"),
        ("HH:mm XX", WEST, "02:00 -0800"),
        ("HH:mm Z", UTC, "10:00 +0000"),
        ("HH:mm ZZZZZ", INDIA, "15:30 +05:30"),
        ("EEE, d MMM yy", UTC, "Mon, 2 Mar 26"),
        ("y-M-d H:m:s", UTC, "2026-3-2 10:0:0"),
        ("dd.MM.yyyy hh a", WEST, "02.03.2026 02 AM"),
        ("epoch_millis", INDIA, "1772445600123"),
        ("strict_date_optional_time", WEST, "2026-03-02T02:00:00.123-08:00"),
    ],
)
def test_a_pattern_writes_a_time(pattern: str, zone: tzinfo, expected: str) -> None:
    assert format_moment(TIME_NS, pattern, zone) == expected
