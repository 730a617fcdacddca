"""Functions and aggregates of Kusto, and their counterparts here."""

from collections.abc import Mapping

from logboom.lang.ast import Aggregate, Binary, Call, Expression, Literal
from logboom.lang.dialects.datetimes import SECONDS, write_format
from logboom.lang.dialects.grouping import (
    AggregateBuilder,
    Grouping,
    build_count,
    build_distinct,
    build_if,
    build_percentile,
    make_aggregate,
)
from logboom.lang.dialects.kusto.parts import PARTS, build_part
from logboom.lang.dialects.kusto.tokens import JSON_FUNCTIONS
from logboom.lang.dialects.lowering import (
    Builder,
    Language,
    Lowering,
    as_time,
    get_member,
    round_down,
    take_arguments,
)
from logboom.lang.dialects.textual import escape
from logboom.lang.dialects.times import fold_span
from logboom.lang.dialects.tree import Constant, Invocation, Name, Node


def build_same(lowering: Lowering, node: Invocation) -> Expression:
    return lowering.express(take_arguments(lowering, node, 1, 1)[0])


def build_path(lowering: Lowering, node: Invocation) -> Expression:
    """`parse_json(x).a.b`."""
    base, path = node.arguments
    if isinstance(base, Invocation) and base.name in PARTS:
        return build_part(lowering, base, path)
    if isinstance(base, Invocation) and base.name in JSON_FUNCTIONS:
        field = find_source(lowering, base)
        if field is not None:
            return get_member(field, lowering.read_text(path))
        inner = take_arguments(lowering, base, 1, 1)[0]
        return Call("json_get", (lowering.express(inner), lowering.express(path)))
    raise lowering.refuse(
        "members of a computed value are not supported, only those of fields and parse_json(…)",
        node,
    )


def find_source(lowering: Lowering, node: Invocation) -> str | None:
    """Return the field in `parse_json(field)` or `parse_json(tostring(field))`."""
    inner = take_arguments(lowering, node, 1, 1)[0]
    if isinstance(inner, Invocation) and inner.name == "tostring" and len(inner.arguments) == 1:
        inner = inner.arguments[0]
    if not isinstance(inner, Name) or lowering.find_json(inner.text):
        return None
    return lowering.resolve(inner.text)


def build_element(lowering: Lowering, node: Invocation) -> Expression:
    value, place = map(lowering.express, node.arguments)
    return Call("mvindex", (value, place))


def build_extract_json(lowering: Lowering, node: Invocation) -> Expression:
    path, value = take_arguments(lowering, node, 2, 3)[:2]
    written = lowering.read_text(path).removeprefix("$").removeprefix(".")
    plain = written.replace("[", ".").replace("]", "").replace("'", "").replace('"', "")
    return Call("json_get", (lowering.express(value), Literal(plain)))


def build_substring(lowering: Lowering, node: Invocation) -> Expression:
    """Return a part of a text; positions count from 0 in Kusto and from 1 here."""
    text, start, *length = map(lowering.express, take_arguments(lowering, node, 2, 3))
    if isinstance(start, Literal) and isinstance(start.value, int):
        if start.value < 0:
            return Call("substr", (text, start, *length))
        return Call("substr", (text, Literal(start.value + 1), *length))
    return Call("substr", (text, Binary("+", start, Literal(1)), *length))


def build_indexof(lowering: Lowering, node: Invocation) -> Expression:
    text, searched = map(lowering.express, take_arguments(lowering, node, 2, 2))
    return Binary("-", Call("index_of", (text, searched)), Literal(1))


def build_split(lowering: Lowering, node: Invocation) -> Expression:
    text, separator, *place = map(lowering.express, take_arguments(lowering, node, 2, 3))
    pieces = Call("split", (text, separator))
    return Call("mvindex", (pieces, *place)) if place else pieces


def build_slice(lowering: Lowering, node: Invocation) -> Expression:
    return Call("mvindex", tuple(map(lowering.express, take_arguments(lowering, node, 3, 3))))


