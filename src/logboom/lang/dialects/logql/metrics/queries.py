"""Metric queries: aggregates over time and over labels, and computations on them."""

from functools import partial
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from logboom.lang.ast import (
    MESSAGE,
    Between,
    Call,
    Expression,
    Field,
    Filter,
    Literal,
    Quantity,
    Query,
)
from logboom.lang.dialects.logql.matchers import all_of
from logboom.lang.dialects.logql.metrics import arithmetic
from logboom.lang.dialects.logql.metrics.arithmetic import Operand, read_labels
from logboom.lang.dialects.logql.metrics.charts import draw
from logboom.lang.dialects.logql.metrics.series import (
    AUTO,
    WHOLE,
    Compute,
    Leaf,
    Rank,
    Regroup,
    Series,
    Span,
    Test,
    name_leaf,
)
from logboom.lang.dialects.logql.pipeline import Pipeline
from logboom.lang.dialects.logql.quantities import read_duration, read_number, spell_duration
from logboom.lang.dialects.logql.selectors import read_selector
from logboom.lang.dialects.logql.stages import read_stages
from logboom.lang.dialects.logql.tokens import Token, TokenReader, show
from logboom.lang.errors import InvalidQuery

BYTES = Call("len_bytes", (Field(MESSAGE),))
Ranged: TypeAlias = tuple[Query, Expression | None, Span | None]
RANGE_VARIABLES = ("$__range", "${__range}", "$__range_s", "$__range_ms")


class RangeFunction(NamedTuple):
    """Our aggregate for a range function, without `unwrap` and with it; None if there is none."""

    plain: str | None
    unwrapped: str | None
    argument: Expression | None = None


RANGE_FUNCTIONS: dict[str, RangeFunction] = {
    "count_over_time": RangeFunction("count", "count"),
    "rate": RangeFunction("rate", "rate_sum"),
    "bytes_over_time": RangeFunction("sum", None, BYTES),
    "bytes_rate": RangeFunction("rate_sum", None, BYTES),
    "absent_over_time": RangeFunction("count", "count"),
    "sum_over_time": RangeFunction(None, "sum"),
    "avg_over_time": RangeFunction(None, "avg"),
    "min_over_time": RangeFunction(None, "min"),
    "max_over_time": RangeFunction(None, "max"),
    "first_over_time": RangeFunction(None, "earliest"),
    "last_over_time": RangeFunction(None, "latest"),
    "stddev_over_time": RangeFunction(None, "stdevp"),
    "stdvar_over_time": RangeFunction(None, "varp"),
    "quantile_over_time": RangeFunction(None, "percentile"),
}
VECTOR_FUNCTIONS: dict[str, str] = {
    "sum": "sum", "avg": "avg", "min": "min", "max": "max", "count": "count",
    "stddev": "stdevp", "stdvar": "varp",
}  # fmt: skip
RANKS: dict[str, bool] = {
    "topk": True,
    "approx_topk": True,
    "bottomk": False,
    "sort": False,
    "sort_desc": True,
}
"""Functions that order by value, and whether the largest come first."""
MERGED: dict[str, tuple[str, ...]] = {
    "sum": arithmetic.ADDITIVE,
    "avg": ("avg",),
    "min": ("min",),
    "max": ("max",),
}
"""Aggregates of streams that equal a single aggregate of all their events."""
MAX_RANKED = 1_000_000
ABSENT = (Test("==", 0), Compute(Literal(1)))
"""The spans without events, each with the value 1."""
ABOVE_ZERO = Test(">", 0)


def read_metric(reader: TokenReader) -> Series:
    found = arithmetic.read_operation(reader, read_operand)
    if not isinstance(found, Series):
        raise reader.refuse(
            "a number is not a query, expected a function of logs", reader.tokens[0], reader.last
        )
    return found


def read_operand(reader: TokenReader) -> Operand:
    """Read a number, a function, or an operation in parentheses."""
    if reader.sees_kind("number") or reader.sees("-", "+"):
        return read_number(reader)
    if reader.take_sign("("):
        with reader.nested():
            inside = arithmetic.read_operation(reader, read_operand)
        reader.expect(")")
        return inside
    token = reader.expect_kind("name", "a function")
    if token.text in RANGE_FUNCTIONS:
        return read_range_function(reader, token)
    if token.text in VECTOR_FUNCTIONS or token.text in RANKS:
        return read_vector_function(reader, token)
    if token.text == "vector" and reader.take_sign("("):
        number = read_number(reader)
        reader.expect(")")
        return number
    raise refuse_function(reader, token)


