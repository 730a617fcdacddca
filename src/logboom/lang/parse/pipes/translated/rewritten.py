"""LogsQL pipes that are translated to `eval` and `stats`: `format`, `copy`, `collapse_nums`, `field_values`."""

import re
from collections.abc import Iterator

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    MESSAGE,
    Aggregate,
    Call,
    Eval,
    Expression,
    Field,
    Key,
    Limit,
    Literal,
    Pipe,
    Stats,
)
from logboom.lang.format.pipes import DEFAULT_COUNT
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.values import check_expression
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import (
    ends_pipe,
    goes_on,
    parentheses,
    parse_count,
    parse_name,
    parse_quoted,
    take_comma,
)

PLACEHOLDER = compile_later(r"<(?:(?P<function>[a-z0-9_]+):)?(?P<name>[^<>:]+)>")
FORMATTERS = {
    "q": "json_quote",
    "uc": "upper",
    "lc": "lower",
    "urlencode": "urlencode",
    "urldecode": "urldecode",
    "hexencode": "hexencode",
    "base64encode": "base64encode",
    "base64decode": "base64decode",
}
COLOURS = r"\x1b\[[0-9;]*[A-Za-z]"
COLLAPSED = (
    (r"\b(?:0x[0-9a-fA-F]+\b|[0-9a-fA-F]*[0-9][0-9a-fA-F]*\b|[0-9]+)", "<N>"),
    ("<N>T[0-9]+", "<N>T<N>"),
)
PRETTY = (
    ("<N>-<N>-<N>-<N>-<N>", "<UUID>"),
    (r"<N>\.<N>\.<N>\.<N>", "<IP4>"),
    (r"<N>:<N>:<N>(?:[.,]<N>)?", "<TIME>"),
    ("<N>-<N>-<N>|<N>/<N>/<N>", "<DATE>"),
    ("<DATE>[T ]<TIME>(?:Z|[-+]<N>:<N>)?", "<DATETIME>"),
)


def parse_format(cursor: Cursor) -> Eval:
    """`format "a <b> c" [as field] [keep_original_fields] [skip_empty_results]`."""
    start = cursor.position
    template = parse_quoted(cursor, "a template in quotes")
    parts = tuple(split_template(cursor, start, template))
    value: Expression = parts[0] if len(parts) == 1 else Call("concat", parts)
    name = parse_name(cursor, "a field name") if cursor.take(tokens.AS) else MESSAGE
    if cursor.take(tokens.KEEP_ORIGINAL):
        value = Call("coalesce", (Field(name), value))
    if cursor.take(tokens.SKIP_EMPTY):
        value = Call("coalesce", (Call("nullif", (value, Literal(""))), Field(name)))
    return Eval(((name, value),))


def split_template(cursor: Cursor, start: int, template: str) -> Iterator[Expression]:
    """Yield the fixed texts and the fields of a template; a missing field is the empty text."""
    position = 0
    for place in PLACEHOLDER.finditer(template):
        if place.start() > position:
            yield Literal(template[position : place.start()])
        yield format_field(cursor, start, place)
        position = place.end()
    if position < len(template) or not template:
        yield Literal(template[position:])


def format_field(cursor: Cursor, start: int, place: re.Match[str]) -> Expression:
    name = MESSAGE if place["name"] == "_msg" else place["name"]
    if place["function"] is None:
        return Call("concat", (Field(name),)) if place[0] == place.string else Field(name)
    function = FORMATTERS.get(place["function"])
    if function is None:
        message = f"{show(place[0])} is formatted in a way that is not known here, expected one of {', '.join(FORMATTERS)}"
        raise cursor.error(message, start, cursor.position, list(FORMATTERS))
    return Call(function, (Field(name),))


def parse_copy(cursor: Cursor) -> Eval:
    """`copy a [as] b, …`."""
    pairs = [parse_copied(cursor)]
    while goes_on(cursor):
        pairs.append(parse_copied(cursor))
    return Eval(tuple(pairs))


def parse_copied(cursor: Cursor) -> tuple[str, Expression]:
    old = parse_name(cursor)
    if cursor.sees_any("*"):
        message = "copy takes one field at a time, expected names without stars"
        raise cursor.error(message, cursor.position, cursor.position + 1, ["as"])
    cursor.take(tokens.AS)
    return parse_name(cursor, "a new name"), Field(old)


def parse_called(function: str, cursor: Cursor) -> Eval:
    """`len(field) [as name]`."""
    with parentheses(cursor):
        field = parse_name(cursor)
    cursor.take(tokens.AS)
    name = f"{function}({field})" if ends_pipe(cursor) else parse_name(cursor, "a column name")
    return Eval(((name, Call(function, (Field(field),))),))


def parse_len(cursor: Cursor) -> Eval:
    return parse_called("len", cursor)


def change_text(field: str, *changes: tuple[str, str]) -> Eval:
    """Return the field with each match of the expressions replaced, one after the other."""
    value: Expression = Field(field)
    for expression, text in changes:
        value = Call("replace", (value, Literal(expression), Literal(text)))
    return Eval(((field, value),))


def parse_decolorize(cursor: Cursor) -> Eval:
    field = MESSAGE if ends_pipe(cursor) else parse_name(cursor)
    return change_text(field, (COLOURS, ""))


def parse_collapse_nums(cursor: Cursor) -> Eval:
    """`collapse_nums [at field] [prettify]`."""
    field = parse_name(cursor) if cursor.take(tokens.IN) else MESSAGE
    pretty = PRETTY if cursor.take(tokens.PRETTIFY) else ()
    return change_text(field, *COLLAPSED, *pretty)


def parse_replace_regexp(cursor: Cursor) -> Eval:
    """`replace_regexp ("expression", "text") [at field]`."""
    with parentheses(cursor):
        start = cursor.position
        expression = parse_quoted(cursor, "a regular expression in quotes")
        expression = check_expression(cursor, start, expression)
        if not take_comma(cursor):
            raise cursor.unexpected([","])
        text = parse_quoted(cursor, "a text in quotes")
    field = parse_name(cursor) if cursor.take(tokens.IN) else MESSAGE
    check_all_replaced(cursor)
    return change_text(field, (expression, text))


def check_all_replaced(cursor: Cursor) -> None:
    """Raise InvalidQuery for a limit of matches, as in LogsQL: here all matches are replaced."""
    start = cursor.position
    if cursor.take(tokens.LIMIT):
        parse_count(cursor)
        message = "each match is replaced, expected no limit"
        suggestion = cursor.replace(start, cursor.position, "").rstrip()
        raise cursor.error(message, start, cursor.position, ["|", "the end"], suggestion)


def parse_field_values(cursor: Cursor) -> tuple[Pipe, ...]:
    """`field_values field [limit 10]`: the values and how often they occur."""
    field = parse_name(cursor)
    counted = Stats((Aggregate("count", name="hits"),), (Key(field),))
    if not cursor.take(tokens.LIMIT):
        return (counted,)
    return counted, Limit(parse_count(cursor) or DEFAULT_COUNT)
