"""Overflow: values without a column of their own, because their block has too many fields."""

from collections.abc import Iterable, Iterator

import msgspec
import polars as pl

from logboom.base.texts import write_value
from logboom.engine.blocks.block import Block
from logboom.engine.rows.computed import drop_columns
from logboom.engine.rows.internal import internal
from logboom.engine.rows.table import REST, Table
from logboom.engine.terms.needs import Needs, Texts
from logboom.model.columns import DTYPES, Cell, Column, Kind, Scalar
from logboom.model.names import CORE_FIELDS, expose_name

OVERFLOW = "_rest"
LISTED = internal("listed")
"""The column of all these values as one JSON text, for pipes that need every field but not as a column."""
EXPOSED = frozenset(map(expose_name, CORE_FIELDS))
KINDS: dict[type, Kind] = {str: Kind.STR, int: Kind.INT, float: Kind.FLOAT, bool: Kind.BOOL}
Rest = dict[str, Cell]


def load_overflow(table: Table, block: Block, needs: Needs) -> Table:
    """Add the needed values that have no column of their own."""
    rests = [decode_rest(text) for text in block.read([OVERFLOW])[OVERFLOW]]
    table = gather_doubled(table, block, rests)
    columns = list(list_columns(rests, needs))
    if needs.texts and not (needs.everything or needs.changed):
        kinds = [Kind.STR] if needs.texts is Texts.WITHOUT_MESSAGE else KINDS.values()
        columns += [gather(kind, rests) for kind in kinds]
    if needs.listed != frozenset() and not needs.everything:
        columns.append(write_listed(rests, needs.listed))
    return table.with_frame(table.frame.with_columns(join_known(columns, table.frame)))


def join_known(columns: Iterable[pl.Series], frame: pl.DataFrame) -> Iterator[pl.Series]:
    """Yield the columns, joined with those of the frame that have the same name.

    A merged block may have a column for a field that found no room in one of the blocks it was made of.
    """
    for column in columns:
        is_known = column.name in frame.columns
        yield (
            frame[column.name].zip_with(frame[column.name].is_not_null(), column)
            if is_known
            else column
        )


def decode_rest(text: str | None) -> Rest:
    """Return the values of one event that have no column, by the folded names that they are searched by."""
    rest: Rest = msgspec.json.decode(text) if text else {}
    if rest.keys().isdisjoint(CORE_FIELDS):
        return rest
    exposed: Rest = {}
    for name, cell in rest.items():
        exposed[expose_name(name)] = join_cells(exposed.get(expose_name(name)), cell)
    return exposed


def write_listed(rests: list[Rest], fields: frozenset[str] | None) -> pl.Series:
    """Return the values of these fields, of all if None, as one text each row."""
    if fields is not None:
        # Not `rest.keys() & fields`, which would iterate over all fields for each row.
        rests = [{name: rest[name] for name in rest if name in fields} for rest in rests]
    texts = [msgspec.json.encode(rest).decode() if rest else None for rest in rests]
    return pl.Series(LISTED, texts, pl.String)


def gather_doubled(table: Table, block: Block, rests: list[Rest]) -> Table:
    """Move fields that events have under two names to the values without a column."""
    in_rests = {name for rest in rests for name in rest.keys() & EXPOSED}
    doubled = block.index.doubled | (in_rests & block.index.columns_by_field.keys())
    for field in doubled:
        for series in block.read(block.index.names_by_field[field]):
            for rest, cell in zip(rests, series.to_list(), strict=True):
                if cell is not None:
                    rest[field] = join_cells(rest.get(field), cell)
    stale = [column.name for field in doubled for column in table.find_columns(field)]
    return table.with_frame(drop_columns(table.frame, stale))


def join_cells(known: Cell | None, cell: Cell) -> Cell:
    """Return the values of two cells in one, in their common kind: numbers become floats, anything else texts."""
    if known is None:
        return cell
    values = [*flatten([known]), *flatten([cell])]
    kinds = set(map(type, values))
    if kinds == {int, float}:
        return list(map(float, values))
    return values if len(kinds) == 1 else list(map(write_value, values))


def list_columns(rests: list[Rest], needs: Needs) -> Iterator[pl.Series]:
    """Yield the columns of the needed fields, one each, because pipes drop and replace values by column."""
    needs_all = needs.everything or (needs.texts and needs.changed)
    cells: dict[str, list[Cell | None]] = {}
    for row, rest in enumerate(rests):
        for name in rest:
            if needs_all or name in needs.fields:
                cells.setdefault(name, [None] * len(rests))[row] = rest[name]
    for name in sorted(cells):
        yield from make_columns(name, cells[name])


def make_columns(name: str, cells: list[Cell | None]) -> Iterator[pl.Series]:
    """Yield the columns of one field, one for each kind of its values."""
    for kind in dict.fromkeys(find_kind(cell) for cell in cells if cell is not None):
        own = [cell if cell is not None and find_kind(cell) is kind else None for cell in cells]
        yield pl.Series(Column(name, kind).name, own, DTYPES[kind])


def find_kind(cell: Cell) -> Kind:
    if isinstance(cell, list):
        return KINDS[type(cell[0])].listed if cell else Kind.STRS
    return KINDS[type(cell)]


def gather(kind: Kind, rests: list[Rest]) -> pl.Series:
    """Return all values of a kind that have no column."""
    cells = [
        [value for value in flatten(rest.values()) if KINDS[type(value)] is kind] for rest in rests
    ]
    return pl.Series(Column(REST, kind.listed).name, cells, DTYPES[kind.listed])


def flatten(cells: Iterable[Cell]) -> Iterator[Scalar]:
    for cell in cells:
        yield from cell if isinstance(cell, list) else [cell]
