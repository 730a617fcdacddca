"""Rows as lines: a table with tab-separated cells, or one event per line."""

import re
from collections.abc import Iterable, Mapping, Sequence

from logboom.mcp.answers.plain import LONGEST_CELL, clean, shorten, write, write_pair

MESSAGE_LENGTH = 300
EVENT_LENGTH = 560
OWN_FIELDS = ("_time", "_id", "_env", "_index", "message")
VARYING = re.compile(r"[0-9a-fA-F]*[0-9][0-9a-fA-F]*")
"""What varies between similar messages: numbers, including hexadecimal ones."""

Row = Mapping[str, object]


def list_table(columns: Sequence[str], rows: Iterable[Row], most: int = LONGEST_CELL) -> list[str]:
    """Return a line with the columns' names, then one for each row."""
    head = "\t".join(shorten(name) for name in columns)
    return [head, *("\t".join(shorten(row.get(name), most) for name in columns) for row in rows)]


def list_folded(rows: Sequence[Row], most: int) -> tuple[list[str], int]:
    """Return at most this many lines, one for all similar events, and how many rows they stand for."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault(describe_likeness(row), []).append(row)
    shown = list(groups.values())[:most]
    return [write_group(group) for group in shown], sum(map(len, shown))


def describe_likeness(row: Row) -> tuple[str, str]:
    message = write(row.get("message"))[:MESSAGE_LENGTH]
    return str(row.get("_index")), VARYING.sub("#", message) or str(sorted(row))


def write_group(group: Sequence[Row]) -> str:
    """Return the newest event of a group, which is the first, and the times of the others."""
    line = write_event(group[0])
    if len(group) == 1:
        return line
    oldest = shorten(group[-1].get("_time"))
    return f"{line} (and {len(group) - 1} like it since {oldest})"


def write_event(row: Row) -> str:
    """Return time, message, then as many other fields as fit, and the id for reading the whole event."""
    remedy = ", see read_event"
    message = shorten(row.get("message"), MESSAGE_LENGTH, remedy)
    pairs = [write_pair(name, row[name], remedy) for name in row if name not in OWN_FIELDS]
    places = [write_pair(name, row[name]) for name in ("_env", "_index") if name in row]
    room = EVENT_LENGTH - len(message)
    shown: list[str] = []
    for pair in [*places, *pairs]:
        room -= len(pair) + 1
        if room < 0:
            break
        shown.append(pair)
    missing = len(places) + len(pairs) - len(shown)
    more = [f"[{missing} more fields]"] if missing else []
    identity = [f"_id={clean(str(row['_id']))}"] if "_id" in row else []
    return " ".join([clean(str(row.get("_time", ""))), message, *shown, *more, *identity])
