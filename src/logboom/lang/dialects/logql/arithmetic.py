"""Operations on series and numbers: `sum(…) / sum(…) * 100 > 5`, `… or vector(0)`."""

import operator as python
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from logboom.lang.ast import Binary, Expression, Literal
from logboom.lang.dialects.logql.charts import draw
from logboom.lang.dialects.logql.series import VALUE, Compute, Fill, Series, Test, name_leaf, rename
from logboom.lang.dialects.logql.together import can_unite
from logboom.lang.dialects.logql.tokens import Token, TokenReader

Operand: TypeAlias = Series | int | float
LEVELS: tuple[tuple[str, ...], ...] = (
    ("or",),
    ("and", "unless"),
    ("==", "!=", ">", ">=", "<", "<="),
    ("+", "-"),
    ("*", "/", "%"),
    ("^",),
)
"""Operators from the loosest to the tightest."""
COMPARISONS = LEVELS[2]
MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "==": "==", "!=": "!="}
NUMBERS: dict[str, Callable[[float, float], float]] = {
    "+": python.add, "-": python.sub, "*": python.mul, "/": python.truediv, "%": python.mod, "^": python.pow,
}  # fmt: skip
MATCHING = ("on", "ignoring", "group_left", "group_right")

Read: TypeAlias = Callable[[TokenReader], Operand]


def read_operation(reader: TokenReader, read_operand: Read, level: int = 0) -> Operand:
    """Operands joined by operators of this level or a tighter one; `^` goes from right to left."""
    if level == len(LEVELS):
        return read_operand(reader)
    left = read_operation(reader, read_operand, level + 1)
    while reader.sees(*LEVELS[level]):
        token = reader.take()
        is_bool = reader.take_sign("bool")
        matched = read_matching(reader)
        is_power = token.text == "^"
        right = read_operation(reader, read_operand, level if is_power else level + 1)
        left = combine(reader, token, left, right, matched, is_bool=is_bool)
    return left


def read_matching(reader: TokenReader) -> tuple[str, ...] | None:
    """The labels of `on (…)`, by which two series are joined; other ways to join them are refused."""
    if not reader.sees(*MATCHING):
        return None
    token = reader.take()
    if token.text != "on":
        raise reader.refuse(
            f"{token.text} cannot be translated, series are joined by all their labels", token
        )
    reader.expect("(")
    labels: list[str] = []
    while not reader.take_sign(")"):
        labels.append(reader.take_name())
        if not reader.sees(")"):
            reader.expect(",")
    if reader.sees(*MATCHING):
        message = f"{reader.next.text} cannot be translated, series are joined by all their labels"
        raise reader.refuse(message, reader.next)
    return tuple(labels)


def combine(
    reader: TokenReader,
    token: Token,
    left: Operand,
    right: Operand,
    matched: tuple[str, ...] | None,
    *,
    is_bool: bool,
) -> Operand:
    if isinstance(left, Series):
        reader.translated = partial(draw, left)
    if token.text in ("or", "and", "unless"):
        return fill(reader, token, left, right)
    if isinstance(left, Series) and isinstance(right, Series):
        return join(reader, token, left, right, matched)
    if isinstance(left, Series):
        assert not isinstance(right, Series), "both would have been joined"
        return with_number(left, token.text, right, is_bool=is_bool)
    if isinstance(right, Series):
        return with_number_before(right, token.text, left, is_bool=is_bool)
    return compute(reader, token, left, right)


def compute(reader: TokenReader, token: Token, left: float, right: float) -> float:
    if (
        token.text not in NUMBERS
        or (token.text in "/%" and right == 0)
        or abs(left) + abs(right) > 1e100
    ):
        raise reader.refuse(f"{token.text} of two numbers cannot be translated", token)
    if token.text == "^" and (abs(right) > 100 or left <= 0):
        raise reader.refuse("a power of two numbers cannot be translated", token)
    return NUMBERS[token.text](left, right)


def fill(reader: TokenReader, token: Token, left: Operand, right: Operand) -> Series:
    """`… or vector(0)`: zero where there is nothing."""
    if token.text != "or" or not isinstance(left, Series) or right != 0:
        message = f'"{token.text}" between series cannot be translated, only "or vector(0)"'
        raise reader.refuse(message, token)
    if any(isinstance(step, Test) for step in left.steps):
        message = '"or vector(0)" after a comparison cannot be translated'
        raise reader.refuse(message, token)
    is_zero = left.is_plain and left.leaves[0].function in ("count", "rate", "rate_sum")
    return left if is_zero else left.then(Fill())


def with_number(series: Series, operator: str, number: int | float, *, is_bool: bool) -> Series:
    if operator in COMPARISONS:
        return series.then(Test(operator, number, is_bool))
    return apply(series, lambda value: Binary(operator, value, Literal(number)))


def with_number_before(
    series: Series, operator: str, number: int | float, *, is_bool: bool
) -> Series:
    if operator in COMPARISONS:
        return series.then(Test(MIRRORED[operator], number, is_bool))
    return apply(series, lambda value: Binary(operator, Literal(number), value))


def apply(series: Series, change: Callable[[Expression], Expression]) -> Series:
    if series.steps:
        return series.then(Compute(change(VALUE)))
    return replace(series, value=change(series.value))


def join(
    reader: TokenReader, token: Token, left: Series, right: Series, matched: tuple[str, ...] | None
) -> Series:
    """Two series of the same spans and labels as one, whose value is computed of both."""
    labels = set(left.labels or ())
    if token.text in COMPARISONS or left.steps or right.steps:
        message = (
            f'"{token.text}" of these two series cannot be translated, compute them one by one'
        )
        raise reader.refuse(message, token)
    if left.labels is None or right.labels is None:
        message = (
            f'"{token.text}" of the values of streams, expected sum(…) or sum by (…) around both'
        )
        raise reader.refuse(message, token)
    if left.span != right.span:
        raise reader.refuse(f'"{token.text}" of two different ranges cannot be translated', token)
    if labels != set(right.labels) or (matched is not None and set(matched) != labels):
        raise reader.refuse(
            f'"{token.text}" joins series with different labels, expected the same', token
        )
    if not can_unite([leaf.query for leaf in (*left.leaves, *right.leaves)]):
        message = f'"{token.text}" of logs that are read in two different ways cannot be translated'
        raise reader.refuse(message, token)
    moved = rename(
        right.value,
        {name_leaf(at): name_leaf(at + len(left.leaves)) for at in range(len(right.leaves))},
    )
    value = Binary(token.text, left.value, moved)
    return Series((*left.leaves, *right.leaves), value, left.span, left.labels)
