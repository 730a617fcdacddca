"""Time formats of programs that `model.timestamps` does not parse; all are in LAYOUTS.

A time without a year is the latest such time that is not more than a day in the future; one without a zone is UTC.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from logboom.base.clock import NS_PER_S
from logboom.base.patterns import compile_later
from logboom.model.timestamps import EPOCH_ORDINAL, MAX_TIME_NS, MIN_TIME_NS, MONTHS, read_zone

DAY_S = 86_400
DAY_NS = DAY_S * NS_PER_S
HOUR_NS = 3600 * NS_PER_S
MAX_LENGTH = 64
"""Anything longer is not a time."""

YEARS_LOOKED_BACK = 8
"""Between two leap days there are at most eight years."""

MONTH_NUMBERS = {name: number + 1 for number, name in enumerate(MONTHS)}
ZONE_HOURS = {
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    "AKST": -9, "AKDT": -8, "HST": -10, "BRT": -3, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2,
    "EET": 2, "EEST": 3, "MSK": 3, "SGT": 8, "HKT": 8, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11,
    "NZST": 12, "NZDT": 13,
}  # fmt: skip
"""Zones by name, east of UTC; every other name counts as UTC."""

REGION = (
    r"(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)"
    r"/[A-Z][A-Za-z_]+(?:[/-][A-Z][A-Za-z_]+)?"
)
"""A zone of the tz database, such as `Europe/Berlin`."""

YEAR, DIGITS = r"(?P<year>\d{4})", r"(?P<month>\d\d)"
MONTH, DAY = r"(?P<month>[A-Z][a-z]{2,8})", r"(?P<day>\d{1,2})"
CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9})\d*+)?"
    r"(?: (?P<half>[AP]M))?"
)
WEEKDAY = r"[A-Z][a-z]{2,8}"
ZONE = rf"(?: ?(?P<zone>{REGION}|[A-Z]{{1,5}}|[+-]\d\d:?\d\d))?"

LAYOUTS: dict[str, re.Pattern[str]] = {
    example: compile_later(layout, re.ASCII)
    for example, layout in {
        "Nov 15 2026 08:30:59.123 UTC": f"(?:{WEEKDAY},? )?{MONTH} {{1,2}}{DAY}(?:,? {YEAR})?,? {CLOCK}{ZONE}",
        "2026 Nov 15 08:30:59.123 UTC": f"{YEAR} {MONTH} {{1,2}}{DAY} {CLOCK}{ZONE}",
        "Sun Nov 15 08:30:59 UTC 2026": f"{WEEKDAY} {MONTH} {{1,2}}{DAY} {CLOCK}{ZONE} {YEAR}",
        "Sun, 15 Nov 2026 08:30:59 GMT": f"(?:{WEEKDAY}, )?{DAY}[ -]{MONTH}(?:[ -]{YEAR})? {CLOCK}{ZONE}",
        "15/Nov/2026:08:30:59.123 +0000": f"{DAY}/{MONTH}/{YEAR}:{CLOCK}{ZONE}",
        "2026/11/15 08:30:59.123456": f"{YEAR}/{DIGITS}/(?P<day>\\d\\d)[ T:-]{CLOCK}{ZONE}",
        "2026-11-15 08:30:59.123 CET": f"{YEAR}-{DIGITS}-(?P<day>\\d\\d)(?:[T\t_]| {{1,2}}){CLOCK}{ZONE}",
        "1115 08:30:59.123456": f"{DIGITS}(?P<day>\\d\\d) {CLOCK}",
        "11-15 08:30:59.123": f"{DIGITS}-(?P<day>\\d\\d) {CLOCK}",
        "261115 8:30:59": f"(?P<century_year>\\d\\d){DIGITS}(?P<day>\\d\\d) +{CLOCK}",
    }.items()
}
"""By an example; the first that matches wins."""

ONLY_CLOCK = compile_later(CLOCK, re.ASCII)
SHORT = compile_later(r"([A-Z][a-z]{2}) ([ \d]\d) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d)", re.ASCII)
"""`Nov 15 08:30:59`, the most common one, which has a fast path."""


def read_time(text: str, now_ns: int) -> int | None:
    """Return the time in a text of one of the layouts, or None if none matches, or it does not exist."""
    return match_layouts(text, now_ns) if len(text) <= MAX_LENGTH else None


@lru_cache(maxsize=4096)
def match_layouts(text: str, now_ns: int) -> int | None:
    short = SHORT.fullmatch(text)
    if short:
        month, day, hour, minute, second = short.groups()
        of_day_s = int(hour) * 3600 + int(minute) * 60 + int(second)
        return find_latest(MONTH_NUMBERS.get(month, 0), int(day), of_day_s * NS_PER_S, now_ns)
    for layout in LAYOUTS.values():
        match = layout.fullmatch(text)
        if match:
            time_ns = read_parts(match.groupdict(), now_ns)
            return time_ns if time_ns is not None and is_storable(time_ns) else None
    return None


def is_storable(time_ns: int) -> bool:
    return MIN_TIME_NS <= time_ns <= MAX_TIME_NS


def read_parts(parts: dict[str, str | None], now_ns: int) -> int | None:
    zone = parts.get("zone")
    if zone and "/" in zone:
        local_ns = read_parts({**parts, "zone": None}, now_ns)
        return None if local_ns is None else local_ns - measure_region(zone, local_ns) * NS_PER_S
    of_day_s = read_clock(parts)
    if of_day_s is None:
        return None
    month_text, day = parts["month"] or "", int(parts["day"] or 0)
    month = MONTH_NUMBERS.get(month_text[:3]) or (int(month_text) if month_text.isdigit() else 0)
    fraction_ns = int((parts.get("fraction") or "").ljust(9, "0"))
    rest_ns = of_day_s * NS_PER_S + fraction_ns - read_offset(zone) * NS_PER_S
    year = parts.get("year") or ("20" + century if (century := parts.get("century_year")) else None)
    if year is None:
        return find_latest(month, day, rest_ns, now_ns)
    found = count_days(int(year), month, day)
    return None if found is None else found * DAY_NS + rest_ns


def read_clock(parts: dict[str, str | None]) -> int | None:
    """Return the second of the day, or None if there is no such time."""
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    if half := parts.get("half"):
        hour = hour % 12 + (12 if half == "PM" else 0)
    if hour > 23 or minute > 59 or second > 60:
        return None
    return hour * 3600 + minute * 60 + second


def read_offset(zone: str | None) -> int:
    if zone and zone[0] in "+-":
        return read_zone(zone) or 0
    return ZONE_HOURS.get(zone or "", 0) * 3600


def measure_region(zone: str, local_ns: int) -> int:
    """Return how many seconds a zone of the tz database is ahead of UTC at a local time; 0 for an unknown zone."""
    try:
        local = datetime(1970, 1, 1, tzinfo=ZoneInfo(zone)) + timedelta(
            seconds=local_ns // NS_PER_S
        )
    except (KeyError, ValueError, OSError, OverflowError):
        return 0
    offset = local.utcoffset()
    return round(offset.total_seconds()) if offset else 0


def find_latest_clock(text: str, now_ns: int) -> int | None:
    """Return the latest time, at most an hour in the future, at which a clock shows a text such as `08:30:59.5`."""
    clock = ONLY_CLOCK.fullmatch(text)
    of_day_s = read_clock(clock.groupdict()) if clock else None
    if clock is None or of_day_s is None:
        return None
    rest_ns = of_day_s * NS_PER_S + int((clock["fraction"] or "").ljust(9, "0"))
    time_ns = now_ns // DAY_NS * DAY_NS + rest_ns
    if time_ns > now_ns + HOUR_NS:
        return time_ns - DAY_NS
    is_next_day = time_ns + DAY_NS <= now_ns + HOUR_NS
    return time_ns + DAY_NS if is_next_day else time_ns


def find_latest(month: int, day: int, rest_ns: int, now_ns: int) -> int | None:
    """Return the latest such time that is not more than a day in the future."""
    today = now_ns // DAY_NS
    for last_day in (today + 1, today):
        found = find_day(month, day, last_day)
        if found is None:
            return None
        time_ns = found * DAY_NS + rest_ns
        if time_ns <= now_ns + DAY_NS:
            return time_ns
    return None


@lru_cache(maxsize=1024)
def find_day(month: int, day: int, last_day: int) -> int | None:
    """Return the latest day with this date up to a day, both counted from the epoch."""
    year = datetime.fromordinal(last_day + EPOCH_ORDINAL).year
    for candidate in range(year, year - YEARS_LOOKED_BACK - 1, -1):
        found = count_days(candidate, month, day)
        if found is not None and found <= last_day:
            return found
    return None


def count_days(year: int, month: int, day: int) -> int | None:
    """Return the number of days since the epoch, or None if there is no such date."""
    try:
        return datetime(year, month, day, tzinfo=UTC).toordinal() - EPOCH_ORDINAL
    except ValueError:
        return None