def refuse_function(reader: TokenReader, token: Token) -> InvalidQuery:
    if not reader.sees("("):
        return refuse_inner(reader, token)
    return reader.refuse(f"the function {show(token.text)} cannot be translated", token)


def refuse_inner(reader: TokenReader, token: Token) -> InvalidQuery:
    """Refuse what stands where logs are expected: a PromQL metric, or another function."""
    kind = "a function" if reader.sees("(") else "a metric of PromQL"
    message = f'{show(token.text)} is {kind}, expected logs such as {{app="web"}}'
    return reader.refuse(message, token)


def read_range_function(reader: TokenReader, token: Token) -> Series:
    """`count_over_time({…} [5m])`, with a parameter before and labels after it if applicable."""
    reader.expect("(")
    percent: int | float | None = None
    if token.text == "quantile_over_time":
        percent = read_percent(reader)
        reader.expect(",")
    query, value, span = read_range(reader)
    reader.expect(")")
    leaf = make_leaf(reader, token, query, value, percent)
    labels = read_grouping(reader)
    series = Series((leaf,), name_leaf(0), span, labels)
    reader.translated = partial(draw, series)
    return replace(series, steps=ABSENT) if token.text == "absent_over_time" else series


def read_percent(reader: TokenReader) -> int | float:
    """Read a quantile and return it in percent."""
    first = reader.next
    percent = round(read_number(reader) * 100, 9)
    if not 0 <= percent <= 100:
        raise reader.refuse("expected a quantile between 0 and 1", first, reader.last)
    return int(percent) if percent == int(percent) else percent


def make_leaf(
    reader: TokenReader,
    token: Token,
    query: Query,
    value: Expression | None,
    percent: int | float | None,
) -> Leaf:
    function = RANGE_FUNCTIONS[token.text]
    if value is None:
        if function.plain is None:
            raise reader.refuse(f"{token.text} needs a value, expected | unwrap and a label", token)
        return Leaf(query, function.plain, function.argument)
    if function.unwrapped is None:
        raise reader.refuse(f"{token.text} takes whole lines, expected no unwrap", token)
    return Leaf(query, function.unwrapped, value, percent)


def read_range(reader: TokenReader) -> tuple[Query, Expression | None, Span]:
    """Read a log query with a range after it, or after its selector; then perhaps an offset."""
    query, value, span = read_ranged(reader)
    if span is None:
        raise reader.unexpected(["a range such as [5m]"])
    return query, value, span


def read_ranged(reader: TokenReader) -> Ranged:
    """Read a query and its range; parentheses may surround both, or the query alone."""
    if not reader.sees("("):
        return read_pipeline(reader)
    reader.take()
    with reader.nested():
        query, value, span = read_ranged(reader)
    reader.expect(")")
    if span is None and reader.sees("["):
        span, times = read_times(reader)
        query = Query(all_of([*times, query.filter]), query.pipes)
    return query, value, span


def read_pipeline(reader: TokenReader) -> Ranged:
    if reader.sees_kind("name"):
        raise refuse_inner(reader, reader.take())
    pipeline = Pipeline()
    read_selector(reader, pipeline)
    span, times = read_times(reader)
    read_stages(reader, pipeline)
    if span is None:
        span, times = read_times(reader)
    for label in reader.grouped:
        pipeline.name(label)
    pipeline.terms[:0] = times
    return pipeline.finish(), pipeline.value, span


def read_times(reader: TokenReader) -> tuple[Span | None, list[Filter]]:
    """`[5m] offset 1h`, if present: the span, and with an offset the single range that ended that long ago."""
    if not reader.sees("["):
        return None, []
    span = read_span(reader)
    token = reader.next
    if not reader.take_sign("offset"):
        return span, []
    offset = read_duration(reader.expect_kind("duration", "a duration such as 1h").text)
    if not isinstance(span, Quantity):
        raise reader.refuse("offset needs a range of fixed length such as [5m]", token, reader.last)
    start, end = (spell_duration(round(ns)) for ns in (offset.scaled + span.scaled, offset.scaled))
    return span, [Between(f"now-{start.number}{start.unit}", f"now-{end.number}{end.unit}")]


