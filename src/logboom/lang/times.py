"""Times and periods as people write them: absolute, a number, or relative to now."""

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later
from logboom.lang.ast import DURATIONS_NS
from logboom.lang.calendars import (
    SNAPS,
    add_months,
    begin_month,
    begin_week,
    clamp,
    from_local,
    to_local,
)
from logboom.model.timestamps import (
    APACHE,
    BASIC,
    ISO,
    MAX_NUMBER_LENGTH,
    UNIT_NS,
    choose_unit,
    parse_time,
    read_stamp,
)

MAX_SHOWN = 80
WORDS = {"today": "now/d", "yesterday": "now-1d/d"}
UNITS = {
    "ns": "ns", "us": "us", "µs": "us", "ms": "ms",
    "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
    "h": "h", "H": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "d": "d", "day": "d", "days": "d",
    "w": "w", "week": "w", "weeks": "w",
    "mon": "mon", "M": "mon", "month": "mon", "months": "mon",
    "q": "q", "qtr": "q", "quarter": "q", "quarters": "q",
    "y": "y", "yr": "y", "yrs": "y", "year": "y", "years": "y",
}  # fmt: skip
MONTHS = {"mon": 1, "q": 3, "y": 12}
CALENDAR_UNITS = ("d", "w")

UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
OFFSET = rf"[+-](?:\d{{0,9}})(?:{UNIT})(?![a-zA-Z])"
SNAP = rf"[@/](?:w[0-7]|{UNIT})(?![a-zA-Z0-9])"
STEP = compile_later(rf"{OFFSET}|{SNAP}", re.ASCII)
RELATIVE = compile_later(rf"(?:now(?:\(\))?)?(?P<steps>(?:{OFFSET}|{SNAP})*+)", re.ASCII)
SPAN = compile_later(rf"(?:\d{{1,9}}(?:{UNIT})(?![a-zA-Z]))++", re.ASCII)
SPAN_PART = compile_later(rf"\d{{1,9}}(?:{UNIT})", re.ASCII)
CALENDAR = compile_later(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)(?:[Tt ](?P<hour>\d\d)(?::(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?)?)?)? ?(?P<zone>[Zz]|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
OFFSET_ZONE = compile_later(r"[+-]\d\d:?\d\d", re.ASCII)
YEAR = compile_later(r"(\d{4})-\d\d-\d\d", re.ASCII)
FIRST_YEAR, LAST_YEAR = 1678, 2261
"""The years that 64 bits of nanoseconds cover entirely."""
EPOCH = compile_later(r"-?\d{1,25}(?:\.\d{1,9})?", re.ASCII)


def parse_moment(value: str | int | float, now_ns: int, zone: tzinfo = UTC) -> int:
    """Parse RFC 3339, an epoch number of any unit, `now`, `-15m`, `now-1h/h` or `-1d@d`.

    `zone` applies to times without a zone, and determines where days and longer units start.
    """
    text = str(value).strip()
    text = WORDS.get(text.lower(), text)
    relative = RELATIVE.fullmatch(text) if text else None
    if relative:
        return apply_steps(relative["steps"], now_ns, zone)
    time_ns = read_time(text) if len(text) <= MAX_NUMBER_LENGTH else None
    if time_ns is not None:
        return clamp(from_local(time_ns, zone)) if is_without_zone(text) else time_ns
    calendar = CALENDAR.fullmatch(text)
    period = read_calendar(calendar, zone) if calendar else None
    if period is None:
        raise refuse_time(text)
    return period[0]


def refuse_time(text: str) -> Invalid:
    year = YEAR.match(text)
    if year and not FIRST_YEAR <= int(year[1]) <= LAST_YEAR:
        return Invalid(
            f"time {text[:MAX_SHOWN]!r}, expected a year from {FIRST_YEAR} to {LAST_YEAR}"
        )
    return Invalid(
        f"time {text[:MAX_SHOWN]!r}, expected RFC 3339, an epoch number, "
        "or relative such as -15m, now-1h/h or -1d@d"
    )


@lru_cache(maxsize=256)
def read_time(text: str) -> int | None:
    """Return a time that does not depend on the clock, or None if the text is not one."""
    parsed = read_stamp(text, quoted=True)
    return None if parsed is None else parsed.time_ns


@lru_cache(maxsize=256)
def is_without_zone(text: str) -> bool:
    for pattern in (ISO, BASIC, APACHE):
        match = pattern.fullmatch(text)
        if match:
            return not match["zone"]
    return False


def apply_steps(steps: str, moment_ns: int, zone: tzinfo) -> int:
    """Apply offsets and snaps from left to right, each clamped to the range of valid times."""
    for step in STEP.findall(steps):
        sign, amount, unit = step[0], *split_amount(step[1:])
        if sign in "@/":
            moment_ns = snap(moment_ns, sign, unit, zone)
        else:
            signed = -amount if sign == "-" else amount
            moment_ns = add_units(moment_ns, signed, UNITS[unit], zone)
        moment_ns = clamp(moment_ns)
    return moment_ns


def split_amount(text: str) -> tuple[int, str]:
    """Split `15m` into 15 and m; without a number it is one."""
    unit = text.lstrip("0123456789")
    digits = text.removesuffix(unit)
    return int(digits) if digits else 1, unit


def snap(moment_ns: int, sign: str, unit: str, zone: tzinfo) -> int:
    """Round down to the start of a unit. Weeks start on Monday after `/`, on Sunday after `@`."""
    local_ns = to_local(moment_ns, zone)
    if unit[0] == "w" and (sign == "@" or unit[-1].isdigit()):
        after_sunday = int(unit[1:]) if unit[1:].isdigit() else 0
        return from_local(begin_week(local_ns, (after_sunday - 1) % 7), zone)
    short = UNITS[unit]
    if short not in SNAPS:
        return moment_ns - moment_ns % DURATIONS_NS[short]
    if DURATIONS_NS.get(short, NS_PER_DAY) < NS_PER_DAY:
        # Hours and shorter units follow each other evenly, also when the clock is changed.
        return moment_ns - (local_ns - SNAPS[short](local_ns))
    return from_local(SNAPS[short](local_ns), zone)


def add_units(moment_ns: int, amount: int, unit: str, zone: tzinfo) -> int:
    """Return a moment moved by units: days and longer ones follow the calendar, shorter ones the clock."""
    if unit in MONTHS:
        return from_local(add_months(to_local(moment_ns, zone), amount * MONTHS[unit]), zone)
    if unit in CALENDAR_UNITS:
        return from_local(to_local(moment_ns, zone) + amount * DURATIONS_NS[unit], zone)
    return moment_ns + amount * DURATIONS_NS[unit]


def resolve_period(period: str, now_ns: int, zone: tzinfo = UTC) -> tuple[int, int]:
    """Return from and to (excluded) of `5m` until now, `2026-09-01` or any part of it, `today`, `yesterday`."""
    text = period.strip()
    if text.lower() in WORDS:
        start_ns = parse_moment(text, now_ns, zone)
        return start_ns, add_units(start_ns, 1, "d", zone)
    if SPAN.fullmatch(text):
        steps = "".join(f"-{part}" for part in SPAN_PART.findall(text))
        return apply_steps(steps, now_ns, zone), now_ns
    match = CALENDAR.fullmatch(text)
    found = read_calendar(match, zone) if match else read_epoch(text)
    if found is None:
        raise Invalid(
            f"period {text[:MAX_SHOWN]!r}, expected a length such as 5m, a date such as 2026-09-01, "
            "a part of one, today or yesterday"
        )
    return found


def read_calendar(match: re.Match[str], zone: tzinfo) -> tuple[int, int] | None:
    """Return the year, month, day, hour, minute, second or fraction that was written."""
    year, month = int(match["year"]), int(match["month"] or 1)
    if match["day"] is None:
        zone = read_zone(match["zone"]) if match["zone"] else zone
        if not (year and 1 <= month <= 12):
            return None
        end = begin_month(year, month + 1) if match["month"] else begin_month(year + 1, 1)
        return clamp(from_local(begin_month(year, month), zone)), clamp(from_local(end, zone))
    clock = ":".join(match[name] or "00" for name in ("hour", "minute", "second"))
    fraction = f".{match['fraction']}" if match["fraction"] else ""
    parsed = parse_time(
        f"{match['year']}-{match['month']}-{match['day']}T{clock}{fraction}{match['zone'] or ''}",
        quoted=True,
    )
    if parsed is None:
        return None
    start_ns = parsed.time_ns if match["zone"] else from_local(parsed.time_ns, zone)
    if match["hour"] is None:
        end_ns = from_local(to_local(start_ns, zone) + NS_PER_DAY, zone)
        return clamp(start_ns), clamp(start_ns + NS_PER_DAY if match["zone"] else end_ns)
    return clamp(start_ns), clamp(start_ns + measure_precision(match))


def read_zone(text: str) -> tzinfo:
    """Read `Z` or an offset such as `+05:30`."""
    if text in "Zz":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]) % 24, minutes=int(digits[2:]) % 60)
    return timezone(-offset if text[0] == "-" else offset)


def measure_precision(match: re.Match[str]) -> int:
    if match["fraction"]:
        return int(10 ** (9 - len(match["fraction"])))
    if match["second"]:
        return NS_PER_S
    return DURATIONS_NS["m" if match["minute"] else "h"]


def read_epoch(text: str) -> tuple[int, int] | None:
    """Return a number of seconds, milliseconds, microseconds or nanoseconds, and the length of one unit."""
    parsed = parse_time(text, quoted=True) if EPOCH.fullmatch(text) else None
    if parsed is None:
        return None
    unit = choose_unit(abs(int(text.partition(".")[0])))
    return parsed.time_ns, clamp(parsed.time_ns + UNIT_NS[unit])


def find_zone(name: str) -> tzinfo:
    """Return the time zone of a name such as `Europe/Berlin`, or of an offset such as `+05:30`."""
    if name.upper() in ("UTC", "Z"):
        return UTC
    if OFFSET_ZONE.fullmatch(name):
        return read_zone(name)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(
            f"timezone {name[:MAX_SHOWN]!r}, expected UTC or a name such as Europe/Berlin"
        ) from error
