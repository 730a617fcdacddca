"""Comparisons: numbers with their units, texts by their folded form; only the first of multiple values counts."""

import math
import sys
from collections.abc import Callable

import polars as pl

from logboom.engine.expressions.numeric import read_numbers
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import (
    MAX_EXACT,
    MAX_INT,
    MIN_INT,
    NEVER,
    Value,
    fit_int,
    read_number,
)
from logboom.engine.terms.measures import find_field_unit, read_duration, read_size
from logboom.lang import ast
from logboom.model.columns import Kind

COMPARISONS: dict[str, Callable[[pl.Expr, float | str], pl.Expr]] = {
    ">": pl.Expr.gt,
    ">=": pl.Expr.ge,
    "<": pl.Expr.lt,
    "<=": pl.Expr.le,
}
ABOVE: dict[str, ast.Comparison] = {">": ">=", "<=": "<"}
"""The comparisons with the nearest float above a limit that are the same as those with the limit."""
BELOW: dict[str, ast.Comparison] = {">=": ">", "<": "<="}


def build_compare(node: ast.Compare, table: Table) -> pl.Expr:
    return build_order(node, table)


def build_range(node: ast.Range, table: Table) -> pl.Expr:
    return build_order(node, table)


def build_order(node: ast.Compare | ast.Range, table: Table) -> pl.Expr:
    """Return whether the first value is within every limit; never null."""
    first = Value.of_field(table, node.field).first()
    tests = [
        pl.all_horizontal([compare(limit, part, kind) for limit in list_limits(node)])
        for kind, part in first.parts.items()
    ]
    return pl.any_horizontal([test.fill_null(value=False) for test in tests] or [NEVER])


def list_limits(node: ast.Compare | ast.Range) -> list[ast.Compare]:
    """Return the limits of a test as comparisons."""
    if isinstance(node, ast.Compare):
        return [node]
    limits = []
    if node.low is not None:
        limits.append(ast.Compare(node.field, ">=" if node.includes_low else ">", node.low))
    if node.high is not None:
        limits.append(ast.Compare(node.field, "<=" if node.includes_high else "<", node.high))
    return limits


def compare(node: ast.Compare, part: pl.Expr, kind: Kind) -> pl.Expr:
    if isinstance(node.limit, str):
        is_text = kind is Kind.STR
        compares = COMPARISONS[node.operator]
        return compares(part.str.to_lowercase(), node.limit.lower()) if is_text else NEVER
    limit = scale_limit(node.field, node.limit)
    if kind is Kind.INT:
        return compare_whole(part, node.operator, limit)
    if kind is Kind.FLOAT:
        return compare_real(part, node.operator, limit)
    number = measure(node.field, node.limit, part, kind)
    if kind is not Kind.STR or abs(limit) < MAX_EXACT:
        return compare_real(number, node.operator, limit)
    # Only near such a limit do the digits count that a float lacks.
    whole = read_numbers(Value({kind: part})).parts[Kind.INT]
    exact = compare_whole(whole, node.operator, limit)
    return (
        pl.when(whole.is_null()).then(compare_real(number, node.operator, limit)).otherwise(exact)
    )


def compare_whole(part: pl.Expr, operator: str, limit: int | float) -> pl.Expr:
    """Compare 64-bit integers with any number."""
    if not MIN_INT <= limit <= MAX_INT:
        is_above = limit > MAX_INT
        return part.is_not_null() if is_above == (operator in ("<", "<=")) else NEVER
    whole = fit_int(limit)
    return COMPARISONS[operator](part, limit if whole is None else whole)


def compare_real(part: pl.Expr, operator: str, limit: int | float) -> pl.Expr:
    """Compare floats with any number, even an integer that lies between two floats."""
    sharp, real = sharpen(operator, limit)
    return COMPARISONS[sharp](part, real)


def sharpen(operator: str, limit: int | float) -> tuple[str, float]:
    """Return the equivalent comparison of floats with the nearest float instead of the limit.

    Beyond 64 bits the limit is rounded, as such integers in events are.
    """
    real = float(limit)
    if real == limit or not MIN_INT <= limit <= MAX_INT:
        return operator, real
    return (ABOVE if real > limit else BELOW).get(operator, operator), real


def scale_limit(field: str, limit: ast.Quantity) -> int | float:
    """Return the limit in the unit of the field's plain numbers: sizes in bytes, durations in the field's unit."""
    scaled = limit.scaled
    if abs(scaled) > sys.float_info.max:
        return math.inf if scaled > 0 else -math.inf
    if not limit.is_duration:
        return scaled
    unit_ns = find_field_unit(field)
    return scaled // unit_ns if scaled % unit_ns == 0 else scaled / unit_ns


def measure(field: str, limit: ast.Quantity, part: pl.Expr, kind: Kind) -> pl.Expr:
    """Return a value of a kind as the number that is compared with a limit; null if it is not a number."""
    number = read_number(part, kind)
    if kind is not Kind.STR or not limit.unit:
        return number
    if limit.is_duration:
        return pl.coalesce(number, read_duration(part, find_field_unit(field)))
    return pl.coalesce(number, read_size(part))
