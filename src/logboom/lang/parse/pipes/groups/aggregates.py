"""Aggregates and the keys they are grouped by: `avg(latency) if (status:5*) as slow by host, _time:5m`."""

import re
from collections.abc import Callable
from functools import partial, reduce

from msgspec.structs import replace

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    MESSAGE,
    Aggregate,
    And,
    Binary,
    Call,
    Exists,
    Expression,
    Field,
    Filter,
    Key,
    Literal,
    Or,
    Quantity,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.expression_tokens import quote_field
from logboom.lang.format.aggregates import name_aggregate
from logboom.lang.format.expressions import format_binary
from logboom.lang.functions import (
    AGGREGATE_ALIASES,
    AGGREGATES,
    PERCENTILES,
    SHORT_PERCENTILE,
    Signature,
    find_aggregate,
)
from logboom.lang.parse.conditions import parse_condition
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.expressions import check_arity, parse_expression
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.nearest import unknown_name
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import (
    NEVER,
    ends_pipe,
    goes_on,
    parentheses,
    parse_bare_names,
    parse_name,
    take_comma,
)
from logboom.lang.parse.quantities import parse_duration, parse_quantity
from logboom.lang.tokens import NAME, PIPE_KEYWORD

TESTS = frozenset({"==", "!=", "<", "<=", ">", ">=", "=~", "!~", "AND", "OR"})
MAX_PREFIX_BITS = 128
TIME_FIELDS = ("_time", "@timestamp")
UNNAMED = "?"
AGGREGATE_AHEAD = compile_later(rf"(?P<name>{NAME.pattern})(?:(?P<call>\s*+\()|(?=[\s,|)]|\Z))")


def parse_aggregates(cursor: Cursor) -> tuple[Aggregate, ...]:
    """Parse aggregates up to `by`, an option or the end of the pipe; commas between them may be omitted."""
    aggregates = [parse_aggregate(cursor)]
    while goes_on(cursor, tokens.STATS_OPTION) and not cursor.sees(tokens.GROUP_BY):
        aggregates.append(parse_aggregate(cursor))
    return tuple(aggregates)


def parse_aggregate(cursor: Cursor) -> Aggregate:
    name = take_assigned_name(cursor)
    start = cursor.position
    rewrite = take_rewritten(cursor)
    function, parameter = (AGGREGATES["count"], None) if rewrite else parse_function(cursor)
    cursor.skip_blanks()
    aggregate = Aggregate(function.name, None, parameter, None, UNNAMED)
    has_parentheses = cursor.sees_any("(")
    if rewrite:
        aggregate = rewrite(parse_fields(cursor))
    elif has_parentheses:
        aggregate = parse_arguments(cursor, aggregate)
    elif function.minimum > (parameter is not None):
        aggregate = parse_bare_argument(cursor, start, aggregate)
    check_aggregate(cursor, start, aggregate)
    if not ends_pipe(cursor):
        aggregate = parse_rest(cursor, aggregate, has_parentheses)
        name = name or take_name(cursor, has_parentheses)
    return rename(aggregate, name or name_aggregate(aggregate))


def parse_rest(cursor: Cursor, aggregate: Aggregate, has_parentheses: bool) -> Aggregate:
    """Parse what may follow the arguments, up to the name."""
    if has_parentheses:
        check_no_limit(cursor)
    if cursor.take(tokens.IF):
        with parentheses(cursor):
            aggregate = add_condition(aggregate, parse_condition(cursor))
    return aggregate


def rename(aggregate: Aggregate, name: str) -> Aggregate:
    """Do what `replace` does, in a third of the time."""
    function, argument = aggregate.function, aggregate.argument
    return Aggregate(function, argument, aggregate.parameter, aggregate.condition, name)


def add_condition(aggregate: Aggregate, condition: Filter) -> Aggregate:
    both = And((aggregate.condition, condition)) if aggregate.condition else condition
    return replace(aggregate, condition=both)


