"""From a block to a table: reads the columns that a query needs, in the form its pipes work on."""

from collections.abc import Iterable, Iterator

import msgspec
import polars as pl

from logboom.engine.blocks import Block
from logboom.engine.needs import Needs, Texts
from logboom.engine.request import EventId
from logboom.engine.table import (
    ENV,
    ID,
    INDEX,
    NEWEST_FIRST,
    NODE,
    REST,
    ROW,
    SEQ,
    TIME,
    OwnFields,
    Table,
)
from logboom.model.columns import DTYPES, MESSAGE, Cell, Column, Kind, Scalar
from logboom.model.names import CORE_FIELDS, expose_name

STORED = {"_time": TIME.name, "_node": NODE, "_seq": SEQ, "_index": INDEX.name}
"""The service's own columns under their names in a block."""
WANTED = {TIME.field: "_time", NODE: "_node", SEQ: "_seq", INDEX.field: "_index"}
"""Those columns by what needs call them."""
OVERFLOW = "_rest"
EXPOSED = frozenset(map(expose_name, CORE_FIELDS))
KINDS: dict[type, Kind] = {str: Kind.STR, int: Kind.INT, float: Kind.FLOAT, bool: Kind.BOOL}
Rest = dict[str, Cell]


def load_block(block: Block, needs: Needs, *, identity: bool) -> Table:
    """Every row of a block with the columns that are needed; `identity` says which event it is."""
    names = {name: STORED[name] for name in list_core(needs, identity=identity)}
    names |= {block.locate(column): column.name for column in list_held(block, needs)}
    ahead = block.core_ahead if identity else ()
    read = block.read(names or ["_time"], ahead=ahead)
    frame = pl.DataFrame([series.alias(names.get(series.name, series.name)) for series in read])
    if identity:
        frame = frame.with_row_index(ROW)
    if ENV.field in needs.fields:
        frame = frame.with_columns(pl.lit(block.info.env).alias(ENV.name))
    if ID.field in needs.fields:
        frame = frame.with_columns(write_ids(frame).alias(ID.name))
    table = Table(frame, own=OwnFields())
    return load_overflow(table, block, needs) if block.has_overflow else table


def list_core(needs: Needs, *, identity: bool) -> list[str]:
    names = {stored for wanted, stored in WANTED.items() if wanted in needs.fields}
    if identity or ID.field in needs.fields:
        names |= {"_time", "_node", "_seq"}
    if needs.everything:
        names |= {"_time", "_index"}
    return sorted(names)


def list_held(block: Block, needs: Needs) -> list[Column]:
    """The block's columns that are needed, each once."""
    texts = needs.texts
    if texts is Texts.WITHOUT_MESSAGE and block.summarise(MESSAGE).count == block.index.rows:
        texts = Texts.NONE
    named = [column for field in sorted(needs.fields) for column in block.find_columns(field)]
    others: list[Column] = []
    if texts is Texts.ALL or needs.everything:
        others = block.list_columns()
    elif texts:
        others = [each for each in block.list_columns() if each.kind.element is Kind.STR]
    return list(dict.fromkeys([*named, *others]))


def write_ids(frame: pl.DataFrame) -> pl.Expr:
    rows = frame.select(NEWEST_FIRST).iter_rows()
    return pl.lit(pl.Series([str(EventId(*row)) for row in rows], dtype=pl.String))


def load_overflow(table: Table, block: Block, needs: Needs) -> Table:
    """Add what is needed of the values that found no column of their own."""
    rests = [decode_rest(text) for text in block.read([OVERFLOW])[OVERFLOW]]
    table = gather_doubled(table, block, rests)
    names = {name for rest in rests for name in rest}
    if not needs.everything:
        names &= needs.fields
    columns = [
        series
        for name in sorted(names)
        for series in make_columns(name, [rest.get(name) for rest in rests])
    ]
    if needs.texts:
        kinds = [Kind.STR] if needs.texts is Texts.WITHOUT_MESSAGE else KINDS.values()
        columns += [gather(kind, rests) for kind in kinds]
    return table.with_frame(table.frame.with_columns(columns))


def decode_rest(text: str | None) -> Rest:
    """The values of one event that have no column, by the folded names that they are searched by."""
    rest: Rest = {}
    for name, cell in (msgspec.json.decode(text) if text else {}).items():
        rest[expose_name(name)] = join_cells(rest.get(expose_name(name)), cell)
    return rest


def gather_doubled(table: Table, block: Block, rests: list[Rest]) -> Table:
    """Move fields that events have under two names to the other values that have no column."""
    in_rests = {name for rest in rests for name in rest if name in EXPOSED}
    doubled = block.index.doubled | (in_rests & block.index.columns_by_field.keys())
    for field in doubled:
        for series in block.read(block.index.names_by_field[field]):
            for rest, cell in zip(rests, series.to_list(), strict=True):
                if cell is not None:
                    rest[field] = join_cells(rest.get(field), cell)
    stale = [column.name for field in doubled for column in table.find_columns(field)]
    return table.with_frame(table.frame.drop(stale))


def join_cells(known: Cell | None, cell: Cell) -> Cell:
    """The values of two cells in one: of their common kind, of numbers as floats, else as texts."""
    if known is None:
        return cell
    values = [*flatten([known]), *flatten([cell])]
    kinds = set(map(type, values))
    if kinds == {int, float}:
        return list(map(float, values))
    return values if len(kinds) == 1 else list(map(write_text, values))


def write_text(value: Scalar) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def make_columns(name: str, cells: list[Cell | None]) -> Iterator[pl.Series]:
    """The columns of one field, one for each kind its values have."""
    for kind in dict.fromkeys(find_kind(cell) for cell in cells if cell is not None):
        own = [cell if cell is not None and find_kind(cell) is kind else None for cell in cells]
        yield pl.Series(Column(name, kind).name, own, DTYPES[kind])


def find_kind(cell: Cell) -> Kind:
    if isinstance(cell, list):
        return KINDS[type(cell[0])].listed if cell else Kind.STRS
    return KINDS[type(cell)]


def gather(kind: Kind, rests: list[Rest]) -> pl.Series:
    """All values of a kind that no column holds."""
    cells = [
        [value for value in flatten(rest.values()) if KINDS[type(value)] is kind] for rest in rests
    ]
    return pl.Series(Column(REST, kind.listed).name, cells, DTYPES[kind.listed])


def flatten(cells: Iterable[Cell]) -> Iterator[Scalar]:
    for cell in cells:
        yield from cell if isinstance(cell, list) else [cell]
