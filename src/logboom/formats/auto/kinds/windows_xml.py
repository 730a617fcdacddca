"""Windows events in XML, as `wevtutil` and the event viewer write them: one or many on a line, or over many lines."""

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, fold_events, share_of
from logboom.formats.auto.reading import NO_EVENT, Fields, Reading, parse_each

NAMESPACE = "http://schemas.microsoft.com/win/2004/08/events/event"
BEGINS = r"\s*(?:<\?xml[^>]*>\s*)?(?:<Events[^>]*>\s*)?<Event[\s>]"
WRAPPERS = compile_later(r"<\?xml[^>]{0,200}>|</?Events(?:\s[^>]{0,200})?>")
START, END = "<Event", "</Event>"
MAX_CHARACTERS = 1024 * 1024
"""Windows has no larger events."""


def try_windows_xml(lines: list[str], _now_ns: int) -> Reading | None:
    if not any(NAMESPACE in line for line in lines):
        return None
    pieces = [piece for record in fold_events(BEGINS, lines) for piece in split(record)]
    *whole, last = pieces
    # The beginning of an event is enough if there is nothing else.
    is_begun = last.startswith(START) and END not in last
    judged = whole if is_begun else pieces
    share = share_of(lambda piece: parse(piece) is not None, judged) if judged else 1.0
    return (
        Reading("windows_xml", share, parse_each(parse), BEGINS, split) if share >= ENOUGH else None
    )


def split(record: str) -> list[str]:
    """Return the events of a text, and what is between them."""
    pieces: list[str] = []
    at = 0
    while (end := record.find(END, at)) >= 0:
        start = record.find(START, at, end)
        while start >= 0 and record.startswith("s", start + len(START)):
            start = record.find(START, start + 1, end)
        end += len(END)
        start = end if start < 0 else start
        pieces += (record[at:start], record[start:end])
        at = end
    pieces.append(record[at:])
    return [piece for piece in pieces if piece and not piece.isspace()]


def parse(text: str) -> Fields | None:
    """Return the fields of one event; nothing for the tags around events."""
    text = WRAPPERS.sub("", text).strip()
    if not text:
        return NO_EVENT
    if not text.startswith(START) or not text.endswith(END) or len(text) > MAX_CHARACTERS:
        return None
    # Imported here because its library is slow to load, and few services need it.
    from logboom.formats.auto.kinds import windows_event  # noqa: PLC0415

    return windows_event.parse(text)
