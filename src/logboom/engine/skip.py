"""Skipping: whether a block's index alone shows that a filter finds nothing in it. Never wrongly so."""

import operator
from collections.abc import Callable
from typing import Any

from logboom.engine.blocks import Block
from logboom.engine.filters import CORE_FIELDS
from logboom.engine.values import element_kind, fit_number, read_value
from logboom.lang import ast
from logboom.model.columns import MESSAGE, Column, Kind
from logboom.model.names import fold_name
from logboom.model.summary import ColumnSummary

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def may_match(node: ast.Filter, block: Block) -> bool:
    """False only when no row of the block can match."""
    return CHECKS[type(node)](node, block)


def check_always(_node: ast.Filter, _block: Block) -> bool:
    return True


def check_and(node: ast.And, block: Block) -> bool:
    return all(may_match(term, block) for term in node.terms)


def check_or(node: ast.Or, block: Block) -> bool:
    return any(may_match(term, block) for term in node.terms)


def check_exists(node: ast.Exists, block: Block) -> bool:
    return is_open(node.field, block) or bool(block.find_columns(node.field))


def is_open(field: str, block: Block) -> bool:
    """Whether the index does not tell what values the field has."""
    return fold_name(field) in CORE_FIELDS or block.has_overflow


def check_match(node: ast.Match, block: Block) -> bool:
    text = node.pattern.text
    if text is None or fold_name(node.field) == MESSAGE.field:
        return check_exists(ast.Exists(node.field), block)
    return check_equal(node.field, text, block)


def check_exact(node: ast.Exact, block: Block) -> bool:
    return check_equal(node.field, node.text, block)


def check_equal(field: str, text: str, block: Block) -> bool:
    columns = block.find_columns(field)
    return is_open(field, block) or any(
        may_equal(column, block.summarise(column), text) for column in columns
    )


def may_equal(column: Column, summary: ColumnSummary, text: str) -> bool:
    wanted = read_value(text, element_kind(column.kind))
    return wanted is not None and summary.may_hold(wanted)


def check_compare(node: ast.Compare, block: Block) -> bool:
    columns = block.find_columns(node.field)
    return is_open(node.field, block) or any(
        may_compare(column, block.summarise(column), node) for column in columns
    )


def may_compare(column: Column, summary: ColumnSummary, node: ast.Compare) -> bool:
    kind = element_kind(column.kind)
    if kind is Kind.BOOL:
        return False
    if summary.low is None or summary.high is None:
        return True
    extreme = summary.high if node.operator in (">", ">=") else summary.low
    return OPERATORS[node.operator](extreme, fit_number(node.number, kind))


CHECKS: dict[type, Callable[[Any, Block], bool]] = {
    ast.Everything: check_always,
    ast.Word: check_always,
    ast.Not: check_always,
    ast.Match: check_match,
    ast.Exact: check_exact,
    ast.Exists: check_exists,
    ast.Compare: check_compare,
    ast.And: check_and,
    ast.Or: check_or,
}
