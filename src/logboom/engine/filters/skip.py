"""Skipping: whether a block's index proves that a filter finds nothing in it."""

import operator
import re
from collections.abc import Callable, Collection, Container, Iterable
from typing import Any

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.filters import build_filter
from logboom.engine.filters.equality import read_texts, spell_all
from logboom.engine.filters.literals import list_literals
from logboom.engine.filters.order import list_limits, scale_limit, sharpen
from logboom.engine.filters.texts import may_be_in_number
from logboom.engine.rows.table import ENV, INDEX, Table, match_names
from logboom.engine.rows.values import BOOLEANS
from logboom.engine.terms.bound import Filter, Values, Within
from logboom.lang import ast
from logboom.model.columns import DTYPES, MESSAGE, Column, Kind, Scalar
from logboom.model.filters.trigrams import fold_text
from logboom.model.names import CORE_FIELDS, fold_name
from logboom.model.summary import ColumnSummary, fold_value

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
TEXTS = frozenset({Kind.STR, Kind.STRS})
TRUTHS = frozenset({Kind.BOOL, Kind.BOOLS})
NO_COLUMNS: dict[Column, str] = {}

BlockTest = Callable[[Block], bool]
"""False only if no row of the block can match."""
ColumnTest = Callable[[Column, ColumnSummary], bool]
"""False only if no value of the column can match."""


def may_match(node: Filter, block: Block) -> bool:
    """Return False only if no row of the block can match."""
    test = prepare(node)
    return test(block) and (not block.zones or any(map(test, block.zones)))


def prepare(node: Filter) -> BlockTest:
    """Return the test of blocks by their indexes, and of zones by theirs."""
    return CHECKS[type(node)](node)


def check_always(_node: Filter) -> BlockTest:
    return lambda _block: True


def check_and(node: ast.And) -> BlockTest:
    tests = [prepare(term) for term in node.terms]
    return lambda block: all(test(block) for test in tests)


def check_or(node: ast.Or) -> BlockTest:
    tests = [prepare(term) for term in node.terms]
    return lambda block: any(test(block) for test in tests)


def check_not(node: ast.Not) -> BlockTest:
    """Return the test for a negated term: it fails if every row has the field; other terms always pass."""
    term = node.term
    if isinstance(term, ast.Everything):
        return lambda _block: False
    if not isinstance(term, ast.Exists):
        return check_always(term)
    field = term.field

    def test(block: Block) -> bool:
        columns = block.find_columns(field)
        return sum(block.summarise(column).count for column in columns) < block.index.rows

    return test


def check_field(node: Any, may_pass: ColumnTest) -> BlockTest:
    """Return the test whether some column of the node's field may contain a match."""
    field = fold_name(node.field)
    if field in CORE_FIELDS:
        return check_core(node, field)

    def test(block: Block) -> bool:
        if block.has_overflow:
            return True
        summaries = block.index.columns
        # A generator would take longer than most tests.
        for column, name in block.index.columns_by_field.get(field, NO_COLUMNS).items():
            summary = summaries[name]
            if may_pass(column, summary) and is_confirmed(node, column, summary):
                return True
        return False

    return test


def is_confirmed(node: Filter, column: Column, summary: ColumnSummary) -> bool:
    """Return whether a column that passed the simple check may contain a match, by testing its counted values."""
    if summary.values is None or is_decided(node, column):
        return True
    values = pl.Series(column.name, [value for value, _ in summary.values], DTYPES[column.kind])
    return finds_some(node, values.to_frame())


def is_decided(node: Filter, column: Column) -> bool:
    """Return whether a node's simple check is conclusive for counted values."""
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


def check_core(node: Any, field: str) -> BlockTest:
    """Return the test for one of the service's own fields: names of partitions are known, ids contain their time."""
    if field in ("_index", "_env"):
        return lambda block: finds_some(node, list_partitions(block))
    if field == "_id":
        return lambda block: check_id(node, block)
    return check_always(node)


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


def check_exists(node: ast.Exists) -> BlockTest:
    return check_field(node, lambda _column, _summary: True)


def check_match(node: ast.Match | ast.OneOf) -> BlockTest:
    patterns = (node.pattern,) if isinstance(node, ast.Match) else node.patterns
    is_message = fold_name(node.field) == MESSAGE.field
    written = [None if is_message else pattern.text for pattern in patterns]
    others = [each for each, text in zip(patterns, written, strict=True) if text is None]
    contain = [find_containing(pattern) for pattern in others]
    may_equal = find_equal(tuple(text for text in written if text is not None))

    def may_pass(column: Column, summary: ColumnSummary) -> bool:
        contains = any(may_contain(column, summary) for may_contain in contain)
        return contains or may_equal(column, summary)

    return check_field(node, may_pass)


def check_exact(node: ast.Exact) -> BlockTest:
    may_equal = find_equal((node.text,))

    def may_pass(column: Column, summary: ColumnSummary) -> bool:
        if summary.values is not None and column.kind in TEXTS:
            return node.text in dict(summary.values)
        return may_equal(column, summary)

    return check_field(node, may_pass)


def check_values(node: Values) -> BlockTest:
    return check_field(node, find_equal(spell_all(node.values)))


def find_equal(texts: tuple[str, ...]) -> ColumnTest:
    """Return the test whether some value may equal one of the texts, ignoring case."""
    values_by_kind: dict[Kind, Collection[Scalar]] = {}

    def may_equal(column: Column, summary: ColumnSummary) -> bool:
        wanted = values_by_kind.get(column.kind)
        if wanted is None:
            wanted = values_by_kind[column.kind] = read_texts(texts, column.kind.element)
        if summary.values is not None:
            return not {fold_value(value) for value, _ in summary.values}.isdisjoint(wanted)
        return len(wanted) > MAX_PROBED or any(map(summary.may_hold, wanted))

    return may_equal


