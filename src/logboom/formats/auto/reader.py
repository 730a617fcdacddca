"""Which format a text has, judged by its beginning; plain text when it is none that we know."""

import re
from collections.abc import Callable, Mapping
from typing import TypeGuard

import msgspec

from logboom.formats.csv import DELIMITERS, Row, read_alone, read_rows, sniff_dialect
from logboom.formats.logfmt import parse_logfmt
from logboom.formats.multiline import Fold
from logboom.formats.ndjson import compact
from logboom.formats.reader import BOM, NOTHING, Options, Reader, drop_blank, split_lines
from logboom.model.batch import Lines

Openers = Mapping[str, Callable[[Options], Reader]]
Probe = Callable[[list[str]], float]
"""The share of some records that are of a format."""

SAMPLE_BYTES = 64 * 1024
MAX_SAMPLE_RECORDS = 300
ENOUGH = 0.5
ENOUGH_ROWS = 0.9
JSON = re.compile(r'\s*+(?:\[\s*+)*+\{\s*+(?:["}]|\Z)|\s*+\[\s*+\]\s*+\Z')
CEF = re.compile(r"(?:^|\s)CEF:\s?\d+\|")
SYSLOG = re.compile(
    r"<\d{1,3}>\S"
    r"|[A-Z][a-z]{2} [ \d]\d (?:\d{4} )?\d\d:\d\d:\d\d[ .:]"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*+ (?!(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL) )"
    r"[\w.:-]++ [^\s:\[\]]++(?:\[\d++\])?+: "
)
COLUMN = re.compile(r"[^\W\d][\w@#$%()/.-]*+(?: [\w@#$%()/.-]++){0,3}|[@#$]\w++")
ACCESS = re.compile(r'\S++ \S++ [^\["]++\[[^\]]++\] "[^"]*+" \d{3} ')
ACCESS_PRESETS = ("combined", "common")


class AutoReader:
    """Holds the beginning of a text until it is enough to choose a reader for all of it."""

    def __init__(self, options: Options, openers: Openers) -> None:
        self.format = "auto"
        self._options = options
        self._openers = openers
        self._held = b""
        self._fold = Fold(options.multiline, options.max_lines) if options.multiline else None
        self._reader: Reader | None = None
        if options.grok:
            self._choose("grok", options)

    def feed(self, chunk: bytes) -> Lines:
        if self._reader is not None:
            return self._reader.feed(chunk)
        self._held += chunk
        return NOTHING if len(self._held) < SAMPLE_BYTES else self._begin()

    def finish(self) -> Lines:
        begun = NOTHING if self._reader is not None else self._begin()
        assert self._reader is not None
        return Lines.join([begun, self._reader.finish()])

    def _begin(self) -> Lines:
        """Choose, and read what was held."""
        lines = split_lines(cut_sample(self._held))
        records = self._fold.feed(lines) + self._fold.finish() if self._fold else drop_blank(lines)
        held, self._held = self._held, b""
        reader = self._choose(*choose_format(records, self._options, self._openers))
        return reader.feed(held)

    def _choose(self, format: str, options: Options) -> Reader:
        self.format = format
        self._reader = self._openers[format](options)
        return self._reader


def cut_sample(data: bytes) -> bytes:
    """The whole lines within the size of a sample, at least one."""
    end = data.rfind(b"\n", 0, SAMPLE_BYTES)
    if end < 0:
        end = data.find(b"\n")
    return data[:end].removeprefix(BOM) if end >= 0 else data.removeprefix(BOM)


def choose_format(records: list[str], options: Options, openers: Openers) -> tuple[str, Options]:
    """The first format that enough of the records are of."""
    records = records[:MAX_SAMPLE_RECORDS]
    if not records:
        return "text", options
    for format, probe in PROBES.items():
        if not (options.multiline and format in WITHOUT_LINES) and probe(records) >= ENOUGH:
            return format, options
    if share_of(ACCESS.match)(records) >= ENOUGH:
        for preset in ACCESS_PRESETS:
            chosen = msgspec.structs.replace(options, grok=preset)
            lines = openers["grok"](chosen).feed("\n".join(records).encode())
            if lines.faults <= ENOUGH * len(records):
                return "grok", chosen
    return "text", options


def share_of(is_one: Callable[[str], object]) -> Probe:
    return lambda records: sum(map(bool, map(is_one, records))) / len(records)


def is_object(record: str) -> bool:
    return compact(record.encode()) is not None


def is_logfmt(record: str) -> bool:
    """Whether it is pairs above all, and no sentence with a pair in it."""
    fields = parse_logfmt(record) or {}
    flags = sum(value is True for value in fields.values())
    return len(fields) > 2 * flags


def probe_json(records: list[str]) -> float:
    return float(JSON.match("\n".join(records)) is not None)


def probe_w3c(records: list[str]) -> float:
    is_directed = any(record.startswith("#Fields:") for record in records)
    return float(is_directed and records[0].startswith("#"))


def probe_csv(records: list[str]) -> float:
    return probe_rows(records, ",;|")


def probe_tsv(records: list[str]) -> float:
    return probe_rows(records, "\t")


def probe_rows(records: list[str], delimiters: str) -> float:
    """The share of rows that are as wide as a header that names columns, and not values."""
    dialect = sniff_dialect(records[0], DELIMITERS["csv"])
    rows, _ = read_rows(records, dialect, is_last=True)
    header, *values = rows
    if dialect.delimiter not in delimiters or not values or not is_header(header):
        return 0.0
    fits = [len(row) == len(header) and not is_repeated(header, row) for row in values]
    share = sum(fits) / len(fits)
    return share if share >= ENOUGH_ROWS else 0.0


def may_get_rows(records: list[str]) -> bool:
    """Whether all there is so far may be the header of a table: only with a row it can be told from text."""
    if len(records) != 1:
        return False
    return is_header(read_alone(records[0], sniff_dialect(records[0], DELIMITERS["csv"])))


def is_header(row: Row) -> TypeGuard[list[str]]:
    """Whether the cells name columns, and are no values."""
    if isinstance(row, str):
        return False
    names = [cell.strip() for cell in row]
    return 1 < len(names) == len(set(names)) and all(map(COLUMN.fullmatch, names))


def is_repeated(header: list[str], row: list[str] | str) -> bool:
    """Whether a row says the same as the header in any column, as rows do and headers do not."""
    return any(name == cell for name, cell in zip(header, row, strict=False))


PROBES: dict[str, Probe] = {
    "ndjson": share_of(is_object),
    "json": probe_json,
    "w3c": probe_w3c,
    "cef": share_of(CEF.search),
    "syslog": share_of(SYSLOG.match),
    "csv": probe_csv,
    "tsv": probe_tsv,
    "logfmt": share_of(is_logfmt),
}
WITHOUT_LINES = ("json", "w3c", "csv", "tsv")
"""What does not go with folded lines."""
