"""Functions and aggregates of ES|QL, and their counterparts here."""

from collections.abc import Mapping

from logboom.lang.ast import Aggregate, Binary, Call, Expression, Field, Literal
from logboom.lang.dialects.datetimes import SECONDS, subtract, write_format
from logboom.lang.dialects.grouping import (
    AggregateBuilder,
    Grouping,
    build_count,
    build_distinct,
    build_if,
    build_percentile,
    make_aggregate,
    read_bucket,
)
from logboom.lang.dialects.lowering import (
    TIME,
    Builder,
    Language,
    Lowering,
    as_time,
    round_down,
    take_arguments,
)
from logboom.lang.dialects.times import fold_span
from logboom.lang.dialects.tree import Constant, Invocation, Name
from logboom.lang.functions import FUNCTIONS as OURS

PARTS = {
    "year": "year", "month_of_year": "month", "day_of_month": "day", "hour_of_day": "hour",
    "minute_of_hour": "minute", "second_of_minute": "second", "day_of_week": "weekday",
}  # fmt: skip
TRUNCATED = {1: "@mon", 3: "@q", 12: "@y"}


def build_same(lowering: Lowering, node: Invocation) -> Expression:
    """Return the argument of a conversion, which has no effect here."""
    return lowering.express(take_arguments(lowering, node, 1, 1)[0])


def build_left(lowering: Lowering, node: Invocation) -> Expression:
    text, length = map(lowering.express, take_arguments(lowering, node, 2, 2))
    return Call("substr", (text, Literal(1), length))


def build_right(lowering: Lowering, node: Invocation) -> Expression:
    text, length = take_arguments(lowering, node, 2, 2)
    if not isinstance(length, Constant) or not isinstance(length.value, int) or length.value < 1:
        raise lowering.refuse("expected a number as the length", node)
    return Call("substr", (lowering.express(text), Literal(-length.value)))


def build_replace(lowering: Lowering, node: Invocation) -> Expression:
    text, pattern, by = take_arguments(lowering, node, 3, 3)
    expression = Literal(lowering.check_regex(lowering.read_text(pattern), pattern))
    return Call("replace", (lowering.express(text), expression, lowering.express(by)))


def build_log(lowering: Lowering, node: Invocation) -> Expression:
    """Return a logarithm: the base comes first; without one it is the natural logarithm."""
    arguments = tuple(map(lowering.express, take_arguments(lowering, node, 1, 2)))
    return Call("ln", arguments) if len(arguments) == 1 else Call("log", arguments[::-1])


def build_date_trunc(lowering: Lowering, node: Invocation) -> Expression:
    """`DATE_TRUNC(1 hour, t)`; `BUCKET(t, 1 hour)` has its arguments the other way round."""
    first, second = take_arguments(lowering, node, 2, 2)
    width, value = (first, second) if node.name == "date_trunc" else (second, first)
    span = fold_span(width)
    if span is not None and span.months in TRUNCATED:
        return Call("relative_time", (lowering.express(value), Literal(TRUNCATED[span.months])))
    if span is not None and not span.months:
        return round_down(lowering.express(value), span)
    size = read_bucket(lowering, width)
    return Call("bucket", (lowering.express(value), Literal(size.number)))


def build_date_extract(lowering: Lowering, node: Invocation) -> Expression:
    part, value = take_arguments(lowering, node, 2, 2)
    function = PARTS.get(lowering.read_text(part).lower())
    if function is None:
        raise lowering.refuse("this part of a date is not supported", part)
    return Call(function, (lowering.express(value),))


def build_date_format(lowering: Lowering, node: Invocation) -> Expression:
    *written, value = take_arguments(lowering, node, 1, 2)
    text = write_format(lowering.read_text(written[0])) if written else "%Y-%m-%dT%H:%M:%SZ"
    if text is None:
        raise lowering.refuse("this date format is not supported", written[0])
    return Call("strftime", (lowering.express(value), Literal(text)))


def build_date_parse(lowering: Lowering, node: Invocation) -> Expression:
    *written, value = take_arguments(lowering, node, 1, 2)
    if not written:
        return Call("time", (lowering.express(value),))
    text = write_format(lowering.read_text(written[0]))
    if text is None:
        raise lowering.refuse("this date format is not supported", written[0])
    return Call("strptime", (lowering.express(value), Literal(text)))


def build_date_diff(lowering: Lowering, node: Invocation) -> Expression:
    unit, start, end = take_arguments(lowering, node, 3, 3)
    seconds = SECONDS.get(lowering.read_text(unit).lower())
    if seconds is None:
        raise lowering.refuse("this unit of date_diff is not supported", unit)
    return subtract(as_time(lowering.express(end)), as_time(lowering.express(start)), seconds)


def build_case(lowering: Lowering, node: Invocation) -> Expression:
    if len(node.arguments) < 2:
        raise lowering.refuse("case takes a condition and a value", node)
    return Call("case", tuple(map(lowering.express, node.arguments)))


