"""JSON values: an array of objects, one object, or consecutive objects in any layout.

Every top-level object is an event, and so is every object in a wrapper's list.
"""

from collections.abc import Iterator

import msgspec

from logboom.base.patterns import compile_later
from logboom.formats.ndjson import compact
from logboom.formats.objects import SCALARS, ObjectReader
from logboom.formats.reader import ENCODER, Message, Options, Reader, refuse_multiline
from logboom.formats.wrappers import Siblings, is_tail, read_head, unwrap
from logboom.model.batch import Lines
from logboom.model.event import decode_line
from logboom.model.values import NUMBER, STRING

SCALAR = compile_later(STRING + rb"|" + NUMBER + rb"|true|false|null")


class JsonReader(ObjectReader):
    """Reads objects and unwraps wrappers; anything else becomes a message."""

    format = "json"

    def __init__(self) -> None:
        super().__init__()
        self._siblings: Siblings | None = None
        """The members of a wrapper that is read item by item, because it is too long to be held."""

    def feed(self, chunk: bytes) -> Lines:
        return self._encode(super().feed(chunk))

    def finish(self) -> Lines:
        return self._encode(super().finish())

    def _give_up(self) -> Iterator[Lines]:
        head = None if self._is_within else read_head(self.held)
        if head is None:
            yield from super()._give_up()
            return
        self._siblings = head.siblings
        self._is_within = True
        yield self._read(self.held[head.end :], is_last=False)

    def _encode(self, lines: Lines) -> Lines:
        events: list[bytes] = []
        faults = lines.faults
        for line in lines.data.split(b"\n"):
            text = compact(line)
            if text is not None:
                events += self._list_events(text)
            elif self._siblings and is_tail(line):
                self._siblings = None if line.endswith(b"}") else self._siblings
            elif line.strip():
                items = split_scalars(line)
                faults += len(items)
                events += map(encode_other, items)
        return Lines(b"\n".join(events), None, faults)

    def _list_events(self, text: bytes) -> list[bytes]:
        if self._siblings:
            return [self._siblings.join(text)]
        return unwrap(text) or [text]


def open_json(options: Options) -> Reader:
    refuse_multiline("json", options)
    return JsonReader()


def split_scalars(line: bytes) -> list[bytes]:
    """Return the items of a part of a list without objects; any other line as it is."""
    is_list = b"," in line and SCALARS.fullmatch(line)
    return SCALAR.findall(line) if is_list else [line]


def encode_other(data: bytes) -> bytes:
    """Return the event for a value that is not an object: its message is the JSON text, or the content of a string."""
    text = decode_line(data).strip()
    try:
        return ENCODER.encode(Message(msgspec.json.decode(text, type=str)))
    except msgspec.MsgspecError:
        return ENCODER.encode(Message(text))
