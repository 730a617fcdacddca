"""Times in answers, in the formats that requests ask for."""

from datetime import UTC, datetime, timedelta, tzinfo

from logboom.base.clock import NS_PER_S
from logboom.base.patterns import compile_later

NS_PER_MS = 1_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NANOS = ("strict_date_optional_time_nanos", "date_optional_time_nanos", "strict_date_time_nanos")
PATTERN = compile_later(r"'(?P<quoted>[^']*)'|(?P<letters>([a-zA-Z])\3*)|.", 0)
LONGEST_PATTERN = 100
LETTERS = {
    "y": "%Y", "u": "%Y", "M": "%m", "d": "%d", "H": "%H", "m": "%M", "s": "%S", "D": "%j", "a": "%p", "h": "%I",
}  # fmt: skip
NAMES = {"MMM": "%b", "MMMM": "%B", "EEE": "%a", "EEEE": "%A", "yy": "%y", "Z": "%z", "XXX": "%z"}


def format_moment(time_ns: int, format_: str = "", zone: tzinfo = UTC) -> str:
    """A time as text: ISO 8601 with milliseconds unless the format says otherwise."""
    first = format_.split("||")[0]
    if first == "epoch_millis":
        return str(time_ns // NS_PER_MS)
    if first in ("epoch_second", "epoch_seconds"):
        return str(time_ns // NS_PER_S)
    if first in NANOS:
        return format_iso(time_ns, 9, zone)
    if not first or "_" in first or first == "iso8601":
        return format_iso(time_ns, 3, zone)
    return format_pattern(time_ns, first, zone)


def format_iso(time_ns: int, digits: int, zone: tzinfo = UTC) -> str:
    """ISO 8601 with so many digits of the fraction."""
    seconds, fraction = divmod(time_ns, NS_PER_S)
    local = (EPOCH + timedelta(seconds=seconds)).astimezone(zone)
    offset = local.strftime("%z")
    written = "Z" if offset == "+0000" else f"{offset[:3]}:{offset[3:]}"
    return f"{local:%Y-%m-%dT%H:%M:%S}.{f'{fraction:09d}'[:digits]}{written}"


def format_exact(time_ns: int) -> str:
    """Milliseconds, or nanoseconds if the time has any."""
    return format_iso(time_ns, 9 if time_ns % NS_PER_MS else 3)


def format_pattern(time_ns: int, pattern: str, zone: tzinfo) -> str:
    """A pattern such as `yyyy-MM-dd HH:mm`, as far as its letters are known."""
    local = (EPOCH + timedelta(seconds=time_ns // NS_PER_S)).astimezone(zone)
    fraction = f"{time_ns % NS_PER_S:09d}"
    written = []
    for part in PATTERN.finditer(pattern[:LONGEST_PATTERN]):
        letters = part["letters"]
        if letters is None:
            written.append(part["quoted"] if part["quoted"] is not None else part[0])
        elif letters[0] == "S":
            written.append(fraction[: len(letters)])
        else:
            directive = NAMES.get(letters) or LETTERS.get(letters[0])
            written.append(local.strftime(directive) if directive else letters)
    return "".join(written)
