"""Pipes: the steps that process the events found. One function each, listed in PIPES."""

import re
from collections.abc import Callable
from typing import TypeAlias

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    Eval,
    Explain,
    Extract,
    Filter,
    Pipe,
    Replace,
    Rex,
    Unpack,
    When,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.foreign import find_foreign
from logboom.lang.functions import SHORT_PERCENTILE, find_aggregate, find_function
from logboom.lang.parse.conditions import parse_condition
from logboom.lang.parse.cursor import Cursor, show, unknown_macro
from logboom.lang.parse.nearest import unknown_name
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.columns import parse_drop, parse_fields, parse_rename
from logboom.lang.parse.pipes.combine import parse_join, parse_lookup, parse_union
from logboom.lang.parse.pipes.compute import parse_delta, parse_eval, parse_math
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
from logboom.lang.parse.pipes.groups.bins import parse_bin
from logboom.lang.parse.pipes.groups.patterns import parse_diff, parse_patterns
from logboom.lang.parse.pipes.groups.pivot import (
    parse_add_totals,
    parse_chart,
    parse_untable,
    parse_xy_series,
)
from logboom.lang.parse.pipes.groups.rank import parse_rare, parse_top
from logboom.lang.parse.pipes.groups.stats import (
    parse_accum,
    parse_event_stats,
    parse_stats,
    parse_stream_stats,
    parse_timechart,
    parse_trendline,
)
from logboom.lang.parse.pipes.multivalue import parse_make_mv, parse_mv_expand, parse_no_mv
from logboom.lang.parse.pipes.parts import ends_pipe, parentheses
from logboom.lang.parse.pipes.rows import (
    parse_limit,
    parse_offset,
    parse_return,
    parse_sample,
    parse_tail,
)
from logboom.lang.parse.pipes.sequence import parse_context, parse_transaction
from logboom.lang.parse.pipes.sort import parse_first, parse_last, parse_sort
from logboom.lang.parse.pipes.sources import (
    parse_input_lookup,
    parse_multi_search,
    parse_tstats,
)
from logboom.lang.parse.pipes.translated.convert import (
    parse_convert,
    parse_field_format,
    parse_spath,
    parse_strcat,
)
from logboom.lang.parse.pipes.translated.foreach import parse_foreach
from logboom.lang.parse.pipes.translated.packed import parse_pack_json, parse_pack_logfmt
from logboom.lang.parse.pipes.translated.rewritten import (
    parse_collapse_nums,
    parse_copy,
    parse_decolorize,
    parse_field_values,
    parse_format,
    parse_len,
    parse_replace_regexp,
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

__all__ = ["ALIASES", "CANONICAL", "PIPES", "READ_AS", "parse_pipe"]

Parse: TypeAlias = Callable[[Cursor], Pipe | tuple[Pipe, ...]]
CALLED = compile_later(r"\s*+\(")
# `| count`, `| count by host`, `| by (host) count()`.
COUNTED = compile_later(r"count(?=\s*+(?:[|)]|\Z|by\s))|by(?=\s*+\()", re.IGNORECASE)
CALLED_OTHERWISE = frozenset({"first", "last"})
OPERATOR_AHEAD = compile_later(
    r"\s*+(?:[:=<>]|!=|!~|(?:NOT\s++)?IN\b|(?:NOT\s++)?LIKE\b|IS\b)", re.IGNORECASE
)


def parse_pipe(cursor: Cursor) -> tuple[Pipe, ...]:
    """Parse one pipe, up to the next bar, a closing parenthesis or the end; some are translated to several."""
    if cursor.sees_any("=~!|") and cursor.sees(tokens.LINE_FILTER):
        pipes: tuple[Pipe, ...] = (parse_line_filters(cursor),)
    else:
        cursor.skip_blanks()
        pipes = parse_named(cursor)
    cursor.skip_blanks()
    if ends_pipe(cursor):
        return pipes
    if cursor.take(tokens.IF):
        pipes = limit_rows(cursor, pipes, parse_if(cursor))
    if not ends_pipe(cursor):
        take_last_sign(cursor)
    return pipes


def parse_if(cursor: Cursor) -> Filter:
    with parentheses(cursor):
        return parse_condition(cursor)


def limit_rows(cursor: Cursor, pipes: tuple[Pipe, ...], condition: Filter) -> tuple[Pipe, ...]:
    """Return the pipes, applied only to rows that meet the condition."""
    if not all(isinstance(pipe, Eval | Rex | Extract | Unpack | Replace) for pipe in pipes):
        message = "this pipe cannot have a condition, expected where before it"
        raise cursor.error(message, cursor.position, cursor.position, ["|", "the end"])
    return tuple(When(pipe, condition) for pipe in pipes)


def take_last_sign(cursor: Cursor) -> None:
    """Consume a comma or semicolon at the end of the query; raise InvalidQuery for anything else."""
    start = cursor.position
    if not cursor.take(LAST_SIGN):
        raise cursor.unexpected(["|", "the end"])
    cursor.leave_out(start)


def parse_named(cursor: Cursor) -> tuple[Pipe, ...]:
    start = cursor.position
    name = cursor.take(NAME)
    parse = find_pipe(cursor, name) if name else None
    if parse is not None:
        cursor.skip_blanks()
        is_conditional = name and name.lower() in CONDITIONAL and cursor.take(tokens.LEADING_IF)
        condition = parse_if(cursor) if is_conditional else None
        parsed = parse(cursor)
        pipes = parsed if isinstance(parsed, tuple) else (parsed,)
        return pipes if condition is None else limit_rows(cursor, pipes, condition)
    cursor.position = start
    test = try_field_test(cursor) if name or cursor.sees_any("(") else None
    if test is not None:
        return (test,)
    if cursor.take(NAME):
        raise unknown_pipe(cursor, start)
    if macro := MACRO.match(cursor.text, start):
        raise unknown_macro(cursor, macro)
    raise cursor.unexpected(["a pipe"], without_bar(cursor))


def find_pipe(cursor: Cursor, name: str) -> Parse | None:
    """Return the parser of a pipe by its name; a call of an aggregate is `stats`, which LogsQL allows to omit."""
    parse = PIPES.get(name.lower())
    if parse is not None and name.lower() not in CALLED_OTHERWISE:
        return parse
    is_called = cursor.sees(CALLED)
    if parse is not None and not is_called:
        return parse
    if not (is_called and is_aggregate(name)) and not COUNTED.match(
        cursor.text, cursor.position - len(name)
    ):
        return None
    cursor.position -= len(name)
    return parse_lone_stats


def parse_lone_stats(cursor: Cursor) -> Pipe:
    start = cursor.position
    stats = parse_stats(cursor)
    cursor.read_as_meant(start, f"stats {cursor.text[start : cursor.position].strip()}")
    return stats


def unknown_pipe(cursor: Cursor, start: int) -> InvalidQuery:
    """Return an error about the name just consumed; an aggregate or a function lacks the pipe before it."""
    name = cursor.text[start : cursor.position]
    if find_foreign("pipe", name):
        return unknown_name(cursor, start, "pipe", CANONICAL, ALIASES)
    for is_known, pipe in (
        (is_aggregate(name), "stats"),
        (find_function(name) and cursor.sees_any("("), f"eval {name.lower()} ="),
        (cursor.sees(OPERATOR_AHEAD), "where"),
    ):
        if is_known:
            message = f"{show(name)} is not a pipe, write {pipe} before it"
            suggestion = cursor.replace(start, start, f"{pipe} ")
            return cursor.error(message, start, cursor.position, [pipe], suggestion)
    return unknown_name(cursor, start, "pipe", CANONICAL, ALIASES)


def is_aggregate(name: str) -> bool:
    return find_aggregate(name) is not None or SHORT_PERCENTILE.fullmatch(name.lower()) is not None


def without_bar(cursor: Cursor) -> str | None:
    """Return the query without a bar that is followed by nothing, or another bar; a text there is a condition."""
    before = cursor.text[: cursor.position].rstrip()
    if cursor.at_end or cursor.sees_any("|)"):
        return f"{before.removesuffix('|').rstrip()} {cursor.text[cursor.position :]}".strip()
    return cursor.replace(cursor.position, cursor.position, "where ")


def parse_explain(_cursor: Cursor) -> Explain:
    return Explain()


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
    "offset": parse_offset,
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
    "collapse_nums": parse_collapse_nums,
    "convert": parse_convert,
    "copy": parse_copy,
    "cp": parse_copy,
    "decolorize": parse_decolorize,
    "deduplicate": parse_dedup,
    "delete": parse_drop,
    "dissect": parse_extract,
    "distinct": parse_uniq,
    "extend": parse_eval,
    "extract_regexp": parse_rex,
    "field_values": parse_field_values,
    "fieldformat": parse_field_format,
    "filter": parse_where,
    "first": parse_first,
    "foreach": parse_foreach,
    "format": parse_format,
    "head": parse_limit,
    "inlinestats": parse_event_stats,
    "json": parse_json,
    "keep": parse_fields,
    "kv": parse_extract,
    "last": parse_last,
    "len": parse_len,
    "logfmt": parse_logfmt,
    "makemv": parse_make_mv,
    "math": parse_math,
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
    "replace_regexp": parse_replace_regexp,
    "return": parse_return,
    "rm": parse_drop,
    "running_stats": parse_stream_stats,
    "search": parse_search,
    "skip": parse_offset,
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
    "pack_json": parse_pack_json,
    "pack_logfmt": parse_pack_logfmt,
    "unpack_logfmt": parse_logfmt,
    "unpack_syslog": parse_syslog,
    "unroll": parse_mv_expand,
}
PIPES = CANONICAL | ALIASES
READ_AS = {
    **dict.fromkeys(("collapse_nums", "copy", "cp", "decolorize", "format", "len"), "eval"),
    **dict.fromkeys(("math", "replace_regexp", "convert", "fieldformat", "foreach"), "eval"),
    **dict.fromkeys(("makemv", "nomv", "strcat", "spath", "pack_json", "pack_logfmt"), "eval"),
    **dict.fromkeys(("first", "last"), "sort"),
    **dict.fromkeys(("field_values", "tstats", "mstats"), "stats"),
    **dict.fromkeys(("accum", "trendline"), "streamstats"),
    **dict.fromkeys(("regex", "search"), "where"),
    "multisearch": "union",
    "return": "fields",
    **dict.fromkeys(("json", "logfmt", "unpack_csv", "unpack_json"), "unpack"),
    **dict.fromkeys(("unpack_kv", "unpack_logfmt", "unpack_syslog"), "unpack"),
    **{
        alias: name
        for alias, parse in ALIASES.items()
        for name, canonical in CANONICAL.items()
        if parse is canonical
    },
}
"""The pipe that each alias stands for."""
CONDITIONAL = frozenset(
    (
        *("collapse_nums", "extract", "extract_regexp", "format", "replace", "replace_regexp"),
        *("unpack_json", "unpack_logfmt", "unpack_syslog"),
    )
)
"""Pipes that LogsQL writes with a condition first: `format if (a:*) "…"`."""