def build_count_of(lowering: Lowering, node: Invocation) -> Expression:
    """Return how often a text occurs, as the number of pieces between; overlaps would be lost."""
    text, searched = take_arguments(lowering, node, 2, 2)
    separator = lowering.read_text(searched)
    if any(separator.startswith(separator[start:]) for start in range(1, len(separator))):
        raise lowering.refuse("countof a text that may overlap itself is not supported", searched)
    pieces = Call("split", (Call("tostring", (lowering.express(text),)), Literal(separator)))
    return Binary("-", Call("mvcount", (pieces,)), Literal(1))


def refuse_arrival(lowering: Lowering, node: Invocation) -> Expression:
    raise lowering.refuse("the time of arrival is not kept, use TimeGenerated", node)


def refuse_ago(lowering: Lowering, node: Invocation) -> Expression:
    raise lowering.refuse("ago takes a length of time such as 1h", node)


def build_extract(lowering: Lowering, node: Invocation) -> Expression:
    """`extract(regex, group, text)`; a type may follow."""
    pattern, group, text = take_arguments(lowering, node, 3, 4)[:3]
    expression = Literal(lowering.check_regex(lowering.read_text(pattern), pattern))
    return Call("capture", (lowering.express(text), expression, lowering.express(group)))


def build_replace_regex(lowering: Lowering, node: Invocation) -> Expression:
    """`replace` itself has the text last."""
    arguments = take_arguments(lowering, node, 3, 3)
    text, pattern, by = (
        arguments if node.name == "replace_regex" else (arguments[2], *arguments[:2])
    )
    expression = Literal(lowering.check_regex(lowering.read_text(pattern), pattern))
    return Call("replace", (lowering.express(text), expression, lowering.express(by)))


def build_replace_string(lowering: Lowering, node: Invocation) -> Expression:
    text, old, new = take_arguments(lowering, node, 3, 3)
    by = lowering.express(new)
    if (
        isinstance(by, Literal)
        and isinstance(by.value, str)
        and ("$" in by.value or "\\" in by.value)
    ):
        raise lowering.refuse("a replacement with $ or \\ is not supported", new)
    return Call("replace", (lowering.express(text), Literal(escape(lowering.read_text(old))), by))


def build_trim(signs: str) -> Builder:
    """`trim(regex, text)` removes what the expression matches at the ends."""

    def build(lowering: Lowering, node: Invocation) -> Expression:
        pattern, text = take_arguments(lowering, node, 2, 2)
        body = f"(?:{lowering.read_text(pattern)})+"
        ends = [f"^{body}"] * ("^" in signs) + [f"{body}$"] * ("$" in signs)
        expression = Literal(lowering.check_regex("|".join(ends), pattern))
        return Call("replace", (lowering.express(text), expression, Literal("")))

    return build


def build_joined(lowering: Lowering, node: Invocation) -> Expression:
    """`strcat_delim(",", a, b)`."""
    separator, *values = map(lowering.express, take_arguments(lowering, node, 2, 50))
    joined = [values[0]]
    for value in values[1:]:
        joined += [separator, value]
    return Call("concat", tuple(joined))


def build_bin(lowering: Lowering, node: Invocation) -> Expression:
    """Return the value rounded down to a multiple, by default to a whole number."""
    value, *widths = take_arguments(lowering, node, 1, 2)
    if not widths:
        return Call("floor", (lowering.express(value),))
    span = fold_span(widths[0])
    if span is None or span.months:
        return Call("bucket", (lowering.express(value), lowering.express(widths[0])))
    return round_down(lowering.express(value), span)


def build_snapped(step: str) -> Builder:
    return lambda lowering, node: Call(
        "relative_time", (lowering.express(take_arguments(lowering, node, 1, 1)[0]), Literal(step))
    )


