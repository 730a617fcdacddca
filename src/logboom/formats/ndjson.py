"""NDJSON: lines are passed on unchanged. Lines that are not objects are kept and counted by the scan."""

import msgspec

from logboom.formats.objects import ObjectReader
from logboom.formats.reader import LineReader, Message, Options, Reader
from logboom.model.batch import Lines


class NdjsonReader(ObjectReader):
    """Passes on lines with one object; also accepts arrays, and objects in any layout."""

    format = "ndjson"


def open_ndjson(options: Options) -> Reader:
    if options.multiline:
        return LineReader("ndjson", encode_objects, options)
    return NdjsonReader()


def encode_objects(records: list[str]) -> Lines:
    """Return the lines of objects that may be written over many lines."""
    lines, faults = [], 0
    for record in records:
        line = compact(record.encode())
        faults += line is None
        lines.append(line or msgspec.json.encode(Message(record)))
    return Lines(b"\n".join(lines), None, faults)


def compact(text: bytes) -> bytes | None:
    """Return the object in a text on one line, otherwise unchanged, or None if it is not a JSON object."""
    if not text.lstrip().startswith(b"{"):
        return None
    try:
        return msgspec.json.format(text, indent=-1)
    except (msgspec.DecodeError, RecursionError):
        return None
