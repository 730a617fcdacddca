"""Neighbours: finds the events around others, in as few blocks as possible."""

from collections.abc import Callable, Iterable

import polars as pl

from logboom.base.errors import Corrupt
from logboom.control.access.globs import IndexBounds
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.plan import Plan
from logboom.engine.pipes.combine.around import Around
from logboom.engine.rows.computed import drop_columns
from logboom.engine.rows.table import BLOCK, ENV, INDEX, ROW, TIME, Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.bound import Filter, Values
from logboom.engine.terms.needs import Needs, need_node
from logboom.engine.terms.request import END_NS, MIN_NS
from logboom.lang import ast
from logboom.model.columns import Kind
from logboom.store.block.info import BlockInfo

MAX_VALUES = 10_000
"""The most common values to search for; with more of them few blocks would be skipped."""

PLACES = {BLOCK: pl.String, ROW: pl.UInt32, ENV.name: pl.String, INDEX.name: pl.String}
OpenBlock = Callable[[str], Block]
NoteLoss = Callable[[str, Corrupt], None]
"""Called for a damaged block."""
Ask = Callable[[Around, list[BlockInfo]], Table]
"""Searches blocks in this order until the result can no longer change."""


def find_around(around: Around, blocks: Iterable[BlockInfo], ask: Ask) -> Table:
    """Return the neighbours: blocks with anchors are all searched, others by their distance in time."""
    if around.anchors.is_empty():
        return ask(around, [])
    first_ns, last_ns = around.anchors.select(
        pl.min(TIME.name), pl.max(TIME.name).alias("last")
    ).row(0)
    inside, older, newer = [], [], []
    for info in blocks:
        if info.last_ns < first_ns:
            older.append(info)
        elif info.first_ns > last_ns:
            newer.append(info)
        else:
            inside.append(info)
    found = [ask(around, inside)]
    if around.before:
        older.sort(key=lambda info: (info.last_ns, info.path), reverse=True)
        found.append(ask(around.turn("older"), older))
    if around.after:
        newer.sort(key=lambda info: (info.first_ns, info.path))
        found.append(ask(around.turn("newer"), newer))
    return around.finish(around.merge(found))


def with_places(anchors: Table, open_block: OpenBlock, note_loss: NoteLoss) -> Table:
    """Return events with the environment and index from their blocks, because pipes may have dropped these fields.

    Events of damaged blocks are left out.
    """
    places = [pl.DataFrame(schema=PLACES)]
    for (path,), rows in anchors.frame.select(BLOCK, ROW).unique().group_by(BLOCK):
        try:
            block = open_block(str(path))
            index = block.read([INDEX.field])[INDEX.field].gather(rows[ROW])
        except Corrupt as error:
            note_loss(str(path), error)
            continue
        env = pl.lit(block.info.env).alias(ENV.name)
        places.append(rows.with_columns(env, index.alias(INDEX.name)))
    frame = drop_columns(anchors.frame, [ENV.name, INDEX.name])
    both = frame.join(pl.concat(places), on=(BLOCK, ROW), how="inner", maintain_order="left")
    return anchors.with_frame(both)


def choose_scope(anchors: Table, allowed: IndexBounds) -> SearchScope:
    """Return the environments and indexes of the anchors at any time."""
    envs = frozenset(anchors.frame[ENV.name].unique())
    indexes = tuple(anchors.frame[INDEX.name].unique().sort())
    return SearchScope(envs, indexes, allowed, MIN_NS, END_NS)


def plan_around(around: Around, anchors: Table, following: Needs) -> Plan:
    """Return the plan that finds neighbours; `following` are the fields that pipes after it read of them."""
    filter_ = choose_filter(anchors, around.same)
    piped = around.needs() | following
    needs = piped | need_node(filter_)
    return Plan(filter_, (), around, (), needs, piped, is_page=False, text="")


def choose_filter(anchors: Table, same: tuple[str, ...]) -> Filter:
    """Return a filter that every neighbour matches, so that blocks without any are skipped."""
    terms: list[Filter] = []
    for field in same:
        values = list_texts(anchors, field)
        if values is not None and len(values) <= MAX_VALUES:
            terms.append(Values(field, values))
    if len(terms) < 2:
        return (*terms, ast.Everything())[0]
    return ast.And(tuple(terms))  # type: ignore[arg-type]


def list_texts(anchors: Table, field: str) -> tuple[str, ...] | None:
    """Return the field's values if every anchor has one and all are texts."""
    parts = Value.of_field(anchors, field).first().parts
    if Kind.STR not in parts:
        return None
    texts = anchors.frame.select(parts[Kind.STR].unique()).to_series()
    return None if texts.has_nulls() else tuple(texts.sort())
