"""`range`: numbers, texts, and times with date math."""

from datetime import UTC

from logboom.lang import ast
from logboom.lang.times import find_zone
from logboom.readers.search_engine.dsl.context import TIME, Context, join_all, malformed
from logboom.readers.search_engine.dsl.members import (
    Members,
    Scalar,
    read_field,
    read_scalar,
    read_text,
)
from logboom.readers.search_engine.dsl.times import between, read_period

OPERATORS: dict[str, ast.Comparison] = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
INCLUSIVE = {("from", True): "gte", ("from", False): "gt", ("to", True): "lte", ("to", False): "lt"}


def read_range(content: object, context: Context) -> ast.Filter:
    written, options = read_field(content, "range", "range")
    limits = read_limits(options)
    field = context.names.find(written)
    if field == TIME:
        return match_times(limits, options, context)
    if not limits:
        return ast.Exists(field)
    return join_all([match_limit(field, name, value) for name, value in limits.items()])


def read_limits(options: Members) -> dict[str, Scalar]:
    """Return the limits by operator; null is no limit."""
    limits: dict[str, Scalar] = {}
    for name, value in options.items():
        includes = options.get("include_lower" if name == "from" else "include_upper", True)
        operator = INCLUSIVE.get((name, bool(includes)), name)
        if operator in OPERATORS and value is not None:
            limits[operator] = read_scalar(options, name, "range")
        elif operator not in OPERATORS and name not in OPTIONS:
            raise malformed(f"[range] query does not support [{name[:80]}]")
    return limits


OPTIONS = frozenset(
    {"format", "time_zone", "relation", "boost", "_name", "include_lower", "include_upper"}
)


def match_limit(field: str, operator: str, value: Scalar) -> ast.Filter:
    return ast.Compare(field, OPERATORS[operator], read_limit(value))


def read_limit(value: Scalar) -> ast.Quantity | str:
    """Return the value of a limit; a text that spells a number is compared as a number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return ast.Quantity(value)
    try:
        return ast.Quantity(int(value) if value.lstrip("-").isdecimal() else float(value))
    except ValueError:
        return value


def match_times(limits: dict[str, Scalar], options: Members, context: Context) -> ast.Filter:
    """Match events between two times. A time is a period: `lte` and `gt` mean its end."""
    zone_name = options.get("time_zone")
    zone = UTC if zone_name is None else find_zone(read_text(options, "time_zone", ""))
    format_ = read_text(options, "format", "")
    starts: list[int] = []
    ends: list[int] = []
    for operator, value in limits.items():
        start_ns, end_ns = read_period(value, context.now_ns, zone, format_)
        moment_ns = end_ns if operator in ("gt", "lte") else start_ns
        (starts if operator in ("gt", "gte") else ends).append(moment_ns)
    return between(max(starts, default=None), min(ends, default=None))