def check_no_limit(cursor: Cursor) -> None:
    """`count_uniq(a) limit 100 as n` limits the count in LogsQL; here all values count."""
    start = cursor.position
    limit = cursor.take(tokens.AGGREGATE_LIMIT)
    if limit:
        message = f"{show(limit.strip())} of a function, expected none: all values count here"
        suggestion = cursor.replace(start, cursor.position, "")
        raise cursor.error(message, start, cursor.position, ["as"], suggestion)


def take_rewritten(cursor: Cursor) -> Callable[[list[str]], Aggregate] | None:
    """Return a function of LogsQL that is another one of ours, with its own argument or condition."""
    name = cursor.take_match(tokens.REWRITTEN_CALL)
    return REWRITTEN[name["name"].lower()] if name else None


def parse_fields(cursor: Cursor) -> list[str]:
    """Parse the names in the parentheses that open here."""
    with parentheses(cursor):
        return [] if cursor.sees_any(")") else list(parse_bare_names(cursor, NEVER))


def count_empty(fields: list[str]) -> Aggregate:
    """Return the aggregate that counts rows in which all fields are empty or missing."""
    tests = tuple(Subject(field).empty() for field in fields or [MESSAGE])
    return Aggregate("count", condition=And(tests) if len(tests) > 1 else tests[0], name=UNNAMED)


def sum_lengths(fields: list[str]) -> Aggregate:
    lengths: list[Expression] = [Call("len", (Field(field),)) for field in fields or [MESSAGE]]
    return Aggregate("sum", reduce(partial(Binary, "+"), lengths), name=UNNAMED)


REWRITTEN: dict[str, Callable[[list[str]], Aggregate]] = {
    "count_empty": count_empty,
    "sum_len": sum_lengths,
}


def parse_bare_argument(cursor: Cursor, start: int, aggregate: Aggregate) -> Aggregate:
    """Parse the field in `avg latency`, without which the function would be useless."""
    is_over = ends_pipe(cursor) or cursor.sees(PIPE_KEYWORD) or cursor.sees(tokens.CALL)
    field = None if is_over or cursor.sees_any(",") else cursor.take_name()
    if not field:
        return aggregate
    written = cursor.text[start : cursor.position].split()
    cursor.read_as_meant(start, f"{written[0]}({' '.join(written[1:])})")
    cursor.skip_blanks()
    return replace(aggregate, argument=Field(field))


def sees_aggregate(cursor: Cursor) -> bool:
    """Return whether a call of an aggregate follows, or one that needs no argument."""
    match = AGGREGATE_AHEAD.match(cursor.text, cursor.position)
    if match is None:
        return False
    signature = find_aggregate(match["name"])
    if match["call"]:
        return signature is not None or SHORT_PERCENTILE.fullmatch(match["name"]) is not None
    return signature is not None and signature.minimum == 0


def take_assigned_name(cursor: Cursor) -> str | None:
    """Consume and return the name in `name = count()`, or return None if there is none."""
    if not cursor.sees(tokens.ASSIGNED):
        return None
    mark = cursor.mark()
    name = None if cursor.sees(PIPE_KEYWORD) else cursor.take_name()
    if name and cursor.take(tokens.ASSIGNMENT):
        return name
    cursor.rewind(mark)
    return None


def take_name(cursor: Cursor, has_parentheses: bool) -> str | None:
    """Return the name after `as`, or directly after: `count() hits`."""
    if cursor.take(tokens.AS):
        return parse_name(cursor, "a column name")
    if cursor.sees_any(",") or cursor.sees(PIPE_KEYWORD):
        return None
    if cursor.sees(tokens.CALL) or cursor.sees(tokens.STATS_OPTION):
        return None
    if cursor.sees(tokens.GROUP_BY):
        return None
    mark = cursor.mark()
    name = cursor.take_name()
    is_next = name is None or (not has_parentheses and find_aggregate(name) is not None)
    if is_next or cursor.sees(tokens.ASSIGNMENT):
        cursor.rewind(mark)
        return None
    if name and not has_parentheses:
        add_name_notice(cursor, mark.position, name)
    cursor.skip_blanks()
    return name


