"""What a query means, said row by row over plain dictionaries: slow, naive, and what the engine must agree with."""

import fnmatch
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from logboom.lang import ast

Scalar = str | int | float | bool
KeyPart = tuple[bool, Scalar | None]
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Row:
    """An event with where and when it is; `values` are under folded names, in order."""

    event: dict[str, Any]
    time_ns: int
    index: str
    values: dict[str, list[Scalar]]


def make_row(event: dict[str, Any], index: str) -> Row:
    """Events of the tests carry their time as nanoseconds in `timestamp`."""
    gathered: dict[str, list[Scalar]] = {}
    lists: set[str] = set()
    for path, value, in_list in flatten(event, ""):
        gathered.setdefault(path.lower(), []).append(value)
        lists |= {path.lower()} if in_list else set()
    time_ns = event["timestamp"]
    del gathered["timestamp"]
    if "message" in gathered and "message" not in lists and len(gathered["message"]) == 1:
        gathered["message"] = [as_text(gathered["message"][0])]
    return Row(event, time_ns, index, {path: settle(each) for path, each in gathered.items()})


def flatten(value: Any, path: str, in_list: bool = False) -> Iterator[tuple[str, Scalar, bool]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, f"{path}.{key}" if path else key, in_list)
    elif isinstance(value, list):
        for inner in value:
            yield from flatten(inner, path, in_list=True)
    elif value is not None:
        yield path, value, in_list


def settle(values: list[Scalar]) -> list[Scalar]:
    """Many values of different kinds are numbers if all are, else texts."""
    kinds = {type(value) for value in values}
    if len(kinds) == 1:
        return values
    return [float(value) for value in values] if kinds == {int, float} else [*map(as_text, values)]


def as_text(value: Scalar) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def matches(node: ast.Filter, row: Row) -> bool:
    match node:
        case ast.Everything():
            return True
        case ast.And(terms):
            return all(matches(term, row) for term in terms)
        case ast.Or(terms):
            return any(matches(term, row) for term in terms)
        case ast.Not(term):
            return not matches(term, row)
        case ast.Word(text):
            return any(is_found(re.escape(text), value) for value in list_searched(row))
        case _:
            return any(passes(node, value) for value in list_tested(node, row))


def list_searched(row: Row) -> list[Scalar]:
    """The message; of an event without one, all its texts."""
    everything = [value for values in row.values.values() for value in values]
    return row.values.get("message") or [each for each in everything if isinstance(each, str)]


def list_tested(node: ast.Match | ast.Exact | ast.Exists | ast.Compare, row: Row) -> list[Scalar]:
    field = node.field.lower()
    values: list[Scalar] = [row.index] if field == "_index" else row.values.get(field, [])
    return values[:1] if isinstance(node, ast.Compare) else values


def passes(node: ast.Match | ast.Exact | ast.Exists | ast.Compare, value: Scalar) -> bool:
    match node:
        case ast.Exists():
            return True
        case ast.Exact(_, text):
            return equals(value, text) if not isinstance(value, str) else value == text
        case ast.Compare(_, operator, number):
            return compares(value, operator, number)
        case ast.Match(field, pattern) if field.lower() == "message":
            return is_found(write_expression(pattern), value)
        case ast.Match(_, pattern) if pattern.text is None:
            return is_found(rf"\A(?:{write_expression(pattern)})\Z", value)
        case ast.Match(_, pattern):
            return equals(value, pattern.text or "")


def equals(value: Scalar, text: str) -> bool:
    """Whole-value equality in any case; a number equals every spelling of itself."""
    if isinstance(value, str):
        return value.lower() == text.lower()
    if isinstance(value, bool):
        return text.lower() == json.dumps(value)
    try:
        number = json.loads(text)
    except ValueError:
        return False
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return is_number and (number if isinstance(value, int) else float(number)) == value


def compares(value: Scalar, operator: str, number: float) -> bool:
    if isinstance(value, bool) or (isinstance(value, str) and not NUMBER.fullmatch(value)):
        return False
    left = value if isinstance(value, int) else float(value)
    number = number if isinstance(value, int) else float(number)
    comparisons = {
        ">": left > number,
        ">=": left >= number,
        "<": left < number,
        "<=": left <= number,
    }
    return comparisons[operator]


def is_found(expression: str, value: Scalar) -> bool:
    return re.search(expression, as_text(value), re.IGNORECASE | re.DOTALL) is not None


def write_expression(pattern: ast.Pattern) -> str:
    wild = {ast.Wildcard.ANY: ".*", ast.Wildcard.ONE: "."}
    return "".join(wild[part] if part in wild else re.escape(str(part)) for part in pattern.parts)


def is_in_scope(row: Row, indexes: Iterable[str], from_ns: int, to_ns: int) -> bool:
    named = any(fnmatch.fnmatchcase(row.index, glob) for glob in indexes)
    return named and from_ns <= row.time_ns < to_ns


def count_groups(rows: Iterable[Row], keys: Iterable[str]) -> Counter[tuple[KeyPart, ...]]:
    """How many rows have each combination of the keys' first values."""

    def read(row: Row, key: str) -> KeyPart:
        values: list[Any] = [row.index] if key == "_index" else row.values.get(key.lower(), [])
        value = values[0] if values else None
        return isinstance(value, bool), value

    return Counter(tuple(read(row, key) for key in keys) for row in rows)
