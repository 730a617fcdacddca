"""Operations on series and numbers: `sum(…) / sum(…) * 100 > 5`, `… or vector(0)`."""

import operator as python
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from logboom.base.clock import NS_PER_S
from logboom.lang.ast import Between, Binary, Expression, Literal, Quantity, Query
from logboom.lang.dialects.logql.matchers import all_of
from logboom.lang.dialects.logql.metrics.charts import draw
from logboom.lang.dialects.logql.metrics.series import (
    VALUE,
    WHOLE,
    Compute,
    Fill,
    Series,
    Test,
    name_leaf,
    rename,
)
from logboom.lang.dialects.logql.together import can_unite, has_period
from logboom.lang.dialects.logql.tokens import Token, TokenReader

Operand: TypeAlias = Series | int | float | None
"""A series, a number, or None for a comparison of two numbers that is false."""
BINDING: dict[str, int] = {
    "or": 1,
    "and": 2, "unless": 2,
    "==": 3, "!=": 3, ">": 3, ">=": 3, "<": 3, "<=": 3,
    "+": 4, "-": 4,
    "*": 5, "/": 5, "%": 5,
    "^": 6,
}  # fmt: skip
"""Operators by precedence."""
LOOSEST = 1
MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "==": "==", "!=": "!="}
NUMBERS: dict[str, Callable[[float, float], float]] = {
    "+": python.add, "-": python.sub, "*": python.mul, "/": python.truediv, "%": python.mod, "^": python.pow,
}  # fmt: skip
HOLDS: dict[str, Callable[[float, float], bool]] = {
    "==": python.eq, "!=": python.ne, ">": python.gt, ">=": python.ge, "<": python.lt, "<=": python.le,
}  # fmt: skip
COUNTING = ("count", "rate", "rate_sum")
"""Aggregates that are zero without events."""
TOTALS = {"rate": "count", "rate_sum": "sum"}
"""Aggregates per second, and their base aggregates."""
ADDITIVE = (*COUNTING, "sum")
"""Aggregates of groups that add up to the aggregate of all of them."""

Read: TypeAlias = Callable[[TokenReader], Operand]


def read_operation(reader: TokenReader, read_operand: Read, loosest: int = LOOSEST) -> Operand:
    """Read operands joined by operators of at least this precedence; `^` is right-associative."""
    left = read_operand(reader)
    while (binding := BINDING.get(reader.next.text, 0)) >= loosest:
        token = reader.take()
        reader.count_operation(token)
        is_bool = reader.take_sign("bool")
        matched = read_matching(reader)
        tighter = binding if token.text == "^" else binding + 1
        right = read_operation(reader, read_operand, tighter)
        left = combine(reader, token, left, right, matched, is_bool=is_bool)
    return left


class Matching(NamedTuple):
    """How series are joined.

    `on (…)` or `ignoring (…)`: the labels by which two series are joined, or those that are ignored.
    """

    token: Token
    labels: tuple[str, ...]

    def suits(self, labels: set[str]) -> bool:
        """Return whether series with these labels are joined by all of them."""
        if self.token.text == "on":
            return set(self.labels) == labels
        return labels.isdisjoint(self.labels)

    def joins(self, many: set[str], few: set[str]) -> bool:
        """Return whether series with many labels are joined to those with few by all of these."""
        named = set(self.labels)
        return named == few if self.token.text == "on" else many - named == few


def read_matching(reader: TokenReader) -> Matching | None:
    """Read how two series are joined, if given; which side has more members makes no difference."""
    if not reader.sees("on", "ignoring"):
        return None
    matching = Matching(reader.take(), read_labels(reader))
    if (
        reader.take_sign("group_left", "group_right")
        and reader.sees("(")
        and reader.sees_after(")")
    ):
        read_labels(reader)
    return matching


def read_labels(reader: TokenReader) -> tuple[str, ...]:
    reader.expect("(")
    labels: list[str] = []
    while not reader.take_sign(")"):
        labels.append(reader.take_name())
        if not reader.sees(")"):
            reader.expect(",")
    return tuple(dict.fromkeys(labels))


def combine(
    reader: TokenReader,
    token: Token,
    left: Operand,
    right: Operand,
    matched: Matching | None,
    *,
    is_bool: bool,
) -> Operand:
    if isinstance(left, Series):
        reader.translated = partial(draw, left)
    if token.text in ("or", "and", "unless"):
        return fill(reader, token, left, right)
    if left is None or right is None:
        raise reader.refuse(f'"{token.text}" of nothing cannot be translated', token)
    if isinstance(left, Series) and isinstance(right, Series):
        return join(reader, token, left, right, matched)
    if isinstance(left, Series):
        assert not isinstance(right, Series), "both would have been joined"
        return with_number(left, token.text, right, is_bool=is_bool)
    if isinstance(right, Series):
        return with_number_before(right, token.text, left, is_bool=is_bool)
    if token.text in HOLDS:
        return left if HOLDS[token.text](left, right) else None
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
    if token.text == "or" and isinstance(left, Series) and right is None:
        return keep_events(left)
    if token.text != "or" or not isinstance(left, Series) or right != 0:
        message = f'"{token.text}" between series cannot be translated, only "or vector(0)"'
        raise reader.refuse(message, token)
    if any(isinstance(step, Test) for step in left.steps):
        message = '"or vector(0)" after a comparison cannot be translated'
        raise reader.refuse(message, token)
    is_zero = left.is_plain and left.leaves[0].function in COUNTING
    return left if is_zero else left.then(Fill())


