"""Names and values joined by `=`: logfmt, and pairs anywhere in a text. Values stay texts."""

import re
from typing import Any

LOGFMT = re.compile(
    r"\s*+(?P<name>[^\s=\"]++)(?:=(?:\"(?P<quoted>(?:[^\"\\]|\\.)*+)\"|(?P<plain>[^\s\"]*+))(?=\s|$))?",
    re.DOTALL,
)
PAIR = re.compile(
    r"(?<!\w)(?P<name>[^\W\d][\w.@/-]{0,255}+)\s?=\s?"
    r"(?:\"(?P<quoted>(?:[^\"\\]|\\.)*+)\"|'(?P<single>[^']*+)'|(?P<plain>[^\s,;\"'()\[\]{}]++))",
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


def parse_logfmt(text: str) -> dict[str, Any] | None:
    """`name=value name="a value" flag`; a name without a value is true. Nothing else may be there."""
    fields: dict[str, Any] = {}
    place, stripped = 0, text.rstrip()
    while place < len(stripped):
        match = LOGFMT.match(stripped, place)
        if match is None or (match.end() < len(stripped) and not stripped[match.end()].isspace()):
            return None
        fields[match["name"]] = read_value(match) if "=" in match[0] else True
        place = match.end()
    has_values = any(value is not True for value in fields.values())
    return fields if has_values else None


def parse_pairs(text: str) -> dict[str, Any] | None:
    """Pairs wherever they stand, between any other text; the first of a name counts."""
    fields: dict[str, Any] = {}
    for match in PAIR.finditer(text):
        fields.setdefault(match["name"], read_value(match))
    return fields or None


def read_value(match: re.Match[str]) -> str:
    found = match.groupdict()
    if found["quoted"] is not None:
        return ESCAPE.sub(lambda escape: ESCAPED.get(escape[1], escape[1]), found["quoted"])
    return found.get("single") or found["plain"] or ""
