"""How much of a text matches a format, judged by some of its lines; all probes are in PROBES."""

from collections.abc import Callable
from typing import TypeGuard

from logboom.base.patterns import compile_later
from logboom.formats.csv import DELIMITERS, Row, read_alone, read_rows, sniff_dialect
from logboom.formats.logfmt import parse_logfmt
from logboom.formats.ndjson import compact
from logboom.formats.wrappers import unwrap

Probe = Callable[[list[str]], float]
"""Returns the share of some records that match a format."""

ENOUGH = 0.5
ENOUGH_ROWS = 0.9
JSON = compile_later(r'\s*+(?:\[\s*+)*+\{\s*+(?:["}]|\Z)|\s*+\[\s*+\]\s*+\Z')
CEF = compile_later(r"(?:^|\s)CEF:\s?\d+\|")
SYSLOG = compile_later(
    r"<\d{1,3}>\S"
    r"|[A-Z][a-z]{2} [ \d]\d (?:\d{4} )?\d\d:\d\d:\d\d[ .:]"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*+ (?!(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL) )"
    r"[\w.:-]++ [^\s:\[\]]++(?:\[\d++\])?+: "
)
COLUMN = compile_later(r"[^\W\d][\w@#$%()/.-]*+(?:,? [\w@#$%()/.-]++){0,3}|[@#$]\w++")
UNNAMED = frozenset("<>|'\"{}")
"""Characters that occur in names only if the text is XML or another format with pairs in it."""


def share_of(is_one: Callable[[str], object]) -> Probe:
    return lambda records: sum(map(bool, map(is_one, records))) / len(records)


def is_object(record: str) -> bool:
    """Return whether it is an event, not a wrapper of events, which belongs to the format json."""
    text = compact(record.encode())
    return text is not None and unwrap(text) is None


def is_logfmt(record: str) -> bool:
    """Return whether it is mainly pairs, not a sentence with a pair in it."""
    fields = parse_logfmt(record) or {}
    flags = sum(value is True for value in fields.values())
    return len(fields) > 2 * flags and UNNAMED.isdisjoint("".join(fields))


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
    """Return the share of rows that are as wide as a header that names columns, not values."""
    dialect = sniff_dialect(records[0], DELIMITERS["csv"])
    rows, _ = read_rows(records, dialect, is_last=True)
    header, *values = rows
    if dialect.delimiter not in delimiters or not values or not is_header(header):
        return 0.0
    fits = [len(row) == len(header) and not is_repeated(header, row) for row in values]
    share = sum(fits) / len(fits)
    return share if share >= ENOUGH_ROWS else 0.0


def may_get_rows(records: list[str]) -> bool:
    """Return whether the text so far may be the header of a table, which only a row can decide."""
    if len(records) != 1:
        return False
    return is_header(read_alone(records[0], sniff_dialect(records[0], DELIMITERS["csv"])))


def is_header(row: Row) -> TypeGuard[list[str]]:
    """Return whether the cells name columns, and are not values."""
    if isinstance(row, str):
        return False
    names = [cell.strip() for cell in row]
    return 1 < len(names) == len(set(names)) and all(map(COLUMN.fullmatch, names))


def is_repeated(header: list[str], row: list[str] | str) -> bool:
    """Return whether a row equals the header in any column, as rows do and headers do not."""
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
"""Formats that cannot have folded lines."""
