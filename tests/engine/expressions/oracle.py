"""Expressions computed naively, for one row of plain Python values at a time."""

import math
import operator
import re
from collections.abc import Callable
from typing import Any

import polars as pl

from logboom.lang import ast

NUMBER = re.compile(r"\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*")
MIN_INT, MAX_INT = -(2**63), 2**63 - 1
Row = dict[str, Any]


def evaluate(node: ast.Expression, row: Row) -> Any:
    match node:
        case ast.Literal(value):
            return value
        case ast.Field(name):
            return row.get(name.lower())
        case ast.Negative(operand):
            return combine(operator.sub, operator.sub, 0, evaluate(operand, row))
        case ast.Inverse(operand):
            return invert(evaluate(operand, row))
        case ast.Binary(name, left, right):
            return OPERATORS[name](evaluate(left, row), evaluate(right, row))
        case ast.Call(name, arguments):
            return FUNCTIONS[name](*(evaluate(each, row) for each in arguments))


def first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def read_number(value: Any) -> int | float | None:
    value = first(value)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        if not NUMBER.fullmatch(value):
            return None
        text = value.strip()
        is_whole = text.lstrip("+-").isdigit() and MIN_INT <= int(text) <= MAX_INT
        return int(text) if is_whole else fit(float(text))
    number: int | float = value
    return number


def fit(number: float | complex | None) -> Any:
    """Return the number, or None if JSON cannot represent it."""
    if not isinstance(number, float):
        return number
    return number if math.isfinite(number) else None