def add_name_notice(cursor: Cursor, start: int, name: str) -> None:
    """`count host` names the column; the user may have forgotten `by`."""
    message = f"{show(name)} is read as the name of the column, write by before it to group"
    cursor.notice("read_as_text", message, alt=cursor.replace(start, start, "by "))


def parse_function(cursor: Cursor) -> tuple[Signature, int | float | None]:
    """Parse the function of the following name, and the percentile if that is in the name."""
    start = cursor.position
    written = None if cursor.sees(PIPE_KEYWORD) else cursor.take(NAME)
    if written is None:
        raise cursor.unexpected(["a function such as count"])
    signature = find_aggregate(written)
    if signature is not None:
        return signature, None
    if short := SHORT_PERCENTILE.fullmatch(written.lower()):
        percent = read_percent(cursor, start, float(short["percent"]))
        return AGGREGATES[PERCENTILES[bool(short["approx"])]], percent
    raise unknown_name(cursor, start, "aggregate", AGGREGATES, AGGREGATE_ALIASES)


def parse_arguments(cursor: Cursor, aggregate: Aggregate) -> Aggregate:
    """Parse the contents of the parentheses: nothing, `*`, a field, an expression, `eval(…)`, a percentile."""
    start = cursor.position
    with parentheses(cursor):
        if cursor.sees_any(")") and aggregate.function == "first":
            return replace(aggregate, argument=Field(MESSAGE))
        if cursor.sees_any(")") or cursor.take_character("*"):
            cursor.skip_blanks()
            return aggregate
        if cursor.take(tokens.EVAL):
            aggregate = parse_evaluated(cursor, aggregate)
        else:
            arguments = [parse_expression(cursor)]
            while take_comma(cursor):
                arguments.append(parse_expression(cursor))
            aggregate = place_arguments(cursor, start, aggregate, arguments)
    return aggregate


def parse_evaluated(cursor: Cursor, aggregate: Aggregate) -> Aggregate:
    """`count(eval(…))` counts where that is true; otherwise `eval` has no effect."""
    if aggregate.function == "count":
        aggregate = replace(aggregate, condition=parse_condition(cursor))
    else:
        aggregate = replace(aggregate, argument=parse_expression(cursor))
    if not cursor.take_character(")"):
        raise cursor.unexpected([")"])
    cursor.skip_blanks()
    return aggregate


def place_arguments(
    cursor: Cursor, start: int, aggregate: Aggregate, arguments: list[Expression]
) -> Aggregate:
    if aggregate.function in PERCENTILES and aggregate.parameter is None:
        return place_percentile(cursor, start, aggregate, arguments)
    fields = [argument for argument in arguments if isinstance(argument, Field)]
    if len(arguments) > 1 and len(fields) == len(arguments) and aggregate.function in SEVERAL:
        return SEVERAL[aggregate.function](aggregate, fields)
    if len(arguments) > 1:
        message = f"{aggregate.function} got {len(arguments)} arguments, expected 1"
        raise cursor.error(message, start, cursor.position)
    argument = arguments[0]
    if (
        aggregate.function == "count"
        and isinstance(argument, Binary)
        and argument.operator in TESTS
    ):
        test = format_binary(argument)
        message = f"count({test}) counts rows where the test is true or false, write count if ({test}) for true"
        cursor.notice("read_as_text", message)
    return replace(aggregate, argument=name_field(argument))


def count_any(aggregate: Aggregate, fields: list[Field]) -> Aggregate:
    """Return the aggregate that counts rows that have any of the fields."""
    return replace(aggregate, condition=Or(tuple(Exists(field.name) for field in fields)))


