"""Syslog: RFC 5424, and RFC 3164 in the dialects that occur in practice.

A dialect may omit the priority, the time or the host, write its time with a year, a fraction, or as ISO 8601, and, as
Cisco does, number its messages and mark unsynchronised times.
"""

import re
from functools import partial
from typing import Any

from logboom.base.clock import NS_PER_S
from logboom.base.patterns import compile_later
from logboom.formats.reader import ENCODER, LineReader, Options, Reader, encode_each
from logboom.formats.times import read_time

PRIORITY = compile_later(r"<(\d{1,3})>")
MODERN = compile_later(r"1 (\S++) (\S++) (\S++) (\S++) (\S++)(?: |\Z)")
STAMP = (
    r"(?:[A-Z][a-z]{2} {1,2}\d{1,2} (?:\d{4} )?|\d{4} [A-Z][a-z]{2} {1,2}\d{1,2} )\d\d:\d\d:\d\d(?:\.\d{1,9})?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\w:.,+-]*+"
)
TAG = r"([^\s:\[<>]{1,128}+)(?:\[([^\]\s]*+)\])?+:(?!//) ?"
OLD = compile_later(
    rf"({STAMP}) ++(?!(?:[A-Z]{{2,5}} ?)?: ?%)(?:(\S++)(?<!:)(?: ++|\Z)(?:: )?)?+(?:{TAG})?+"
)
ALONE = compile_later(r"([^\s:\[<>]{1,128}+)(?:\[([^\]\s]*+)\])?+:(?: |\Z)")
CISCO = compile_later(
    r"(?:: ?)?(?:(?P<sequence>\d{1,18}): )?(?:(?P<hostname>[^\s:*.%]++): )?(?:(?P<own_sequence>\d{1,18}): )?"
    rf"[*.]?(?P<timestamp>(?:{STAMP})(?: [A-Z]{{2,5}})?+) ?: (?P<app_name>%[^\s:]++)?(?:: )?"
)
ELEMENT = compile_later(
    r"\[(?P<id>[^\s=\]\"]++)(?P<pairs>(?: ++[^\s=\]\"]++=\"(?:[^\"\\]++|\\.)*+\")*+) *+\]",
    re.DOTALL,
)
PAIR = compile_later(r" ([^\s=\]\"]++)=\"((?:[^\"\\]++|\\.)*+)\"", re.DOTALL)
ESCAPE = compile_later(r"\\([\"\\\]])")
NOTHING = "-"
MINUTE_NS = 60 * NS_PER_S
"""The current time is rounded to this, so that repeated times are parsed only once a minute."""

LEVELS = ("emerg", "alert", "critical", "error", "warning", "notice", "info", "debug")
PRIORITIES: dict[str, dict[str, Any]] = {
    str(number): {
        "priority": number,
        "facility": number // 8,
        "severity": number % 8,
        "level": LEVELS[number % 8],
    }
    for number in range(192)
}


def open_syslog(options: Options) -> Reader:
    parse = partial(parse_event, now_ns=options.now_ns)
    return LineReader("syslog", encode_each(parse), options)


def parse_message(data: bytes, now_ns: int) -> bytes:
    """Return one message as one line of JSON; anything else becomes a plain message."""
    text = data.decode(errors="backslashreplace").rstrip("\r\n\0").removeprefix("\ufeff")
    minute_ns = now_ns - now_ns % MINUTE_NS
    return ENCODER.encode(parse_event(text, minute_ns) or {"message": text})


def parse_event(text: str, now_ns: int) -> dict[str, Any] | None:
    """Parse like `parse_syslog`, with a time that any reader of events understands."""
    fields = parse_syslog(text)
    if fields is not None:
        stamp = fields.get("timestamp", "")
        if stamp[:1] > "9" or stamp[4:5] == " ":
            time_ns = read_time(stamp, now_ns)
            if time_ns is not None:
                fields["timestamp"] = time_ns
    return fields


def parse_syslog(text: str) -> dict[str, Any] | None:
    """Return the priority, its parts, and what precedes the message; the priority may be missing."""
    priority = PRIORITY.match(text)
    if priority is None:
        return parse_old(text, 0, {})
    parts = PRIORITIES.get(priority[1])
    if parts is None:
        return None
    place = priority.end()
    modern = MODERN.match(text, place)
    if modern:
        return parse_modern(text, modern, parts.copy())
    return parse_old(text, place, parts.copy()) or parse_bare(text[place:], parts.copy())


def parse_modern(text: str, header: re.Match[str], fields: dict[str, Any]) -> dict[str, Any]:
    stamp, hostname, app_name, proc_id, msg_id = header.groups()
    if stamp != NOTHING:
        fields["timestamp"] = stamp
    if hostname != NOTHING:
        fields["hostname"] = hostname
    if app_name != NOTHING:
        fields["app_name"] = app_name
    if proc_id != NOTHING:
        fields["proc_id"] = proc_id
    if msg_id != NOTHING:
        fields["msg_id"] = msg_id
    place = header.end()
    if text.startswith("[", place):
        place = read_elements(text, place, fields)
    elif text.startswith("- ", place) or text[place:] == NOTHING:
        place += 1
    message = text[place:].removeprefix(" ").removeprefix("\ufeff")
    if message:
        fields["message"] = message
    return fields


def read_elements(text: str, place: int, fields: dict[str, Any]) -> int:
    """Read structured data as `id.name` and return the position after it; a repeated name has all its values."""
    while element := ELEMENT.match(text, place):
        identity, pairs = element.groups()
        for name, value in PAIR.findall(pairs):
            field = f"{identity}.{name}"
            if "\\" in value:
                value = ESCAPE.sub(r"\1", value)
            if field in fields:
                former = fields[field]
                value = [*former, value] if isinstance(former, list) else [former, value]
            fields[field] = value
        place = element.end()
    return place


def parse_old(text: str, place: int, fields: dict[str, Any]) -> dict[str, Any] | None:
    old = OLD.match(text, place)
    if old is None:
        return parse_cisco(text, place, fields)
    stamp, hostname, app_name, proc_id = old.groups()
    fields["timestamp"] = stamp
    if hostname and hostname != NOTHING:
        fields["hostname"] = hostname
    if app_name and app_name != NOTHING:
        fields["app_name"] = app_name
    if proc_id and proc_id != NOTHING:
        fields["proc_id"] = proc_id
    fields["message"] = text[old.end() :]
    return fields


def parse_cisco(text: str, place: int, fields: dict[str, Any]) -> dict[str, Any] | None:
    found = CISCO.match(text, place)
    if found is None:
        return None
    parts = found.groupdict()
    sequence = parts.pop("own_sequence") or parts["sequence"]
    parts["sequence"] = sequence and int(sequence)
    fields |= {name: value for name, value in parts.items() if value is not None}
    return fields | {"message": text[found.end() :]}


def parse_bare(text: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Parse a message with neither time nor host, and at most the name of the program."""
    alone = ALONE.match(text)
    if alone:
        fields["app_name"] = alone[1]
        if alone[2]:
            fields["proc_id"] = alone[2]
        text = text[alone.end() :]
    return fields | {"message": text}
