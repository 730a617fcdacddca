"""Filters: for each kind of test, the expression that finds its rows in a table; all are in BUILDERS."""

from collections.abc import Callable
from typing import Any

import polars as pl

from logboom.engine.expressions import build_expression
from logboom.engine.filters.equality import (
    build_exact,
    build_exists,
    build_match,
    build_one_of,
    build_scope,
    build_some_field,
    build_values,
)
from logboom.engine.filters.order import build_compare, build_range
from logboom.engine.filters.patterned import build_has_pattern
from logboom.engine.filters.texts import build_any_field, build_regex, build_word
from logboom.engine.rows.table import TIME, Table
from logboom.engine.rows.values import ALWAYS, MAX_INT, MIN_INT, NEVER, Value
from logboom.engine.terms.bound import Filter, Values, Within
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.networks import is_inside
from logboom.lang import ast
from logboom.model.columns import Kind

WITHOUT_CONDITIONS = Conditions()
Builder = Callable[[Any, Table, Conditions], pl.Expr]
Test = Callable[[Any, Table], pl.Expr]


def build_filter(
    node: Filter, table: Table, conditions: Conditions = WITHOUT_CONDITIONS
) -> pl.Expr:
    """Return the rows of a table that a filter matches; never null, but it may be one literal for all."""
    return BUILDERS[type(node)](node, table, conditions)


def build_and(node: ast.And, table: Table, conditions: Conditions) -> pl.Expr:
    return pl.all_horizontal([build_filter(term, table, conditions) for term in node.terms])


def build_or(node: ast.Or, table: Table, conditions: Conditions) -> pl.Expr:
    return pl.any_horizontal([build_filter(term, table, conditions) for term in node.terms])


def build_not(node: ast.Not, table: Table, conditions: Conditions) -> pl.Expr:
    return ~build_filter(node.term, table, conditions)


def build_truth(node: ast.Truth, table: Table, conditions: Conditions) -> pl.Expr:
    value = build_expression(node.expression, table, conditions).first()
    return value.parts.get(Kind.BOOL, NEVER).fill_null(value=False)


def build_everything(_node: ast.Everything, _table: Table) -> pl.Expr:
    return ALWAYS


def build_network(node: ast.Network, table: Table) -> pl.Expr:
    return Value.of_field(table, node.field).passes(is_inside(node.network))


def build_within(node: Within, table: Table) -> pl.Expr:
    if TIME.name not in table.frame.columns or node.from_ns > MAX_INT or node.to_ns <= MIN_INT:
        return NEVER
    last_ns = min(node.to_ns - 1, MAX_INT)
    return pl.col(TIME.name).is_between(node.from_ns, last_ns).fill_null(value=False)


TESTS: dict[type, Test] = {
    ast.Everything: build_everything,
    ast.Word: build_word,
    ast.Match: build_match,
    ast.Exact: build_exact,
    ast.OneOf: build_one_of,
    ast.Exists: build_exists,
    ast.Compare: build_compare,
    ast.Range: build_range,
    ast.Network: build_network,
    ast.Regex: build_regex,
    ast.HasPattern: build_has_pattern,
    ast.AnyField: build_any_field,
    ast.SomeField: build_some_field,
    ast.ScopeFilter: build_scope,
    Within: build_within,
    Values: build_values,
}
"""Tests of single rows, independent of the clock."""


def without_conditions(test: Test) -> Builder:
    return lambda node, table, _conditions: test(node, table)


BUILDERS: dict[type, Builder] = {
    ast.Truth: build_truth,
    ast.Not: build_not,
    ast.And: build_and,
    ast.Or: build_or,
    **{node: without_conditions(test) for node, test in TESTS.items()},
}
"""Every filter except written times and inner queries, which are bound before."""
