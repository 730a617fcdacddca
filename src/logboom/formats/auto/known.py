"""Programs whose log lines a grok preset knows; all are in KNOWN. Each is tried before the generic reading."""

from typing import Any, NamedTuple

from logboom.base.patterns import compile_later
from logboom.formats.auto.generic import Generic, strip_colours, write_strong
from logboom.formats.auto.reading import ParseAll, Reading, anchor, compile_begins
from logboom.formats.grok.presets import PRESETS
from logboom.formats.grok.reader import Pattern, compile_patterns, parse_first
from logboom.formats.multiline import Fold
from logboom.formats.times import ZONE_HOURS, find_latest_clock

Fields = dict[str, Any]
ENOUGH_SIGNS = 0.1
"""A preset is tried if at least this share of the lines, other than clear continuations, has its sign."""
ENOUGH_EVENTS = 0.7
MAX_LINES = 500


class KnownProgram(NamedTuple):
    """A preset, and what the first line of its events looks like.

    Without a `sign`, events start as the generic reading found. One of the `needs` must be among the fields of an
    event; otherwise the generic reading is as good.
    """

    preset: str
    sign: str = ""
    needs: tuple[str, ...] = ()


SLOW_TIME, SLOW_USER = r"# Time: ", r"# User@Host: "
SYSLOG_TIME = r"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) \S+ "
KNOWN = (
    KnownProgram("mysql_slow", SLOW_USER),
    KnownProgram("klog", r"[IWEFD]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] ?"),
    KnownProgram("logcat", r"(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d+ +(?:\d+ +\d+ [VDIWEFA] |[VDIWEFA]/)|[VDIWEFA]/[^(]*\( *\d+\): |--------- beginning of "),
    KnownProgram("redis", r"(?:\d+:[XCSM]|\[\d+\]) \d\d? [A-Z][a-z]{2} (?:\d{4} )?\d\d:\d\d:\d\d"),
    KnownProgram("nginx_error", r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\w+\] \d+#\d+: "),
    KnownProgram("apache_error", r"\[[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d[^\]]*\] \["),
    KnownProgram("haproxy", rf"(?:{SYSLOG_TIME}haproxy\[\d+\]: )?\S+:\d+ \[\d\d/[A-Z][a-z]{{2}}/\d{{4}}:"),
    KnownProgram("mysql_error", r"(?:\d{4}-\d\d-\d\d[T ] ?\d{1,2}:\S+|\d{6} +\d{1,2}:\d\d:\d\d) +(?:\d+ )?\[\w+\] ", ("thread",)),
    KnownProgram("dotnet", r"(?:\[?\d{4}-\d\d-\d\d[T ]\S+ ?)?(?:trce|dbug|info|warn|fail|crit): [^\s\[]+\[-?\d+\]"),
    KnownProgram("php", r"\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d[^\]]*\] PHP "),
    KnownProgram("postgres", r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^\n]*?\b(?:LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|STATEMENT|DETAIL|HINT|CONTEXT|DEBUG[1-5]?):  "),
    KnownProgram("rails", r"[DIWEFA], \[\d{4}-"),
    KnownProgram("java", needs=("logger", "thread")),
    KnownProgram("python", needs=("logger",)),
    KnownProgram("go", needs=("caller",)),
)  # fmt: skip


def try_known(
    known: KnownProgram, lines: list[str], firsts: int, now_ns: int, generic: Generic | None
) -> Reading | None:
    """Return the reading by a preset, or None if too few events match."""
    begins = generic.begins if generic else write_strong()
    if known.sign:
        if count_signs(known.sign, lines) < ENOUGH_SIGNS * firsts:
            return None
        begins = rf"{find_sign(known, lines)}|{write_strong()}"
    elif generic is None:
        return None
    patterns = compile_patterns(PRESETS[known.preset], now_ns)
    records = fold_sample(begins, lines)
    events = parse_with(known, patterns, now_ns)(records)
    share = (len(events) - events.count(None)) / max(1, len(events))
    if share < ENOUGH_EVENTS:
        return None
    # Patterns that match none of these events are tried last.
    patterns.sort(key=lambda pattern: not any(pattern.parse_all(records)))
    parse_all = parse_with(known, patterns, now_ns)
    return Reading(known.preset, share, either(parse_all, generic), begins)


def parse_with(known: KnownProgram, patterns: list[Pattern], now_ns: int) -> ParseAll:
    def accept(fields: Fields | None) -> Fields | None:
        if fields is None or (known.needs and fields.keys().isdisjoint(known.needs)):
            return None
        if fields.get("logger") in ZONE_HOURS:
            return None
        if "clock" in fields and "timestamp" not in fields:
            return {"timestamp": find_latest_clock(fields["clock"], now_ns), **fields}
        return fields

    return lambda texts: list(map(accept, parse_first(patterns, texts)))


def fold_sample(begins: str, lines: list[str]) -> list[str]:
    """Return the events of the sample, without the banner before the first of them."""
    find_begins = compile_begins(anchor(begins))
    found = find_begins(lines)
    start = found.index(True) if True in found else len(lines)
    fold = Fold(find_begins, MAX_LINES)
    records = [*fold.cut(lines[start:], found[start:]), *fold.close()]
    return [strip_colours(text) for _, text in records]


def count_signs(sign: str, lines: list[str]) -> int:
    is_one = compile_later(sign).match
    return sum(is_one(line) is not None for line in lines)


def find_sign(known: KnownProgram, lines: list[str]) -> str:
    """Return the sign of an event; slow queries start with their time, unless it is written only when it changes."""
    if known.sign == SLOW_USER and count_signs(SLOW_TIME, lines) >= count_signs(SLOW_USER, lines):
        return SLOW_TIME
    return known.sign


def either(parse_all: ParseAll, generic: Generic | None) -> ParseAll:
    """Return a parser that reads by the preset, or else generically; colours are removed."""
    other = generic.open().parse if generic else parse_nothing

    def parse_either(texts: list[str]) -> list[Fields | None]:
        texts = list(map(strip_colours, texts))
        return [fields or other(text) for fields, text in zip(parse_all(texts), texts, strict=True)]

    return parse_either


def parse_nothing(_text: str) -> None:
    return None
