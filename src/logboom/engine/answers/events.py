"""Turns the rows of a table back into complete events.

Only these rows are read, and only the columns that their shapes name.
"""

from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import polars as pl

from logboom.base.clock import format_time
from logboom.base.errors import Corrupt
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.events import Event
from logboom.engine.blocks.footprint import bound_texts, measure_rows
from logboom.engine.rows.computed import take_rows
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import BLOCK, ROW, OwnFields, Table, match_names
from logboom.engine.terms.request import EventId
from logboom.model.columns import SOURCE, Cell, Column
from logboom.model.event import read_fields
from logboom.model.names import CORE_FIELDS, expose_name, fold_name
from logboom.model.shape import Lookup, Shape, parse_shape, rebuild_row, rebuild_text
from logboom.store.block.parquet import ROW_GROUP_ROWS, split_evenly

RAW, REST = "_raw", "_rest"

ROWS_AT_ONCE = 2 * ROW_GROUP_ROWS
"""The maximum distance between the first and last row of a block that are read together."""
DENSE = 4
"""If at least one row in four is wanted, the whole range of rows is read and filtered."""
CORE_COLUMNS = ("_time", "_seq", "_node", "_index", "_shape", "source")
MOST_READERS = 4
"""Blocks that are read at the same time."""
COPIES = 3
"""How often the values of an event are held: as objects, as raw text, and in the body of the answer."""
SPARE_ROW_BYTES = 4096
"""Events that nobody asked for yet are read only from blocks whose rows are at most this large on average."""
Take = Callable[[int], None]
"""Takes this many bytes of memory, or raises OverBudget; gives memory back if the number is negative."""
Rows = dict[str, list[int]]
"""Rows of each block, in ascending order."""
Events = dict[int, tuple[Event, str | None]]
"""Events by row, and their raw text if requested."""
OpenBlock = Callable[[str], Block]
NoteLoss = Callable[[str, Corrupt], None]
"""Called for a damaged block."""


def take_nothing(_size_bytes: int) -> None:
    """For events that are read whatever memory they take."""


def read_events(
    table: Table,
    open_block: OpenBlock,
    note_loss: NoteLoss,
    *,
    raw: bool,
    spare: pl.DataFrame | None = None,
    take: Take = take_nothing,
) -> list[dict[str, object]]:
    """Return the rows of an answer, in the table's order; each block is opened once.

    Rows of damaged blocks are left out. The `spare` rows are cached if they can be read together with the others.
    `take` is asked for the memory of the events of each block, before they are read and rebuilt.
    """
    assert table.own is not None, "the rows stand for events"
    if not table.height:
        return []
    computed = table.read_rows()
    hidden = (*CORE_FIELDS, RAW) if raw else CORE_FIELDS
    is_plain = table.own == OwnFields() and not table.columns
    places: dict[str, list[int]] = {}
    for place, path in enumerate(table.frame[BLOCK]):
        places.setdefault(path, []).append(place)
    numbers = table.frame[ROW].to_list()
    answers: list[dict[str, object] | None] = [None] * table.height
    rows = {path: sorted({numbers[place] for place in found}) for path, found in places.items()}
    further = {} if spare is None or raw else list_rows(spare)
    for path, events in read_blocks(rows, further, open_block, note_loss, hidden, take):
        for place in places[path]:
            event, text = events[numbers[place]]
            row = dict(event) if is_plain else arrange(event, computed[place], table.own)
            answers[place] = row | {RAW: text} if raw else row
    return [answer for answer in answers if answer is not None]


def list_rows(frame: pl.DataFrame) -> Rows:
    """Return the rows of a table by block."""
    rows: Rows = {}
    for path, row in zip(frame[BLOCK], frame[ROW], strict=True):
        rows.setdefault(path, []).append(row)
    return {path: sorted(found) for path, found in rows.items()}


def read_blocks(
    rows: Rows,
    further: Rows,
    open_block: OpenBlock,
    note_loss: NoteLoss,
    hidden: Container[str],
    take: Take,
) -> Iterator[tuple[str, Events]]:
    """Yield the events of some rows of each block, with several blocks read at the same time.

    The `further` rows are only cached, if at all.
    """

    def read(path: str) -> Events | Corrupt:
        try:
            return read_block(open_block(path), rows[path], hidden, further.get(path, []), take)
        except Corrupt as error:
            return error

    def is_read(path: str) -> bool:
        """Return whether something must be read of the block."""
        try:
            block = open_block(path)
        except Corrupt:
            return True
        return RAW in hidden or not block.events.has_all(block.info.path, rows[path])

    slow = list(filter(is_read, rows))
    found: dict[str, Events | Corrupt] = {}
    if len(slow) > 1:
        with ThreadPoolExecutor(min(MOST_READERS, len(slow))) as pool:
            found = dict(zip(slow, pool.map(read, slow), strict=True))
    for path in rows:
        events = found[path] if path in found else read(path)
        if isinstance(events, Corrupt):
            note_loss(path, events)
        else:
            yield path, events


