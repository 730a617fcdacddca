"""NDJSON: lines are passed on as they are. One that is no object is found, kept and counted where lines are scanned."""

import msgspec

from logboom.formats.objects import ObjectReader
from logboom.formats.reader import LineReader, Message, Options, Reader
from logboom.model.batch import Lines


class NdjsonReader(ObjectReader):
    """Gives back lines of one object; also takes arrays, and objects that are not one a line."""

    format = "ndjson"


def open_ndjson(options: Options) -> Reader:
    if options.multiline:
        return LineReader("ndjson", encode_objects, options)
    return NdjsonReader()


def encode_objects(records: list[str]) -> Lines:
    """Objects that may be written over many lines."""
    lines, faults = [], 0
    for record in records:
        line = compact(record.encode())
        faults += line is None
        lines.append(line or msgspec.json.encode(Message(record)))
    return Lines(b"\n".join(lines), None, faults)


def compact(text: bytes) -> bytes | None:
    """The object in a text on one line, nothing of it changed; None when it is no JSON object."""
    if not text.lstrip().startswith(b"{"):
        return None
    try:
        return msgspec.json.format(text, indent=-1)
    except (msgspec.DecodeError, RecursionError):
        return None
