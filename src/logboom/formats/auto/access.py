"""Access logs of servers and proxies: always one line per request, by the first preset that fits."""

from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.formats.auto.reading import TEXT, Fields, ParseAll, Reading
from logboom.formats.grok.presets import PRESETS
from logboom.formats.grok.reader import Pattern, compile_patterns, parse_first

IS_LIKELY = compile_later(r'\S++ \S++ [^\["]++\[[^\]]++\] "[^"]*+" \d{3} |\S++ +\d++ \S++ \w++/\d{3} |\[\S+\] "[A-Z]+ |[a-z0-9]++ \d{4}-\S++ app/|\S{64} ')  # fmt: skip
COMMON_BEGINS = r'[^\s]+ [^\s]+ [^\["]+\[\d\d/[^\]]+\] "'
ACCESS_PRESETS = {
    "traefik": COMMON_BEGINS,
    "combined": COMMON_BEGINS,
    "common": COMMON_BEGINS,
    "squid": r"\d+\.\d+ +\d+ [^\s]+ \w+/\d",
    "envoy": r'\[\d{4}-[^\]]+\] "[A-Z]+ ',
    "alb": r"[a-z0-9]+ \d{4}-[^\s]+ app/",
    "elb": r"\d{4}-[^\s]+ [^\s]+ [^\s]+:\d+ ",
    "s3": r"[0-9a-f]+ [^\s]+ \[\d\d/",
}
"""Presets, and what the lines of each begin with, in the syntax that RE2 and Rust share."""

ENOUGH_LIKELY = 0.1
"""The minimum share of lines that look like requests, among those of other programs."""
ENOUGH = 0.5
"""The minimum share of these that the preset reads."""


class Access(NamedTuple):
    """How the requests of a text are read, the share of its lines that are requests, and its other lines."""

    preset: str
    share: float
    patterns: list[Pattern]
    others: list[str]


def find_access(lines: list[str], now_ns: int) -> Access | None:
    """Return how requests are read, or None if there are hardly any."""
    likely = sum(IS_LIKELY.match(line) is not None for line in lines)
    if likely < ENOUGH_LIKELY * len(lines):
        return None
    for preset in ACCESS_PRESETS:
        patterns = compile_patterns(PRESETS[preset], now_ns)
        found = parse_first(patterns, lines)
        count = len(found) - found.count(None)
        if count >= max(1, ENOUGH * likely):
            others = [line for line, fields in zip(lines, found, strict=True) if fields is None]
            return Access(preset, count / len(lines), patterns, others)
    return None


def mix(access: Access, other: Reading) -> Reading:
    """Return the reading of requests among lines that are read in another way, perhaps as messages."""
    is_text = other.name == TEXT
    name = access.preset if is_text or access.share >= ENOUGH else other.name
    confidence = access.share + (1 - access.share) * (0.0 if is_text else other.confidence)
    begins = f"{ACCESS_PRESETS[access.preset]}|{other.begins}" if other.begins else ""
    return Reading(name, confidence, either(access.patterns, other.parse_all), begins)


def either(patterns: list[Pattern], parse_others: ParseAll) -> ParseAll:
    """Return a parser that reads requests by their patterns, and everything else in the other way."""

    def parse_all(texts: list[str]) -> list[Fields | None]:
        parsed = parse_first(patterns, texts)
        places = [place for place, fields in enumerate(parsed) if fields is None]
        others = parse_others([texts[place] for place in places])
        for place, fields in zip(places, others, strict=True):
            parsed[place] = fields
        return parsed

    return parse_all
