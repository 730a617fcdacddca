"""Timestamps of events: text or number to nanoseconds, and back to exactly the original text.

`parse_time` also returns the format, so that the original text need not be stored: `render_time(time_ns, format)`
gives it back. A value that cannot be restored exactly has no format.

Formats: `i<sep><point><digits><zone>` ISO 8601 · `c<zone>` Apache · `e<unit><digits>` a number · `E<unit><digits>` a
number in quotes. `<sep>` is `T` or a space, `<unit>` one of `s m u n`.
"""

import re
from datetime import UTC, datetime
from decimal import Context, Decimal, InvalidOperation
from typing import NamedTuple

from logboom.base.clock import NS_PER_S
from logboom.base.patterns import compile_later

EPOCH_ORDINAL = datetime(1970, 1, 1, tzinfo=UTC).toordinal()
MIN_TIME_NS, MAX_TIME_NS = -(2**63), 2**63 - 1
UNIT_NS = {"s": NS_PER_S, "m": 1_000_000, "u": 1_000, "n": 1}
UNIT_DIGITS = {"s": 9, "m": 6, "u": 3, "n": 0}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MAX_NUMBER_LENGTH = 256
EXACT = Context(prec=MAX_NUMBER_LENGTH + 10)

ISO = compile_later(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?:(?P<sep>[Tt ])(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:(?P<point>[.,])(?P<fraction>\d+))?)?"
    r" ?(?P<zone>[Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
BASIC = compile_later(
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)T(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)"
    r"(?:(?P<point>[.,])(?P<fraction>\d+))?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
APACHE = compile_later(
    r"(?P<day>\d\d)/(?P<month>[A-Z][a-z]{2})/(?P<year>\d{4}):(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
    r"(?: (?P<zone>[+-]\d{4}))?",
    re.ASCII,
)
NUMBER = compile_later(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


class ParsedTime(NamedTuple):
    """A time, and the format that renders it as it was written (None if there is none)."""

    time_ns: int
    format: str | None


def parse_time(text: str, *, quoted: bool) -> ParsedTime | None:
    """Parse a timestamp from a JSON string (`quoted`) or the text of a JSON number; return None if it is not one."""
    parsed = read_stamp(text, quoted=quoted)
    if parsed and parsed.format and render_time(parsed.time_ns, parsed.format) != text:
        return ParsedTime(parsed.time_ns, None)
    return parsed


def read_stamp(text: str, *, quoted: bool) -> ParsedTime | None:
    """Do what `parse_time` does, where it does not matter whether the format gives back the text."""
    if len(text) <= MAX_NUMBER_LENGTH and NUMBER.fullmatch(text):
        parsed = parse_number(text, "E" if quoted else "e")
    elif not quoted:
        return None
    else:
        parsed = parse_text(text)
    if parsed is None or not MIN_TIME_NS <= parsed.time_ns <= MAX_TIME_NS:
        return None
    return parsed


def choose_unit(magnitude: int) -> str:
    """Return the unit that puts a number of this size into a plausible year."""
    if magnitude < 100_000_000_000:
        return "s"
    if magnitude < 100_000_000_000_000:
        return "m"
    if magnitude < 100_000_000_000_000_000:
        return "u"
    return "n"


def parse_number(text: str, prefix: str) -> ParsedTime | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    if value and value.adjusted() > 20:
        return None
    unit = choose_unit(int(value.copy_abs()))
    time_ns = int(EXACT.multiply(value, UNIT_NS[unit]))
    fraction = text.partition(".")[2]
    if "e" in text.lower() or len(fraction) > UNIT_DIGITS[unit]:
        return ParsedTime(time_ns, None)
    return ParsedTime(time_ns, f"{prefix}{unit}{len(fraction)}")


def parse_text(text: str) -> ParsedTime | None:
    for pattern, describe in (
        (ISO, describe_iso),
        (APACHE, describe_apache),
        (BASIC, describe_nothing),
    ):
        match = pattern.fullmatch(text)
        if match:
            time_ns = read_fields(match)
            return None if time_ns is None else ParsedTime(time_ns, describe(match))
    return None


def read_fields(match: re.Match[str]) -> int | None:
    field = match.groupdict()
    month = MONTHS.index(field["month"]) + 1 if field["month"] in MONTHS else field["month"]
    try:
        days = datetime(int(field["year"]), int(month), int(field["day"]), tzinfo=UTC).toordinal()
    except ValueError:
        return None
    hour, minute, second = [int(field[name] or 0) for name in ("hour", "minute", "second")]
    offset_s = read_zone(field["zone"])
    if hour > 23 or minute > 59 or second > 60 or offset_s is None:
        return None
    seconds = (days - EPOCH_ORDINAL) * 86_400 + hour * 3600 + minute * 60 + second - offset_s
    fraction = field.get("fraction") or ""
    return seconds * NS_PER_S + int(fraction[:9].ljust(9, "0"))


def read_zone(zone: str | None) -> int | None:
    """Return how many seconds a zone is east of UTC, or None if it is out of range; no zone means UTC."""
    if not zone or zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 23 or minutes > 59:
        return None
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def describe_iso(match: re.Match[str]) -> str | None:
    if match["second"] is None or len(match["fraction"] or "") > 9:
        return None
    point = match["point"] or "."
    return f"i{match['sep']}{point}{len(match['fraction'] or '')}{match['zone'] or ''}"


def describe_apache(match: re.Match[str]) -> str | None:
    return f"c{match['zone'] or ''}"


def describe_nothing(_match: re.Match[str]) -> str | None:
    return None


def render_time(time_ns: int, format: str) -> str:
    """Return the original text of a time; the inverse of `parse_time`."""
    if format[0] in "eE":
        return render_number(time_ns, format[1], int(format[2:]))
    zone = format[4:] if format[0] == "i" else format[1:]
    seconds, fraction = divmod(time_ns + (read_zone(zone) or 0) * NS_PER_S, NS_PER_S)
    days, of_day = divmod(seconds, 86_400)
    date = datetime.fromordinal(days + EPOCH_ORDINAL)
    clock = f"{of_day // 3600:02d}:{of_day // 60 % 60:02d}:{of_day % 60:02d}"
    if format[0] == "c":
        return f"{date.day:02d}/{MONTHS[date.month - 1]}/{date.year:04d}:{clock}" + (
            f" {zone}" if zone else ""
        )
    digits = int(format[3])
    tail = f"{format[2]}{fraction:09d}"[: 1 + digits] if digits else ""
    return f"{date.year:04d}-{date.month:02d}-{date.day:02d}{format[1]}{clock}{tail}{zone}"


def render_number(time_ns: int, unit: str, digits: int) -> str:
    whole, rest = divmod(abs(time_ns), UNIT_NS[unit])
    sign = "-" if time_ns < 0 else ""
    if not digits:
        return f"{sign}{whole}"
    return f"{sign}{whole}.{rest:0{UNIT_DIGITS[unit]}d}"[: len(sign) + len(str(whole)) + 1 + digits]
