"""Log Event Extended Format: a header between bars, then names and values between tabs or another delimiter.

A preceding syslog header is read too.
"""

from functools import partial
from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, share_with
from logboom.formats.auto.reading import Reading, parse_each
from logboom.formats.cef import read_prefix
from logboom.formats.reader import read_cell
from logboom.formats.times import read_time

START = compile_later(r"(?:^|(?<=[\s:|]))LEEF: ?(?=[12](?:\.\d+)?\|)")
HEADER = ("leef_version", "device_vendor", "device_product", "device_version", "event_id")
DELIMITER = compile_later(r"([^|]?|(?:0x|x)[0-9A-Fa-f]{1,4})\|")
NUMBERS = frozenset(
    [
        *("sev", "srcPort", "dstPort", "srcPreNATPort", "dstPreNATPort", "srcPostNATPort"),
        *("dstPostNATPort", "srcBytes", "dstBytes", "totalBytes", "srcPackets", "dstPackets"),
        *("totalPackets", "count"),
    ]
)
TIME, MESSAGE = "devTime", "msg"


def try_leef(lines: list[str], now_ns: int) -> Reading | None:
    share = share_with("LEEF:", START.search, lines)
    parse_all = parse_each(partial(parse, now_ns=now_ns))
    return Reading("leef", share, parse_all) if share >= ENOUGH else None


def parse(text: str, now_ns: int) -> dict[str, Any] | None:
    """Return the fields of an event; its time and message come from the extension, if present."""
    start = START.search(text)
    cells = text[start.end() :].split("|", len(HEADER)) if start else []
    if start is None or len(cells) <= len(HEADER):
        return None
    *header, rest = cells
    fields = read_prefix(text[: start.start()], now_ns) | dict(zip(HEADER, header, strict=True))
    delimiter, place = find_delimiter(header[0], rest)
    extension = read_extension(rest[place:], delimiter)
    if stamp := extension.get(TIME):
        time_ns = None if stamp.isdecimal() else read_time(stamp, now_ns)
        fields["timestamp"] = stamp if time_ns is None else time_ns
    fields["message"] = extension.pop(MESSAGE, None) or fields["event_id"]
    for name, value in extension.items():
        fields[name] = read_cell(value) if value and name in NUMBERS else value
    return fields


def find_delimiter(version: str, rest: str) -> tuple[str, int]:
    """Return the delimiter, and where the extension starts; only version 2 can name one."""
    found = DELIMITER.match(rest) if version.startswith("2") else None
    if found is None:
        return "\t", 0
    written = found[1]
    if len(written) > 1:
        return chr(int(written.lstrip("0").lstrip("x"), 16)), found.end()
    return written or "\t", found.end()


def read_extension(text: str, delimiter: str) -> dict[str, str]:
    """Return the values by their names; a piece without a name belongs to the value before it."""
    pieces: dict[str, list[str]] = {}
    last = "extension"
    for piece in text.split(delimiter):
        name, sign, value = piece.partition("=")
        if sign and name.strip():
            last = name.strip()
            pieces[last] = [value]
        elif piece.strip():
            pieces.setdefault(last, []).append(piece)
    return {name: delimiter.join(values) for name, values in pieces.items()}
