"""Logs of MongoDB: one JSON object a line, whose time is `t.$date`."""

from typing import Any

import msgspec

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, share_of
from logboom.formats.auto.reading import Reading, parse_each
from logboom.formats.ndjson import compact

SIGN = compile_later(r'\s*\{\s*"t"\s*:\s*\{\s*"\$date"\s*:\s*"')
LEVELS = {"F": "fatal", "E": "error", "W": "warning", "I": "info", "D": "debug"}
MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Head(msgspec.Struct):
    """The time and the severity of an event."""

    t: dict[str, str]
    s: str = ""


HEAD = msgspec.json.Decoder(Head)


def try_mongodb(lines: list[str], _now_ns: int) -> Reading | None:
    share = share_of(SIGN.match, lines)
    return Reading("mongodb", share, parse_each(parse)) if share >= ENOUGH else None


def parse(text: str) -> dict[str, Any] | None:
    """Return the members of an object, with the time and the level; other objects stay as they are."""
    line = compact(text.encode())
    if line is None:
        return None
    try:
        members = MEMBERS.decode(line)
        head = HEAD.decode(line)
    except msgspec.ValidationError:
        return MEMBERS.decode(line)
    except msgspec.DecodeError:
        return None
    fields: dict[str, Any] = {}
    if "$date" in head.t and "timestamp" not in members:
        del members["t"]
        fields["timestamp"] = head.t["$date"]
    if head.s[:1] in LEVELS and "level" not in members:
        fields["level"] = LEVELS[head.s[:1]]
    return fields | members
