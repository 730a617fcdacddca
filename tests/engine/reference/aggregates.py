"""Random aggregates: their text, and their result for the rows of a group according to the documentation."""

import math
import statistics
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from tests.engine.reference.conditions import FIELDS, write_filter
from tests.engine.reference.expressions import settle
from tests.engine.reference.values import Row, first, key, number, order, text, unify

Rows = list[Row]
Values = list[Any]
MOST = 1000


class Aggregate(NamedTuple):
    """An aggregate as text, its column, and its result for rows."""

    text: str
    name: str
    compute: Callable[[Rows], Any]
    needs_order: bool


def numbers(values: Values) -> list[int | float]:
    return [each for value in values if (each := number(value)) is not None]


def add(values: Values) -> Any:
    """Return an integer if all numbers are integers and the sum fits."""
    found = numbers(values)
    if not found:
        return None
    whole = all(isinstance(each, int) for each in found)
    return settle(sum(found)) if whole else float(sum(map(Fraction, found)))


def mean(values: Values) -> Any:
    found = numbers(values)
    return float(sum(map(Fraction, found)) / len(found)) if found else None


def extreme(choose: Callable[..., Any]) -> Callable[[Values], Any]:
    """Return the extreme of the numbers if there are any, else of the texts, else of the booleans."""

    def compute(values: Values) -> Any:
        texts = [value for value in values if isinstance(value, str)]
        found = numbers(values)
        if found:
            return choose(found)
        return choose(texts or values, key=lambda v: (order(v), text(v))) if values else None

    return compute


def spread(values: Values) -> Any:
    found = numbers(values)
    return settle(max(found) - min(found)) if found else None


def show(values: Values) -> Any:
    """Return a list of one kind: integers and floats as floats unless digits are lost, anything else mixed as texts."""
    kinds = {type(value) for value in values}
    if len(kinds) < 2:
        return values or None
    if kinds == {int, float} and all(float(value) == value for value in values):
        return [float(value) for value in values]
    return [text(value) for value in values]


def distinct(values: Values) -> Any:
    unified = {key(unify(value)): unify(value) for value in values}
    ordered = sorted(unified.values(), key=lambda v: (order(v), isinstance(v, str), text(v)))
    return show(ordered[:MOST])


def most_frequent(values: Values) -> Any:
    """Return the most frequent value; of several, the first in order."""
    counts = Counter(key(unify(value)) for value in values)
    ranked = sorted(
        counts, key=lambda k: (-counts[k], order(k[1]), isinstance(k[1], str), text(k[1]))
    )
    return ranked[0][1] if ranked else None


def interpolate(percent: float) -> Callable[[Values], Any]:
    def compute(values: Values) -> Any:
        found = sorted(map(float, numbers(values)))
        if not found:
            return None
        rank = percent / 100 * (len(found) - 1)
        low, high = found[math.floor(rank)], found[math.ceil(rank)]
        return low + (high - low) * (rank - math.floor(rank))

    return compute


def deviation(values: Values) -> Any:
    found = list(map(float, numbers(values)))
    return statistics.stdev(found) if len(found) > 1 else None


FUNCTIONS: dict[str, tuple[Callable[[Values], Any], bool]] = {
    "count({})": (len, False),
    "dc({})": (lambda values: len({key(unify(value)) for value in values}), False),
    "sum({})": (add, False),
    "avg({})": (mean, False),
    "min({})": (extreme(min), False),
    "max({})": (extreme(max), False),
    "range({})": (spread, False),
    "median({})": (interpolate(50), False),
    "p90({})": (interpolate(90), False),
    "stdev({})": (deviation, False),
    "values({})": (distinct, False),
    "mode({})": (most_frequent, False),
    "list({})": (lambda values: show(values[:MOST]), True),
    "first({})": (lambda values: values[0] if values else None, True),
    "last({})": (lambda values: values[-1] if values else None, True),
}


def write_aggregates(random: Random) -> list[Aggregate]:
    return [write_aggregate(random, f"out{place}") for place in range(random.choice((1, 1, 2, 3)))]


def write_aggregate(random: Random, name: str) -> Aggregate:
    condition = write_filter(random, 1) if random.random() < 0.25 else None
    suffix = f" if ({condition.text})" if condition else ""

    def choose(rows: Rows) -> Rows:
        return [row for row in rows if condition is None or condition.passes(row)]

    if random.random() < 0.2:
        return Aggregate(f"count{suffix} as {name}", name, lambda rows: len(choose(rows)), False)
    written, (function, needs_order) = random.choice(list(FUNCTIONS.items()))
    field = random.choice(FIELDS)

    def compute(rows: Rows) -> Any:
        found = [value for row in choose(rows) if (value := first(row.get(field))) is not None]
        return function(found)

    return Aggregate(f"{written.format(field)}{suffix} as {name}", name, compute, needs_order)