def check_word(node: ast.Word) -> BlockTest:
    """Return the test for a word; events without a message are searched in all their texts."""
    may_contain = find_containing(ast.Pattern.literal(node.text))

    def test(block: Block) -> bool:
        of_message = block.summarise(MESSAGE)
        if may_contain(MESSAGE, of_message):
            return True
        if of_message.count == block.index.rows:
            return False
        searched = (
            column
            for column in block.list_columns()
            if column.kind in TEXTS or column.field == MESSAGE.field
        )
        return block.has_overflow or any(
            may_contain(column, block.summarise(column)) for column in searched
        )

    return test


def check_some_field(node: ast.SomeField) -> BlockTest:
    is_any = node.pattern.parts == (ast.Wildcard.ANY,)

    def test(block: Block) -> bool:
        names = match_names([node.names], block.fields)
        return block.has_overflow or any(
            is_any or prepare(ast.Match(name, node.pattern))(block) for name in names
        )

    return test


def check_any_field(node: ast.AnyField) -> BlockTest:
    may_contain = find_containing(node.pattern)
    return lambda block: (
        block.has_overflow
        or any(may_contain(column, block.summarise(column)) for column in block.list_columns())
    )


def check_elsewhere(node: ast.AnyField, field: str) -> BlockTest:
    """Return the test whether a field other than this one may contain the text."""
    may_contain = find_containing(node.pattern)
    return lambda block: block.has_overflow or bool(list_passing(may_contain, block, (field,)))


def list_containing(node: ast.AnyField, block: Block) -> frozenset[str]:
    """Return the fields that may contain the text somewhere in the block."""
    return list_passing(find_containing(node.pattern), block)


def list_passing(test: ColumnTest, block: Block, besides: Container[str] = ()) -> frozenset[str]:
    """Return the fields, besides some, with a column that passes a test in some zone of the block."""

    def find_in(part: Block, columns: Iterable[Column]) -> set[Column]:
        return {column for column in columns if test(column, part.summarise(column))}

    # The index of the whole block rules out most columns, so that few are looked up in each zone.
    found = find_in(block, [each for each in block.list_columns() if each.field not in besides])
    if found and block.zones:
        in_zones = (find_in(each, found.intersection(each.list_columns())) for each in block.zones)
        found = set().union(*in_zones)
    return frozenset(column.field for column in found)


def find_containing(pattern: ast.Pattern) -> ColumnTest:
    """Return the test whether some value, as text, may contain every piece of a pattern."""
    pieces = [part for part in pattern.parts if isinstance(part, str)]
    in_boolean = any(all(fold_text(piece) in word for piece in pieces) for word in BOOLEANS)
    in_number = may_be_in_number(pattern)

    def may_contain(column: Column, summary: ColumnSummary) -> bool:
        if column.kind in TEXTS:
            return contains_all(summary, pieces)
        return in_boolean if column.kind in TRUTHS else in_number

    return may_contain


def contains_all(summary: ColumnSummary, texts: Iterable[str]) -> bool:
    if not summary.count:
        return False
    # A generator would take as long as the usual test of a single text.
    for text in texts:  # noqa: SIM110
        if not summary.may_contain(text):
            return False
    return True


def check_regex(node: ast.Regex) -> BlockTest:
    literals = list_literals(node.expression)
    return check_field(node, lambda _column, summary: contains_all(summary, literals))


def check_has_pattern(node: ast.HasPattern) -> BlockTest:
    """Return the test for a pattern; colours may interrupt its constant parts, so none of them is certain to occur."""
    return check_exists(ast.Exists(node.field))


def check_network(node: ast.Network) -> BlockTest:
    return check_field(node, lambda column, _summary: column.kind in TEXTS)


def check_order(node: ast.Compare | ast.Range) -> BlockTest:
    limits = list_limits(node)

    def may_pass(column: Column, summary: ColumnSummary) -> bool:
        return all(may_compare(limit, column, summary) for limit in limits)

    return check_field(node, may_pass)


def may_compare(node: ast.Compare, column: Column, summary: ColumnSummary) -> bool:
    kind = column.kind.element
    if kind is Kind.STR:
        return True
    if kind is Kind.BOOL or isinstance(node.limit, str):
        return False
    if summary.low is None or summary.high is None:
        return True
    extreme = summary.high if node.operator in (">", ">=") else summary.low
    limit = scale_limit(node.field, node.limit)
    operator, limit = (
        sharpen(node.operator, limit) if kind is Kind.FLOAT else (node.operator, limit)
    )
    return OPERATORS[operator](extreme, limit)


def check_scope(node: ast.ScopeFilter) -> BlockTest:
    """Return the test for the partitions' names, or for the events' own field."""
    if node.pattern.parts == (ast.Wildcard.ANY,):
        may_be_own = check_exists(ast.Exists(node.kind))
    else:
        may_be_own = check_match(ast.Match(node.kind, node.pattern))
    return lambda block: finds_some(node, list_partitions(block)) or may_be_own(block)


def check_within(node: Within) -> BlockTest:
    return lambda block: block.index.first_ns < node.to_ns and block.index.last_ns >= node.from_ns


CHECKS: dict[type, Callable[[Any], BlockTest]] = {
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
