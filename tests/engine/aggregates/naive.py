"""A second implementation of aggregates, in plain Python over the rows of a group, to compare the engine with."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable
from typing import Any

import polars as pl
from tests.engine.pipes.tables import Row, find_first, make_key

NUMBER = re.compile(r"\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*", re.ASCII)
WHOLE = re.compile(r"\s*[-+]?\d+\s*", re.ASCII)


def read_number(value: Any) -> int | float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        if not NUMBER.fullmatch(value):
            return None
        return int(value) if WHOLE.fullmatch(value) else float(value)
    number: int | float = value
    return number


def order_key(value: Any) -> tuple[Any, ...]:
    """Return a sort key: numbers, also in texts, then texts ignoring case, then booleans, then missing values."""
    number = read_number(value)
    if number is not None:
        return 0, number, value if isinstance(value, str) else ""
    if isinstance(value, str):
        return 1, value.lower(), value
    return (2, value) if isinstance(value, bool) else (3,)


def unify(value: Any) -> Any:
    """Return a whole float as an integer: 1.0 is 1."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) <= 2**53
    return int(value) if is_whole else value


def aggregate(function: str, rows: list[Row], field: str, parameter: float | None = None) -> Any:
    """Return the result for rows in their order, or None when there is none."""
    values = [value for row in rows if (value := find_first(row.get(field))) is not None]
    numbers = [number for value in values if (number := read_number(value)) is not None]
    there = [row for row in rows if find_first(row.get(field)) is not None]
    ends: dict[str, Callable[[], Any]] = {
        "count": lambda: len(values),
        "count_uniq": lambda: len(set(map(make_key, values))),
        "approx_count_uniq": lambda: len(set(map(make_key, values))),
        "min": lambda: find_extreme(function, values, numbers),
        "max": lambda: find_extreme(function, values, numbers),
        "mode": lambda: find_mode(values),
        "values": lambda: show_list(
            sorted({make_key(value): unify(value) for value in values}.values(), key=order_key)
        ),
        "list": lambda: show_list(values),
        "first": lambda: (values or [None])[0],
        "last": lambda: (values or [None])[-1],
        "earliest": lambda: find_by_time(function, there, field),
        "latest": lambda: find_by_time(function, there, field),
        "row_max": lambda: find_row(function, rows, field),
        "row_min": lambda: find_row(function, rows, field),
    }
    return ends[function]() if function in ends else compute(function, numbers, parameter)


def compute(function: str, numbers: list[Any], parameter: float | None) -> Any:
    if not numbers or (function in ("var", "stdev") and len(numbers) < 2):
        return None
    match function:
        case "sum" | "range" if all(isinstance(number, int) for number in numbers):
            total = sum(numbers) if function == "sum" else max(numbers) - min(numbers)
            return total if -(2**63) <= total < 2**63 else float(total)
        case "sum":
            return math.fsum(map(float, numbers))
        case "avg":
            return math.fsum(map(float, numbers)) / len(numbers)
        case "var":
            return float(statistics.variance(map(float, numbers)))
        case "varp":
            return float(statistics.pvariance(map(float, numbers)))
        case "stdevp":
            return float(statistics.pstdev(map(float, numbers)))
        case "stdev":
            return float(statistics.stdev(map(float, numbers)))
        case "range":
            return float(max(numbers)) - float(min(numbers))
        case _:
            return interpolate(sorted(map(float, numbers)), 50 if parameter is None else parameter)


def interpolate(ordered: list[float], percent: float) -> float:
    rank = percent / 100 * (len(ordered) - 1)
    low, high = ordered[math.floor(rank)], ordered[math.ceil(rank)]
    return low + (high - low) * (rank - math.floor(rank))


def find_extreme(function: str, values: list[Any], numbers: list[Any]) -> Any:
    choose = min if function == "min" else max
    texts = [value for value in values if isinstance(value, str)]
    if numbers:
        return choose(numbers)
    return choose(texts or values, key=order_key) if values else None


def find_mode(values: list[Any]) -> Any:
    counts = Counter(make_key(value) for value in values)
    candidates = {make_key(value): unify(value) for value in values}
    ranked = sorted(candidates, key=lambda key: (-counts[key], order_key(candidates[key])))
    return candidates[ranked[0]] if ranked else None


def find_by_time(function: str, there: list[Row], field: str) -> Any:
    timed = [row for row in there if row.get("_time") is not None]
    if not timed:
        return None
    edge = (min if function == "earliest" else max)(row["_time"] for row in timed)
    at_edge = [find_first(row[field]) for row in timed if row["_time"] == edge]
    return at_edge[-1 if function == "earliest" else 0]


def find_row(function: str, rows: list[Row], field: str) -> Any:
    numbers = [read_number(find_first(row.get(field))) for row in rows]
    known = [float(number) for number in numbers if number is not None]
    if not known:
        return None
    edge = max(known) if function == "row_max" else min(known)
    for row, number in zip(rows, numbers, strict=True):
        if number is not None and float(number) == edge:
            return show_text(find_first(row.get("message")))
    raise AssertionError("the edge is one of the numbers")


def show_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    spelled: str = pl.Series([value]).cast(pl.String)[0]
    return spelled


def show_list(values: list[Any]) -> list[Any] | None:
    """Return a list of one kind; of texts if there are several."""
    kinds = {type(value) for value in values}
    if not values:
        return None
    if kinds <= {int, float}:
        return values if kinds == {int} else [float(value) for value in values]
    return values if len(kinds) == 1 else [show_text(value) for value in values]


def agrees(found: Any, expected: Any, scale: float = 1.0) -> bool:
    """Return whether two results are equal, except for the last digits of floats."""
    if isinstance(expected, float) and isinstance(found, float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9 * scale)
    if isinstance(expected, bool) or isinstance(found, bool):
        return found is expected
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(agrees, found, expected))
    return bool(found == expected)