def read_span(reader: TokenReader) -> Span:
    """`[5m]`; a dashboard variable is a span that suits the chart, or the whole range."""
    reader.expect("[")
    token = reader.take()
    if token.kind == "variable":
        span: Span = WHOLE if token.text in RANGE_VARIABLES else AUTO
    elif token.kind == "duration":
        span = read_duration(token.text)
        if span.number <= 0:
            raise reader.refuse("a range must be longer than 0, expected one such as [5m]", token)
    else:
        reader.place -= 1
        raise reader.unexpected(["a duration such as 5m"])
    reader.expect("]")
    return span


def read_grouping(reader: TokenReader) -> tuple[str, ...] | None:
    """Read the labels of `by (…)`, if present."""
    if reader.sees("without"):
        raise refuse_without(reader, reader.next)
    return read_labels(reader) if reader.take_sign("by") else None


def refuse_without(reader: TokenReader, token: Token) -> InvalidQuery:
    message = "without cannot be translated, name the labels to keep with by (…)"
    return reader.refuse(message, token)


def read_vector_function(reader: TokenReader, token: Token) -> Series:
    """`sum by (a) (…)`, `sum(…) by (a)`, `topk(5, …)`."""
    without = reader.last if reader.take_sign("without") else None
    labels = read_labels(reader) if without else read_grouping(reader)
    reader.expect("(")
    limit: int | None = None
    if token.text.endswith("topk") or token.text == "bottomk":
        limit = int(read_number(reader))
        reader.expect(",")
    with reader.nested():
        inner = arithmetic.read_operation(reader, read_operand)
    reader.expect(")")
    if without is not None:
        raise refuse_without(reader, without)
    if labels is None:
        labels = read_grouping(reader)
    if not isinstance(inner, Series):
        message = f"{token.text} of a number, expected a function of logs"
        raise reader.refuse(message, token, reader.last)
    if token.text in RANKS:
        return rank(reader, token, inner, limit, labels or ())
    grouped = group(reader, token, inner, labels or ())
    reader.translated = partial(draw, grouped)
    return grouped


def rank(
    reader: TokenReader, token: Token, inner: Series, limit: int | None, labels: tuple[str, ...]
) -> Series:
    if inner.labels is None:
        message = f"{token.text} orders series, expected labels such as sum by (host) (…) inside"
        raise reader.refuse(message, token)
    if limit is not None and not 1 <= limit <= MAX_RANKED:
        raise reader.refuse(f"{token.text} of {limit} series, expected 1 to {MAX_RANKED}", token)
    return inner.then(Rank(RANKS[token.text], limit, labels))


def group(reader: TokenReader, token: Token, inner: Series, labels: tuple[str, ...]) -> Series:
    """Group a series by labels: streams become one aggregate of all events, groups an aggregate of their values."""
    function = VECTOR_FUNCTIONS[token.text]
    merges = all(leaf.function in MERGED.get(function, ()) for leaf in inner.leaves)
    if inner.labels is None and inner.steps == ABSENT:
        return replace(inner, labels=())
    if inner.labels is None and merges and function == "sum" and inner.steps == (ABOVE_ZERO,):
        # Streams without events add nothing to a sum.
        return group(reader, token, replace(inner, steps=()), labels).then(ABOVE_ZERO)
    if inner.labels is None:
        if not (merges and inner.is_plain):
            message = (
                f"{token.text} of the values of streams, which are not kept here: "
                "say what they are with sum by (…) or by (…) inside"
            )
            raise reader.refuse(message, token)
        return Series(inner.leaves, inner.value, inner.span, labels)
    if set(labels) == set(inner.labels) and function != "count" and not function.endswith("p"):
        return inner
    if merges and inner.is_plain and set(labels) <= set(inner.labels):
        return Series(inner.leaves, inner.value, inner.span, labels)
    return inner.then(Regroup(function, labels))