def as_text(value: Any) -> str | None:
    value = first(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(pl.Series([value]).cast(pl.String)[0])
    return None if value is None else str(value)


def combine(
    whole: Callable[[int, int], int | None] | None,
    real: Callable[[float, float], Any],
    left: Any,
    right: Any,
) -> Any:
    one, other = read_number(left), read_number(right)
    if one is None or other is None:
        return None
    try:
        if whole and isinstance(one, int) and isinstance(other, int):
            exact = whole(one, other)
            if exact is not None and MIN_INT <= exact <= MAX_INT:
                return exact
        result = real(float(one), float(other))
        return None if isinstance(result, complex) else fit(result)
    except (ZeroDivisionError, OverflowError):
        return None


def power(base: int, exponent: int) -> int | None:
    if exponent < 0 or (abs(base) > 1 and exponent > 200):
        return None
    return int(base ** min(exponent, 200 + exponent % 2))


def add(left: Any, right: Any) -> Any:
    total = combine(operator.add, operator.add, left, right)
    one, other = first(left), first(right)
    both = read_number(left) is not None and read_number(right) is not None
    if not both and isinstance(one, str) and isinstance(other, str):
        return one + other
    return total


def compare(relation: Callable[[Any, Any], bool], left: Any, right: Any) -> bool | None:
    if first(left) is None or first(right) is None:
        return None
    one, other = read_number(left), read_number(right)
    if one is not None and other is not None:
        return relation(one, other)
    return relation(str(as_text(left)).lower(), str(as_text(right)).lower())


def equals(left: Any, right: Any) -> bool | None:
    """Return whether any value of one side equals the first of the other, or None if one is missing."""
    if not isinstance(left, list) and isinstance(right, list):
        left, right = right, left
    if left is None or right is None:
        return None
    values = left if isinstance(left, list) else [left]
    return any(compare(operator.eq, value, right) for value in values)


def truth(value: Any) -> bool | None:
    value = first(value)
    return value if isinstance(value, bool) else None


def invert(value: Any) -> bool | None:
    known = truth(value)
    return None if known is None else not known


def both(left: Any, right: Any) -> bool | None:
    values = (truth(left), truth(right))
    return False if False in values else None if None in values else True


def either(left: Any, right: Any) -> bool | None:
    return invert(both(invert(left), invert(right)))


def decide(*arguments: Any) -> Any:
    for condition, value in zip(arguments[::2], arguments[1::2], strict=False):
        if truth(condition):
            return value
    return arguments[-1] if len(arguments) % 2 else None


def with_text(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of texts, none of which is missing."""

    def call(*arguments: Any) -> Any:
        texts = [as_text(argument) for argument in arguments]
        return None if None in texts else function(*texts)

    return call


def with_number(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        numbers = [read_number(argument) for argument in arguments]
        return None if None in numbers else function(*numbers)

    return call


def tidy(number: int | float) -> int | float:
    """Return a whole float as the integer it equals, if that fits."""
    return int(number) if number == int(number) and MIN_INT <= number <= MAX_INT else number


def keep_range(number: int) -> int | float:
    return number if number <= MAX_INT else float(number)


def floor(number: int | float) -> int | float:
    return number if isinstance(number, int) else tidy(float(math.floor(number)))


def cut(text: Any, start: Any, length: Any = 10**9) -> str | None:
    written, place, size = as_text(text), read_number(start), read_number(length)
    if written is None or place is None or size is None:
        return None
    offset = int(place)
    begin = max(len(written) + offset, 0) if offset < 0 else max(offset - 1, 0)
    return written[begin : begin + max(int(size), 0)]


def rank(value: Any) -> int:
    return 0 if read_number(value) is not None else 2 if isinstance(first(value), bool) else 1


def choose(relation: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        best = None
        for value in map(first, arguments):
            if value is None:
                continue
            if (
                best is None
                or relation(rank(value), rank(best))
                or (rank(value) == rank(best) and compare(relation, value, best))
            ):
                best = value
        return best

    return call


def name_type(value: Any) -> str:
    names = {str: "string", int: "number", float: "number", bool: "boolean", list: "list"}
    return "null" if value is None else names[type(value)]


def read_boolean(value: Any) -> bool | None:
    value, number = first(value), read_number(value)
    if isinstance(value, bool):
        return value
    known = {"true": True, "false": False}.get(str(value).strip().lower())
    return known if known is not None else None if number is None else number != 0


def pick(value: Any, place: Any) -> Any:
    number = read_number(place)
    values = value if isinstance(value, list) else [] if value is None else [value]
    if number is None or not -len(values) <= int(number) < len(values):
        return None
    return values[int(number)]


def is_in(wanted: Any, *members: Any) -> bool | None:
    return None if wanted is None else any(equals(wanted, member) for member in members)


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "OR": either,
    "AND": both,
    "==": equals,
    "!=": lambda left, right: invert(equals(left, right)),
    "<": lambda left, right: compare(operator.lt, left, right),
    "<=": lambda left, right: compare(operator.le, left, right),
    ">": lambda left, right: compare(operator.gt, left, right),
    ">=": lambda left, right: compare(operator.ge, left, right),
    "&": with_text(operator.add),
    "+": add,
    "-": lambda left, right: combine(operator.sub, operator.sub, left, right),
    "*": lambda left, right: combine(operator.mul, operator.mul, left, right),
    "/": lambda left, right: combine(None, operator.truediv, left, right),
    "%": lambda left, right: combine(operator.mod, operator.mod, left, right),
    "^": lambda left, right: combine(power, operator.pow, left, right),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "if": decide,
    "case": decide,
    "coalesce": lambda *values: next((value for value in values if value is not None), None),
    "nullif": lambda left, right: None if equals(left, right) else left,
    "lower": with_text(str.lower),
    "upper": with_text(str.upper),
    "len": with_text(len),
    "len_bytes": with_text(lambda text: len(text.encode())),
    "concat": lambda *values: (
        "".join(as_text(value) or "" for value in values)
        if any(value is not None for value in values)
        else None
    ),
    "startswith": with_text(lambda text, start: text.lower().startswith(start.lower())),
    "endswith": with_text(lambda text, end: text.lower().endswith(end.lower())),
    "contains": with_text(lambda text, part: part.lower() in text.lower()),
    "index_of": with_text(lambda text, part: text.lower().find(part.lower()) + 1),
    "substr": cut,
    "typeof": name_type,
    "tonumber": read_number,
    "toint": with_number(lambda number: tidy(float(math.trunc(number))) if isinstance(number, float) else number),
    "tostring": as_text,
    "tobool": read_boolean,
    "isnull": lambda value: value is None,
    "isnotnull": lambda value: value is not None,
    "isnum": lambda value: read_number(value) is not None,
    "isstr": lambda value: isinstance(first(value), str),
    "isbool": lambda value: isinstance(first(value), bool),
    "in": is_in,
    "abs": with_number(lambda number: keep_range(abs(number)) if isinstance(number, int) else abs(number)),
    "floor": with_number(floor),
    "sign": with_number(lambda number: (number > 0) - (number < 0)),
    "least": choose(operator.lt),
    "greatest": choose(operator.gt),
    "mvindex": pick,
    "mvcount": lambda value: None if value is None else len(value) if isinstance(value, list) else 1,
    "first": first,
    "last": lambda value: value[-1] if isinstance(value, list) else value,
}  # fmt: skip
