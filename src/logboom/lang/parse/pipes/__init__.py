"""Pipes: what happens to the events found. One function each, listed in PIPES."""

import re
from collections.abc import Callable
from typing import TypeAlias

from logboom.lang.ast import Explain, Pipe
from logboom.lang.errors import InvalidQuery
from logboom.lang.foreign import find_foreign
from logboom.lang.functions import SHORT_PERCENTILE, find_aggregate, find_function
from logboom.lang.parse.cursor import Cursor, show, unknown_macro
from logboom.lang.parse.nearest import unknown_name
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.bins import parse_bin
from logboom.lang.parse.pipes.columns import parse_drop, parse_fields, parse_rename
from logboom.lang.parse.pipes.combine import parse_join, parse_lookup, parse_union
from logboom.lang.parse.pipes.compute import parse_delta, parse_eval
from logboom.lang.parse.pipes.convert import (
    parse_convert,
    parse_field_format,
    parse_spath,
    parse_strcat,
)
from logboom.lang.parse.pipes.distinct import parse_dedup, parse_uniq
from logboom.lang.parse.pipes.extract import (
    parse_csv,
    parse_extract,
    parse_json,
    parse_kv,
    parse_logfmt,
    parse_rex,
    parse_syslog,
    parse_unpack,
)
from logboom.lang.parse.pipes.foreach import parse_foreach
from logboom.lang.parse.pipes.groups import parse_diff, parse_patterns
from logboom.lang.parse.pipes.multivalue import parse_make_mv, parse_mv_expand, parse_no_mv
from logboom.lang.parse.pipes.parts import ends_pipe
from logboom.lang.parse.pipes.pivot import (
    parse_add_totals,
    parse_chart,
    parse_untable,
    parse_xy_series,
)
from logboom.lang.parse.pipes.rank import parse_rare, parse_top
from logboom.lang.parse.pipes.rows import parse_limit, parse_return, parse_sample, parse_tail
from logboom.lang.parse.pipes.sequence import parse_context, parse_transaction
from logboom.lang.parse.pipes.sort import parse_sort
from logboom.lang.parse.pipes.sources import (
    parse_input_lookup,
    parse_multi_search,
    parse_tstats,
)
from logboom.lang.parse.pipes.stats import (
    parse_accum,
    parse_event_stats,
    parse_stats,
    parse_stream_stats,
    parse_timechart,
    parse_trendline,
)
from logboom.lang.parse.pipes.values import parse_fill_null, parse_replace
from logboom.lang.parse.pipes.where import (
    parse_line_filters,
    parse_regex_pipe,
    parse_search,
    parse_where,
    try_field_test,
)
from logboom.lang.tokens import LAST_SIGN, MACRO, NAME

__all__ = ["ALIASES", "CANONICAL", "PIPES", "parse_pipe"]

OPERATOR_AHEAD = re.compile(
    r"\s*+(?:[:=<>]|!=|!~|(?:NOT\s++)?IN\b|(?:NOT\s++)?LIKE\b|IS\b)", re.IGNORECASE
)


def parse_pipe(cursor: Cursor) -> tuple[Pipe, ...]:
    """One pipe, from its name up to the next bar, a closing parenthesis or the end; several do what some say."""
    if cursor.sees(tokens.LINE_FILTER):
        pipes: Pipe | tuple[Pipe, ...] = parse_line_filters(cursor)
    else:
        cursor.skip_blanks()
        pipes = parse_named(cursor)
    cursor.skip_blanks()
    if not ends_pipe(cursor):
        take_last_sign(cursor)
    return pipes if isinstance(pipes, tuple) else (pipes,)


def take_last_sign(cursor: Cursor) -> None:
    """A comma or semicolon that ends the whole query says nothing; anything else is a mistake."""
    start = cursor.position
    if not cursor.take(LAST_SIGN):
        raise cursor.unexpected(["|", "the end"])
    cursor.leave_out(start)


def parse_named(cursor: Cursor) -> Pipe | tuple[Pipe, ...]:
    start = cursor.position
    name = cursor.take(NAME)
    parse = PIPES.get(name.lower()) if name else None
    if parse is not None:
        cursor.skip_blanks()
        return parse(cursor)
    cursor.position = start
    test = try_field_test(cursor) if name or cursor.sees_any("(") else None
    if test is not None:
        return test
    if cursor.take(NAME):
        raise unknown_pipe(cursor, start)
    if macro := MACRO.match(cursor.text, start):
        raise unknown_macro(cursor, macro)
    raise cursor.unexpected(["a pipe"], without_bar(cursor))


