"""Skipping: whether a block's index proves that a filter finds nothing in it."""

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.filters import build_filter
from logboom.engine.filters.equality import read_texts, spell_all
from logboom.engine.filters.literals import list_literals
from logboom.engine.filters.order import list_limits, scale_limit
from logboom.engine.filters.texts import may_be_in_number
from logboom.engine.rows.table import ENV, INDEX, Table, match_names
from logboom.engine.rows.values import BOOLEANS, fit_number
from logboom.engine.terms.bound import Filter, Values, Within
from logboom.lang import ast
from logboom.model.columns import DTYPES, MESSAGE, Column, Kind
from logboom.model.names import CORE_FIELDS, fold_name
from logboom.model.summary import ColumnSummary, fold_value
from logboom.model.trigrams import fold_text

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
EVENT_ID = re.compile(r"([0-9a-f]{16})-.+", re.IGNORECASE | re.DOTALL)
MAX_PROBED = 100
"""With more values than these one would pass a bloom filter by chance."""
TIME_BITS = 64

ColumnCheck = Callable[[Column, ColumnSummary], bool]


def may_match(node: Filter, block: Block) -> bool:
    """False only if no row of the block can match."""
    return check(node, block) and (
        not block.zones or any(check(node, zone) for zone in block.zones)
    )


def check(node: Filter, block: Block) -> bool:
    """The same, using the index of the whole block."""
    return CHECKS[type(node)](node, block)


def check_always(_node: Filter, _block: Block) -> bool:
    return True


def check_and(node: ast.And, block: Block) -> bool:
    return all(check(term, block) for term in node.terms)


def check_or(node: ast.Or, block: Block) -> bool:
    return any(check(term, block) for term in node.terms)


def check_not(node: ast.Not, block: Block) -> bool:
    """False if every row has the field; nothing is known about other terms."""
    if isinstance(node.term, ast.Everything):
        return False
    if not isinstance(node.term, ast.Exists):
        return True
    columns = block.find_columns(node.term.field)
    return sum(block.summarise(column).count for column in columns) < block.index.rows


def check_field(node: Any, block: Block, may_pass: ColumnCheck) -> bool:
    """Whether some column of the node's field may contain a match."""
    field = fold_name(node.field)
    if field in CORE_FIELDS:
        return check_core(node, field, block)
    return block.has_overflow or any(
        check_column(node, column, block, may_pass) for column in block.find_columns(field)
    )


def check_column(node: Filter, column: Column, block: Block, may_pass: ColumnCheck) -> bool:
    """Counted values are tested themselves, if nothing simpler decides."""
    summary = block.summarise(column)
    if not may_pass(column, summary):
        return False
    if summary.values is None or is_decided(node, column):
        return True
    values = pl.Series(column.name, [value for value, _ in summary.values], DTYPES[column.kind])
    return finds_some(node, values.to_frame())


def is_decided(node: Filter, column: Column) -> bool:
    """Whether a node's simple check is conclusive for counted values."""
    match node:
        case ast.Match(_, pattern):
            return pattern.text is not None
        case ast.Compare():
            return column.kind is not Kind.STR
        case ast.Exact():
            return column.kind.element is not Kind.TIME
        case ast.Exists() | Values():
            return True
        case _:
            return False


def finds_some(node: Filter, frame: pl.DataFrame) -> bool:
    table = Table(frame)
    return table.filter(build_filter(node, table)).height > 0


def check_core(node: Any, field: str, block: Block) -> bool:
    """The service's own fields: names of partitions are known, ids contain their time."""
    if field in ("_index", "_env"):
        return finds_some(node, list_partitions(block))
    if field == "_id":
        return check_id(node, block)
    return True


def list_partitions(block: Block) -> pl.DataFrame:
    names = pl.Series(INDEX.name, list(block.index.indexes), pl.String)
    return names.to_frame().with_columns(pl.lit(block.info.env).alias(ENV.name))


def check_id(node: Filter, block: Block) -> bool:
    match node:
        case ast.Match(_, pattern) if pattern.text is not None:
            return may_have_id(pattern.text, block)
        case ast.OneOf(_, patterns):
            return any(each.text is None or may_have_id(each.text, block) for each in patterns)
        case ast.Exact(_, text):
            return may_have_id(text, block)
        case Values(_, values):
            return any(may_have_id(text, block) for text in spell_all(values))
        case _:
            return True


def may_have_id(text: str, block: Block) -> bool:
    found = EVENT_ID.fullmatch(text)
    if found is None:
        return False
    time_ns = int(found[1], 16)
    if time_ns >> (TIME_BITS - 1):
        time_ns -= 1 << TIME_BITS
    return block.index.first_ns <= time_ns <= block.index.last_ns


def check_exists(node: ast.Exists, block: Block) -> bool:
    return check_field(node, block, lambda _column, _summary: True)


def check_match(node: ast.Match | ast.OneOf, block: Block) -> bool:
    patterns = (node.pattern,) if isinstance(node, ast.Match) else node.patterns
    is_message = fold_name(node.field) == MESSAGE.field
    written = [None if is_message else pattern.text for pattern in patterns]
    texts = tuple(text for text in written if text is not None)
    others = [each for each, text in zip(patterns, written, strict=True) if text is None]

    def may_pass(column: Column, summary: ColumnSummary) -> bool:
        contains = any(may_contain(column, summary, pattern) for pattern in others)
        return contains or may_equal(column, summary, texts)

    return check_field(node, block, may_pass)


