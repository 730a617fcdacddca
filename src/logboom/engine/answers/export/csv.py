"""Rows as CSV (RFC 4180): a header, then one line per row; spreadsheet formulas are escaped."""

import csv
import io
from collections.abc import Generator, Iterable

from logboom.base.texts import write_cell
from logboom.engine.answers.export.pages import Export, Row
from logboom.engine.execution.find import Finder
from logboom.engine.rows.table import match_names
from logboom.model.names import fold_name


def write_csv(finder: Finder, columns: tuple[str, ...] | None) -> Generator[bytes, None, None]:
    export = Export.begin(finder)
    return write_lines(export, choose_names(export, columns))


def choose_names(export: Export, columns: tuple[str, ...] | None) -> list[str]:
    """Return the requested names with `*` expanded; else all names."""
    if columns is None:
        return export.list_names()
    if not any("*" in name for name in columns):
        return list(columns)
    known = export.list_names()
    return [
        name
        for column in columns
        for name in (match_names([column], known) if "*" in column else [column])
    ]


def write_lines(export: Export, names: list[str]) -> Generator[bytes, None, None]:
    yield encode_lines([list(map(write_cell, names))])
    places = Places(names)
    for rows in export.list_chunks():
        yield encode_lines(places.arrange(row) for row in rows)
    export.end()


class Places:
    """The position of a name's value in a line, however the name is spelled."""

    def __init__(self, names: list[str]) -> None:
        self._empty = [""] * len(names)
        self._folded: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            self._folded.setdefault(fold_name(name), []).append(place)
        self._spelled: dict[str, list[int]] = {}

    def arrange(self, row: Row) -> list[str]:
        line = self._empty.copy()
        for name, value in row.items():
            places = self._spelled.get(name)
            if places is None:
                places = self._spelled[name] = self._folded.get(fold_name(name), [])
            for place in places:
                line[place] = write_cell(value)
        return line


def encode_lines(lines: Iterable[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(lines)
    return text.getvalue().encode("utf-8", "replace")
