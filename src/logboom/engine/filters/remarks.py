"""Remarks: how many rows a filter's tests could not judge, to explain unexpected results."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.filters.order import list_limits, measure
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.bound import Filter
from logboom.engine.terms.tree import walk
from logboom.lang import ast
from logboom.model.columns import Kind
from logboom.model.names import fold_name

NOT_NUMERIC = "not_numeric"
"""The field has a value, but none that can be compared with a number."""
LACKS_FIELD = "lacks_field"
"""The field is missing, and so a negated test matches."""
MAY_BE_NO_NUMBER = (Kind.STR, Kind.BOOL)

Remark: TypeAlias = tuple[str, str]
"""The reason, and the field."""


def count_remarks(filter_: Filter, in_scope: Table, matched: Table) -> Counter[Remark]:
    """Return how many of the rows in scope a test could not judge, and how many matched because they lack a field."""
    counts: Counter[Remark] = Counter()
    tests: dict[Remark, pl.Expr] = {}
    for node in walk(filter_):
        match node:
            case ast.Range(_, low, high) if low == high:
                pass  # a value with a unit, which other values need not have
            case ast.Compare() | ast.Range():
                failed = list(list_failures(node, in_scope))
                if failed:
                    tests[NOT_NUMERIC, node.field] = pl.any_horizontal(failed).sum()
            case ast.Not(ast.Match(field) | ast.OneOf(field) | ast.Exact(field)):
                counts[LACKS_FIELD, field] = count_missing(field, matched)
            case _:
                pass
    if tests:
        frame = in_scope.frame
        found = frame.select(each.alias(str(at)) for at, each in enumerate(tests.values()))
        counts.update(dict(zip(tests, found.row(0), strict=True)))
    return +counts


def list_judged(filter_: Filter, block: Block) -> frozenset[str]:
    """Return the fields that `count_remarks` must read in a block."""
    compared, negated = list_judging(filter_)
    return frozenset(
        [
            *(field for field in compared if may_be_no_number(field, block)),
            *(field for field in negated if not is_everywhere(field, block)),
        ]
    )


@lru_cache(maxsize=64)
def list_judging(filter_: Filter) -> tuple[frozenset[str], frozenset[str]]:
    """Return the fields that a filter compares with numbers, and those whose values it excludes."""
    compared, negated = set(), set()
    for node in walk(filter_):
        match node:
            case ast.Compare(field) | ast.Range(field):
                compared.add(fold_name(field))
            case ast.Not(ast.Match(field) | ast.OneOf(field) | ast.Exact(field)):
                negated.add(fold_name(field))
            case _:
                pass
    return frozenset(compared), frozenset(negated)


def may_be_no_number(field: str, block: Block) -> bool:
    kinds = {column.kind.element for column in block.find_columns(field)}
    return block.has_overflow or not kinds.isdisjoint(MAY_BE_NO_NUMBER)


def is_everywhere(field: str, block: Block) -> bool:
    """Return whether every row has the field."""
    count = sum(block.summarise(column).count for column in block.find_columns(field))
    return not block.has_overflow and count == block.index.rows


def list_failures(node: ast.Compare | ast.Range, table: Table) -> Iterator[pl.Expr]:
    """Yield tests of whether the value, if it is of some kind, is not a number."""
    limit = list_limits(node)[0].limit
    if isinstance(limit, str):
        return
    for kind, part in Value.of_field(table, node.field).first().parts.items():
        if kind in MAY_BE_NO_NUMBER:
            yield part.is_not_null() & measure(node.field, limit, part, kind).is_null()


def count_missing(field: str, table: Table) -> int:
    """Count the rows without the field; no row has values in two of its columns."""
    columns = table.find_columns(field)
    held = sum(table.height - table.frame[column.name].null_count() for column in columns)
    return table.height - held