def join_fields(aggregate: Aggregate, fields: list[Field]) -> Aggregate:
    """Return an aggregate of combinations of values; rows that have none of them do not count."""
    border = Literal("\0")
    parts = [part for field in fields for part in (border, field)][1:]
    borders = Literal("\0" * (len(fields) - 1))
    return replace(aggregate, argument=Call("nullif", (Call("concat", tuple(parts)), borders)))


SEVERAL: dict[str, Callable[[Aggregate, list[Field]], Aggregate]] = {
    "count": count_any,
    "count_uniq": join_fields,
    "approx_count_uniq": join_fields,
}
"""Functions of one field that take several in LogsQL."""


def place_percentile(
    cursor: Cursor, start: int, aggregate: Aggregate, arguments: list[Expression]
) -> Aggregate:
    """`percentile(field, 95)`, or `quantile(0.95, field)`: then the share comes first."""
    match arguments:
        case [argument, Literal(value=int() | float() as share)] if is_quantile(cursor, start):
            parameter = read_percent(cursor, start, round(share * 100, 9))
        case [argument, Literal(value=int() | float() as percent)]:
            parameter = read_percent(cursor, start, percent)
            add_share_notice(cursor, parameter)
        case [Literal(value=int() | float() as share), argument]:
            parameter = read_percent(cursor, start, round(share * 100, 9))
        case _:
            message = (
                f"{aggregate.function} without its percentile, expected one such as p95(latency)"
            )
            raise cursor.error(message, start, cursor.position, ["p95(field)"])
    return replace(aggregate, argument=name_field(argument), parameter=parameter)


def is_quantile(cursor: Cursor, start: int) -> bool:
    """Return whether the name before the parentheses takes a share, not a percentage."""
    return cursor.text[:start].rstrip().lower().endswith("quantile")


def add_share_notice(cursor: Cursor, percent: int | float) -> None:
    if 0 < percent < 1:
        message = f"{percent:g} is a percentage here, write {percent * 100:g} for that share"
        cursor.notice("read_as_text", message)


def read_percent(cursor: Cursor, start: int, percent: int | float) -> int | float:
    if not 0 <= percent <= 100:
        message = f"the percentile {percent:g} is out of range, expected 0 to 100"
        raise cursor.error(message, start, cursor.position)
    return int(percent) if percent == int(percent) else percent


def name_field(argument: Expression) -> Expression:
    """Return a quoted name as a field: aggregating a constant text would be useless."""
    if isinstance(argument, Literal) and isinstance(argument.value, str) and argument.value:
        return Field(argument.value)
    return argument


def check_aggregate(cursor: Cursor, start: int, aggregate: Aggregate) -> None:
    signature = AGGREGATES[aggregate.function]
    given = (aggregate.argument is not None) + (aggregate.parameter is not None)
    check_arity(cursor, start, signature, given)


def parse_keys(cursor: Cursor) -> tuple[Key, ...]:
    """Parse the keys after `by`, in parentheses or not."""
    if cursor.sees_any("("):
        with parentheses(cursor):
            return parse_bare_keys(cursor)
    return parse_bare_keys(cursor)


def parse_bare_keys(cursor: Cursor) -> tuple[Key, ...]:
    keys = [parse_key(cursor)]
    while goes_on(cursor, tokens.STATS_OPTION):
        keys.append(parse_key(cursor))
    return tuple(keys)


def parse_key(cursor: Cursor) -> Key:
    """Parse `field`, `field:5m`, `field:/24`, `field span=5m` or `bin(field, 5m)`, and the blanks after it."""
    if cursor.take(tokens.BUCKET_CALL):
        return parse_called_bucket(cursor)
    field = parse_name(cursor)
    key = Key(field)
    if cursor.take_character(":"):
        cursor.skip_blanks()
        if bits := cursor.take_match(tokens.PREFIX_BITS):
            key = Key(field, prefix_bits=read_bits(cursor, bits.start(), int(bits["bits"])))
        else:
            key = Key(field, parse_bucket(cursor, field))
    elif field in TIME_FIELDS and cursor.take(tokens.SPAN):
        key = Key(field, parse_duration(cursor))
    cursor.skip_blanks()
    if not ends_pipe(cursor):
        check_no_offset(cursor)
    return key


