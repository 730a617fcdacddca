"""Chooses how to read log lines: as a known program's, as syslog, or as any line with a time."""

from typing import Any

from logboom.formats.auto.generic import CONTINUES, count_firsts, learn
from logboom.formats.auto.known import KNOWN, try_known
from logboom.formats.auto.prefix import Habits, read_prefix
from logboom.formats.auto.probes import SYSLOG
from logboom.formats.auto.reading import Reading, parse_each
from logboom.formats.syslog import parse_event

ENOUGH_LINES = 0.52
"""Ambiguous lines count half, so this requires a few certain ones."""
ENOUGH_SYSLOG = 0.5
STRICT = Habits(False, False, False)
SYSLOG_BEGINS = (
    r"<\d{1,3}>|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d (?:\d{4} )?\d\d:\d\d:\d\d"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|-- "
)


def choose_log(lines: list[str], now_ns: int) -> Reading | None:
    """Return how log lines are read, or None if they are not log lines."""
    generic = learn(lines, now_ns)
    firsts = count_firsts(lines)
    for known in KNOWN:
        reading = try_known(known, lines, firsts, now_ns, generic)
        if reading is not None:
            return reading
    syslog = try_syslog(lines, firsts, now_ns)
    if syslog is not None:
        return syslog
    if generic is None or generic.share < ENOUGH_LINES:
        return None
    return Reading("log", generic.share, parse_each(generic.open().parse), generic.begins)


def try_syslog(lines: list[str], firsts: int, now_ns: int) -> Reading | None:
    found = [SYSLOG.match(line) is not None for line in lines]
    if sum(found) < ENOUGH_SYSLOG * max(1, firsts):
        return None
    begun = found.index(True)
    rest = sum(CONTINUES.match(line) is not None for line in lines[begun:])
    share = min(1.0, (sum(found) + rest) / len(lines))

    def parse(text: str) -> dict[str, Any] | None:
        fields = parse_event(text, now_ns)
        if fields is not None and "level" not in fields and "message" in fields:
            level = read_prefix(fields["message"], 0, STRICT)[0].get("level")
            if level:
                fields["level"] = level
        return fields

    return Reading("syslog", share, parse_each(parse), SYSLOG_BEGINS)
