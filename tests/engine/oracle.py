"""A naive evaluation of filters, row by row over plain dictionaries, to compare the engine with."""

import fnmatch
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

import polars as pl

from logboom.engine.expressions.shapes import find_pattern
from logboom.engine.terms.bound import Filter, Values, Within
from logboom.lang import ast
from logboom.lang.parse.quantities import read_quantity

Scalar = str | int | float | bool
KeyPart = tuple[bool, Scalar | None]
DIGITS = r"(?:\d+\.?\d*|\.\d+)"
NUMBER = re.compile(rf"\s*[+-]?{DIGITS}([eE][+-]?\d+)?\s*", re.ASCII)
DURATION = re.compile(rf"\s*([+-]?)((?:{DIGITS}\s*(?:ns|us|µs|ms|s|m|h|d|w)\s*)+)", re.ASCII)
SIZE = re.compile(rf"\s*([+-]?{DIGITS})\s*([KMGTP]?i?B?)\s*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """An event with where and when it is; `values` are under folded names, in order."""

    event: dict[str, Any]
    time_ns: int
    env: str
    index: str
    values: dict[str, list[Scalar]]


def make_row(event: dict[str, Any], env: str, index: str) -> Row:
    """Return the row of an event; events of the tests carry their time as nanoseconds in `timestamp`."""
    gathered: dict[str, list[Scalar]] = {}
    lists: set[str] = set()
    for path, value, in_list in flatten(event, ""):
        gathered.setdefault(path.lower(), []).append(value)
        lists |= {path.lower()} if in_list else set()
    time_ns = event["timestamp"]
    del gathered["timestamp"]
    if "message" in gathered and "message" not in lists and len(gathered["message"]) == 1:
        gathered["message"] = [as_text(gathered["message"][0])]
    values = {path: settle(each) for path, each in gathered.items()}
    return Row(event, time_ns, env, index, values)


def flatten(value: Any, path: str, in_list: bool = False) -> Iterator[tuple[str, Scalar, bool]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, f"{path}.{key}" if path else key, in_list)
    elif isinstance(value, list):
        for inner in value:
            yield from flatten(inner, path, in_list=True)
    elif value is not None:
        is_huge = type(value) is int and not -(2**63) <= value < 2**63
        yield path, float(value) if is_huge else value, in_list


def settle(values: list[Scalar]) -> list[Scalar]:
    """Return many values in their common kind: numbers if all are numbers, else texts."""
    kinds = {type(value) for value in values}
    if len(kinds) == 1:
        return values
    return [float(value) for value in values] if kinds == {int, float} else [*map(as_text, values)]


def as_text(value: Scalar) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def equals_measured(node: ast.Match | ast.OneOf, field: str, row: Row) -> bool:
    """Return whether the value is of the same size or length as one that the query writes with a unit."""
    patterns = (node.pattern,) if isinstance(node, ast.Match) else node.patterns
    quantities = [read_quantity(pattern.text) for pattern in patterns if pattern.text]
    is_message = field.lower() == ast.MESSAGE
    ranges = [ast.Range(field, each, each) for each in quantities if each and not is_message]
    return any(matches(each, row) for each in ranges)


def matches(node: Filter, row: Row) -> bool:  # noqa: C901
    match node:
        case ast.Everything():
            return True
        case ast.Match(field) | ast.OneOf(field) if equals_measured(node, field, row):
            return True
        case ast.And(terms):
            return all(matches(term, row) for term in terms)
        case ast.Or(terms):
            return any(matches(term, row) for term in terms)
        case ast.Not(term):
            return not matches(term, row)
        case ast.Word(text):
            return any(is_found(re.escape(text), value) for value in list_searched(row))
        case ast.AnyField(pattern):
            expression = write_expression(pattern)
            return any(is_found(expression, each) for own in row.values.values() for each in own)
        case ast.SomeField(names, pattern):
            fitting = [name for name in row.values if fnmatchcase(name, names.lower())]
            is_any = pattern.parts == (ast.Wildcard.ANY,)
            tests = (ast.Exists(name) if is_any else ast.Match(name, pattern) for name in fitting)
            return any(matches(test, row) for test in tests)
        case ast.ScopeFilter(kind, pattern):
            tested = [getattr(row, kind), *row.values.get(kind, [])]
            return any(is_like(value, pattern) for value in tested)
        case Within(from_ns, to_ns):
            return from_ns <= row.time_ns < to_ns
        case _:
            return any(passes(node, value) for value in list_tested(node, row))


def list_searched(row: Row) -> list[Scalar]:
    """Return the message; of an event without one, all its texts."""
    everything = [value for values in row.values.values() for value in values]
    return row.values.get("message") or [each for each in everything if isinstance(each, str)]


def list_tested(node: Any, row: Row) -> list[Scalar]:
    field = node.field.lower()
    partition: dict[str, Scalar] = {"_index": row.index, "_env": row.env}
    values = [partition[field]] if field in partition else row.values.get(field, [])
    return values[:1] if isinstance(node, ast.Compare | ast.Range) else values


def passes(node: Any, value: Scalar) -> bool:
    is_message = not isinstance(node, Values) and node.field.lower() == "message"
    match node:
        case ast.Exists():
            return True
        case ast.Exact(_, text):
            return equals(value, text) if not isinstance(value, str) else value == text
        case ast.Match(_, pattern):
            return is_in(value, [pattern], is_message)
        case ast.OneOf(_, patterns):
            return is_in(value, patterns, is_message)
        case Values(_, values):
            return any(equals(value, spell(each)) for each in values)
        case ast.Regex() | ast.HasPattern():
            return fits(node, as_text(value))
        case ast.Network(_, network):
            return isinstance(value, str) and is_inside(value, network)
        case ast.Compare(field, operator, limit):
            return compares(value, operator, limit, field)
        case ast.Range(field, low, high, includes_low, includes_high):
            above, below = ">=" if includes_low else ">", "<=" if includes_high else "<"
            return (low is None or compares(value, above, low, field)) and (
                high is None or compares(value, below, high, field)
            )
        case _:
            raise AssertionError(node)


def fits(node: ast.Regex | ast.HasPattern, text: str) -> bool:
    if isinstance(node, ast.Regex):
        flags = re.IGNORECASE if node.ignores_case else 0
        return re.search(node.expression, text, flags) is not None
    found = str(pl.select(find_pattern(pl.lit(text))).item())
    return found.startswith(node.text) if node.is_prefix else found == node.text


def is_in(value: Scalar, patterns: Iterable[ast.Pattern], is_message: bool) -> bool:
    if is_message:
        return any(is_found(write_expression(pattern), value) for pattern in patterns)
    return any(is_like(value, pattern) for pattern in patterns)


def is_like(value: Scalar, pattern: ast.Pattern) -> bool:
    if pattern.text is not None:
        return equals(value, pattern.text)
    return is_found(rf"\A(?:{write_expression(pattern)})\Z", value)


def spell(value: Scalar) -> str:
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**63
    return as_text(int(value) if is_whole else value)


def equals(value: Scalar, text: str) -> bool:
    """Return whether values are equal, ignoring case; a number equals every spelling of itself."""
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


def is_inside(text: str, network: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return any(each in ip_network(network) for each in (address, mapped) if each is not None)


def compares(value: Scalar, operator: str, limit: ast.Quantity | str, field: str) -> bool:
    left: Any
    right: Any
    if isinstance(limit, str):
        if not isinstance(value, str):
            return False
        left, right = value.lower(), limit.lower()
    else:
        unit_ns = find_unit(field) if limit.is_duration else 1
        left, right = measure(value, limit, unit_ns), limit.scaled
        if limit.is_duration and right % unit_ns:
            right = right / unit_ns
        elif limit.is_duration:
            right = right // unit_ns
        if left is None:
            return False
    comparisons: dict[str, bool] = {
        ">": left > right,
        ">=": left >= right,
        "<": left < right,
        "<=": left <= right,
    }
    return comparisons[operator]


def find_unit(field: str) -> int:
    """Return the unit of a field of the tests, in nanoseconds, by its name."""
    units = {"took_ms": 10**6, "lagus": 10**3, "cpu.nanos": 1}
    return units.get(field.lower(), 10**9)


def measure(value: Scalar, limit: ast.Quantity, unit_ns: int) -> int | float | None:
    """Return a value as the number that is compared; only a text may bring its own unit."""
    if isinstance(value, bool):
        return None
    if not isinstance(value, str):
        return value
    if NUMBER.fullmatch(value):
        return float(value)
    if limit.is_duration and (found := DURATION.fullmatch(value)):
        pieces = re.findall(rf"({DIGITS})\s*([a-zµ]+)", found[2])
        total_ns = sum(
            float(number) * ast.DURATIONS_NS[unit.replace("µ", "u")] for number, unit in pieces
        )
        return (-total_ns if found[1] == "-" else total_ns) / unit_ns
    sizes = {name.lower(): factor for name, factor in ast.SIZES.items()}
    if limit.unit in ast.SIZES and (found := SIZE.fullmatch(value)) and found[2].lower() in sizes:
        return float(found[1]) * sizes[found[2].lower()]
    return None


def is_found(expression: str, value: Scalar) -> bool:
    return re.search(expression, as_text(value), re.IGNORECASE | re.DOTALL) is not None


def write_expression(pattern: ast.Pattern) -> str:
    wild = {ast.Wildcard.ANY: ".*", ast.Wildcard.ONE: "."}
    return "".join(wild[part] if part in wild else re.escape(str(part)) for part in pattern.parts)


def is_in_scope(row: Row, indexes: Iterable[str], from_ns: int, to_ns: int) -> bool:
    named = any(fnmatch.fnmatchcase(row.index, glob) for glob in indexes)
    return named and from_ns <= row.time_ns < to_ns


def count_groups(rows: Iterable[Row], keys: Iterable[str]) -> Counter[tuple[KeyPart, ...]]:
    """Return how many rows have each combination of the keys' first values."""

    def read(row: Row, key: str) -> KeyPart:
        values: list[Any] = [row.index] if key == "_index" else row.values.get(key.lower(), [])
        value = values[0] if values else None
        return isinstance(value, bool), value

    return Counter(tuple(read(row, key) for key in keys) for row in rows)
