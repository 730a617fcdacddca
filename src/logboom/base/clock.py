"""The only place that reads the time of day."""

import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import lru_cache

NS_PER_S = 1_000_000_000
NS_PER_DAY = 86_400 * NS_PER_S
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()

Clock = Callable[[], int]
"""Returns the time as nanoseconds since 1970, UTC."""


def system_clock() -> int:
    return time.time_ns()


def format_time(time_ns: int) -> str:
    """Return a time in RFC 3339 in UTC, with as many fraction digits as it needs."""
    seconds, fraction = divmod(time_ns, NS_PER_S)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S").zfill(19)
    if fraction:
        text += f".{fraction:09d}".rstrip("0")
    return text + "Z"


@lru_cache(maxsize=1024)
def format_day(day: int) -> str:
    """Return a day, counted from 1970, as `YYYY-MM-DD`."""
    return date.fromordinal(EPOCH_ORDINAL + day).isoformat()
