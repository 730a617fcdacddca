"""Log lines of unknown programs: a time first, then perhaps level, thread and logger, then the message.

Lines that do not start like this belong to the event before them. `learn` finds out how the lines of a text start;
`Generic.parse` reads an event accordingly.
"""

import re
from functools import cache
from typing import Any, NamedTuple

from logboom.base.patterns import compile_later
from logboom.formats.auto.prefix import (
    CLEAR,
    LETTERS,
    LEVELS,
    UNCLOSED,
    Habits,
    find_level,
    learn_habits,
    read_origin,
    read_prefix,
    skip_separators,
)
from logboom.formats.auto.stamps import GROUP, LAYOUTS, Layout, make_stamp

ANSI = compile_later(r"\x1b\[[0-9;]*m")
COLOUR = r"(?:\x1b\[[0-9;]*m)*"
BOUNDARY = r"(?:[\s|:;,\[\-]|$)"
EARLY = r"(?:[\[(]?(?P<early>[A-Za-z]{1,13})\s{0,8}[\])]?(?:[:|,]\s{0,8}|\s{1,8})[-|]?\s{0,8}(?:\[(?P<thread>[^\[\]\n]{1,200})\]\s{1,8})?)??"
EARLY_BEGINS = r"(?:[\[(]?(?:(?i:trace|debug|info|notice|warn|warning|error|critical|fatal|information)|[VDIWEF])\s*[\])]?[:|,]?\s*[-|]?\s*(?:\[[^\[\]\n]*\]\s*)?)?"
MAX_WORDS_BEFORE = 5
WORDS_BEFORE = r"(?P<lead>(?:\S++\s++){{{count}}})"
ENOUGH_STRONG = 0.05
"""The minimum share of lines for a layout to count."""
ENOUGH_WEAK = 0.3
ENOUGH_WITHIN = 0.8
"""The minimum share of lines for times that are not at the start."""
LEVEL_FIRST = compile_later(r"(?P<level>[A-Z]{3,8}):(?:\s+|(?P<logger>[\w.]+):)(?=\S)")
LEVEL_FIRST_BEGINS = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE):[\s\w]"
CONTINUES = compile_later(r"\s|at |Caused by|Traceback |\.\.\. |[)\]}]|-->|$")
"""Lines that are clearly the continuation of an event."""


class Head(NamedTuple):
    """How lines start: a layout after this many words."""

    layout: Layout
    words_before: int
    match: re.Pattern[str]


class Generic(NamedTuple):
    """How the lines of a text start, the most frequent first."""

    heads: tuple[Head, ...]
    has_level_first: bool
    habits: Habits
    begins: str
    """The RE2 pattern for lines that start an event."""
    share: float
    """The share of lines that are explained."""
    now_ns: int

    def open(self) -> "GenericParser":
        return GenericParser(self)


class GenericParser:
    """Reads events one by one."""

    def __init__(self, generic: Generic) -> None:
        self._heads = [
            (head.match.match, make_stamp(head.layout, generic.now_ns), head.layout.kept_as)
            for head in generic.heads
        ]  # fmt: skip
        self._has_level_first = generic.has_level_first
        self._habits = generic.habits

    def parse(self, text: str) -> dict[str, Any] | None:
        """Return the fields of an event, or None if it does not start like one."""
        if "\x1b" in text:
            text = ANSI.sub("", text)
        for match, read, kept_as in self._heads:
            found = match(text)
            if found is not None and is_early_level(found):
                stamp = read(found)
                if stamp is not None:
                    return self._fill(text, found, {kept_as: stamp})
        return read_level_first(text) if self._has_level_first else None

    def _fill(self, text: str, found: re.Match[str], fields: dict[str, Any]) -> dict[str, Any]:
        """Add what follows the time."""
        end = found.end()
        early, lead = found.group("early", "lead")
        if early:
            at = self._read_after_level(text, found, fields)
        else:
            prefix, at = read_prefix(text, end, self._habits)
            fields.update(prefix)
        if self._habits.level_place >= 0 and "level" not in fields:
            level = find_level(text, end, self._habits.level_place)
            if level:
                fields["level"] = level
        message = text[skip_separators(text, at, at > end) :]
        fields["message"] = f"{lead}{message}" if lead else message
        return fields

    def _read_after_level(self, text: str, found: re.Match[str], fields: dict[str, Any]) -> int:
        """Add what follows a time with a level before it; return where that ends."""
        fields["level"] = found["early"]
        if found["thread"]:
            fields["thread"] = found["thread"]
            return read_origin(text, found.end(), fields)
        unclosed = UNCLOSED.match(text, found.end()) if text.startswith("[") else None
        if unclosed:
            fields["logger"] = unclosed[1].strip()
            return unclosed.end()
        prefix, at = read_prefix(text, found.end(), self._habits)
        if "level" in prefix:
            return found.end()
        fields.update(prefix)
        return at


def is_early_level(found: re.Match[str]) -> bool:
    """Return whether the word before the time, if any, is a level; a single letter only in brackets."""
    early = found["early"]
    return not early or early in LEVELS or (early in LETTERS and found.string.startswith("["))


def read_level_first(text: str) -> dict[str, Any] | None:
    found = LEVEL_FIRST.match(text)
    if found is None or found["level"] not in CLEAR:
        return None
    fields = {name: value for name, value in found.groupdict().items() if value}
    return fields | {"message": text[found.end() :].lstrip(" \t")}


@cache
def make_head(layout: Layout, words_before: int) -> Head:
    lead = WORDS_BEFORE.format(count=words_before) if words_before else "(?P<lead>)"
    early = "(?P<early>)(?P<thread>)" if words_before else EARLY
    if "early" in layout.before:
        early = "(?P<thread>)"
    expression = rf"{lead}{early}{layout.pattern}(?={BOUNDARY})"
    return Head(layout, words_before, compile_later(expression, re.ASCII))


