"""Rows as NDJSON: one JSON object per line."""

from collections.abc import Generator

import msgspec

from logboom.engine.answers.export.pages import Export
from logboom.engine.execution.find import Finder
from logboom.engine.rows.table import match_names


def write_ndjson(finder: Finder, columns: tuple[str, ...] | None) -> Generator[bytes, None, None]:
    return write_lines(Export.begin(finder), columns)


def write_lines(export: Export, columns: tuple[str, ...] | None) -> Generator[bytes, None, None]:
    encoder = msgspec.json.Encoder()
    for rows in export.list_chunks():
        if columns is not None:
            rows = [{name: row[name] for name in match_names(columns, row)} for row in rows]
        yield encoder.encode_lines(rows)
    export.end()