def check_exact(node: ast.Exact, block: Block) -> bool:
    def may_pass(column: Column, summary: ColumnSummary) -> bool:
        if summary.values is not None and column.kind.element is Kind.STR:
            return any(value == node.text for value, _ in summary.values)
        return may_equal(column, summary, (node.text,))

    return check_field(node, block, may_pass)


def check_values(node: Values, block: Block) -> bool:
    texts = spell_all(node.values)
    return check_field(node, block, lambda column, summary: may_equal(column, summary, texts))


def may_equal(column: Column, summary: ColumnSummary, texts: tuple[str, ...]) -> bool:
    wanted = read_texts(texts, column.kind.element)
    if summary.values is not None:
        return not {fold_value(value) for value, _ in summary.values}.isdisjoint(wanted)
    return len(wanted) > MAX_PROBED or any(map(summary.may_hold, wanted))


def check_word(node: ast.Word, block: Block) -> bool:
    """Events without a message are searched in all their texts."""
    pattern = ast.Pattern.literal(node.text)
    if may_contain(MESSAGE, block.summarise(MESSAGE), pattern):
        return True
    if block.summarise(MESSAGE).count == block.index.rows:
        return False
    searched = (
        column
        for column in block.list_columns()
        if column.kind.element is Kind.STR or column.field == MESSAGE.field
    )
    return block.has_overflow or any(
        may_contain(column, block.summarise(column), pattern) for column in searched
    )


def check_some_field(node: ast.SomeField, block: Block) -> bool:
    names = match_names([node.names], block.fields)
    is_any = node.pattern.parts == (ast.Wildcard.ANY,)
    return block.has_overflow or any(
        is_any or check(ast.Match(name, node.pattern), block) for name in names
    )


def check_any_field(node: ast.AnyField, block: Block) -> bool:
    return block.has_overflow or any(
        may_contain(column, block.summarise(column), node.pattern)
        for column in block.list_columns()
    )


def may_contain(column: Column, summary: ColumnSummary, pattern: ast.Pattern) -> bool:
    """Whether some value, as text, may contain every piece of a pattern."""
    pieces = [part for part in pattern.parts if isinstance(part, str)]
    if column.kind.element is Kind.BOOL:
        return any(all(fold_text(piece) in word for piece in pieces) for word in BOOLEANS)
    if column.kind.element is not Kind.STR:
        return may_be_in_number(pattern)
    return contains_all(summary, pieces)


def contains_all(summary: ColumnSummary, texts: Iterable[str]) -> bool:
    return summary.count > 0 and all(map(summary.may_contain, texts))


def check_regex(node: ast.Regex, block: Block) -> bool:
    literals = list_literals(node.expression)
    return check_field(node, block, lambda _column, summary: contains_all(summary, literals))


def check_has_pattern(node: ast.HasPattern, block: Block) -> bool:
    """Colours may interrupt the constant parts, so that no part of them is certain to occur."""
    return check_exists(ast.Exists(node.field), block)


def check_network(node: ast.Network, block: Block) -> bool:
    return check_field(node, block, lambda column, _summary: column.kind.element is Kind.STR)


def check_order(node: ast.Compare | ast.Range, block: Block) -> bool:
    def may_pass(column: Column, summary: ColumnSummary) -> bool:
        return all(may_compare(limit, column, summary) for limit in list_limits(node))

    return check_field(node, block, may_pass)


def may_compare(node: ast.Compare, column: Column, summary: ColumnSummary) -> bool:
    kind = column.kind.element
    if kind is Kind.STR:
        return True
    if kind is Kind.BOOL or isinstance(node.limit, str):
        return False
    if summary.low is None or summary.high is None:
        return True
    limit = fit_number(scale_limit(node.field, node.limit), kind)
    extreme = summary.high if node.operator in (">", ">=") else summary.low
    return OPERATORS[node.operator](extreme, limit)


def check_scope(node: ast.ScopeFilter, block: Block) -> bool:
    """The partitions' names, or the events' own field."""
    if finds_some(node, list_partitions(block)):
        return True
    if node.pattern.parts == (ast.Wildcard.ANY,):
        return check_exists(ast.Exists(node.kind), block)
    return check_match(ast.Match(node.kind, node.pattern), block)


def check_within(node: Within, block: Block) -> bool:
    return block.index.first_ns < node.to_ns and block.index.last_ns >= node.from_ns


CHECKS: dict[type, Callable[[Any, Block], bool]] = {
    ast.Everything: check_always,
    ast.Word: check_word,
    ast.Match: check_match,
    ast.Exact: check_exact,
    ast.OneOf: check_match,
    ast.Exists: check_exists,
    ast.Compare: check_order,
    ast.Range: check_order,
    ast.Network: check_network,
    ast.Regex: check_regex,
    ast.HasPattern: check_has_pattern,
    ast.AnyField: check_any_field,
    ast.SomeField: check_some_field,
    ast.ScopeFilter: check_scope,
    ast.Truth: check_always,
    ast.Not: check_not,
    ast.And: check_and,
    ast.Or: check_or,
    Within: check_within,
    Values: check_values,
}
