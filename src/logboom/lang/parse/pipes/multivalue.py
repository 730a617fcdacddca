"""Pipes for multi-valued fields: `mvexpand`, and Splunk's `makemv` and `nomv`, translated to `eval`."""

from logboom.lang.ast import Call, Eval, Field, Literal, MvExpand
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.options import leave_out_options, take_options
from logboom.lang.parse.pipes.parts import parse_count, parse_name, parse_names

DELIMITER = " "


def parse_mv_expand(cursor: Cursor) -> MvExpand:
    """`mvexpand field [limit=10]`, or `unroll [by] (field)` as in LogsQL; a limit of 0 is none."""
    cursor.take(tokens.BY)
    start = cursor.position
    fields = parse_names(cursor, tokens.LIMIT)
    if len(fields) > 1:
        message = f"{len(fields)} fields at once, expected one list to make rows of"
        raise cursor.error(message, start, cursor.position, ["a field name"])
    limit = parse_count(cursor) if cursor.take(tokens.LIMIT) else 0
    return MvExpand(fields[0], limit or None)


def parse_make_mv(cursor: Cursor) -> Eval:
    """`makemv delim="," field`."""
    start = cursor.position
    options = take_options(cursor, ("delim", "allowempty", "setsv", "tokenizer"))
    if "tokenizer" in options:
        message = "makemv splits at a text only, write rex max_match=0 for an expression"
        raise cursor.error(message, start, cursor.position, ["delim="])
    delimiter = options.pop("delim", DELIMITER)
    leave_out_options(cursor, options)
    field = parse_name(cursor)
    return Eval(((field, Call("split", (Field(field), Literal(delimiter)))),))


def parse_no_mv(cursor: Cursor) -> Eval:
    """`nomv field`."""
    field = parse_name(cursor)
    return Eval(((field, Call("join", (Field(field), Literal("\n")))),))
