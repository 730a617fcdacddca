"""Times and durations as parameters write them."""

from decimal import Decimal

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later
from logboom.model.timestamps import parse_time

WHOLE = compile_later(r"-?[0-9]{1,19}")
REAL = compile_later(r"-?[0-9]{1,12}\.[0-9]{0,12}|-?[0-9](?:\.[0-9]{1,20})?[eE]\+?[0-9]{1,2}")
SECONDS_DIGITS = 10
"""A whole number of more digits is in nanoseconds."""
PART = r"[0-9]{1,12}(?:\.[0-9]{1,9})?(?:ns|us|\u00b5s|\u03bcs|ms|[smhdwy])"
DURATION = compile_later(rf"(?:{PART})+")
PARTS = compile_later(r"([0-9.]+)([^0-9.]+)")
UNITS_NS = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": NS_PER_S,
    "m": 60 * NS_PER_S,
    "h": 3600 * NS_PER_S,
    "d": 86_400 * NS_PER_S,
    "w": 7 * 86_400 * NS_PER_S,
    "y": 365 * 86_400 * NS_PER_S,
}
MAX_NS = 2**63 - 1


def read_moment(text: str, name: str) -> int:
    """Return a time in nanoseconds: whole seconds or nanoseconds, seconds with a fraction, or RFC 3339."""
    time_ns = parse_moment(text)
    if time_ns is None or abs(time_ns) > MAX_NS:
        raise Invalid(
            f"{name} {text[:80]!r}, expected nanoseconds, seconds or RFC 3339", field=name
        )
    return time_ns


def parse_moment(text: str) -> int | None:
    if WHOLE.fullmatch(text):
        number = int(text)
        return number * NS_PER_S if len(text) <= SECONDS_DIGITS else number
    if REAL.fullmatch(text):
        return int(Decimal(text) * NS_PER_S)
    parsed = parse_time(text, quoted=True)
    return None if parsed is None else parsed.time_ns


def read_duration(text: str, name: str) -> int:
    """Return a duration in nanoseconds: seconds as a number, or such as `1h30m`."""
    if DURATION.fullmatch(text):
        length_ns = sum(Decimal(number) * UNITS_NS[unit] for number, unit in PARTS.findall(text))
    elif WHOLE.fullmatch(text) or REAL.fullmatch(text):
        length_ns = Decimal(text) * NS_PER_S
    else:
        raise Invalid(
            f"{name} {text[:80]!r}, expected seconds or a duration such as 5m", field=name
        )
    if length_ns > MAX_NS:
        raise Invalid(f"{name} {text[:80]!r} is too long", field=name)
    return int(length_ns)


def show_seconds(time_ns: int) -> int | float:
    """Return a time as points of series have it: seconds, with milliseconds if they matter."""
    whole, rest = divmod(time_ns, NS_PER_S)
    return whole + rest // 10**6 / 1000 if rest else whole
