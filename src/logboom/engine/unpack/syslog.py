"""Syslog messages in the forms of RFC 5424 and RFC 3164."""

import re
from typing import Any

PRIORITY = re.compile(r"<(\d{1,3})>")
MODERN = re.compile(
    r"1 (?P<timestamp>\S+) (?P<hostname>\S+) (?P<app_name>\S+) (?P<proc_id>\S+) (?P<msg_id>\S+) "
)
OLD = re.compile(
    r"(?P<timestamp>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) (?P<hostname>\S+) "
    r"(?:(?P<app_name>[^\s:\[]{1,48})(?:\[(?P<proc_id>[^\]\s]*)\])?: ?)?"
)
ELEMENT = re.compile(
    r"\[(?P<id>[^\s=\]\"]+)(?P<pairs>(?: [^\s=\]\"]+=\"(?:[^\"\\\]]|\\.)*+\")*+)\]"
)
PAIR = re.compile(r" ([^\s=\]\"]+)=\"((?:[^\"\\\]]|\\.)*+)\"")
ESCAPE = re.compile(r"\\([\"\\\]])")
MAX_PRIORITY = 191
NOTHING = "-"
LEVELS = ("emerg", "alert", "critical", "error", "warning", "notice", "info", "debug")


def parse_syslog(text: str) -> dict[str, Any] | None:
    """Priority, its parts, and what stands before the message; the priority may be missing."""
    priority = PRIORITY.match(text)
    fields: dict[str, Any] = {}
    place = 0
    if priority:
        number = int(priority[1])
        if number > MAX_PRIORITY:
            return None
        place = priority.end()
        fields = {"priority": number, "facility": number // 8, "severity": number % 8}
        fields["level"] = LEVELS[number % 8]
    modern = MODERN.match(text, place)
    if modern and priority:
        return fields | read_header(modern) | read_modern(text[modern.end() :])
    old = OLD.match(text, place)
    if old:
        return fields | read_header(old) | {"message": text[old.end() :]}
    return fields | {"message": text[place:]} if priority else None


def read_header(match: re.Match[str]) -> dict[str, Any]:
    found = match.groupdict()
    return {name: value for name, value in found.items() if value and value != NOTHING}


def read_modern(rest: str) -> dict[str, Any]:
    """Structured data as `id.name`, then the message."""
    fields: dict[str, Any] = {}
    place = 1 if rest.startswith(NOTHING) else 0
    while element := ELEMENT.match(rest, place):
        for name, value in PAIR.findall(element["pairs"]):
            fields[f"{element['id']}.{name}"] = ESCAPE.sub(r"\1", value)
        place = element.end()
    message = rest[place:].removeprefix(" ").removeprefix("\ufeff")
    return fields | {"message": message} if message else fields
