"""Event answers: the newest matches, block by block until no older block can hold a newer one."""

from typing import NamedTuple

import msgspec
import polars as pl

from logboom.base.clock import format_time
from logboom.engine.blocks import REST, ROW, Block, blame_block
from logboom.engine.filters import build_filter
from logboom.engine.request import EventId, EventKey, Request
from logboom.engine.scope import build_scope
from logboom.lang import ast
from logboom.model.columns import SOURCE, Cell, Column
from logboom.model.event import read_fields
from logboom.model.shape import TIME, Lookup, Shape, parse_shape, rebuild_row, rebuild_text

CORE_COLUMNS = ("_time", "_seq", "_node", "_index", "_shape", "_raw", REST, SOURCE.name)


class Hit(NamedTuple):
    """A matching row, not yet read."""

    key: EventKey
    block: Block
    row: int


class Hits(NamedTuple):
    """The partial result of one block: its newest matches, and how many there are when that was asked."""

    newest: list[Hit]
    total: int
    rows_scanned: int


def find_hits(request: Request, block: Block) -> Hits:
    """The newest matches of one block that come after the cursor."""
    tests = [*build_scope(request, block)]
    if not isinstance(request.query.filter, ast.Everything):
        tests.append(build_filter(request.query.filter, block))
    columns = [ROW, "_time", "_node", "_seq"]
    frame = block.scan()
    if not tests and not request.after:
        # Rows are in order of time: the newest are the last ones.
        offset = max(0, block.index.rows - request.limit)
        found = frame.select(columns).slice(offset, request.limit).collect()
        return Hits(list_hits(found, block), block.index.rows, found.height)
    found = (frame.filter(tests) if tests else frame).select(columns).collect()
    total = found.height
    if request.after:
        found = found.filter(is_after(request.after))
    newest = found.sort("_time", "_node", "_seq").tail(request.limit)
    return Hits(list_hits(newest, block), total, block.index.rows)


def is_after(key: EventKey) -> pl.Expr:
    """Rows that come later in the order of answers, which is to say earlier in time."""
    time, node, seq = pl.col("_time"), pl.col("_node"), pl.col("_seq")
    same_time = (node < key.node) | ((node == key.node) & (seq < key.seq))
    return (time < key.time_ns) | ((time == key.time_ns) & same_time)


def list_hits(frame: pl.DataFrame, block: Block) -> list[Hit]:
    return [
        Hit(EventKey(time_ns, node, seq), block, row)
        for row, time_ns, node, seq in frame.iter_rows()
    ]


def read_rows(hits: list[Hit], *, raw: bool) -> list[dict[str, object]]:
    """The events behind hits, in the same order; each block is opened once."""
    rows: dict[EventKey, dict[str, object]] = {}
    for path in dict.fromkeys(hit.block.info.path for hit in hits):
        of_block = [hit for hit in hits if hit.block.info.path == path]
        with blame_block(path):
            reader = RowReader(of_block[0].block, sorted(hit.row for hit in of_block))
        rows |= {hit.key: reader.read(hit.row, raw=raw) for hit in of_block}
    return [rows[hit.key] for hit in hits]


class RowReader:
    """Rebuilds events of one block from the columns that their shapes name, and no others."""

    def __init__(self, block: Block, rows: list[int]) -> None:
        first, last = rows[0], rows[-1]
        core = block.read(CORE_COLUMNS, first, last).filter(pl.col(ROW).is_in(rows))
        shapes = [parse_shape(text) for text in core["_shape"].drop_nulls().unique()]
        names = {
            leaf.column.name for shape in shapes for leaf in shape.leaves if leaf.column is not TIME
        }
        held = names & block.index.columns.keys()
        cells = block.read(held, first, last).filter(pl.col(ROW).is_in(rows))
        self._env = block.info.env
        self._places = {row: place for place, row in enumerate(core[ROW])}
        self._core = core.to_dict(as_series=False)
        self._cells = cells.to_dict(as_series=False)

    def read(self, row: int, *, raw: bool) -> dict[str, object]:
        """The answer's row of one event."""
        place = self._places[row]
        time_ns = self._core["_time"][place]
        answer: dict[str, object] = {
            "_time": format_time(time_ns),
            "_id": str(EventId(time_ns, self._core["_node"][place], self._core["_seq"][place])),
            "_env": self._env,
            "_index": self._core["_index"][place],
        }
        for name, value in self._read_fields(place).items():
            answer.setdefault(name, value)
        if raw:
            answer["_raw"] = self._read_raw(place)
        return answer

    def _read_fields(self, place: int) -> dict[str, object]:
        raw, source = self._core["_raw"][place], self._core[SOURCE.name][place]
        if raw is not None:
            return read_fields(raw.encode(), source)
        fields = rebuild_row(self._shape(place), self._make_lookup(place))
        if source is not None:
            fields.setdefault(SOURCE.field, source)
        return fields

    def _read_raw(self, place: int) -> str:
        raw: str | None = self._core["_raw"][place]
        if raw is not None:
            return raw
        time_ns = self._core["_time"][place]
        return rebuild_text(self._shape(place), self._make_lookup(place), time_ns)

    def _shape(self, place: int) -> Shape:
        return parse_shape(self._core["_shape"][place])

    def _make_lookup(self, place: int) -> Lookup:
        """Finds the values of one event, in their columns or in the overflow text."""
        rest = self._core[REST][place]
        overflow: dict[str, Cell] = msgspec.json.decode(rest) if rest is not None else {}

        def look_up(column: Column) -> Cell | None:
            cells = self._cells.get(column.name)
            cell: Cell | None = cells[place] if cells else None
            return overflow.get(column.field) if cell is None else cell

        return look_up
