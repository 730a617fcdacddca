"""Messages that are one JSON object: GELF, and whatever else loggers write as JSON.

The members are the fields of the event. Those of GELF get the names and values that other messages of hosts have.
"""

import msgspec

from logboom.formats.ndjson import compact
from logboom.formats.reader import ENCODER
from logboom.formats.syslog import LEVELS
from logboom.model.names import fold_name

Raw = msgspec.Raw
Members = dict[str, Raw]
DECODER = msgspec.json.Decoder(Members)

ENDS = b"\r\n\0"
MESSAGE, VERSION = "short_message", "version"
RENAMED = {MESSAGE: "message", "host": "hostname"}
EXTRA = "_"
"""Before the names of members that the sender chose."""

SEVERITIES = {
    str(number).encode(): (Raw(ENCODER.encode(name)), Raw(str(number).encode()))
    for number, name in enumerate(LEVELS)
}
"""For the text of a level, the name and the number of the severity."""


def read_json_message(data: bytes) -> Members | None:
    """Return the fields of a message, or None if it is not one JSON object."""
    line = compact(data.rstrip(ENDS))
    if line is None:
        return None
    try:
        members = DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return open_gelf(members) if is_gelf(members) else members


def is_gelf(members: Members) -> bool:
    return (
        MESSAGE in members
        and not members.keys().isdisjoint((VERSION, "host"))
        and "message" not in members
    )


def open_gelf(members: Members) -> Members:
    """Return the fields of a GELF message; an extra member whose name is taken keeps its underscore."""
    fields: Members = {}
    for name, value in members.items():
        if name == "level" and (severity := SEVERITIES.get(bytes(value))):
            fields["level"], fields["severity"] = severity
        elif name != VERSION and not name.startswith(EXTRA):
            fields[RENAMED.get(name, name)] = value
    taken = set(map(fold_name, fields))
    for name, value in members.items():
        if name.startswith(EXTRA):
            plain = name.removeprefix(EXTRA)
            fields[name if fold_name(plain) in taken or not plain else plain] = value
    return fields
