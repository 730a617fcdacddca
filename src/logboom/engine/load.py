"""From a block to a table: reads the columns that a query needs, in the form its pipes work on."""

from collections.abc import Iterator

import msgspec
import polars as pl

from logboom.engine.blocks import Block
from logboom.engine.needs import Needs, Texts
from logboom.engine.request import EventId
from logboom.engine.table import (
    CORE_FIELDS,
    ENV,
    INDEX,
    NODE,
    REST,
    ROW,
    SEQ,
    TIME,
    OwnFields,
    Table,
)
from logboom.model.columns import DTYPES, MESSAGE, Cell, Column, Kind, Scalar

STORED = {"_time": TIME, "_node": NODE, "_seq": SEQ, "_index": INDEX}
"""The service's own columns under their names in a block."""
OVERFLOW = "_rest"
ID = Column("_id", Kind.STR)
KINDS: dict[type, Kind] = {str: Kind.STR, int: Kind.INT, float: Kind.FLOAT, bool: Kind.BOOL}
Rest = dict[str, Cell]


def load_block(block: Block, needs: Needs, *, identity: bool) -> Table:
    """Every row of a block with the columns that are needed; `identity` says which event it is."""
    core = list_core(needs, identity=identity)
    held = [column.name for column in list_held(block, needs)]
    columns = [
        series.alias(STORED[series.name].name) if series.name in STORED else series
        for series in block.read(
            [*core, *held] or ["_time"], ahead=block.core_ahead if identity else ()
        )
    ]
    frame = pl.DataFrame(columns)
    if identity:
        frame = frame.with_row_index(ROW)
    if "_env" in needs.fields:
        frame = frame.with_columns(pl.lit(block.info.env).alias(ENV.name))
    if "_id" in needs.fields:
        frame = frame.with_columns(write_ids(frame).alias(ID.name))
    table = Table(frame, own=OwnFields())
    return load_overflow(table, block, needs) if block.has_overflow else table


def list_core(needs: Needs, *, identity: bool) -> list[str]:
    names = set(needs.fields & STORED.keys())
    if identity or "_id" in needs.fields:
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
    columns = dict.fromkeys([*named, *others])
    return [column for column in columns if column.field not in CORE_FIELDS]


def write_ids(frame: pl.DataFrame) -> pl.Expr:
    rows = frame.select(TIME.name, NODE.name, SEQ.name).iter_rows()
    return pl.lit(pl.Series([str(EventId(*row)) for row in rows], dtype=pl.String))


def load_overflow(table: Table, block: Block, needs: Needs) -> Table:
    """Add what is needed of the fields that found no column of their own."""
    rests = [decode_rest(text) for text in block.read([OVERFLOW])[OVERFLOW]]
    names = {name for rest in rests for name in rest} - set(CORE_FIELDS)
    if not needs.everything:
        names &= needs.fields
    columns = [
        series
        for name in sorted(names)
        for series in make_columns(name, [rest.get(name) for rest in rests], table.frame)
    ]
    if needs.texts:
        kinds = [Kind.STR] if needs.texts is Texts.WITHOUT_MESSAGE else KINDS.values()
        columns += [gather(kind, rests) for kind in kinds]
    return table.with_frame(table.frame.with_columns(columns))


def decode_rest(text: str | None) -> Rest:
    rest: Rest = msgspec.json.decode(text) if text else {}
    return rest


def make_columns(name: str, cells: list[Cell | None], frame: pl.DataFrame) -> Iterator[pl.Series]:
    """The columns of one field, one for each kind its values have."""
    for kind in dict.fromkeys(find_kind(cell) for cell in cells if cell is not None):
        own = [cell if cell is not None and find_kind(cell) is kind else None for cell in cells]
        series = pl.Series(Column(name, kind).name, own, DTYPES[kind])
        if series.name in frame.columns:
            series = frame[series.name].zip_with(series.is_null(), series).alias(series.name)
        yield series


def find_kind(cell: Cell) -> Kind:
    if isinstance(cell, list):
        return KINDS[type(cell[0])].listed if cell else Kind.STRS
    return KINDS[type(cell)]


def gather(kind: Kind, rests: list[Rest]) -> pl.Series:
    """All values of a kind that no column holds."""
    cells = [[value for value in flatten(rest) if KINDS[type(value)] is kind] for rest in rests]
    return pl.Series(Column(REST, kind.listed).name, cells, DTYPES[kind.listed])


def flatten(rest: Rest) -> Iterator[Scalar]:
    for cell in rest.values():
        yield from cell if isinstance(cell, list) else [cell]
