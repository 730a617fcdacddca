"""Filters: for each kind of test, the expression that finds its rows in a block."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from logboom.engine.blocks import Block
from logboom.engine.overflow import search_overflow
from logboom.engine.values import (
    MAX_INT,
    MIN_INT,
    ValueTest,
    as_text,
    element_kind,
    fit_number,
    read_value,
)
from logboom.lang import ast
from logboom.model.columns import MESSAGE, Cell, Column, Kind, Scalar
from logboom.model.names import fold_name

NOTHING = pl.lit(value=False)
EVERYTHING = pl.lit(value=True)
CORE_FIELDS = {"_index": "_index"}
COMPARISONS: dict[str, Callable[[pl.Expr, float], pl.Expr]] = {
    ">": pl.Expr.gt,
    ">=": pl.Expr.ge,
    "<": pl.Expr.lt,
    "<=": pl.Expr.le,
}
MAX_EXPRESSION_LENGTH = 256
"""Longer texts are looked for without a regular expression, which would take long to make."""


def build_filter(node: ast.Filter, block: Block) -> pl.Expr:
    """The rows of a block that a filter matches; never null."""
    return BUILDERS[type(node)](node, block)


def build_everything(_node: ast.Everything, _block: Block) -> pl.Expr:
    return EVERYTHING


def build_and(node: ast.And, block: Block) -> pl.Expr:
    return pl.all_horizontal([build_filter(term, block) for term in node.terms])


def build_or(node: ast.Or, block: Block) -> pl.Expr:
    return pl.any_horizontal([build_filter(term, block) for term in node.terms])


def build_not(node: ast.Not, block: Block) -> pl.Expr:
    return ~build_filter(node.term, block)


def build_word(node: ast.Word, block: Block) -> pl.Expr:
    """The message contains the text; of an event without one, any of its texts does."""
    test = contains_text(node.text)
    in_message = build_field(MESSAGE.field, block, test)
    if block.summarise(MESSAGE).count == block.index.rows:
        return in_message
    has_message = build_field(MESSAGE.field, block, exists)
    in_texts = [
        search_column(column, test)
        for column in block.list_columns()
        if element_kind(column.kind) is Kind.STR
    ]
    if block.has_overflow:
        in_texts.append(search_overflow(list_texts, test))
    return in_message | (~has_message & pl.any_horizontal(in_texts))


def list_texts(rest: dict[str, Cell]) -> Iterable[Scalar]:
    for cell in rest.values():
        values = cell if isinstance(cell, list) else [cell]
        yield from (value for value in values if isinstance(value, str))


def contains_text(text: str) -> ValueTest:
    """The value contains a text, in any case."""
    if len(text) > MAX_EXPRESSION_LENGTH:
        folded = text.lower()
        return lambda value, kind: (
            as_text(value, kind).str.to_lowercase().str.count_matches(folded, literal=True) > 0
        )
    return contains(re.escape(text))


def contains(expression: str) -> ValueTest:
    return lambda value, kind: as_text(value, kind).str.contains(f"(?is){expression}")


def build_match(node: ast.Match, block: Block) -> pl.Expr:
    text = node.pattern.text
    is_message = fold_name(node.field) == MESSAGE.field
    if text is None:
        expression = write_expression(node.pattern)
        return build_field(
            node.field, block, contains(expression if is_message else f"^(?:{expression})$")
        )
    test = contains_text(text) if is_message else equals(text)
    return build_field(node.field, block, test)


def write_expression(pattern: ast.Pattern) -> str:
    """The regular expression of a wildcard pattern."""
    wild = {ast.Wildcard.ANY: ".*", ast.Wildcard.ONE: "."}
    return "".join(
        re.escape(part) if isinstance(part, str) else wild[part] for part in pattern.parts
    )


def equals(text: str) -> ValueTest:
    """Whole-value equality in any case; a number equals every spelling of itself."""
    folded = text.lower()

    def test(value: pl.Expr, kind: Kind) -> pl.Expr:
        if kind is Kind.STR:
            return value.str.to_lowercase() == folded
        return is_value(value, kind, text)

    return test


def build_exact(node: ast.Exact, block: Block) -> pl.Expr:
    return build_field(node.field, block, lambda value, kind: is_value(value, kind, node.text))


def is_value(value: pl.Expr, kind: Kind, text: str) -> pl.Expr:
    wanted = read_value(text, kind)
    return NOTHING if wanted is None else value == wanted


def build_exists(node: ast.Exists, block: Block) -> pl.Expr:
    return build_field(node.field, block, exists)


def exists(value: pl.Expr, _kind: Kind) -> pl.Expr:
    return value.is_not_null()


def build_compare(node: ast.Compare, block: Block) -> pl.Expr:
    """Compares the first value only, when there are many."""
    compare = COMPARISONS[node.operator]

    def compares(value: pl.Expr, kind: Kind) -> pl.Expr:
        if kind is Kind.BOOL:
            return NOTHING
        if kind is Kind.INT and not MIN_INT <= node.number <= MAX_INT:
            is_above = node.number > MAX_INT
            return exists(value, kind) if is_above == (node.operator in ("<", "<=")) else NOTHING
        limit = fit_number(node.number, kind)
        if kind is not Kind.STR:
            return compare(value, limit)
        # "inf" and "nan" are words, not numbers.
        return compare(value.cast(pl.Float64, strict=False), limit) & value.str.contains(r"\d")

    return build_field(node.field, block, compares, first_only=True)


def build_field(field: str, block: Block, test: ValueTest, *, first_only: bool = False) -> pl.Expr:
    """Rows where some value of the field, in whichever column, passes the test."""
    folded = fold_name(field)
    if folded in CORE_FIELDS:
        return test(pl.col(CORE_FIELDS[folded]), Kind.STR).fill_null(value=False)
    found = [
        search_column(column, test, first_only=first_only) for column in block.find_columns(field)
    ]
    if block.has_overflow:

        def choose(rest: dict[str, Cell]) -> Iterable[Scalar]:
            cell = rest.get(folded, [])
            values = cell if isinstance(cell, list) else [cell]
            return values[:1] if first_only else values

        found.append(search_overflow(choose, test))
    return pl.any_horizontal(found) if found else NOTHING


def search_column(column: Column, test: ValueTest, *, first_only: bool = False) -> pl.Expr:
    """Rows where the column, or an element of its list, passes the test; never null."""
    value, element = pl.col(column.name), element_kind(column.kind)
    if not column.kind.is_list:
        found = test(value, element)
    elif first_only:
        found = test(value.list.first(), element)
    else:
        found = value.list.eval(test(pl.element(), element).fill_null(value=False)).list.any()
    return found.fill_null(value=False)


BUILDERS: dict[type, Callable[[Any, Block], pl.Expr]] = {
    ast.Everything: build_everything,
    ast.Word: build_word,
    ast.Match: build_match,
    ast.Exact: build_exact,
    ast.Exists: build_exists,
    ast.Compare: build_compare,
    ast.Not: build_not,
    ast.And: build_and,
    ast.Or: build_or,
}
