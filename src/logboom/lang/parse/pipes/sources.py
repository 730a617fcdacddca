"""Pipes that are the source of rows, at the start of a query: `tstats`, `inputlookup`, `multisearch`, `search`."""

import re

from msgspec.structs import replace

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    Everything,
    Filter,
    InputLookup,
    Key,
    Pipe,
    Quantity,
    Query,
    Stats,
    Union,
    Where,
)
from logboom.lang.parse.cursor import Cursor, unknown_macro
from logboom.lang.parse.filters import parse_filter
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.groups.aggregates import (
    TIME_FIELDS,
    check_columns,
    parse_aggregates,
    parse_key,
)
from logboom.lang.parse.pipes.groups.stats import take_by
from logboom.lang.parse.pipes.options import leave_out_options, take_flag, take_options
from logboom.lang.parse.pipes.parts import (
    ends_pipe,
    goes_on,
    parse_name,
    parse_subquery,
    up_to,
)
from logboom.lang.parse.quantities import parse_duration
from logboom.lang.parse.splunk import leave_out_models
from logboom.lang.tokens import MACRO, QUOTED

TSTATS_IGNORED = ("summariesonly", "allow_old_summaries", "chunk_size", "fillnull_value", "local")
WHERE = tokens.keyword("where")
MODEL = compile_later(r"from\s++datamodel\b", re.IGNORECASE)
WHERE_AHEAD = compile_later(
    r"(?<=[\s)])(?:where|from|by|groupby|group\s++by)\s|(?<=\s)span\s*+=", re.IGNORECASE
)
BY_AHEAD = compile_later(r"(?<=[\s)])(?:by|groupby|group\s++by)\s|(?<=\s)span\s*+=", re.IGNORECASE)


def parse_tstats(cursor: Cursor) -> tuple[Pipe, ...]:
    """`tstats agg, … [where filter] [by key, … [span=1h]]`, as stats over the events themselves."""
    start = cursor.position
    options = take_options(cursor, (*TSTATS_IGNORED, "prestats", "append"))
    for name in ("prestats", "append"):
        if take_flag(cursor, options, name, default=False):
            message = f"{name}= is not supported, expected one tstats, or union of two queries"
            raise cursor.error(message, start, cursor.position)
    leave_out_options(cursor, options)
    check_no_model(cursor)
    with up_to(cursor, find_end(cursor, WHERE_AHEAD)):
        aggregates = parse_aggregates(cursor)
    check_no_model(cursor, cursor.position)
    first_span = take_span(cursor)
    filter_ = parse_stats_filter(cursor) if cursor.take(WHERE) else Everything()
    keys, last_span = parse_tstats_keys(cursor)
    span = last_span or first_span
    if span is not None:
        keys = with_span(keys, span)
    check_columns(cursor, start, keys, aggregates)
    return (Where(filter_), Stats(aggregates, keys))


def check_no_model(cursor: Cursor, place: int | None = None) -> None:
    """Raise InvalidQuery for a data model, here or in the rest of the pipe behind a macro."""
    if place is None:
        if cursor.next != "`":
            return
        place = find_end(cursor, MODEL)
    model = MODEL.match(cursor.text, place)
    if model is not None:
        message = "data models are not supported, expected a search of the events: tstats count where index=web by host"
        end = model.start() + len("from")
        suggestion = leave_out_models(cursor.text)
        raise cursor.error(message, model.start(), end, ["where"], suggestion)
    if cursor.next == "`" and (macro := MACRO.match(cursor.text, cursor.position)):
        raise unknown_macro(cursor, macro)


def with_span(keys: tuple[Key, ...], span: Quantity) -> tuple[Key, ...]:
    """Return the keys with the time in spans, which is a key even if it is not named."""
    if not any(key.field in TIME_FIELDS for key in keys):
        return (Key(TIME_FIELDS[0], span), *keys)
    return tuple(replace(key, bucket=span) if key.field in TIME_FIELDS else key for key in keys)


def parse_stats_filter(cursor: Cursor) -> Filter:
    """Parse the filter up to `by` or `span=`, which would be parsed as words."""
    with up_to(cursor, find_end(cursor, BY_AHEAD)):
        return parse_filter(cursor)


def find_end(cursor: Cursor, stop: re.Pattern[str]) -> int:
    """Return where the next part of the pipe starts, or the pipe ends; quotes and brackets are skipped."""
    text, position, depth = cursor.text, cursor.position, 0
    while position < len(text):
        character = text[position]
        if depth == 0 and (character in "|)]" or stop.match(text, position)):
            break
        depth += (character in "([") - (character in ")]")
        quoted = QUOTED.match(text, position)
        position = quoted.end() if quoted else position + 1
    return position


def parse_tstats_keys(cursor: Cursor) -> tuple[tuple[Key, ...], Quantity | None]:
    """Parse the keys and the span, which may be on either side of them."""
    span = take_span(cursor)
    keys: list[Key] = []
    if take_by(cursor) or cursor.take(tokens.GROUPBY):
        keys.append(parse_place_key(cursor))
        span = take_span(cursor) or span
        while goes_on(cursor):
            keys.append(parse_place_key(cursor))
            span = take_span(cursor) or span
    return tuple(keys), span


def take_span(cursor: Cursor) -> Quantity | None:
    if not cursor.take(tokens.SPAN):
        return None
    span = parse_duration(cursor)
    cursor.skip_blanks()
    return span


def parse_place_key(cursor: Cursor) -> Key:
    """Parse a key; `index` is the event's index."""
    key = parse_key(cursor)
    return replace(key, field="_index") if key.field == "index" else key


def parse_input_lookup(cursor: Cursor) -> tuple[Pipe, ...]:
    """`inputlookup [append=true] table [where filter]`."""
    options = take_options(cursor, ("append", "start", "max", "strict"))
    appends = take_flag(cursor, options, "append", default=False)
    leave_out_options(cursor, options)
    table = parse_name(cursor, "the name of a table")
    later = take_options(cursor, ("append",))
    pipe = InputLookup(table, take_flag(cursor, later, "append", default=appends))
    return (pipe, Where(parse_filter(cursor))) if cursor.take(WHERE) else (pipe,)


def parse_multi_search(cursor: Cursor) -> tuple[Pipe, ...]:
    """`multisearch [search a] [search b]`: the events of all of them."""
    start = cursor.position
    queries = [parse_subquery(cursor)]
    while not ends_pipe(cursor):
        queries.append(parse_subquery(cursor))
    if len(queries) < 2:
        message = "multisearch of one search, expected two or more in brackets"
        raise cursor.error(message, start, cursor.position, ["["])
    first, *others = queries
    return (Where(first.filter), *first.pipes, *(Union(query) for query in others))


def lift_filter(filter_: Filter, pipes: list[Pipe], is_source: bool) -> Query:
    """Return the query with its first pipe, if it is a source of rows, as the filter."""
    if is_source and isinstance(filter_, Everything) and pipes and isinstance(pipes[0], Where):
        return Query(pipes[0].filter, tuple(pipes[1:]))
    return Query(filter_, tuple(pipes))
