"""Aggregates and their keys as text, which is also the default name of their column."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import Aggregate, Key
from logboom.lang.format.conditions import format_condition
from logboom.lang.format.nodes import format_node
from logboom.lang.format.values import format_name, format_quantity

SHORT_PERCENT = compile_later(r"[0-9]{1,3}(?:\.[0-9]{1,9})?")


def format_aggregates(aggregates: tuple[Aggregate, ...]) -> str:
    return ", ".join(map(format_aggregate, aggregates))


def format_aggregate(node: Aggregate) -> str:
    default = name_aggregate(node)
    return default if node.name == default else f"{default} as {format_name(node.name)}"


def name_aggregate(node: Aggregate) -> str:
    """Return the default name of a column: what it computes."""
    call = format_aggregate_call(node)
    return call if node.condition is None else f"{call} if ({format_condition(node.condition)})"


def format_aggregate_call(node: Aggregate) -> str:
    """Print a call: `count`, `avg(latency)`, `p95(latency)`."""
    if node.argument is None:
        return node.function
    argument = format_node(node.argument)
    if node.parameter is None:
        return f"{node.function}({argument})"
    is_whole = node.parameter == int(node.parameter)
    percent = repr(int(node.parameter) if is_whole else node.parameter)
    if SHORT_PERCENT.fullmatch(percent):
        return f"{'approx_' * (node.function != 'percentile')}p{percent}({argument})"
    return f"{node.function}({argument}, {percent})"


def format_group(keys: tuple[Key, ...]) -> str:
    return f"by {', '.join(map(format_key, keys))}" if keys else ""


def format_key(node: Key) -> str:
    field = format_name(node.field)
    if node.prefix_bits is not None:
        return f"{field}:/{node.prefix_bits}"
    return field if node.bucket is None else f"{field}:{format_quantity(node.bucket)}"
