"""The calendar of a time zone: where days, weeks, months and years start, and steps along it."""

from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.model.timestamps import EPOCH_ORDINAL, MAX_TIME_NS, MIN_TIME_NS

NS_PER_HOUR = 3600 * NS_PER_S
DAYS = range(date.min.toordinal() - EPOCH_ORDINAL, date.max.toordinal() - EPOCH_ORDINAL + 1)
MIN_YEAR, MAX_YEAR = 1, 9999


def measure_offset(moment_ns: int, zone: tzinfo) -> int:
    """Return how far ahead of UTC the local time of a zone is."""
    try:
        moment = datetime.fromtimestamp(moment_ns // NS_PER_S, zone)
    except (OverflowError, ValueError, OSError):
        return 0
    offset = moment.utcoffset()
    return round(offset.total_seconds()) * NS_PER_S if offset else 0


def to_local(moment_ns: int, zone: tzinfo) -> int:
    """Return the local time of the zone, as if it were UTC."""
    return moment_ns + measure_offset(moment_ns, zone)


def from_local(local_ns: int, zone: tzinfo) -> int:
    """Return the time at which the zone has this local time, the first one if the clock shows it twice."""
    if zone is UTC:
        return local_ns
    guess_ns = local_ns - measure_offset(local_ns, zone)
    found_ns = local_ns - measure_offset(guess_ns, zone)
    earlier_ns = local_ns - measure_offset(found_ns - NS_PER_DAY, zone)
    is_repeated = earlier_ns < found_ns and to_local(earlier_ns, zone) == local_ns
    return earlier_ns if is_repeated else found_ns


def clamp(moment_ns: int) -> int:
    return max(MIN_TIME_NS, min(moment_ns, MAX_TIME_NS))


def read_date(local_ns: int) -> date:
    """Return the day of a local time; outside the calendar its first or last day."""
    day = max(DAYS[0], min(local_ns // NS_PER_DAY, DAYS[-1]))
    return date.fromordinal(day + EPOCH_ORDINAL)


def begin_date(day: date) -> int:
    return (day.toordinal() - EPOCH_ORDINAL) * NS_PER_DAY


def begin_month(year: int, month: int) -> int:
    """Return the local time at which a month starts, counted from January 1 to any number."""
    years, index = divmod(month - 1, 12)
    year = max(MIN_YEAR, min(year + years, MAX_YEAR))
    return begin_date(date(year, index + 1, 1))


def add_months(local_ns: int, months: int) -> int:
    """Return the same day and time of another month, or its last day if it is shorter."""
    day = read_date(local_ns)
    start_ns = begin_month(day.year, day.month + months)
    last_ns = begin_month(day.year, day.month + months + 1) - NS_PER_DAY
    same_ns = start_ns + (day.day - 1) * NS_PER_DAY
    return min(same_ns, max(start_ns, last_ns)) + local_ns % NS_PER_DAY


def begin_week(local_ns: int, weekday: int) -> int:
    """Return the last midnight that started this day of the week; Monday is 0."""
    day = local_ns // NS_PER_DAY
    # 1970 began on a Thursday.
    return (day - (day + 3 - weekday) % 7) * NS_PER_DAY


def begin_months(local_ns: int, length: int) -> int:
    """Return the start of the month, or of the group of this many months of the year."""
    day = read_date(local_ns)
    return begin_month(day.year, day.month - (day.month - 1) % length)


SNAPS: dict[str, Callable[[int], int]] = {
    "s": lambda local_ns: local_ns - local_ns % NS_PER_S,
    "m": lambda local_ns: local_ns - local_ns % (60 * NS_PER_S),
    "h": lambda local_ns: local_ns - local_ns % NS_PER_HOUR,
    "d": lambda local_ns: local_ns - local_ns % NS_PER_DAY,
    "w": lambda local_ns: begin_week(local_ns, 0),
    "mon": lambda local_ns: begin_months(local_ns, 1),
    "q": lambda local_ns: begin_months(local_ns, 3),
    "y": lambda local_ns: begin_months(local_ns, 12),
}
"""From a local time to the start of the unit that contains it."""