def build_datetime_diff(lowering: Lowering, node: Invocation) -> Expression:
    """Return how many boundaries of the unit are between the two times."""
    unit, later, earlier = take_arguments(lowering, node, 3, 3)
    seconds = SECONDS.get(lowering.read_text(unit).lower())
    if seconds is None or seconds == SECONDS["week"]:
        raise lowering.refuse("this unit of datetime_diff is not supported", unit)
    if seconds < 1:
        ends = [as_time(lowering.express(each)) for each in (later, earlier)]
        difference = Binary("-", *ends)
        return Call("toint", (Binary("*", difference, Literal(round(1 / seconds))),))
    size = Literal(seconds)
    rounded = [Call("bucket", (as_time(lowering.express(each)), size)) for each in (later, earlier)]
    return Call("toint", (Binary("/", Binary("-", *rounded), size),))


def build_datetime_add(lowering: Lowering, node: Invocation) -> Expression:
    unit, amount, value = take_arguments(lowering, node, 3, 3)
    seconds = SECONDS.get(lowering.read_text(unit).lower())
    if seconds is None:
        raise lowering.refuse("this unit of datetime_add is not supported", unit)
    moved = Binary("*", lowering.express(amount), Literal(seconds))
    return Binary("+", as_time(lowering.express(value)), moved)


def build_format(lowering: Lowering, node: Invocation) -> Expression:
    value, pattern = take_arguments(lowering, node, 2, 2)
    text = write_format(lowering.read_text(pattern))
    if text is None:
        raise lowering.refuse("this date format is not supported", pattern)
    return Call("strftime", (lowering.express(value), Literal(text)))


def build_weekday(lowering: Lowering, node: Invocation) -> Expression:
    """Return the day of the week as Kusto does, as a duration: zero days on Sunday, one on Monday."""
    weekday = Call("weekday", (lowering.express(take_arguments(lowering, node, 1, 1)[0]),))
    return Binary("*", Binary("%", weekday, Literal(7)), Literal(86_400))


def build_log2(lowering: Lowering, node: Invocation) -> Expression:
    return Call("log", (lowering.express(take_arguments(lowering, node, 1, 1)[0]), Literal(2)))


def build_column_if_exists(lowering: Lowering, node: Invocation) -> Expression:
    name, default = take_arguments(lowering, node, 2, 2)
    field = Name(lowering.read_text(name), name.start, name.end)
    return Call("coalesce", (lowering.express(field), lowering.express(default)))


def build_datetime_part(lowering: Lowering, node: Invocation) -> Expression:
    part, value = take_arguments(lowering, node, 2, 2)
    name = lowering.read_text(part).lower()
    if name not in ("year", "month", "day", "hour", "minute", "second"):
        raise lowering.refuse("this part of a date is not supported", part)
    return Call(name, (lowering.express(value),))


FUNCTIONS: Mapping[str, str | Builder] = {
    **{
        name: name
        for name in (
            *("abs", "case", "coalesce", "exp", "log10", "now", "pow", "reverse", "round"),
            *("sign", "sqrt", "tobool", "tostring"),
        )
    },
    "iff": "if",
    "iif": "if",
    "ceiling": "ceil",
    "log": "ln",
    "log2": build_log2,
    "min_of": "least",
    "max_of": "greatest",
    "toboolean": "tobool",
    "toint": "toint",
    "tolong": "toint",
    "todouble": "tonumber",
    "toreal": "tonumber",
    "todecimal": "tonumber",
    "todatetime": "time",
    "unixtime_seconds_todatetime": "time",
    "unixtime_milliseconds_todatetime": "time",
    "toguid": build_same,
    "gettype": "typeof",
    "tolower": "lower",
    "toupper": "upper",
    "strlen": "len",
    "strcat": "concat",
    "strcat_delim": build_joined,
    "strcat_array": "join",
    "substring": build_substring,
    "indexof": build_indexof,
    "split": build_split,
    "extract": build_extract,
    "replace_regex": build_replace_regex,
    "replace": build_replace_regex,
    "replace_string": build_replace_string,
    "trim": build_trim("^$"),
    "trim_start": build_trim("^"),
    "trim_end": build_trim("$"),
    "array_length": "mvcount",
    "array_slice": build_slice,
    "set_has_element": "in",
    "countof": build_count_of,
    "ingestion_time": refuse_arrival,
    "ago": refuse_ago,
    ".path": build_path,
    **dict.fromkeys(JSON_FUNCTIONS, build_same),
    ".element": build_element,
    "extractjson": build_extract_json,
    "extract_json": build_extract_json,
    "bin": build_bin,
    "floor": build_bin,
    "startofday": build_snapped("@d"),
    "startofweek": build_snapped("@w"),
    "startofmonth": build_snapped("@mon"),
    "startofyear": build_snapped("@y"),
    "datetime_diff": build_datetime_diff,
    "datetime_add": build_datetime_add,
    "datetime_part": build_datetime_part,
    "format_datetime": build_format,
    "hourofday": "hour",
    "dayofmonth": "day",
    "dayofweek": build_weekday,
    "getmonth": "month",
    "monthofyear": "month",
    "getyear": "year",
    "hash_sha256": "sha256",
    "hash_md5": "md5",
    "base64_decode_tostring": "base64decode",
    "url_encode": "urlencode",
    "url_decode": "urldecode",
    "ipv4_is_private": "is_private",
    "column_ifexists": build_column_if_exists,
}


