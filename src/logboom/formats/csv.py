"""Delimited columns under a header row: CSV, TSV and the like; and single rows without a header."""

import csv
from collections import defaultdict
from collections.abc import Sequence
from itertools import dropwhile
from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.reader import (
    BOM,
    ENCODER,
    MAX_NAME_LENGTH,
    NOTHING,
    NUMERIC,
    Message,
    Options,
    Reader,
    read_cell,
    refuse_multiline,
    split_lines,
)
from logboom.model.batch import Lines
from logboom.model.columns import MAX_FIELDS_PER_EVENT

DELIMITERS = {"csv": ",;\t|", "tsv": "\t,;|"}
"""Possible delimiters; the first of equally frequent ones wins."""

QUOTED = compile_later(r'"[^"]*+"')
MAX_ROW_LINES = 1000
MAX_ROW_CHARACTERS = 16 * 1024 * 1024
"""A quote that is still open after this much was not meant to open a cell."""

csv.field_size_limit(MAX_ROW_CHARACTERS)

Row = list[str] | str
"""The cells of a row; or its text, if it is not a row."""


class Dialect(csv.Dialect):
    """How the rows of one text are written."""

    quotechar = '"'
    doublequote = True
    lineterminator = "\n"
    quoting = csv.QUOTE_MINIMAL
    strict = True

    def __init__(self, delimiter: str = ",", *, skipinitialspace: bool = False) -> None:
        self.delimiter = delimiter
        self.skipinitialspace = skipinitialspace
        super().__init__()


COMMAS = Dialect()


class CsvReader:
    """Names the cells of each row by the header; empty cells have no value.

    Cells beyond the header are `column4` and so on.
    """

    def __init__(self, format: str, options: Options) -> None:
        refuse_multiline(format, options)
        self.format = format
        self._dialect: Dialect | None = None
        self._names: list[str] = []
        self._open: list[str] = []

    def feed(self, chunk: bytes) -> Lines:
        if self._dialect is None:
            chunk = chunk.removeprefix(BOM)
        if not chunk:
            return NOTHING
        self._open += split_lines(chunk)
        lines = self._read(is_last=False)
        if sum(map(len, self._open)) > MAX_ROW_CHARACTERS:
            return Lines.join([lines, self._read(is_last=True)])
        return lines

    def finish(self) -> Lines:
        return self._read(is_last=True)

    def _read(self, *, is_last: bool) -> Lines:
        """Read the complete rows of the lines at hand; of the last ones all."""
        if self._dialect is None:
            self._open = list(dropwhile(lambda line: not line.strip(), self._open))
            if not self._open:
                return NOTHING
            self._dialect = sniff_dialect(self._open[0], DELIMITERS[self.format])
        rows, self._open = read_rows(self._open, self._dialect, is_last=is_last)
        events = [event for row in rows if (event := self._name(row))]
        faults = sum(isinstance(event, Message) for event in events)
        return Lines(ENCODER.encode_lines(events), None, faults)

    def _name(self, row: Row) -> dict[str, Any] | Message | None:
        """Return the event of a row, or None for the header, and for a row without values."""
        if isinstance(row, str):
            return Message(row)
        if len(row) > MAX_FIELDS_PER_EVENT:
            return Message(",".join(row))
        if not row or (len(row) == 1 and not row[0].strip()):
            return None
        if not self._names:
            self._names = name_columns(row)
            return None
        if len(row) > len(self._names):
            self._names = number_columns(self._names, len(row))
        pairs = zip(self._names, row, strict=False)
        return {
            name: read_cell(cell) if cell[0] in NUMERIC else cell for name, cell in pairs if cell
        }


def open_csv(options: Options) -> Reader:
    return CsvReader("csv", options)


def open_tsv(options: Options) -> Reader:
    return CsvReader("tsv", options)


def sniff_dialect(header: str, delimiters: str) -> Dialect:
    """Return the dialect whose delimiter is the candidate that is most frequent outside quotes."""
    plain = QUOTED.sub("", header)
    delimiter = max(delimiters, key=plain.count)
    count = plain.count(delimiter)
    return Dialect(delimiter, skipinitialspace=0 < count == plain.count(f"{delimiter} "))


def name_columns(header: list[str]) -> list[str]:
    """Return names for the cells below a header: unnamed and repeated columns are numbered.

    Long names are cut, because each row repeats them.
    """
    header = [cell.strip()[:MAX_NAME_LENGTH] for cell in header]
    names: dict[str, None] = {}
    written = {cell.strip() for cell in header}
    times: defaultdict[str, int] = defaultdict(lambda: 1)
    for place, cell in enumerate(header, 1):
        name = stem = cell.strip() or f"column{place}"
        while name in names or (name in written and name != cell.strip()):
            times[stem] += 1
            name = f"{stem}_{times[stem]}"
        names[name] = None
    return list(names)


class Supply:
    """Feeds lines to a csv reader, at most a limited number per row."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = self.stop = 0

    def __iter__(self) -> "Supply":
        return self

    def __next__(self) -> str:
        at = self.at
        if at == self.stop:
            raise StopIteration
        self.at = at + 1
        return self.lines[at] + "\n"


def read_rows(lines: list[str], dialect: Dialect, *, is_last: bool) -> tuple[list[Row], list[str]]:
    """Return the rows of some lines, and the lines at the end that may be part of a row.

    Lines that form no row together, such as those after a quote that never closes, are read one by one.
    """
    rows: list[Row] = []
    supply = Supply(lines)
    reader = csv.reader(supply, dialect)
    start = 0
    while start < len(lines):
        supply.stop = min(start + MAX_ROW_LINES, len(lines))
        try:
            rows.append(next(reader))
        except csv.Error:
            may_go_on = supply.at == len(lines) < start + MAX_ROW_LINES
            if may_go_on and not is_last:
                break
            rows += [read_alone(line, dialect) for line in lines[start : supply.at]]
        start = supply.at
    return rows, lines[start:]


def read_alone(line: str, dialect: Dialect = COMMAS) -> Row:
    try:
        return next(csv.reader([line], dialect))
    except csv.Error:
        return line


def parse_row(text: str, columns: tuple[str, ...] = ()) -> dict[str, str] | None:
    """Return the cells by column; those beyond the named ones are `column4` and so on, missing ones have no value."""
    try:
        rows = list(csv.reader([text.strip("\r\n")], COMMAS))
    except csv.Error:
        return None
    if len(rows) != 1:
        return None
    return dict(zip(number_columns(columns, len(rows[0])), rows[0], strict=False))


def number_columns(names: Sequence[str], count: int) -> list[str]:
    """Return the names, and numbered ones for the cells beyond."""
    return [*names, *(f"column{place}" for place in range(len(names) + 1, count + 1))]
