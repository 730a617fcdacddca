"""W3C extended logs: the `#Fields:` directive names the columns of the lines below it."""

import re
from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.reader import (
    ENCODER,
    MAX_NAME_LENGTH,
    NUMERIC,
    LineReader,
    Message,
    Options,
    Reader,
    read_cell,
    refuse_multiline,
)
from logboom.model.batch import Lines

FIELDS = compile_later(r"#Fields:\s*(.*)")
DATE = compile_later(r"#Date:\s*(\d{4}-\d\d-\d\d)\b", re.ASCII)
CELL = compile_later(r'"((?:[^"]++|"")*+)"(?!\S)|(\S++)')
ABSENT = "-"


class Columns:
    """The columns of the last directives; without any, no line can be read."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._date = ""

    def encode(self, records: list[str]) -> Lines:
        """Return the events of some lines without directives and comments; a line that does not fit is a message."""
        events: list[dict[str, Any] | Message] = []
        faults = 0
        for record in records:
            if record.startswith("#"):
                self._follow(record)
                continue
            event = self._parse(record)
            faults += event is None
            events.append(Message(record) if event is None else event)
        return Lines(ENCODER.encode_lines(events), None, faults)

    def _follow(self, record: str) -> None:
        if fields := FIELDS.match(record):
            self._names = [name[:MAX_NAME_LENGTH] for name in fields[1].split()]
        elif date := DATE.match(record):
            self._date = date[1]

    def _parse(self, text: str) -> dict[str, Any] | None:
        cells = split_cells(text)
        if len(cells) != len(self._names):
            return None
        pairs = zip(self._names, cells, strict=True)
        event = {
            name: read_cell(cell) if cell[0] in NUMERIC else cell
            for name, cell in pairs
            if cell and cell != ABSENT
        }
        return join_time(event, self._date)


def open_w3c(options: Options) -> Reader:
    refuse_multiline("w3c", options)
    return LineReader("w3c", Columns().encode, options)


def split_cells(text: str) -> list[str]:
    """Return the cells: separated by tabs, else by blanks; a quoted one may contain blanks, and doubled quotes."""
    if "\t" in text:
        return text.split("\t")
    if '"' not in text:
        return text.split()
    return [quoted.replace('""', '"') or plain for quoted, plain in CELL.findall(text)]


def join_time(event: dict[str, Any], date: str) -> dict[str, Any]:
    """Return the date, from the line or else from the log, joined with the time; both are in UTC."""
    date = event.get("date", date)
    if not date or "time" not in event:
        return event
    event.pop("date", None)
    return {"timestamp": f"{date} {event.pop('time')}", **event}
