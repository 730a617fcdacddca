"""Prints rows as a table, JSON lines or CSV; notes go to standard error."""

import csv
import io
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import msgspec
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from logboom.base.texts import write_cell
from logboom.cli.answers import SearchAnswer
from logboom.cli.screen import defuse
from logboom.model.event_text import find_stand_in, read_text

TEXT = "message"
FIRST = ("_time", "level", "service", "source", "host", TEXT)
"""The most important fields of events; all others share one column."""
HIDDEN = ("_id", "_env", "_index")
OTHERS = "fields"
NARROW = ("_time", "level")
"""Columns that are never wrapped."""
MAX_PADDING = 60
"""A longer cell in a plain-text table shifts only the rest of its own line."""
STYLES = {
    "error": "red",
    "err": "red",
    "fatal": "bold red",
    "critical": "bold red",
    "warn": "yellow",
    "warning": "yellow",
    "debug": "dim",
}

Row = dict[str, Any]


def open_output() -> TextIO:
    """Return standard output, as UTF-8 unless it is a terminal, which has its own encoding."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        encoding = None if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    return sys.stdout


def write_table(found: SearchAnswer, output: TextIO) -> None:
    """Write a table: on a terminal with Rich, wrapped to its width, otherwise as lines that are never wrapped."""
    if not found.rows:
        return
    if output.isatty():
        Console(file=output).print(make_table(found))
    else:
        output.writelines(align([list_names(found), *list_cells(found)]))


def make_table(found: SearchAnswer) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in list_names(found):
        table.add_column(Text(name), overflow="fold", no_wrap=name in NARROW)
    for row, cells in zip(found.rows, list_cells(found), strict=True):
        style = STYLES.get(str(row.get("level", "")).lower(), "")
        table.add_row(*map(Text, cells), style=style)
    return table


def align(lines: list[list[str]]) -> Iterator[str]:
    widths = [
        min(max(cell_len(line[place]) for line in lines), MAX_PADDING)
        for place in range(len(lines[0]))
    ]
    for line in lines:
        padded = (
            cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True)
        )
        yield "  ".join(padded).rstrip() + "\n"


def is_whole(found: SearchAnswer) -> bool:
    """Return whether the rows are complete events, that is, the query selected no fields."""
    return found.type == "events" and "_id" in found.columns


def list_names(found: SearchAnswer) -> list[str]:
    if not is_whole(found):
        return [defuse(name) for name in found.columns]
    return [*list_first(found), OTHERS]


def list_first(found: SearchAnswer) -> list[str]:
    """Return the first columns of events, with a message column also if another field stands in for the message."""
    shown = set(found.columns)
    if any(map(find_stand_in, found.rows)):
        shown.add(TEXT)
    return [name for name in FIRST if name in shown]


def list_cells(found: SearchAnswer) -> Iterator[list[str]]:
    if not is_whole(found):
        yield from ([show_cell(row.get(name)) for name in found.columns] for row in found.rows)
        return
    first = list_first(found)
    for row in map(show_stand_in, found.rows):
        yield [*(show_cell(row.get(name)) for name in first), show_others(row)]


def show_stand_in(row: Row) -> Row:
    """Return the event with the field that stands in for its message in the message column."""
    name = find_stand_in(row)
    if name is None:
        return row
    others = {each: value for each, value in row.items() if each != name}
    return others | {TEXT: read_text(row[name])}


def show_others(row: Row) -> str:
    return " ".join(
        f"{defuse(name)}={show_cell(value)}"
        for name, value in row.items()
        if name not in FIRST and name not in HIDDEN
    )


def show_cell(value: object) -> str:
    """Return text as it is, nothing for null, everything else as JSON; always safe to print."""
    if value is None:
        return ""
    return defuse(value) if isinstance(value, str) else encode(value)


def encode(value: object) -> str:
    return defuse(msgspec.json.encode(value).decode())


def write_json(found: SearchAnswer, output: TextIO) -> None:
    """Write rows as JSON, one object per line."""
    output.writelines(encode(row) + "\n" for row in found.rows)


def write_csv(found: SearchAnswer, output: TextIO) -> None:
    """Write rows as the CSV of exports; on a terminal it is made safe to print."""
    show: Callable[[str], str] = defuse if output.isatty() else str
    writer = csv.writer(output, lineterminator="\n")
    if found.columns:
        writer.writerow([show(write_cell(name)) for name in found.columns])
    for row in found.rows:
        writer.writerow([show(write_cell(row.get(name))) for name in found.columns])


WRITERS: dict[str, Callable[[SearchAnswer, TextIO], None]] = {
    "table": write_table,
    "json": write_json,
    "csv": write_csv,
}


def write_line(event: Row) -> str:
    """Return one event of a tail, for people to read."""
    event = show_stand_in(event)
    first = [show_cell(event[name]) for name in FIRST if event.get(name) is not None]
    return " ".join(filter(None, [*first, show_others(event)]))


LINES: dict[str, Callable[[Row], str]] = {"table": write_line, "json": encode}


def show_remarks(found: SearchAnswer, console: Console) -> None:
    """Print the warnings and hints of an answer."""
    messages = [str(warning.get("message")) for warning in found.warnings]
    for warning, message in zip(found.warnings, messages, strict=True):
        show(console, f"{warning.get('code')}: {message}", "yellow")
    if not found.complete:
        show(console, "the answer is incomplete", "bold yellow")
    if not found.rows:
        hint = found.explanation.hint
        is_said = not hint or hint in messages
        show(console, "nothing found" if is_said else f"nothing found: {hint}", "dim")


def show(console: Console, text: str, style: str) -> None:
    console.print(Text(defuse(text)), style=style, soft_wrap=True)
