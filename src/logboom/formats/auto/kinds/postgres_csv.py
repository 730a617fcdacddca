"""PostgreSQL's `csvlog`: rows without a header, in which a quoted cell may have many lines."""

from functools import partial
from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, fold_events, share_of
from logboom.formats.auto.reading import Reading, parse_each
from logboom.formats.csv import parse_row
from logboom.formats.reader import read_cell
from logboom.formats.times import read_time

STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (?:[A-Za-z]{1,5}|[+-]\d\d(?::?\d\d)?)"
QUOTED = r'(?:"[^"]*(?:""[^"]*)*")?'
BEGINS = rf"{STAMP},{QUOTED},{QUOTED},\d*,"
IS_FIRST = compile_later(BEGINS)
NAMES = (
    *("timestamp", "user", "database", "pid", "client", "session", "session_line", "command_tag"),
    *(
        "session_start",
        "virtual_transaction",
        "transaction",
        "level",
        "sql_state",
        "message",
        "detail",
    ),
    *("hint", "internal_query", "internal_query_pos", "context", "query", "query_pos", "location"),
    *("application_name", "backend_type", "leader_pid", "query_id"),
)
"""The columns of version 14; earlier versions have fewer at the end."""
FEWEST = NAMES.index("location") + 1
NUMBERS = ("pid", "session_line", "transaction", "internal_query_pos", "query_pos", "leader_pid")


def try_postgres_csv(lines: list[str], now_ns: int) -> Reading | None:
    if not IS_FIRST.match(lines[0]):
        return None
    parse_row_at = partial(parse, now_ns=now_ns)
    share = share_of(parse_row_at, fold_events(BEGINS, lines))
    return (
        Reading("postgres_csv", share, parse_each(parse_row_at), BEGINS)
        if share >= ENOUGH
        else None
    )


def parse(text: str, now_ns: int) -> dict[str, Any] | None:
    cells = parse_row(text, NAMES) if IS_FIRST.match(text) else None
    if cells is None or not FEWEST <= len(cells) <= len(NAMES):
        return None
    fields: dict[str, Any] = {
        name: read_cell(cell) if name in NUMBERS else cell for name, cell in cells.items() if cell
    }
    time_ns = read_time(cells["timestamp"], now_ns)
    return fields if time_ns is None else fields | {"timestamp": time_ns}
