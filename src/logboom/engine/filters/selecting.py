"""Selects the rows of a block that a filter matches, one test after the other.

The result of a test is cached with the columns of the block, because users query the same events repeatedly: as a
list, as a histogram, with one more test. A cached test needs none of its columns.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.load import load_block
from logboom.engine.filters import build_filter
from logboom.engine.filters.skip import list_containing
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import check_waiting
from logboom.engine.rows.table import Table
from logboom.engine.terms.bound import Filter, Within
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, Texts, need_node
from logboom.lang import ast

LONGEST_NAME = 1000
"""Longer tests are not cached."""
FLEETING = (ast.Truth, Within)
"""Tests that depend on more than the block, or are unlikely to be repeated."""
SLOW = (ast.Regex, ast.HasPattern)
"""Tests that may take milliseconds for each row, if their expression is large."""
PIECE_ROWS = 8192

Selection = pl.Series
"""A boolean for each row of a block that is read."""
OnLoad = Callable[[Table], None]
"""Called with the columns that a test needs, once they are read."""
Select = Callable[[Filter], Selection]
"""Returns the rows that pass a single test."""


def select_rows(
    filter_: Filter, block: Block, conditions: Conditions, on_load: OnLoad
) -> Selection | None:
    """Return the rows that a filter matches, or None if it matches all."""
    return combine(filter_, block, lambda test: select_tested(test, block, conditions, on_load))


def recall_rows(filter_: Filter, block: Block) -> Selection | None:
    """Do what `select_rows` does if everything needed is cached; raise LookupError otherwise."""
    return combine(filter_, block, lambda test: recall_tested(test, block))


def combine(filter_: Filter, block: Block, select: Select) -> Selection | None:
    match filter_:
        case ast.Everything():
            return None
        case ast.Not(term):
            found = combine(term, block, select)
            return select_none(block) if found is None else ~found
        case ast.And(terms):
            return combine_all(terms, block, select)
        case ast.Or(terms):
            return combine_any(terms, block, select)
        case _:
            return select(filter_)


def select_none(block: Block) -> Selection:
    return pl.Series([False], dtype=pl.Boolean).new_from_index(0, block.rows)


def combine_all(terms: Sequence[Filter], block: Block, select: Select) -> Selection | None:
    """Select the rows that match all terms; texts are searched last, and not at all once no row is left."""
    selection: Selection | None = None
    for term in sorted(terms, key=searches_texts):
        found = combine(term, block, select)
        if found is not None:
            selection = found if selection is None else selection & found
            if not selection.any():
                break
    return selection


def combine_any(terms: Sequence[Filter], block: Block, select: Select) -> Selection | None:
    selection = select_none(block)
    for term in terms:
        found = combine(term, block, select)
        if found is None:
            return None
        selection = selection | found
    return selection


@lru_cache(maxsize=256)
def searches_texts(term: Filter) -> bool:
    needs = need_node(term)
    return needs.texts is not Texts.NONE or needs.everything or ast.MESSAGE in needs.fields


def select_tested(test: Filter, block: Block, conditions: Conditions, on_load: OnLoad) -> Selection:
    def compute() -> Selection:
        table = load_block(block, need_test(test, block), identity=False)
        on_load(table)
        expression = build_filter(test, table, conditions)
        if isinstance(test, SLOW):
            return compute_in_pieces(table.frame, expression)
        return compute_rows(table.frame, expression)

    name = name_test(test)
    return compute() if name is None else block.derive(name, compute)


def compute_in_pieces(frame: pl.DataFrame, expression: pl.Expr) -> Selection:
    """Return which rows pass; end between two pieces of the frame when nobody waits any more."""
    if frame.height <= PIECE_ROWS:
        return compute_rows(frame, expression)
    found = []
    for piece in frame.iter_slices(PIECE_ROWS):
        check_waiting()
        found.append(compute_rows(piece, expression))
    return pl.concat(found, rechunk=True)


def need_test(test: Filter, block: Block) -> Needs:
    """Return what a test reads of the block: to search all fields, only those that may contain the text."""
    if isinstance(test, ast.AnyField) and not block.has_overflow:
        return Needs(list_containing(test, block))
    return need_node(test)


def recall_tested(test: Filter, block: Block) -> Selection:
    name = name_test(test)
    if name is None:
        raise LookupError(test)
    return block.find([name])[name]


def name_test(test: Filter) -> str | None:
    """Return the cache key of a test's result, or None if it is not cached."""
    name = internal(f"rows {test}")
    return None if isinstance(test, FLEETING) or len(name) > LONGEST_NAME else name