def unknown_pipe(cursor: Cursor, start: int) -> InvalidQuery:
    """An error about the name just taken; that of an aggregate or a function lacks the pipe before it."""
    name = cursor.text[start : cursor.position]
    if find_foreign("pipe", name):
        return unknown_name(cursor, start, "pipe", CANONICAL, ALIASES)
    for is_known, pipe in (
        (is_aggregate(name), "stats"),
        (find_function(name) and cursor.sees_any("("), f"eval {name.lower()} ="),
        (cursor.sees(OPERATOR_AHEAD), "where"),
    ):
        if is_known:
            message = f"{show(name)} is no pipe, write {pipe} before it"
            suggestion = cursor.replace(start, start, f"{pipe} ")
            return cursor.error(message, start, cursor.position, [pipe], suggestion)
    return unknown_name(cursor, start, "pipe", CANONICAL, ALIASES)


def is_aggregate(name: str) -> bool:
    return find_aggregate(name) is not None or SHORT_PERCENTILE.fullmatch(name.lower()) is not None


def without_bar(cursor: Cursor) -> str | None:
    """The query without a bar that has nothing, or another bar, behind it; a text there is a condition."""
    before = cursor.text[: cursor.position].rstrip()
    if cursor.at_end or cursor.sees_any("|)"):
        return f"{before.removesuffix('|').rstrip()} {cursor.text[cursor.position :]}".strip()
    return cursor.replace(cursor.position, cursor.position, "where ")


def parse_explain(_cursor: Cursor) -> Explain:
    return Explain()


Parse: TypeAlias = Callable[[Cursor], Pipe | tuple[Pipe, ...]]

CANONICAL: dict[str, Parse] = {
    "addtotals": parse_add_totals,
    "bin": parse_bin,
    "chart": parse_chart,
    "context": parse_context,
    "dedup": parse_dedup,
    "delta": parse_delta,
    "diff": parse_diff,
    "drop": parse_drop,
    "eval": parse_eval,
    "eventstats": parse_event_stats,
    "explain": parse_explain,
    "extract": parse_extract,
    "fields": parse_fields,
    "fillnull": parse_fill_null,
    "inputlookup": parse_input_lookup,
    "join": parse_join,
    "limit": parse_limit,
    "lookup": parse_lookup,
    "mvexpand": parse_mv_expand,
    "patterns": parse_patterns,
    "rare": parse_rare,
    "rename": parse_rename,
    "replace": parse_replace,
    "rex": parse_rex,
    "sample": parse_sample,
    "sort": parse_sort,
    "stats": parse_stats,
    "streamstats": parse_stream_stats,
    "tail": parse_tail,
    "timechart": parse_timechart,
    "top": parse_top,
    "transaction": parse_transaction,
    "union": parse_union,
    "uniq": parse_uniq,
    "unpack": parse_unpack,
    "untable": parse_untable,
    "where": parse_where,
    "xyseries": parse_xy_series,
}
ALIASES: dict[str, Parse] = {
    "accum": parse_accum,
    "append": parse_union,
    "bucket": parse_bin,
    "categorize": parse_patterns,
    "cluster": parse_patterns,
    "convert": parse_convert,
    "deduplicate": parse_dedup,
    "delete": parse_drop,
    "dissect": parse_extract,
    "distinct": parse_uniq,
    "extend": parse_eval,
    "extract_regexp": parse_rex,
    "fieldformat": parse_field_format,
    "filter": parse_where,
    "foreach": parse_foreach,
    "head": parse_limit,
    "inlinestats": parse_event_stats,
    "json": parse_json,
    "keep": parse_fields,
    "kv": parse_extract,
    "logfmt": parse_logfmt,
    "makemv": parse_make_mv,
    "math": parse_eval,
    "mstats": parse_tstats,
    "multisearch": parse_multi_search,
    "mv": parse_rename,
    "mv_expand": parse_mv_expand,
    "mv-expand": parse_mv_expand,
    "nomv": parse_no_mv,
    "order": parse_sort,
    "parse": parse_extract,
    "pattern": parse_extract,
    "project": parse_fields,
    "regex": parse_regex_pipe,
    "regexp": parse_rex,
    "return": parse_return,
    "rm": parse_drop,
    "running_stats": parse_stream_stats,
    "search": parse_search,
    "spath": parse_spath,
    "strcat": parse_strcat,
    "stream_context": parse_context,
    "summarize": parse_stats,
    "table": parse_fields,
    "take": parse_limit,
    "total_stats": parse_event_stats,
    "trendline": parse_trendline,
    "tstats": parse_tstats,
    "unpack_csv": parse_csv,
    "unpack_json": parse_json,
    "unpack_kv": parse_kv,
    "unpack_logfmt": parse_logfmt,
    "unpack_syslog": parse_syslog,
}
PIPES = CANONICAL | ALIASES
