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
NAMES = {"MMM": "%b", "MMMM": "%B", "EEE": "%a", "EEEE": "%A", "yy": "%y"}
OFFSETS = frozenset("XxZ")
"""Letters of the offset from UTC; how many there are says how it is written."""
HOURS, WITH_COLON = 1, (3, 5)


def format_moment(time_ns: int, format_: str = "", zone: tzinfo = UTC) -> str:
    """Return a time as text: ISO 8601 with milliseconds unless the format says otherwise."""
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
    """Return a time in ISO 8601 with this many digits of the fraction."""
    seconds, fraction = divmod(time_ns, NS_PER_S)
    local = (EPOCH + timedelta(seconds=seconds)).astimezone(zone)
    offset = local.strftime("%z")
    written = "Z" if offset == "+0000" else f"{offset[:3]}:{offset[3:]}"
    return f"{local:%Y-%m-%dT%H:%M:%S}.{f'{fraction:09d}'[:digits]}{written}"


def format_exact(time_ns: int) -> str:
    """Return a time with milliseconds, or with nanoseconds if it has any."""
    return format_iso(time_ns, 9 if time_ns % NS_PER_MS else 3)


def format_pattern(time_ns: int, pattern: str, zone: tzinfo) -> str:
    """Return a time in a pattern such as `yyyy-MM-dd HH:mm`; unknown letters stay, a single letter pads no number."""
    local = (EPOCH + timedelta(seconds=time_ns // NS_PER_S)).astimezone(zone)
    fraction = f"{time_ns % NS_PER_S:09d}"
    written = []
    for part in PATTERN.finditer(pattern[:LONGEST_PATTERN]):
        letters = part["letters"]
        if letters is None:
            written.append(part["quoted"] if part["quoted"] is not None else part[0])
        elif letters[0] == "S":
            written.append(fraction[: len(letters)])
        elif letters[0] in OFFSETS:
            written.append(format_offset(letters, local.strftime("%z")))
        else:
            directive = NAMES.get(letters) or LETTERS.get(letters[0])
            text = local.strftime(directive) if directive else letters
            written.append(str(int(text)) if len(letters) == 1 and text.isdecimal() else text)
    return "".join(written)


def format_offset(letters: str, offset: str) -> str:
    """Return an offset: `+01` for one letter, `+0100` for two, `+01:00` for three; `X` writes UTC as `Z`."""
    letter, count = letters[0], len(letters)
    if letter == "X" and offset == "+0000":
        return "Z"
    if letter == "Z":
        return f"{offset[:3]}:{offset[3:]}" if count == WITH_COLON[-1] else offset
    if count == HOURS and offset.endswith("00"):
        return offset[:3]
    return f"{offset[:3]}:{offset[3:]}" if count in WITH_COLON else offset