def check_no_offset(cursor: Cursor) -> None:
    """`_time:1d offset 2h`: here days start at midnight in the zone of the request."""
    start = cursor.position
    if cursor.take(tokens.OFFSET):
        parse_duration(cursor)
        message = "buckets of time begin in the zone of the request, expected no offset"
        suggestion = cursor.replace(start, cursor.position, "")
        raise cursor.error(message, start, cursor.position, [","], suggestion)


def parse_called_bucket(cursor: Cursor) -> Key:
    """`(field, width)`; a width alone applies to the time."""
    with parentheses(cursor):
        field = "_time" if cursor.sees(tokens.NUMBER_START) else parse_called_field(cursor)
        key = Key(field, parse_bucket(cursor, field))
        cursor.skip_blanks()
    return key


def parse_called_field(cursor: Cursor) -> str:
    field = parse_name(cursor)
    cursor.skip_blanks()
    if not take_comma(cursor):
        raise cursor.unexpected([","])
    return field


def read_bits(cursor: Cursor, start: int, bits: int) -> int:
    if bits > MAX_PREFIX_BITS:
        message = f"the prefix /{bits} is out of range, expected at most /{MAX_PREFIX_BITS}"
        raise cursor.error(message, start, cursor.position)
    return bits


def parse_bucket(cursor: Cursor, field: str) -> Quantity:
    if field in TIME_FIELDS:
        return parse_duration(cursor)
    start = cursor.position
    bucket = parse_quantity(cursor, "a bucket such as 10KB, 5m or /24")
    if bucket.number <= 0:
        written = cursor.text[start : cursor.position]
        message = f"buckets of {show(written)}, expected more than 0"
        raise cursor.error(message, start, cursor.position)
    return bucket


def repeated_column(cursor: Cursor, start: int, column: str) -> InvalidQuery:
    message = f'two columns are named {show(column)}, expected another name with "as"'
    return cursor.error(message, start, cursor.position, ["as"])


def repeated_key(cursor: Cursor, start: int, field: str) -> InvalidQuery:
    """Return the error for a key that occurs twice; it suggests naming the bucket with `eval`."""
    message = f"{show(field)} is a key twice, expected one of them to be computed before by eval"
    written = cursor.text[start : cursor.position]
    pipe = cursor.text.rfind("|", 0, start) + 1
    found = re.search(rf"(?<![\w.]){re.escape(field)}\s*+:\s*+(?P<size>[0-9][\w.]*+)", written)
    suggestion = None
    if found:
        name = re.sub(r"\W", "_", f"{field}_{found['size']}").lstrip("_")
        keyed = written[: found.start()] + name + written[found.end() :]
        computed = f" eval {name} = bucket({quote_field(field)}, {found['size']}) |"
        head = cursor.text[:pipe] + computed + cursor.text[pipe:start]
        suggestion = head + keyed + cursor.text[cursor.position :]
    return cursor.error(message, start, cursor.position, ["a field name"], suggestion)


def check_columns(
    cursor: Cursor, start: int, keys: tuple[Key, ...], aggregates: tuple[Aggregate, ...]
) -> None:
    """Raise InvalidQuery if two columns have the same name."""
    columns = [*(key.field for key in keys), *(aggregate.name for aggregate in aggregates)]
    if len(set(columns)) == len(columns):
        return
    seen: set[str] = set()
    for key in keys:
        if key.field in seen:
            raise repeated_key(cursor, start, key.field)
        seen.add(key.field)
    seen.clear()
    for column in columns:
        if column in seen:
            raise repeated_column(cursor, start, column)
        seen.add(column)
