"""JSON objects within log lines: their members become fields of the event."""

from typing import Any

import msgspec

from logboom.formats.ndjson import compact

Fields = dict[str, Any]
DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


def shred(fields: Fields) -> Fields:
    """Return the fields, with those of an object that is the message, or its end after a tab.

    A member wins over a field of the same name, which is then called `outer_…`; only the time of the line stays the
    time of the event, and that of the object becomes `inner_timestamp`.
    """
    message = fields.get("message")
    if type(message) is not str or "}" not in message:
        return fields
    text = message.strip().removeprefix("@cee:").lstrip()
    if text.startswith("{"):
        members, rest = read_object(text), ""
    else:
        # As zap writes it: the object ends the first line, and a stack trace may follow.
        line, feed, trace = message.partition("\n")
        words, _, text = line.rpartition("\t{")
        members, rest = read_object("{" + text) if words else None, f"{words}{feed}{trace}"
    if members is None:
        return fields
    outer = {name: value for name, value in fields.items() if name != "message"}
    if rest:
        outer["message"] = rest
    return merge(outer, members)


def read_object(text: str) -> dict[str, msgspec.Raw] | None:
    line = compact(text.encode())
    if line is None:
        return None
    try:
        return DECODER.decode(line)
    except msgspec.DecodeError:
        return None


def merge(outer: Fields, inner: Fields) -> Fields:
    """Merge what the wrapper says about an event with the event's own fields."""
    if "timestamp" in outer and "timestamp" in inner:
        inner = {
            "inner_timestamp" if name == "timestamp" else name: value
            for name, value in inner.items()
        }
    if outer.keys().isdisjoint(inner):
        return outer | inner
    merged = {f"outer_{name}" if name in inner else name: value for name, value in outer.items()}
    for name, value in inner.items():
        merged["inner_timestamp" if name in merged else name] = value
    return merged