def keep_events(series: Series) -> Series:
    """Return the series itself, which has no points without events: `… or vector(0) > 0`."""
    is_zero = series.is_plain and series.leaves[0].function in COUNTING
    return series.then(Test(">", 0)) if is_zero else series


def with_number(series: Series, operator: str, number: int | float, *, is_bool: bool) -> Series:
    if operator in HOLDS:
        return series.then(Test(operator, number, is_bool))
    return apply(series, lambda value: Binary(operator, value, Literal(number)))


def with_number_before(
    series: Series, operator: str, number: int | float, *, is_bool: bool
) -> Series:
    if operator in HOLDS:
        return series.then(Test(MIRRORED[operator], number, is_bool))
    return apply(series, lambda value: Binary(operator, Literal(number), value))


def apply(series: Series, change: Callable[[Expression], Expression]) -> Series:
    if series.steps:
        return series.then(Compute(change(VALUE)))
    return replace(series, value=change(series.value))


def strip_zeros(series: Series, *, is_divisor: bool = False) -> Series:
    """Return the series without fills that have no effect: counts are zero without events; divisors keep theirs."""
    are_counts = all(leaf.function in COUNTING for leaf in series.leaves)
    idle = [Fill()] if are_counts else []
    harmless = [*idle, Test(">", 0), Test("!=", 0)] if is_divisor else idle
    steps = tuple(step for step in series.steps if step not in harmless)
    return replace(series, steps=steps)


def join(
    reader: TokenReader, token: Token, left: Series, right: Series, matched: Matching | None
) -> Series:
    """Return one series computed from two with the same labels; of their periods, the last one applies."""
    left, right = strip_zeros(left), strip_zeros(right, is_divisor=token.text == "/")
    if token.text in HOLDS or left.steps or right.steps:
        message = (
            f'"{token.text}" of these two series cannot be translated, compute them one by one'
        )
        raise reader.refuse(message, token)
    labels = left.labels
    if labels is None or right.labels is None:
        message = (
            f'"{token.text}" of the values of streams, expected sum(…) or sum by (…) around both'
        )
        raise reader.refuse(message, token)
    has_periods = any(has_period(leaf.query) for leaf in (*left.leaves, *right.leaves))
    if has_periods or left.span != right.span:
        left, right = (fix_period(reader, token, each) for each in (left, right))
    right = fit_labels(reader, token, labels, right, matched)
    leaves = (*left.leaves, *right.leaves)
    if not can_unite([leaf.query for leaf in leaves]):
        message = f'"{token.text}" of logs that are read in two different ways cannot be translated'
        raise reader.refuse(message, token)
    places = range(len(right.leaves))
    moved = {name_leaf(place): name_leaf(place + len(left.leaves)) for place in places}
    value = Binary(token.text, left.value, rename(right.value, moved))
    return Series(leaves, value, left.span, labels)


def fix_period(reader: TokenReader, token: Token, series: Series) -> Series:
    """Return the single value of a period that ended now or, with an offset, some time ago."""
    if all(has_period(leaf.query) for leaf in series.leaves) and series.span == WHOLE:
        return series
    if not isinstance(series.span, Quantity):
        message = f'"{token.text}" of different times needs ranges of fixed length such as [5m]'
        raise reader.refuse(message, token)
    leaves = tuple(replace(leaf, query=end_now(leaf.query, series.span)) for leaf in series.leaves)
    seconds = Literal(measure_seconds(series.span))
    value = series.value
    for place, leaf in enumerate(leaves):
        if leaf.function in TOTALS:
            value = rename(value, {name_leaf(place): Binary("/", name_leaf(place), seconds)})
    totals = tuple(
        replace(leaf, function=TOTALS.get(leaf.function, leaf.function)) for leaf in leaves
    )
    return replace(series, leaves=totals, value=value, span=WHOLE)


def end_now(query: Query, span: Quantity) -> Query:
    """Return the query over the last period of this length, unless it has a period already."""
    if has_period(query):
        return query
    period = Between(f"now-{span.number}{span.unit}", "now")
    return Query(all_of([period, query.filter]), query.pipes)


def measure_seconds(span: Quantity) -> int | float:
    whole, rest = divmod(span.scaled, NS_PER_S)
    return span.scaled / NS_PER_S if rest else int(whole)


def fit_labels(
    reader: TokenReader,
    token: Token,
    labels: tuple[str, ...],
    series: Series,
    matched: Matching | None,
) -> Series:
    """Return the series by these labels; one with fewer labels as sums: `… / on (a) sum by (a) (…)`."""
    wanted, own = set(labels), set(series.labels or ())
    if wanted == own and (matched is None or matched.suits(wanted)):
        return series
    is_coarser = own < wanted and matched is not None and matched.joins(wanted, own)
    if not is_coarser or any(leaf.function not in ADDITIVE for leaf in series.leaves):
        message = f'"{token.text}" joins series with different labels, expected the same'
        raise reader.refuse(message, token)
    leaves = tuple(replace(leaf, labels=series.labels) for leaf in series.leaves)
    return replace(series, leaves=leaves, labels=labels)
