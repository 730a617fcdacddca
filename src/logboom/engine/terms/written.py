"""Writes prepared queries as query text."""

from typing import Any

from logboom.base.clock import format_time
from logboom.engine.terms.bound import Filter, Values, Within
from logboom.engine.terms.request import END_NS, MIN_NS
from logboom.engine.terms.tree import rebuild
from logboom.lang import ast
from logboom.lang.format import format_node
from logboom.model.columns import Scalar

MAX_VALUES = 20
"""How many values of another query are written out."""


def write_node(node: Filter | ast.Pipe) -> str:
    return format_node(rebuild(node, unbind))


def write_range(from_ns: int, to_ns: int) -> str:
    """Return a time range for people to read."""
    start = f"from {format_time(from_ns)}" if from_ns > MIN_NS else ""
    end = f"to before {format_time(to_ns)}" if to_ns < END_NS else ""
    return " ".join(filter(None, (start, end))) or "any time"


def unbind(node: Any) -> Any:
    """Return a node of a bound filter as a node of the language."""
    match node:
        case Within(from_ns, to_ns):
            start = format_time(from_ns) if from_ns > MIN_NS else None
            end = format_time(to_ns) if to_ns < END_NS else None
            is_open = start is None and end is None
            return ast.Everything() if is_open else ast.Between(start, end)
        case Values(_, ()):
            return ast.Not(ast.Everything())
        case Values(field, values):
            return write_values(field, values[:MAX_VALUES])
        case _:
            return node


def write_values(field: str, values: tuple[Scalar, ...]) -> ast.Filter:
    """Return the test for one of some values; the empty text has its own test."""
    patterns = tuple(make_pattern(value) for value in values if value != "")
    tests: list[ast.Filter] = [ast.OneOf(field, patterns)] if patterns else []
    if len(patterns) < len(values):
        tests.append(ast.Exact(field, ""))
    return ast.Or(tuple(tests)) if len(tests) > 1 else tests[0]


def make_pattern(value: Scalar) -> ast.Pattern:
    return ast.Pattern.literal(str(value).lower() if isinstance(value, bool) else str(value))