@cache
def compile_lead(words: int) -> re.Pattern[str]:
    return compile_later(WORDS_BEFORE.format(count=words), re.ASCII)


def make_front(layout: Layout) -> Head:
    return make_head(layout, 0)


def write_begins(heads: list[Head], *, has_early: bool, has_level_first: bool) -> str:
    """Return the pattern for lines that start an event; strong layouts always do.

    What follows the seconds does not matter here, and smaller patterns are faster.
    """
    in_front = [head.layout for head in heads if not head.words_before]
    strong = [layout for layout in LAYOUTS if layout.is_strong and layout not in in_front]
    stamps = "|".join(write_moment(layout) for layout in (*in_front, *strong))
    ways = [rf"{EARLY_BEGINS if has_early else ''}(?:{stamps})"]
    ways += [
        rf"(?:\S+\s+){{{head.words_before}}}{write_moment(head.layout)}"
        for head in heads
        if head.words_before
    ]
    if has_level_first:
        ways.append(LEVEL_FIRST_BEGINS)
    return rf"{COLOUR}(?:{'|'.join(ways)})"


@cache
def write_strong() -> str:
    """Return the pattern for lines that start an event in any text."""
    return write_begins([], has_early=False, has_level_first=False)


def write_moment(layout: Layout) -> str:
    return rf"{plain(layout.before)}(?:{plain(layout.moment)})\b"


def plain(pattern: str) -> str:
    return GROUP.sub("(?:", pattern)


def strip_colours(text: str) -> str:
    return ANSI.sub("", text) if "\x1b" in text else text


def learn(lines: list[str], now_ns: int) -> Generic | None:
    """Return how the events of some lines start, or None if too few of them have a common form."""
    lines = [strip_colours(line) for line in lines]
    heads, begun = find_heads(lines, now_ns)
    if len(begun) < ENOUGH_WITHIN * count_firsts(lines):
        within = find_within(lines, now_ns)
        if within is not None:
            heads, begun = [within], find_begun([within], lines, now_ns)
    level_first = {number for number, line in enumerate(lines) if read_level_first(line)}
    # After a line with a time and no level, it is the second line of that event.
    alone = [number for number in level_first if number - 1 not in begun]
    has_level_first = len(alone) > ENOUGH_STRONG * len(lines)
    all_begun = begun.keys() | (level_first if has_level_first else set())
    if not all_begun:
        return None
    habits = learn_habits([(lines[number], end) for number, end in begun.items()])
    share = judge(lines, all_begun)
    has_early = any(has_early_level(lines[number], heads) for number in begun)
    begins = write_begins(heads, has_early=has_early, has_level_first=has_level_first)
    return Generic(tuple(heads), has_level_first, habits, begins, share, now_ns)


def count_firsts(lines: list[str]) -> int:
    return sum(CONTINUES.match(line) is None for line in lines)


def find_heads(lines: list[str], now_ns: int) -> tuple[list[Head], dict[int, int]]:
    """Return the layouts that lines start with, and where the time of each such line ends."""
    tried = [(head, find_begun([head], lines, now_ns)) for head in map(make_front, LAYOUTS)]
    found = [(head, ends) for head, ends in tried if ends]
    heads: list[Head] = []
    begun: dict[int, int] = {}
    firsts = max(1, count_firsts(lines))
    while found:
        # The first of equals wins: of a date with several readings, the one that fits all lines.
        best = max(found, key=lambda each: len(each[1].keys() - begun.keys()))
        found.remove(best)
        head, ends = best
        fresh = ends.keys() - begun.keys()
        enough = (ENOUGH_STRONG if head.layout.is_strong else ENOUGH_WEAK) * firsts
        is_only = head.layout.is_strong and not heads
        if fresh and (is_only or len(fresh) >= enough):
            heads.append(head)
            begun |= {number: ends[number] for number in fresh}
    return heads, begun


def find_begun(heads: list[Head], lines: list[str], now_ns: int) -> dict[int, int]:
    """Return where the time ends in each line that starts in one of these ways with a valid time."""
    begun = {}
    for head in heads:
        read = make_stamp(head.layout, now_ns)
        for number, line in enumerate(lines):
            found = head.match.match(line)
            if found is None or number in begun or not is_early_level(found):
                continue
            if read(found) is not None:
                begun[number] = found.end()
    return begun


def has_early_level(line: str, heads: list[Head]) -> bool:
    return any(bool((found := head.match.match(line)) and found["early"]) for head in heads)


def find_within(lines: list[str], now_ns: int) -> Head | None:
    """Return the layout that nearly all lines have after the same number of words."""
    needed = ENOUGH_WITHIN * len(lines)
    for words_before in range(1, MAX_WORDS_BEFORE + 1):
        lead = compile_lead(words_before)
        if sum(lead.match(line) is not None for line in lines) < needed:
            return None
        for layout in LAYOUTS:
            if layout.kept_as != "timestamp":
                continue
            head = make_head(layout, words_before)
            sample = lines[:20]
            if 2 * len(find_begun([head], sample, now_ns)) < len(sample):
                continue
            if len(find_begun([head], lines, now_ns)) >= needed:
                return head
    return None


def judge(lines: list[str], begun: "set[int]") -> float:
    """Return the share of lines that start or clearly continue an event; other lines count half."""
    first = min(begun)
    explained = 0.0
    for number, line in enumerate(lines):
        is_sure = number in begun or (number > first and CONTINUES.match(line) is not None)
        explained += 1 if is_sure else 0.5
    return explained / len(lines)
