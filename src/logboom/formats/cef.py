"""Common Event Format: a header between bars, then an extension of names and values.

A preceding syslog header is read too. A custom value (`cs1`) with a label (`cs1Label`) is also available under that
label.
"""

import re
from functools import partial
from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.reader import LineReader, Options, Reader, encode_each, read_cell
from logboom.formats.syslog import parse_event as parse_syslog_event
from logboom.formats.times import read_time

HEADER = (
    "cef_version",
    "device_vendor",
    "device_product",
    "device_version",
    "device_event_class_id",
    "name",
    "severity",
)
START = compile_later(r"(?:^|(?<=[\s:|]))CEF: ?(?=\d++(?:\.\d++)?\|)")
CELL = compile_later(r"((?:[^|\\]++|\\.?)*+)\|", re.DOTALL)
LAST_CELL = compile_later(r"((?:[^|\\]++|\\.?)*+)(?:\||\Z)", re.DOTALL)
KEY = compile_later(r"(?:^|(?<=\s))([\w.@\[\]-]++)=")
HEADER_ESCAPE = compile_later(r"\\([\\|=])")
ESCAPE = compile_later(r"\\([\\|=nr])")
ESCAPED = {"n": "\n", "r": "\r"}
LABEL = "Label"
TIMES = ("rt", "end", "start")
"""The extensions that are the event's time; the first present wins."""

MESSAGE = "msg"
NUMBERS = frozenset(
    [
        *("cnt", "in", "out", "spt", "dpt", "spid", "dpid", "fsize", "oldFileSize", "type"),
        *("sourceTranslatedPort", "destinationTranslatedPort", "flexNumber1", "flexNumber2"),
        *("cn1", "cn2", "cn3", "cfp1", "cfp2", "cfp3", "cfp4"),
        *("slat", "slong", "dlat", "dlong"),
    ]
)
"""Numbers, according to the format's dictionary."""


def open_cef(options: Options) -> Reader:
    parse = partial(parse_cef, now_ns=options.now_ns)
    return LineReader("cef", encode_each(parse), options)


def parse_cef(text: str, now_ns: int) -> dict[str, Any] | None:
    """Return the fields of an event; its time and message come from the extension, if present."""
    start = START.search(text)
    if start is None:
        return None
    header, place = read_header(text, start.end())
    if header is None:
        return None
    extension = read_extension(text[place:])
    fields = read_prefix(text[: start.start()], now_ns) | header
    add_time(fields, extension, now_ns)
    fields["message"] = extension.pop(MESSAGE, None) or header["name"]
    for name, value in extension.items():
        typed = read_cell(value) if value and name in NUMBERS else value
        fields[name] = typed
        if label := extension.get(name + LABEL):
            fields.setdefault(label, typed)
    return fields


def read_header(text: str, place: int) -> tuple[dict[str, Any] | None, int]:
    """Return the seven cells and the position after them; the bar after the last may be missing."""
    header: dict[str, Any] = {}
    for name in HEADER:
        cell = (LAST_CELL if name == HEADER[-1] else CELL).match(text, place)
        if cell is None:
            return None, place
        header[name] = HEADER_ESCAPE.sub(r"\1", cell[1])
        place = cell.end()
    if header["severity"].isdecimal():
        header["severity"] = read_cell(header["severity"])
    return header, place


def read_prefix(text: str, now_ns: int) -> dict[str, Any]:
    """Return what precedes the event: usually a syslog header."""
    stripped = text.rstrip()
    if not stripped:
        return {}
    fields = parse_syslog_event(stripped + " ", now_ns) or {"message": stripped}
    if rest := fields.pop("message", "").strip():
        fields["prefix"] = rest
    return fields


def read_extension(text: str) -> dict[str, str]:
    """Return the values by their names; a value extends to the next name, and of a repeated name the last wins.

    What precedes the first name is the value of `extension`.
    """
    keys = list(KEY.finditer(text))
    starts = [*(key.start() for key in keys), len(text)]
    extension = {
        key[1]: unescape(text[key.end() : end].rstrip(" "))
        for key, end in zip(keys, starts[1:], strict=True)
    }
    if nameless := text[: starts[0]].strip():
        extension["extension"] = unescape(nameless)
    return extension


def add_time(fields: dict[str, Any], extension: dict[str, str], now_ns: int) -> None:
    for name in TIMES:
        if text := extension.get(name):
            time_ns = None if text[0].isdigit() else read_time(text, now_ns)
            fields["timestamp"] = text if time_ns is None else time_ns
            return


def unescape(text: str) -> str:
    return (
        text
        if "\\" not in text
        else ESCAPE.sub(lambda escape: ESCAPED.get(escape[1], escape[1]), text)
    )