def build_plain(function: str) -> AggregateBuilder:
    """Return a builder for `function(field)`; the number of values to keep may follow the field."""

    def build(grouping: Grouping, node: Invocation) -> Aggregate:
        if not 1 <= len(node.arguments) <= 2:
            raise grouping.lowering.refuse(f"{node.name} takes a field", node)
        return make_aggregate(function, grouping.argument(node.arguments[0]))

    return build


AGGREGATES: Mapping[str, str | AggregateBuilder] = {
    "count": build_count,
    "countif": build_if("count"),
    "dcount": build_distinct,
    "count_distinct": build_distinct,
    "dcountif": build_if("count_uniq"),
    "sum": "sum",
    "sumif": build_if("sum"),
    "avg": "avg",
    "avgif": build_if("avg"),
    "min": "min",
    "minif": build_if("min"),
    "max": "max",
    "maxif": build_if("max"),
    "percentile": build_percentile,
    "stdev": "stdev",
    "variance": "var",
    "make_list": build_plain("list"),
    "makelist": build_plain("list"),
    "make_set": build_plain("values"),
    "makeset": build_plain("values"),
    "make_list_if": build_if("list"),
    "make_set_if": build_if("values"),
    "take_any": "first",
    "any": "first",
}
NAMED = {"make_list": "list", "makelist": "list", "make_set": "set", "makeset": "set"}
NAMED |= {"make_list_if": "list", "make_set_if": "set"}


FIRST_NAMED = frozenset(
    (
        *("take_any", "any", "bin", "floor", "startofday", "startofweek", "startofmonth"),
        *(
            "startofyear",
            "tostring",
            "toint",
            "tolong",
            "todouble",
            "toreal",
            "todatetime",
            "tobool",
        ),
    )
)
"""Functions whose result is named after their first argument."""


def name_result(node: Node) -> str:
    """Return the name that Kusto gives a column: `count_`, `sum_x`, `percentile_x_95`."""
    match node:
        case Name(text=text):
            return text.replace(".", "_")
        case Invocation(name=name, arguments=(Name() as field, *_)) if name in FIRST_NAMED:
            return name_result(field)
        case Invocation(name="percentile", arguments=(Name() as field, Constant(value=percent))):
            return f"percentile_{name_result(field)}_{percent}"
        case Invocation(name=name, arguments=(Name() as field, *_)) if name in AGGREGATES:
            return f"{NAMED.get(name, name)}_{'' if name == 'countif' else name_result(field)}"
        case Invocation(name=name) if name in AGGREGATES:
            return f"{NAMED.get(name, name)}_"
    return "Column1"


TIMES = frozenset({"TimeGenerated", "Timestamp", "timestamp"})
LANGUAGE = Language("Kusto", FUNCTIONS, TIMES, drops_missing=False)
