"""Selecting: which rows of a block a filter matches, one test after the other.

What a test found is remembered with the columns of the block: people ask for the same events again and again, as a
list, as a histogram, with one more test. A test that is remembered needs none of its columns.
"""

from collections.abc import Callable, Sequence

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.load import load_block
from logboom.engine.filters import build_filter
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.internal import internal
from logboom.engine.rows.table import Table
from logboom.engine.terms.bound import Filter, Within
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Texts, need_node
from logboom.lang import ast

LONGEST_NAME = 1000
"""Tests that take more letters to write are not remembered."""
FLEETING = (ast.Truth, Within)
"""Tests that depend on more than the block, or that nobody will ask again."""

Selection = pl.Series
"""A boolean for each row of a block that is read."""
OnLoad = Callable[[Table], None]
"""Hears of the columns that a test needs, once they are read."""


def select_rows(
    filter_: Filter, block: Block, conditions: Conditions, on_load: OnLoad
) -> Selection | None:
    """The rows that a filter matches; None when it matches all."""
    match filter_:
        case ast.Everything():
            return None
        case ast.Not(term):
            found = select_rows(term, block, conditions, on_load)
            return select_none(block) if found is None else ~found
        case ast.And(terms):
            return select_all(terms, block, conditions, on_load)
        case ast.Or(terms):
            return select_any(terms, block, conditions, on_load)
        case _:
            return select_tested(filter_, block, conditions, on_load)


def select_none(block: Block) -> Selection:
    return pl.Series([False], dtype=pl.Boolean).new_from_index(0, block.rows)


def select_all(
    terms: Sequence[Filter], block: Block, conditions: Conditions, on_load: OnLoad
) -> Selection | None:
    """Texts are searched last, and not at all once no row is left."""
    selection: Selection | None = None
    for term in sorted(terms, key=searches_texts):
        found = select_rows(term, block, conditions, on_load)
        if found is not None:
            selection = found if selection is None else selection & found
            if not selection.any():
                break
    return selection


def select_any(
    terms: Sequence[Filter], block: Block, conditions: Conditions, on_load: OnLoad
) -> Selection | None:
    selection = select_none(block)
    for term in terms:
        found = select_rows(term, block, conditions, on_load)
        if found is None:
            return None
        selection = selection | found
    return selection


def searches_texts(term: Filter) -> bool:
    needs = need_node(term)
    return needs.texts is not Texts.NONE or needs.everything or ast.MESSAGE in needs.fields


def select_tested(term: Filter, block: Block, conditions: Conditions, on_load: OnLoad) -> Selection:
    def test() -> Selection:
        table = load_block(block, need_node(term), identity=False)
        on_load(table)
        return compute_rows(table.frame, build_filter(term, table, conditions))

    name = internal(f"rows {term}")
    if isinstance(term, FLEETING) or len(name) > LONGEST_NAME:
        return test()
    return block.derive(name, test)
