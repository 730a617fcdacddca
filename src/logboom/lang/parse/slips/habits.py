"""Queries that people write by habit: a pipe without its bar, a monitor of Datadog.

Parsed as a filter they would be words and find nothing. They are refused with the intended query, and only if ordinary
log text hardly looks like it: text pasted from a log stays words.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang.functions import SHORT_PERCENTILE, find_aggregate
from logboom.lang.parse.pipes import PIPES
from logboom.lang.parse.slips.commands import (
    COLUMNS,
    FILTER,
    FROM,
    put_last,
    read_columns,
    read_from,
)
from logboom.lang.parse.slips.monitors import (
    FORMULA,
    METRIC_ALERT,
    MONITOR,
    SERIES,
    TRACES,
    read_formula,
    read_metric_alert,
    read_monitor,
    read_series,
    read_traces,
)
from logboom.lang.tokens import NAME, QUOTED_TEXT, QUOTES

MAX_LENGTH = 2000
"""Longer queries are pasted, or machine-made, and not examined."""
FLAGS = re.IGNORECASE | re.DOTALL
FIELD = NAME.pattern
CALL = rf"(?P<function>{FIELD})\s*+\((?P<arguments>[^()|]*+)\)"
NAMES = rf"{FIELD}(?:\s*+[,\s]\s*+{FIELD})*+"
PIECE = compile_later(rf"(?P<quoted>{QUOTED_TEXT})|(?P<bar>\|)|\\.|[^|\"'`\\]++|.", re.DOTALL)
DOUBLE_BAR = compile_later(rf"\|\|\s*+(?P<name>{FIELD})(?=[\s(]|\Z)")


class Slip(NamedTuple):
    """A mistake in a query. `start` and `end` are the position of the mistake in the query."""

    message: str
    start: int
    end: int
    suggestion: str


def join(head: str, rest: str) -> str:
    return f"{head} {rest.lstrip()}".strip() if rest else head


class Habit(NamedTuple):
    """A way to write queries by habit.

    `repair` returns the intended query up to its first bar; None if it is ordinary text.
    `join` puts the rest of the query after it.
    """

    pattern: re.Pattern[str]
    message: str
    repair: Callable[[re.Match[str]], str | None]
    join: Callable[[str, str], str] = join


def find_slips(text: str) -> Iterator[Slip]:
    """Yield what the query looks like, each with the intended query."""
    if len(text) > MAX_LENGTH:
        return
    if "||" in text:
        yield from find_double_bars(text)
    bar = find_bar(text)
    head, rest = text[:bar].strip(), text[bar:]
    if MARKS.isdisjoint(head) and HABIT_NAMES.isdisjoint(head.lower().split()):
        return
    start = len(text) - len(text.lstrip())
    for habit in HABITS:
        match = search_unquoted(habit.pattern, head)
        repaired = habit.repair(match) if match else None
        if match and repaired is not None:
            suggestion = habit.join(repaired, rest)
            yield Slip(habit.message, start + match.start(), start + match.end(), suggestion)


def search_unquoted(pattern: re.Pattern[str], head: str) -> re.Match[str] | None:
    """Return what is found, unless it starts inside quotes: a phrase may contain any text."""
    match = pattern.search(head)
    if match is None or match.start() == 0:
        return match
    quoted = (piece.span() for piece in PIECE.finditer(head) if piece["quoted"])
    return None if any(start < match.start() < end for start, end in quoted) else match


def find_bar(text: str) -> int:
    """Return where the first pipe starts; bars in quotes do not count."""
    first = text.find("|")
    if first < 0:
        return len(text)
    if QUOTES.isdisjoint(text[:first]) and "\\" not in text[:first]:
        return first
    bars = (piece.start() for piece in PIECE.finditer(text) if piece["bar"])
    return next(bars, len(text))


def find_double_bars(text: str) -> Iterator[Slip]:
    bars = [piece.start() for piece in PIECE.finditer(text) if piece["bar"]]
    for start in bars:
        found = DOUBLE_BAR.match(text, start)
        if found and found["name"].lower() in PIPES:
            repaired = text[:start] + text[start + 1 :]
            yield Slip('two bars before a pipe, expected one "|"', start, start + 2, repaired)


def add_bar(match: re.Match[str]) -> str:
    """Return a bar before the pipe that was found at the end of the text."""
    before = match.string[: match.start()].rstrip()
    return f"{before} | {match.string[match.start() :].strip()}".strip()


def add_stats(match: re.Match[str]) -> str | None:
    """Return the query with `| stats` before an aggregate, or None; the call of any other function is text."""
    name = (match["function"] or "").lower()
    is_known = find_aggregate(name) is not None or SHORT_PERCENTILE.fullmatch(name)
    return f"| stats {match[0]}" if is_known else None


HABIT_NAMES = frozenset(
    (
        *("stats", "timechart", "eventstats", "streamstats", "summarize", "dedup", "fillnull"),
        *("rex", "top", "rare", "head", "limit", "tail", "take", "order", "sort", "count", "rate"),
        *("fields", "display", "filter", "from"),
    )
)
"""The words by which HABITS are recognised; those without one have a mark."""
MARKS = frozenset("({")
HABITS: tuple[Habit, ...] = (
    Habit(
        compile_later(
            r"\A(?:stats|timechart|eventstats|streamstats|summarize|dedup|fillnull|rex)\s.*\Z",
            FLAGS,
        ),
        'a pipe without its bar, expected "|" before it',
        add_bar,
    ),
    Habit(
        compile_later(r"(?<=\s)(?:stats|timechart|summarize)\s[^|]*\sby\s.*\Z", FLAGS),
        'a pipe without its bar, expected "|" before it',
        add_bar,
    ),
    Habit(
        compile_later(rf"\A(?:top|rare)\s++(?:[0-9]++\s++{NAMES}|{FIELD}\s++[0-9]++)\Z", FLAGS),
        'a pipe without its bar, expected "|" before it',
        add_bar,
    ),
    Habit(
        compile_later(r"\A(?:head|limit|tail|take)\s++-?[0-9]++\Z", FLAGS),
        'a pipe without its bar, expected "|" before it',
        add_bar,
    ),
    Habit(
        compile_later(
            rf"(?:\A|(?<=\s))(?:order|sort)\s++(?:by\s++)?(?:{FIELD}\s++(?:asc|desc)|-{FIELD})\Z",
            FLAGS,
        ),
        'a pipe without its bar, expected "|" before it',
        add_bar,
    ),
    Habit(
        compile_later(rf"\A(?P<function>count|rate)\s++by\s++{NAMES}\Z", FLAGS),
        "an aggregate without its pipe, expected | stats before it",
        add_stats,
    ),
    Habit(
        compile_later(rf"\A{CALL}(?:\s++as\s++{FIELD})?(?:\s++by\s++\(?{NAMES}\)?)?\Z", FLAGS),
        "an aggregate without its pipe, expected | stats before it",
        add_stats,
    ),
    Habit(FILTER, 'a pipe without its bar, expected "|" before it', add_bar),
    Habit(COLUMNS, 'a pipe without its bar, expected "|" before it', read_columns, put_last),
    Habit(FROM, "a query of SPL2, expected index: and | where", read_from),
    Habit(MONITOR, "a monitor of Datadog, expected its search and | stats", read_monitor),
    Habit(
        FORMULA,
        "a formula of Datadog, expected the search of events and | stats with its queries",
        read_formula,
    ),
    Habit(
        METRIC_ALERT,
        "a metric query of Datadog, expected a search of events and | stats",
        read_metric_alert,
    ),
    Habit(TRACES, "a query of TraceQL, expected its conditions without braces", read_traces),
    Habit(SERIES, 'a series of PromQL, expected logs such as {app="web"}', read_series),
)
