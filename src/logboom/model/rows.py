"""Rows to a frame, in pure Python: the definition that the compiled shredder must agree with."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import polars as pl

from logboom.model.batch import Batch
from logboom.model.columns import (
    DTYPES,
    MAX_CELLS_PER_BLOCK,
    MESSAGE,
    SOURCE,
    Cell,
    Column,
)
from logboom.model.event import decode_line, shred_line
from logboom.model.summary import ColumnSummary, summarise

ROW_BITS = 32
ROW_MASK = (1 << ROW_BITS) - 1

CORE_SCHEMA: dict[str, pl.DataType] = {
    "_time": pl.Int64(),
    "_seq": pl.Int64(),
    "_index": pl.String(),
    "_shape": pl.String(),
    "_raw": pl.String(),
    "_rest": pl.String(),
}
"""The columns of every block, before `message`, `source` and the fields of its events."""


class Rows(NamedTuple):
    """Events as columns, and a summary of each field's column."""

    frame: pl.DataFrame
    summaries: dict[str, ColumnSummary]


def sort_rows(batches: Sequence[Batch]) -> tuple["array[int]", "array[int]"]:
    """Return the times of all events in order, and the position (batch number << 32 | row) of each.

    Events of the same time keep their order of arrival.
    """
    timed = [
        (time_ns, number << ROW_BITS | row)
        for number, batch in enumerate(batches)
        for row, time_ns in enumerate(batch.scan.times_ns)
    ]
    timed.sort()
    return array("q", [time_ns for time_ns, _ in timed]), array("q", [place for _, place in timed])


def shred_rows(batches: Sequence[Batch], order: Sequence[int], max_fields: int) -> Rows:
    """Return the events named by `order` (batch number << 32 | row) as columns, in that order.

    Fewer are returned, from the start, if more would be too many cells for one block.
    """
    fields: set[str] = {MESSAGE.field, SOURCE.field}
    columns: dict[Column, dict[int, Cell]] = {MESSAGE: {}, SOURCE: {}}
    core: dict[str, list[object]] = {name: [] for name in CORE_SCHEMA}
    for row, place in enumerate(order):
        batch = batches[place >> ROW_BITS]
        at = place & ROW_MASK
        line = batch.data[batch.scan.starts[at] : batch.scan.ends[at]]
        shredded = shred_line(line, batch.target.source)
        rest = split_overflow(shredded.cells, fields, max_fields)
        for column, cell in shredded.cells.items():
            columns.setdefault(column, {})[row] = cell
        core["_time"].append(batch.scan.times_ns[at])
        core["_seq"].append(batch.first_seq + at)
        core["_index"].append(batch.scan.index_names[batch.scan.index_ids[at]])
        core["_shape"].append(shredded.shape)
        core["_raw"].append(None if shredded.shape else decode_line(line))
        core["_rest"].append(rest)
        if len(columns) * (row + 1) >= MAX_CELLS_PER_BLOCK:
            break
    height = len(core["_time"])
    frame = pl.DataFrame(core, schema=CORE_SCHEMA).with_columns(
        pl.Series(column.name, [cells.get(row) for row in range(height)], DTYPES[column.kind])
        for column, cells in columns.items()
    )
    summaries = {
        column.name: summarise(column, cells.values()) for column, cells in columns.items()
    }
    return Rows(frame, summaries)


def split_overflow(cells: dict[Column, Cell], fields: set[str], max_fields: int) -> str | None:
    """Take the fields for which a block has no room out of `cells`; return them as one JSON text."""
    rest: dict[str, Cell] = {}
    for column in list(cells):
        if column.field in fields:
            continue
        if len(fields) < max_fields:
            fields.add(column.field)
        else:
            rest[column.field] = cells.pop(column)
    return msgspec.json.encode(rest).decode() if rest else None