def build_hash(lowering: Lowering, node: Invocation) -> Expression:
    algorithm, value = take_arguments(lowering, node, 2, 2)
    function = {"md5": "md5", "sha256": "sha256", "sha-256": "sha256"}.get(
        lowering.read_text(algorithm).lower()
    )
    if function is None:
        raise lowering.refuse("only MD5 and SHA-256 are supported", algorithm)
    return Call(function, (lowering.express(value),))


def build_mv_slice(lowering: Lowering, node: Invocation) -> Expression:
    value, first, *last = map(lowering.express, take_arguments(lowering, node, 2, 3))
    return Call("mvindex", (value, first, *(last or (first,))))


def build_extreme(end: str) -> Builder:
    """Return a builder for the value at one end of the sorted values."""

    def build(lowering: Lowering, node: Invocation) -> Expression:
        values = lowering.express(take_arguments(lowering, node, 1, 1)[0])
        return Call(end, (Call("mvsort", (values,)),))

    return build


def build_json_extract(lowering: Lowering, node: Invocation) -> Expression:
    """`JSON_EXTRACT(text, "$.a.b")`; the members of `_source` are fields."""
    text, path = take_arguments(lowering, node, 2, 2)
    written = lowering.read_text(path).removeprefix("$").removeprefix(".")
    steps = written.replace("[", ".").replace("]", "").replace("'", "").replace('"', "")
    if isinstance(text, Name) and text.text == "_source":
        if any(step.isdigit() for step in steps.split(".")):
            raise lowering.refuse("places in lists of _source are not supported", path)
        return Field(steps)
    return Call("json_get", (lowering.express(text), Literal(steps)))


def build_named(directive: str) -> Builder:
    return lambda lowering, node: Call(
        "strftime", (lowering.express(take_arguments(lowering, node, 1, 1)[0]), Literal(directive))
    )


def build_constant(value: float) -> Builder:
    return lambda _lowering, _node: Literal(value)


def build_cube_root(lowering: Lowering, node: Invocation) -> Expression:
    third = Binary("/", Literal(1), Literal(3))
    return Call("pow", (lowering.express(take_arguments(lowering, node, 1, 1)[0]), third))


FUNCTIONS: Mapping[str, str | Builder] = {
    **{
        name: name
        for name in (
            *("abs", "ceil", "coalesce", "concat", "exp", "floor", "greatest", "least", "log10"),
            *("ltrim", "md5", "now", "pow", "reverse", "round", "rtrim", "sha256", "split"),
            *("sqrt", "trim"),
        )
        if name in OURS
    },
    "case": build_case,
    "cbrt": build_cube_root,
    "to_lower": "lower",
    "to_upper": "upper",
    "length": "len",
    "substring": "substr",
    "left": build_left,
    "right": build_right,
    "replace": build_replace,
    "locate": "index_of",
    "log": build_log,
    "signum": "sign",
    "pi": build_constant(3.141592653589793),
    "e": build_constant(2.718281828459045),
    "to_string": "tostring",
    "to_str": "tostring",
    "to_integer": "toint",
    "to_int": "toint",
    "to_long": "toint",
    "to_double": "tonumber",
    "to_dbl": "tonumber",
    "to_unsigned_long": "toint",
    "to_boolean": "tobool",
    "to_bool": "tobool",
    "to_datetime": "time",
    "to_dt": "time",
    "to_date_nanos": "time",
    "to_ip": build_same,
    "to_version": build_same,
    "date_trunc": build_date_trunc,
    "bucket": build_date_trunc,
    "bin": build_date_trunc,
    "date_extract": build_date_extract,
    "date_format": build_date_format,
    "date_parse": build_date_parse,
    "date_diff": build_date_diff,
    "day_name": build_named("%A"),
    "month_name": build_named("%B"),
    "hash": build_hash,
    "mv_count": "mvcount",
    "mv_first": "first",
    "mv_last": "last",
    "mv_concat": "join",
    "mv_min": build_extreme("first"),
    "mv_max": build_extreme("last"),
    "mv_sort": "mvsort",
    "mv_dedupe": "mvdedup",
    "mv_append": "mvappend",
    "json_extract": build_json_extract,
    "mv_slice": build_mv_slice,
    "from_base64": "base64decode",
    "url_encode": "urlencode",
    "url_decode": "urldecode",
}


def build_by_time(function: str) -> AggregateBuilder:
    """`LAST(field, @timestamp)`: the value of the newest event."""

    def build(grouping: Grouping, node: Invocation) -> Aggregate:
        match node.arguments:
            case (value, Name(text=text)) if grouping.lowering.resolve(text) == TIME:
                return make_aggregate(function, grouping.argument(value))
        raise grouping.lowering.refuse(f"{node.name} takes a field and @timestamp", node)

    return build


AGGREGATES: Mapping[str, str | AggregateBuilder] = {
    "count": build_count,
    "count_distinct": build_distinct,
    "count_if": build_if("count"),
    "percentile": build_percentile,
    "avg": "avg",
    "sum": "sum",
    "min": "min",
    "max": "max",
    "median": "median",
    "values": "values",
    "first": build_by_time("earliest"),
    "last": build_by_time("latest"),
}
LANGUAGE = Language("ES|QL", FUNCTIONS, frozenset({"@timestamp"}), drops_missing=True)
