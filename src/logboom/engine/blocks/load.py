"""Reads the columns of a block that a query needs, as a table for its pipes."""

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.overflow import load_overflow
from logboom.engine.rows.table import (
    ENV,
    ID,
    INDEX,
    NEWEST_FIRST,
    NODE,
    ROW,
    SEQ,
    TIME,
    OwnFields,
    Table,
)
from logboom.engine.terms.needs import Needs, Texts
from logboom.engine.terms.request import EventId
from logboom.model.columns import MESSAGE, Column, Kind

STORED = {"_time": TIME.name, "_node": NODE, "_seq": SEQ, "_index": INDEX.name}
"""The service's own columns, by their names in a block."""
WANTED = {TIME.field: "_time", NODE: "_node", SEQ: "_seq", INDEX.field: "_index"}
"""Those columns, by their names in `Needs`."""


def load_block(block: Block, needs: Needs, *, identity: bool) -> Table:
    """Return the rows of a block with the columns that are needed; `identity` adds those that identify the event."""
    names = list_names(block, needs, identity=identity)
    frame = block.read(names or ["_time"])
    if names:
        # `DataFrame.rename` makes a query plan.
        frame.columns = list(names.values())
    if identity:
        frame = frame.with_row_index(ROW, block.first_row)
    if ENV.field in needs.fields:
        frame = frame.with_columns(pl.lit(block.info.env).alias(ENV.name))
    if ID.field in needs.fields:
        frame = frame.with_columns(write_ids(frame).alias(ID.name))
    table = Table(frame, own=OwnFields())
    return load_overflow(table, block, needs) if block.has_overflow else table


def list_names(block: Block, needs: Needs, *, identity: bool) -> dict[str, str]:
    """Return the columns to read: their names in the block, and in the table."""
    names = {name: STORED[name] for name in list_core(needs, identity=identity)}
    return names | {block.locate(column): column.name for column in list_present(block, needs)}


def list_core(needs: Needs, *, identity: bool) -> list[str]:
    names = {stored for wanted, stored in WANTED.items() if wanted in needs.fields}
    if identity or ID.field in needs.fields:
        names |= {"_time", "_node", "_seq"}
    if needs.everything:
        names |= {"_time", "_index"}
    if needs.listed is None or INDEX.field in needs.listed:
        names.add("_index")
    return sorted(names)


def list_present(block: Block, needs: Needs) -> list[Column]:
    """Return the block's columns that are needed, each once."""
    texts = needs.texts
    has_messages = block.summarise(MESSAGE).count == block.index.rows and not needs.changed
    if texts is Texts.WITHOUT_MESSAGE and has_messages:
        texts = Texts.NONE
    named = [column for field in sorted(needs.fields) for column in block.find_columns(field)]
    listed: list[Column] = []
    if needs.listed:
        # There may be many more listed fields than the block has.
        listed = [each for each in block.list_columns() if each.field in needs.listed]
    others: list[Column] = []
    if texts is Texts.ALL or needs.everything or needs.listed is None:
        others = block.list_columns()
    elif texts:
        others = [each for each in block.list_columns() if each.kind.element is Kind.STR]
    return list(dict.fromkeys([*named, *listed, *others]))


def write_ids(frame: pl.DataFrame) -> pl.Expr:
    rows = frame.select(NEWEST_FIRST).iter_rows()
    return pl.lit(pl.Series([str(EventId(*row)) for row in rows], dtype=pl.String))
