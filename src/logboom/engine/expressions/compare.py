"""Compares values: numbers with numbers, times with what can be read as one, everything else as texts, ignoring case."""

import operator
from collections.abc import Callable

import polars as pl

from logboom.engine.expressions.arguments import Arguments, Builder
from logboom.engine.expressions.moments import read_moments
from logboom.engine.expressions.numeric import (
    NUMBER_KINDS,
    as_real,
    as_whole_ns,
    narrow,
    read_numbers,
    tidy,
    widen,
    without,
)
from logboom.engine.rows.values import NEVER, Value
from logboom.model.columns import Kind

Relation = Callable[[pl.Expr, pl.Expr], pl.Expr]
UNKNOWN = pl.lit(None, pl.Boolean)


def compares(relation: Relation) -> Builder:
    """Return the builder of a comparison of first values; null if one is missing."""

    def build(arguments: Arguments) -> Value:
        left, right = arguments.values
        return Value({Kind.BOOL: compare(left, right, relation, arguments)})

    return build


def equals(arguments: Arguments) -> Value:
    """Return whether two values are equal; of multiple values any one may be equal."""
    return Value({Kind.BOOL: is_equal(arguments.values[0], arguments.values[1], arguments)})


def differs(arguments: Arguments) -> Value:
    return Value({Kind.BOOL: ~is_equal(arguments.values[0], arguments.values[1], arguments)})


def compare(left: Value, right: Value, relation: Relation, arguments: Arguments) -> pl.Expr:
    left_numbers, right_numbers = read_comparable(left, right, arguments)
    by_text = relation(fold(left), fold(right))
    if not left_numbers.parts or not right_numbers.parts:
        return by_text
    by_number = relate_numbers(left_numbers, right_numbers, relation)
    if is_numeric(left) and is_numeric(right):
        return by_number
    both = left_numbers.exists() & right_numbers.exists()
    return pl.when(both).then(by_number).otherwise(by_text)


def read_comparable(left: Value, right: Value, arguments: Arguments) -> tuple[Value, Value]:
    """Return the numbers of two values, which are not computed if the other side has none."""
    right_numbers = arguments.settle(read_moments(right, left, arguments))
    if not right_numbers.parts:
        return Value(), Value()
    return arguments.settle(read_moments(left, right, arguments)), right_numbers


def is_numeric(value: Value) -> bool:
    """Return whether every first value is a number."""
    return all(kind.element in NUMBER_KINDS for kind in value.parts)


def fold(value: Value) -> pl.Expr:
    return value.text().str.to_lowercase()


def relate_numbers(left: Value, right: Value, relation: Relation) -> pl.Expr:
    """Compare each kind with each; integers and floats are never rounded for a comparison."""
    related = []
    for left_kind, left_part in left.parts.items():
        for right_kind, right_part in right.parts.items():
            if left_kind is right_kind:
                related.append(relation(left_part, right_part))
            else:
                one, other = Value({left_kind: left_part}), Value({right_kind: right_part})
                related.append(relation(order_mixed(one, other), pl.lit(0, pl.Int8)))
    return pl.coalesce(related)


def order_mixed(left: Value, right: Value) -> pl.Expr:
    """Return -1, 0 or 1 for the order of numbers of two different kinds."""
    if Kind.TIME in left.parts or Kind.TIME in right.parts:
        return order(as_whole_ns(left), as_whole_ns(right))
    rough = order(as_real(left), as_real(right))
    # Equal floats are whole here, because one side is: the integers decide.
    exact = order(*(take_whole(side) for side in (left, right)))
    return pl.when(rough == 0).then(pl.coalesce(exact, rough)).otherwise(rough)


def take_whole(numbers: Value) -> pl.Expr:
    (part,) = numbers.parts.values()
    return part.cast(pl.Int128, strict=False) if Kind.FLOAT in numbers.parts else widen(part)


def order(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    return (left > right).cast(pl.Int8) - (left < right).cast(pl.Int8)


def is_equal(left: Value, right: Value, arguments: Arguments) -> pl.Expr:
    """Return whether two values are equal; null if one of them is missing."""
    if not has_lists(left) and has_lists(right):
        left, right = right, left
    first = arguments.settle(right.first())
    scalars = Value({kind: part for kind, part in left.parts.items() if not kind.is_list})
    found = [compare(scalars, first, operator.eq, arguments)] if scalars.parts else []
    lists = {kind: part for kind, part in left.parts.items() if kind.is_list}
    if lists and first.parts:
        text, numbers = arguments.hold(fold(first)), arguments.settle(read_numbers(first))
        contains = [list_contains(part, kind, text, numbers) for kind, part in lists.items()]
        found.append(pl.when(text.is_not_null()).then(pl.coalesce(contains)))
    return arguments.hold(pl.coalesce(found)) if found else UNKNOWN


def has_lists(value: Value) -> bool:
    return any(kind.is_list for kind in value.parts)


def list_contains(part: pl.Expr, kind: Kind, text: pl.Expr, numbers: Value) -> pl.Expr:
    """Return whether an element is the wanted value, as a number or as a text, ignoring case; null without a list."""
    element = Value({kind.element: pl.element()})
    found = [] if is_numeric(element) else [part.list.eval(fold(element)).list.contains(text)]
    for number_kind, number in read_numbers(element).parts.items():
        if numbers.parts:
            same = convert(numbers, number_kind)
            found.append(part.list.eval(number).list.contains(same) & same.is_not_null())
    contains = pl.any_horizontal([NEVER, *(each.fill_null(value=False) for each in found)])
    return pl.when(part.is_not_null()).then(contains)


def convert(numbers: Value, kind: Kind) -> pl.Expr:
    """Return the number of this kind that equals another number; null if there is none."""
    if kind is Kind.TIME:
        return narrow(as_whole_ns(numbers))
    real = as_real(without(numbers, Kind.INT))
    whole = numbers.parts.get(Kind.INT, pl.lit(None, pl.Int64))
    if kind is Kind.INT:
        return pl.coalesce(whole, tidy(real).parts[Kind.INT])
    rounded = whole.cast(pl.Float64)
    return pl.coalesce(real, pl.when(widen(rounded) == widen(whole)).then(rounded))


COMPARISONS: dict[str, Builder] = {
    "==": equals,
    "!=": differs,
    "<": compares(operator.lt),
    "<=": compares(operator.le),
    ">": compares(operator.gt),
    ">=": compares(operator.ge),
}
