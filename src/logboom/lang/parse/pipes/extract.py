"""Pipes that extract fields from a text: `rex`, `extract` and `unpack`."""

from functools import partial
from itertools import pairwise
from typing import get_args

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, Eval, Extract, Rex, Unpack, UnpackFormat
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.values import check_expression
from logboom.lang.parse.nearest import unknown_name
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.options import leave_out_options, take_options
from logboom.lang.parse.pipes.parts import ends_pipe, parse_name, parse_names, parse_quoted, take
from logboom.lang.parse.pipes.translated.convert import read_sed
from logboom.lang.tokens import NAME

UNPACK_FORMATS: dict[str, UnpackFormat] = {name: name for name in get_args(UnpackFormat)}
NAMED_GROUP = compile_later(r"\(\?P?<[A-Za-z_]")
PIPE_NAME = compile_later(r"\s*+\w++\s*+")
PLACEHOLDER = compile_later(r"<(?P<name>[^<>\s]++)>")
SKIPPED = "_"
REX_OPTIONS = ("max_match", "mode", "offset_field")
KV_OPTIONS = ("pairdelim", "kvdelim", "reload", "limit", "maxchars", "mv_add", "clean_keys", "auto")
MAX_DIGITS = 6


def parse_rex(cursor: Cursor) -> Rex | Eval:
    """`rex [max_match=5] "…(?<name>…)…" [from field]`, or `rex field=f "…"`; `mode=sed` replaces."""
    options: dict[str, str] = {}
    field = take_source(cursor)
    options |= take_options(cursor, REX_OPTIONS)
    field = take_source(cursor) or field
    options |= take_options(cursor, REX_OPTIONS)
    start = cursor.position
    written = parse_quoted(cursor, "a regular expression in quotes")
    field = take_source(cursor) or field or MESSAGE
    options |= take_options(cursor, REX_OPTIONS)
    if options.pop("mode", "") == "sed":
        return read_sed(cursor, start, field, written)
    expression = check_expression(cursor, start, written)
    if not NAMED_GROUP.search(expression):
        message = f"{show(expression)} names no group, expected one such as (?<user>\\w+)"
        raise cursor.error(message, start, cursor.position, ["(?<name>…)"])
    most = options.pop("max_match", "1")
    if not most.isdigit() or len(most) > MAX_DIGITS:
        message = f"max_match={most}, expected a whole number"
        raise cursor.error(message, start, cursor.position, ["a whole number"])
    leave_out_options(cursor, options)
    return Rex(expression, field, int(most), *take_keeping(cursor))


def parse_extract(cursor: Cursor) -> Extract | Unpack:
    """`extract "ip=<ip> " [from field]`, or `extract field=f "…"`; in Splunk, without a template, pairs."""
    if options := take_options(cursor, KV_OPTIONS):
        leave_out_options(cursor, options)
        return Unpack("kv")
    if ends_pipe(cursor):
        return Unpack("kv")
    field = take_source(cursor)
    start = cursor.position
    template = parse_quoted(cursor, "a template in quotes")
    check_template(cursor, start, template)
    return Extract(template, take_source(cursor) or field or MESSAGE, *take_keeping(cursor))


def check_template(cursor: Cursor, start: int, template: str) -> None:
    """Raise InvalidQuery unless there is a field, and text between two fields, so that their boundary is known."""
    places = list(PLACEHOLDER.finditer(template))
    if NAMED_GROUP.search(template):
        bar = cursor.text.rfind("|", 0, start)
        is_first = PIPE_NAME.fullmatch(cursor.text, bar + 1, start) is not None
        suggestion = cursor.replace(bar + 1, start, " rex ") if is_first else None
        message = f"{show(template)} is a regular expression, write rex; a template has names such as <user>"
        raise cursor.error(message, start, cursor.position, ["a template"], suggestion)
    if all(place["name"] == SKIPPED for place in places):
        message = f"{show(template)} names no field, expected one such as <user>"
        raise cursor.error(message, start, cursor.position, ["<name>"])
    for left, right in pairwise(places):
        if left.end() == right.start():
            touching = left[0] + right[0]
            message = f"{show(touching)} has two fields side by side, expected text between them"
            raise cursor.error(message, start, cursor.position)


def take_keeping(cursor: Cursor) -> tuple[bool, bool]:
    """Return whether rows keep existing values, and whether empty texts replace them."""
    keeps = take(cursor, tokens.KEEP_ORIGINAL)
    skips = take(cursor, tokens.SKIP_EMPTY)
    return keeps or take(cursor, tokens.KEEP_ORIGINAL), skips


def take_source(cursor: Cursor) -> str | None:
    return parse_name(cursor) if cursor.take(tokens.FROM) else None


def parse_unpack(cursor: Cursor) -> Unpack:
    """`unpack json|logfmt|kv|syslog|csv [from field] [prefix p.] [columns a, …] [fields a, …]`."""
    start = cursor.position
    written = cursor.take(NAME)
    if written is None:
        raise cursor.unexpected(list(UNPACK_FORMATS))
    unpack_format = UNPACK_FORMATS.get(written.lower())
    if unpack_format is None:
        raise unknown_name(cursor, start, "format", UNPACK_FORMATS)
    cursor.skip_blanks()
    return parse_unpack_options(unpack_format, cursor)


def parse_unpack_options(unpack_format: UnpackFormat, cursor: Cursor) -> Unpack:
    field, prefix = MESSAGE, ""
    columns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    while True:
        start = cursor.position
        if cursor.take(tokens.FROM):
            field = parse_name(cursor)
        elif cursor.take(tokens.PREFIX):
            prefix = parse_name(cursor, "a prefix")
        elif cursor.take(tokens.COLUMNS):
            columns = parse_names(cursor, tokens.UNPACK_OPTION)
            check_columns(cursor, start, unpack_format)
        elif cursor.take(tokens.FIELDS):
            names = parse_names(cursor, tokens.UNPACK_OPTION)
        else:
            keeping = take_keeping(cursor)
            return Unpack(unpack_format, field, prefix, columns, names, *keeping)


def check_columns(cursor: Cursor, start: int, unpack_format: UnpackFormat) -> None:
    if unpack_format != "csv":
        message = f"{unpack_format} names its own columns, expected columns with csv only"
        raise cursor.error(message, start, cursor.position)


parse_json = partial(parse_unpack_options, "json")
parse_logfmt = partial(parse_unpack_options, "logfmt")
parse_kv = partial(parse_unpack_options, "kv")
parse_syslog = partial(parse_unpack_options, "syslog")
parse_csv = partial(parse_unpack_options, "csv")
