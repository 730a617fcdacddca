"""Values as the query language describes them: numbers, texts, order and equality, in plain Python."""

import json
import re
from typing import Any

import polars as pl

Row = dict[str, Any]
NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*", re.ASCII)
WHOLE = re.compile(r"\s*[-+]?\d+\s*", re.ASCII)


def first(value: Any) -> Any:
    """Return the first of many values; a missing field has none."""
    return value[0] if isinstance(value, list) else value


def every(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def number(value: Any) -> int | float | None:
    """Return a number, or a text that looks like one; booleans never are."""
    value = first(value)
    if isinstance(value, str):
        if not NUMBER.fullmatch(value):
            return None
        return int(value) if WHOLE.fullmatch(value) else float(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def text(value: Any) -> str:
    if isinstance(value, float):
        return str(pl.Series([value]).cast(pl.String)[0])
    return value if isinstance(value, str) else json.dumps(value)


def order(value: Any) -> tuple[Any, ...]:
    """Return a sort key: numbers by value, then texts ignoring case, then booleans; missing values come last."""
    value = first(value)
    known = number(value)
    if known is not None:
        return 0, known
    if isinstance(value, str):
        return 1, value.lower()
    return (2, value) if isinstance(value, bool) else (3,)


def key(value: Any) -> tuple[str, Any]:
    """Return a key: types matter, but 1.0 is 1."""
    value = first(value)
    return (
        "number"
        if number(value) is not None and not isinstance(value, str)
        else type(value).__name__
    ), value


def is_same(found: Any, expected: Any) -> bool:
    """Return whether values are the same: of the same type, but 1.0 is 1, and floats may differ in the last digits."""
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(is_same, found, expected))
    if found is None or expected is None or key(found)[0] != key(expected)[0]:
        return found is None and expected is None
    if isinstance(found, float) or (isinstance(expected, float) and not isinstance(found, str)):
        return bool(abs(found - expected) <= 1e-9 * max(1.0, abs(expected)))
    return bool(found == expected)


def unify(value: Any) -> Any:
    """Return a whole float as an integer: 1.0 is 1."""
    is_whole = isinstance(value, float) and value.is_integer() and -(2**63) <= value < 2**63
    return int(value) if is_whole else value


def sorting_key(row: Row) -> list[tuple[str, str]]:
    """Return a sort key that is the same for equal rows."""
    return sorted((name, repr(round_off(value))) for name, value in row.items())


def round_off(value: Any) -> Any:
    if isinstance(value, list):
        return [round_off(each) for each in value]
    return unify(float(f"{value:.9g}")) if isinstance(value, float) else value
