"""Functions and aggregates of SQL as ours, and the calls that round times."""

from collections.abc import Mapping

from logboom.base.patterns import compile_later
from logboom.lang.ast import Aggregate, Expression, Quantity
from logboom.lang.dialects.grouping import (
    AggregateBuilder,
    Grouping,
    build_count,
    build_distinct,
    build_if,
    build_percentile,
    make_aggregate,
)
from logboom.lang.dialects.lowering import Builder, Lowering
from logboom.lang.dialects.times import fold_span, make_span, to_quantity
from logboom.lang.dialects.tree import Constant, Invocation, Name, Node
from logboom.lang.tokens import decode_number

ROUNDING = compile_later(
    r"tostartof(?P<number>five|ten|fifteen)?(?P<unit>second|minute|hour|day|week)s?"
)
NUMBERS = {None: 1, "five": 5, "ten": 10, "fifteen": 15}
SPAN = compile_later(r"(?P<number>\d+)\s*(?P<unit>[a-z]+)")


def build_share(grouping: Grouping, node: Invocation) -> Aggregate:
    """`approx_percentile(took, 0.95)`, and `percentile_cont(0.95) within group (order by took)`."""
    match node.arguments:
        case (argument, Constant(value=int() | float() as share)) if 0 <= share <= 1:
            percent = round(share * 100, 6)
            whole = int(percent) if percent == int(percent) else percent
            return make_aggregate("percentile", grouping.argument(argument), whole)
    raise grouping.lowering.refuse(f"{node.name} takes a field and a share from 0 to 1", node)


def build_match(lowering: Lowering, node: Invocation) -> Expression:
    """`regexp_like(message, 'a|b')`."""
    if len(node.arguments) != 2:
        raise lowering.refuse(f"{node.name} takes a text and a regular expression", node)
    return lowering.test("matches", *node.arguments)


FUNCTIONS: Mapping[str, str | Builder] = {
    **{
        name: name
        for name in ("abs", "case", "ceil", "coalesce", "concat", "floor", "lower", "now")
    },
    **{name: name for name in ("nullif", "round", "trim", "upper")},
    "length": "len",
    "char_length": "len",
    "substr": "substr",
    "substring": "substr",
    "ifnull": "coalesce",
    "regexp_like": build_match,
    "regexp_contains": build_match,
}
AGGREGATES: Mapping[str, str | AggregateBuilder] = {
    "count": build_count,
    "count_distinct": build_distinct,
    "approx_distinct": build_distinct,
    "countif": build_if("count"),
    "count_if": build_if("count"),
    "sum": "sum",
    "avg": "avg",
    "min": "min",
    "max": "max",
    "median": "median",
    "stddev": "stdev",
    "percentile": build_percentile,
    "percentile_cont": build_share,
    "percentile_disc": build_share,
    "approx_percentile": build_share,
}


def read_rounding(node: Node) -> tuple[Name, Quantity] | None:
    """Return a time and the span that it is rounded to: `date_trunc('minute', ts)`, `time_bucket('5 minutes', ts)`."""
    match node:
        case Invocation(
            name="date_trunc", arguments=(Constant(value=str() as unit), Name() as time)
        ):
            return make_rounding(time, 1, unit)
        case Invocation(name="time_bucket" | "date_bin", arguments=(width, Name() as time, *_)):
            return read_width(width, time)
        case Invocation(name="tostartofinterval", arguments=(Name() as time, width, *_)):
            return read_width(width, time)
        case Invocation(name=name, arguments=(Name() as time,)):
            found = ROUNDING.fullmatch(name)
            return found and make_rounding(time, NUMBERS[found["number"]], found["unit"])
        case _:
            return None


def read_width(width: Node, time: Name) -> tuple[Name, Quantity] | None:
    span = fold_span(width)
    if span is not None and span.length_ns:
        return time, to_quantity(span, "w")
    text = width.value if isinstance(width, Constant) else None
    found = SPAN.fullmatch(text.lower()) if isinstance(text, str) else None
    return found and make_rounding(time, decode_number(found["number"]) or 0, found["unit"])


def make_rounding(time: Name, number: int | float, unit: str) -> tuple[Name, Quantity] | None:
    span = make_span(number, unit, time.start, time.end)
    return None if span is None or not span.length_ns else (time, to_quantity(span, "w"))
