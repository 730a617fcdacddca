"""The times at the start of log lines; every layout is in LAYOUTS.

Layouts use the syntax that RE2 and `re` share: RE2 finds the lines that start an event, `re` splits them. A layout is
*strong* if hardly anything but a time looks like it; a weak one counts only in a text where it is frequent.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.formats.times import (
    REGION,
    ZONE_HOURS,
    find_latest_clock,
    is_storable,
    read_parts,
)

YEAR, MONTH, DAY = r"(?P<year>(?:19|20)\d\d)", r"(?P<month>[01]\d)", r"(?P<day>[0-3]\d)"
SHORT_YEAR, SHORT_DAY = r"(?P<century_year>\d\d)", r"(?P<day>[0-3]?\d)"
ANY_MONTH, ANY_DAY = r"(?P<month>\d\d?)", r"(?P<day>\d\d?)"
MONTH_NAME = r"(?P<month>(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6})"
WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},?"
CLOCK = r"(?P<hour>[0-2]?\d):(?P<minute>[0-5]\d):(?P<second>[0-6]\d)"
FULL_CLOCK = r"(?P<hour>[0-2]\d):(?P<minute>[0-5]\d):(?P<second>[0-6]\d)"
FRACTION = r"(?:[.,](?P<fraction>\d{1,9})\d*)?"
ZONE_NAMES = "|".join(("UTC", "GMT", *ZONE_HOURS))
AFTER = (
    rf"{FRACTION}(?: ?(?P<half>[AaPp][Mm])\b)?"
    rf"(?P<zone>Z\b| ?[+-]\d\d:?\d\d\b|[+-]\d\d\b| ?(?:{ZONE_NAMES})\b| {REGION}\b)?"
)
PLAIN_ZONES = ("Z", "UTC", "GMT")
GROUP = compile_later(r"\(\?P<\w+>")


class Layout(NamedTuple):
    """How a time is written: its seconds, then perhaps a fraction and a zone.

    `kept_as` is the field of a time without a date.
    """

    example: str
    moment: str
    is_strong: bool = True
    after: str = AFTER
    before: str = r"[\[(<]?"
    kept_as: str = "timestamp"

    @property
    def pattern(self) -> str:
        """With the groups `moment`, `fraction`, `half` and `zone`."""
        return rf"{self.before}(?P<moment>{GROUP.sub('(?:', self.moment)}){self.after}[\])>]?"


ISO = Layout("2026-11-15 08:30:59.123 +0100", rf"{YEAR}-{MONTH}-{DAY}(?:[T_]| {{1,2}}){CLOCK}")
EPOCH = Layout("1794731459.123", r"1\d{9}|1\d{12}|1\d{15}|1\d{18}", False)
CLOCK_ONLY = Layout("08:30:59.123", FULL_CLOCK, False)
LAYOUTS = (
    ISO,
    Layout("2026/11/15 08:30:59.123456", rf"{YEAR}/{MONTH}/{DAY}[ T:-]{CLOCK}"),
    Layout("2026.11.15 08:30:59", rf"{YEAR}\.{MONTH}\.{DAY}[ T-]{CLOCK}"),
    Layout("2026-11-15-08.30.59.123456", rf"{YEAR}-{MONTH}-{DAY}-(?P<hour>\d\d)\.(?P<minute>\d\d)\.(?P<second>\d\d)"),
    Layout("Sun Nov 15 08:30:59.123456 UTC 2026", rf"(?:{WEEKDAY} )?{MONTH_NAME} {{1,2}}{SHORT_DAY} {CLOCK}{FRACTION}(?: (?P<zone>{ZONE_NAMES}|[+-]\d{{4}}))? {YEAR}"),
    Layout("Nov 15, 2026 8:30:59 AM", rf"(?:{WEEKDAY} )?{MONTH_NAME} {{1,2}}{SHORT_DAY},? {YEAR},? {CLOCK}"),
    Layout("Nov 15 08:30:59", rf"(?:{WEEKDAY} )?{MONTH_NAME} {{1,2}}{SHORT_DAY} {CLOCK}"),
    Layout("Sun, 15 Nov 2026 08:30:59 GMT", rf"(?:{WEEKDAY} )?{SHORT_DAY}[ /-]{MONTH_NAME}[ /-]{YEAR}[ :T]{CLOCK}"),
    Layout("Sun 2026-11-15 08:30:59 UTC", rf"{WEEKDAY} {YEAR}-{MONTH}-{DAY} {CLOCK}"),
    Layout("20261115-08:30:59:123", rf"{YEAR}{MONTH}{DAY}[ T_-](?P<hour>\d\d?):(?P<minute>\d\d?):(?P<second>\d\d?)", after=AFTER.replace("[.,]", "[.,:]", 1)),
    Layout("20261115T083059.123Z", rf"{YEAR}{MONTH}{DAY}[ T_-](?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)"),
    Layout("11/15/2026 8:30:59 AM", rf"{ANY_MONTH}[/-]{ANY_DAY}[/-]{YEAR},? {{1,2}}{CLOCK}"),
    Layout("15.11.2026 08:30:59", rf"{ANY_DAY}[/.-]{ANY_MONTH}[/.-]{YEAR},? {{1,2}}{CLOCK}"),
    Layout("26/11/15 08:30:59", rf"{SHORT_YEAR}/{MONTH}/{DAY}[ -]{CLOCK}"),
    Layout("11/15/26 08:30:59", rf"{ANY_MONTH}/{ANY_DAY}/{SHORT_YEAR},? {CLOCK}"),
    Layout("15.11.26 08:30:59", rf"{ANY_DAY}[/.]{ANY_MONTH}[/.]{SHORT_YEAR},? {CLOCK}"),
    Layout("2026-11-15 08:30", rf"{YEAR}[-/]{MONTH}[-/]{DAY}[T ](?P<hour>[0-2]\d):(?P<minute>[0-5]\d)", False),
    Layout("11-15 08:30:59.123", rf"{MONTH}[-./]{DAY} {FULL_CLOCK}", False),
    Layout("1115 08:30:59.123456", rf"{MONTH}{DAY} {FULL_CLOCK}", False),
    Layout("261115 8:30:59", rf"{SHORT_YEAR}{MONTH}{DAY} {{1,2}}{CLOCK}", False),
    Layout("261115 083059", rf"{SHORT_YEAR}{MONTH}{DAY}[ -](?P<hour>[0-2]\d)(?P<minute>[0-5]\d)(?P<second>[0-6]\d)", False),
    EPOCH,
    Layout("[   12.345678]", r"\d{1,9}\.\d{3,9}s?", False, before=r"(?:<\d{1,3}>)?(?:[a-z0-9]+ *:(?P<early>[a-z]+) *: ?)?\[ *", kept_as="uptime_seconds"),
    CLOCK_ONLY,
    Layout("8:30AM", r"[01]?\d:[0-5]\d[AP]M", False, kept_as="clock"),
)  # fmt: skip
"""Of two that fit a text equally well, the first wins."""

Time = str | int | float
ReadStamp = Callable[[re.Match[str]], Time | None]
"""Returns the time in a match of a layout's pattern; None if there is no such time."""