def read_block(
    block: Block, rows: list[int], hidden: Container[str], further: list[int], take: Take
) -> Events:
    """Return the events of some rows; recently read ones are cached, unless the raw text is requested."""
    if RAW in hidden:
        reader = RowReader(block, rows, take)
        return {row: (reader.read(row, hidden), reader.read_raw(row)) for row in rows}
    path = block.info.path
    events = block.events.find(path, rows)
    missing = [row for row in rows if row not in events]
    if missing:
        wanted = sorted({*missing, *choose_further(block, rows, missing, further)})
        reader = RowReader(block, wanted, take)
        read = {row: reader.read(row, hidden) for row in wanted}
        block.events.keep(path, read)
        events |= read
    return {row: (events[row], None) for row in rows}


def choose_further(
    block: Block, rows: list[int], missing: list[int], further: list[int]
) -> list[int]:
    """Return further rows that hardly cost anything: scattered ones in row groups that are read anyway."""
    if not further or bound_texts(block) > SPARE_ROW_BYTES * block.rows:
        return []
    found = sorted((*rows, *further))
    if not are_scattered(found):
        # Rebuilding their events would cost more than reading them.
        return []
    group_rows = split_evenly(block.index.rows, ROW_GROUP_ROWS)
    read = {row // group_rows for row in missing}
    return [row for row in further if row // group_rows in read]


def are_scattered(rows: list[int]) -> bool:
    """Return whether few rows between the first and the last are wanted."""
    return len(rows) * DENSE < rows[-1] - rows[0]


def arrange(
    event: dict[str, object], computed: dict[str, Any], own: OwnFields
) -> dict[str, object]:
    """Return the event's own fields that are shown, then the computed ones, in the requested order."""
    added = {name: value for name, value in computed.items() if value is not None}
    replaced = set(map(fold_name, added))
    kept = {
        name: value
        for name, value in event.items()
        if fold_name(name) not in replaced and own.shows(name)
    }
    shown = kept | added
    if own.kept is None:
        return shown
    return {name: shown[name] for name in (*match_names(own.kept, shown), *added)}


def list_columns(rows: list[dict[str, object]], own: OwnFields) -> list[str]:
    """Return the names of the rows' fields, in order of appearance or as requested; requested names ignore case."""
    found = list(dict.fromkeys(name for row in rows for name in row))
    if own.kept is None:
        return found
    known = {fold_name(name) for name in found}
    missing = [name for name in own.kept if "*" not in name and fold_name(name) not in known]
    return list(dict.fromkeys((*match_names(own.kept, [*found, *missing]), *found)))


class RowReader:
    """Rebuilds events of one block, for the given rows: each once, in order."""

    def __init__(self, block: Block, rows: list[int], take: Take = take_nothing) -> None:
        core = read_core(block, rows)
        shapes = [parse_shape(text) for text in core["_shape"].drop_nulls().unique()]
        leaves = {leaf.column for shape in shapes for leaf in shape.leaves}
        stored = block.index.stored_names
        self._names = {leaf: stored[leaf] for leaf in leaves if leaf in stored}
        held = [*self._names.values(), *list_large(block, core)]
        expected_bytes = expect(block, rows)
        take(expected_bytes)
        frame = read_rows(block, held, rows) if held else pl.DataFrame()
        take(COPIES * measure(frame) - expected_bytes)
        cells = frame.to_dict(as_series=False)
        self._env = block.info.env
        self._places = {row: place for place, row in enumerate(rows)}
        self._core = core.to_dict(as_series=False)
        nothing: list[Any] = [None] * len(rows)
        self._cells = {RAW: nothing, REST: nothing, **cells}

    def read(self, row: int, hidden: Container[str] = CORE_FIELDS) -> dict[str, object]:
        """Return the row of an event in an answer: the service's fields, then its own.

        Its `hidden` fields have other names in the answer.
        """
        place = self._places[row]
        time_ns = self._core["_time"][place]
        answer: dict[str, object] = {
            "_time": format_time(time_ns),
            "_id": str(EventId(time_ns, self._core["_node"][place], self._core["_seq"][place])),
            "_env": self._env,
            "_index": self._core["_index"][place],
        }
        for name, value in self._read_fields(place).items():
            shown = expose_name(name, hidden)
            answer[shown] = join_values(answer[shown], value) if shown in answer else value
        return answer

    def _read_fields(self, place: int) -> dict[str, object]:
        raw, source = self._cells[RAW][place], self._core[SOURCE.name][place]
        if raw is not None:
            return read_fields(raw.encode(), source)
        fields = rebuild_row(self._shape(place), self._make_lookup(place))
        if source is not None:
            fields.setdefault(SOURCE.field, source)
        return fields

    def read_raw(self, row: int) -> str:
        """Return the event as it was received."""
        place = self._places[row]
        raw: str | None = self._cells[RAW][place]
        if raw is not None:
            return raw
        time_ns = self._core["_time"][place]
        return rebuild_text(self._shape(place), self._make_lookup(place), time_ns)

    def _shape(self, place: int) -> Shape:
        return parse_shape(self._core["_shape"][place])

    def _make_lookup(self, place: int) -> Lookup:
        """Return a function that finds the values of an event, in their columns or in the overflow text."""
        rest = self._cells[REST][place]
        overflow: dict[str, Cell] = msgspec.json.decode(rest) if rest is not None else {}

        def look_up(column: Column) -> Cell | None:
            name = self._names.get(column)
            cell: Cell | None = self._cells[name][place] if name else None
            return overflow.get(column.field) if cell is None else cell

        return look_up


def list_large(block: Block, core: pl.DataFrame) -> Iterator[str]:
    """Yield the text columns that some of these rows need: the raw text if there is no shape, and the overflow."""
    if not all(core["_shape"]):
        yield RAW
    if block.index.overflow_rows:
        yield REST


def expect(block: Block, rows: list[int]) -> int:
    """Return about how much memory it takes to read some rows and to rebuild their events."""
    ranges = (
        [] if are_scattered(rows) else [range(near[0], near[-1] + 1) for near in split_rows(rows)]
    )
    read_bytes = sum(measure_rows(block, each) for each in ranges)
    return max(read_bytes, COPIES * measure_rows(block, rows))


def join_values(known: object, value: object) -> list[object]:
    """Return all values of a field that an event has under two names."""
    both = [each if isinstance(each, list) else [each] for each in (known, value)]
    return [*both[0], *both[1]]


def read_core(block: Block, rows: list[int]) -> pl.DataFrame:
    """Return the fields of every event. A column that is constant according to the index is not read."""
    same = list_same(block)
    core = read_rows(block, [name for name in CORE_COLUMNS if name not in same], rows)
    constants = [pl.Series(name, [value], pl.String) for name, value in same.items()]
    return core.hstack([each.new_from_index(0, len(rows)) for each in constants])


def list_same(block: Block) -> dict[str, str | None]:
    """Return the columns in which all rows have the same value."""
    same: dict[str, str | None] = {}
    if len(block.index.indexes) == 1:
        same["_index"] = next(iter(block.index.indexes))
    source = block.index.columns.get(SOURCE.name)
    if source is not None and not source.count:
        same[SOURCE.name] = None
    return same


def read_rows(block: Block, columns: Sequence[str], rows: list[int]) -> pl.DataFrame:
    """Return some columns of some rows, which are given in order; only those that are not cached are read."""
    known = block.find(columns)
    missing = [name for name in columns if name not in known]
    if not known:
        return read_missing(block, missing, rows)
    # `Series.gather` treats a name such as `^a$` as an expression.
    gathered = take_rows(pl.DataFrame(list(known.values())), rows)
    return read_missing(block, missing, rows).hstack(gathered) if missing else gathered


def read_missing(block: Block, columns: Sequence[str], rows: list[int]) -> pl.DataFrame:
    if are_scattered(rows):
        return block.read_scattered(columns, rows)
    pieces = []
    for near in split_rows(rows):
        piece = block.read_slice(columns, near[0], near[-1])
        pieces.append(piece.filter(pl.col(ROW).is_in(near)))
    return pl.concat(pieces)


def split_rows(rows: list[int]) -> Iterator[list[int]]:
    """Yield rows in order, in groups of limited distance."""
    start = 0
    while start < len(rows):
        end = bisect_left(rows, rows[start] + ROWS_AT_ONCE, start)
        yield rows[start:end]
        start = end
