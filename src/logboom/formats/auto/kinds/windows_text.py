"""Windows events as `wevtutil` prints them: a heading, names and values, and a description of any length."""

from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.auto.reading import Reading, parse_each

HEADING = r"Event\[\d+\]:?\s*$"
IS_HEADING = compile_later(HEADING)
PAIR = compile_later(r"\s+([A-Z][A-Za-z ]{0,60}?)\s*:(?: (.*))?")
NAMES = {"date": "timestamp", "computer": "host", "source": "program", "description": "message"}


def try_windows_text(lines: list[str], _now_ns: int) -> Reading | None:
    """Return the reading of lines that begin with the heading of an event."""
    if not lines or not IS_HEADING.match(lines[0]):
        return None
    explained = sum(bool(IS_HEADING.match(line) or PAIR.fullmatch(line)) for line in lines)
    others = len(lines) - explained
    share = (explained + others / 2) / len(lines)
    return Reading("windows_event", share, parse_each(parse), HEADING)


def parse(text: str) -> dict[str, Any] | None:
    """Return the pairs by their names in lower case; everything after the description is part of it."""
    heading, *lines = text.split("\n")
    if not IS_HEADING.match(heading):
        return None
    fields: dict[str, Any] = {}
    for number, line in enumerate(lines):
        pair = PAIR.fullmatch(line)
        if pair is None:
            return fields | {"message": join_message(fields, lines[number:])}
        name = pair[1].lower().replace(" ", "_")
        value = pair[2] or ""
        if name == "description":
            return fields | {"message": join_message({"message": value}, lines[number + 1 :])}
        fields[NAMES.get(name, name)] = int(value) if value.isascii() and value.isdigit() else value
    return fields


def join_message(fields: dict[str, Any], lines: list[str]) -> str:
    return "\n".join([fields.get("message", ""), *lines]).strip()