def make_stamp(layout: Layout, now_ns: int) -> ReadStamp:
    """Return a parser for the times of a layout; `now_ns` determines the year of times without one."""
    if layout is ISO:
        return lambda match: read_iso(match, now_ns)
    if layout is EPOCH:
        return cut_stamp
    if layout.kept_as == "uptime_seconds":
        return lambda match: float(match["moment"].removesuffix("s"))
    if layout is CLOCK_ONLY:
        return lambda match: find_latest_clock(cut_stamp(match), now_ns)
    if layout.kept_as == "clock":
        return cut_stamp
    return lambda match: read_stamp(match, layout.moment, now_ns)


def read_iso(match: re.Match[str], now_ns: int) -> Time | None:
    """Return the text, if every reader of events understands it."""
    moment, half, zone = match.group("moment", "half", "zone")
    is_plain = len(moment) == 19 and moment[10] in "T " and moment[11] != " " and not half
    if is_plain and (zone is None or zone[-1].isdigit() or zone.strip() in PLAIN_ZONES):
        return cut_stamp(match)
    return read_stamp(match, ISO.moment, now_ns)


def cut_stamp(match: re.Match[str]) -> str:
    start, end = match.span("moment")
    for group in ("zone", "fraction"):
        if match[group]:
            end = match.end(group)
            break
    return match.string[start:end]


def read_stamp(match: re.Match[str], moment: str, now_ns: int) -> int | None:
    time_ns = read_moment(moment, match["moment"], match["half"], match["zone"], now_ns)
    fraction = match["fraction"]
    return time_ns if time_ns is None or not fraction else time_ns + int(fraction.ljust(9, "0"))


@lru_cache(maxsize=4096)
def read_moment(
    moment: str, text: str, half: str | None, zone: str | None, now_ns: int
) -> int | None:
    """Return the time of the seconds, cached because neighbouring lines often share it."""
    found = compile_moment(moment).fullmatch(text)
    if found is None:
        return None
    parts: dict[str, str | None] = {"second": "0", **found.groupdict()}
    parts["half"] = half and half.upper()
    if zone:
        parts["zone"] = zone.strip()
    time_ns = read_parts(parts, now_ns)
    return time_ns if time_ns is not None and is_storable(time_ns) else None


@lru_cache(maxsize=64)
def compile_moment(moment: str) -> re.Pattern[str]:
    return compile_later(moment, re.ASCII)
