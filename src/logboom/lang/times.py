"""Moments as people write them in a request: absolute, a number, or relative to now."""

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.base.errors import Invalid
from logboom.model.timestamps import parse_time

UNITS_NS = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": NS_PER_S,
    "m": 60 * NS_PER_S,
    "h": 3600 * NS_PER_S,
    "d": NS_PER_DAY,
    "w": 7 * NS_PER_DAY,
}
MAX_SHOWN = 80
RELATIVE = re.compile(
    r"(?:now)?(?:(?P<sign>[+-])(?P<amount>\d{1,9})(?P<unit>ns|us|ms|[smhdw]))?(?:/(?P<snap>[smhd]))?"
)


def parse_moment(value: str | int | float, now_ns: int, zone: tzinfo = UTC) -> int:
    """RFC 3339, an epoch number of any unit, or `now`, `-15m`, `now-1h/h`; days begin as in `zone`."""
    text = str(value).strip()
    match = RELATIVE.fullmatch(text) if text else None
    if match:
        return read_relative(match, now_ns, zone)
    parsed = parse_time(text, quoted=True)
    if parsed is None:
        raise Invalid(
            f"time {text[:MAX_SHOWN]!r}, expected RFC 3339, an epoch number, "
            "or relative such as -15m or now-1h/h"
        )
    return parsed.time_ns


def read_relative(match: re.Match[str], now_ns: int, zone: tzinfo) -> int:
    moment_ns = now_ns
    if match["amount"]:
        offset_ns = int(match["amount"]) * UNITS_NS[match["unit"]]
        moment_ns += offset_ns if match["sign"] == "+" else -offset_ns
    if match["snap"]:
        ahead_ns = measure_offset(moment_ns, zone)
        local_ns = moment_ns + ahead_ns
        start_ns = local_ns - local_ns % UNITS_NS[match["snap"]]
        # The clock may have been changed in between.
        moment_ns = start_ns - measure_offset(start_ns - ahead_ns, zone)
    return moment_ns


def measure_offset(moment_ns: int, zone: tzinfo) -> int:
    """How far ahead of UTC the clocks of a zone are."""
    try:
        moment = datetime.fromtimestamp(moment_ns // NS_PER_S, zone)
    except (OverflowError, ValueError, OSError):
        return 0
    offset = moment.utcoffset()
    return round(offset.total_seconds()) * NS_PER_S if offset else 0


def find_zone(name: str) -> tzinfo:
    """The time zone of a name such as `Europe/Berlin`."""
    if name.upper() in ("UTC", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(
            f"timezone {name[:MAX_SHOWN]!r}, expected UTC or a name such as Europe/Berlin"
        ) from error
