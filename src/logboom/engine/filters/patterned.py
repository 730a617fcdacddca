"""Tests whether a text has a pattern, which is computed only for candidates."""

import re

import polars as pl

from logboom.engine.expressions.shapes import ESCAPE, VARIABLES, find_pattern
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value, as_text
from logboom.lang import ast
from logboom.model.columns import Kind
from logboom.model.containing import make_finder
from logboom.model.event_text import LINE_ENDS, STAND_INS
from logboom.model.names import fold_name

NAMES = re.compile("|".join(dict.fromkeys(name for _, name in VARIABLES)))


def build_has_pattern(node: ast.HasPattern, table: Table) -> pl.Expr:
    has_line_end = fold_name(node.field) in STAND_INS

    def test(value: pl.Expr, kind: Kind) -> pl.Expr:
        text = as_text(value, kind)
        if has_line_end:
            text = text.str.strip_chars_end(LINE_ENDS)
        return text.map_batches(lambda texts: has_pattern(texts, node), return_dtype=pl.Boolean)

    return Value.of_field(table, node.field).passes(test)


def has_pattern(texts: pl.Series, node: ast.HasPattern) -> pl.Series:
    """Return whether each text has the pattern; false for null."""
    may_have = find_candidates(texts, node.text)
    found = texts.filter(may_have).to_frame("text").select(find_pattern(pl.col("text")))["text"]
    is_it = found.str.starts_with(node.text) if node.is_prefix else found == node.text
    return may_have.scatter(may_have.arg_true().filter(~is_it), False)


def find_candidates(texts: pl.Series, pattern: str) -> pl.Series:
    """Return the texts with the longest constant piece; colours, which patterns ignore, may interrupt it."""
    pieces = [piece for piece in NAMES.split(pattern) if piece.isascii()]
    longest = max(pieces, key=len, default="")
    if not longest:
        return texts.is_not_null()
    has_colours = texts.str.contains(ESCAPE).fill_null(value=False)
    return make_finder((longest,))(texts).fill_null(value=False) | has_colours
