"""Splunk pipes that are translated to `eval`: `convert`, `fieldformat`, `strcat`, `spath`, `rex mode=sed`."""

import re
from collections.abc import Callable

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, Call, Eval, Expression, Field, Literal, Unpack
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.values import check_expression
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.compute import parse_eval
from logboom.lang.parse.pipes.options import OPTION, leave_out_options, take_options
from logboom.lang.parse.pipes.parts import (
    ends_pipe,
    parse_name,
    parse_text,
    take_comma,
)
from logboom.lang.tokens import LIST_MARK, NAME

TIME_FORMAT = "%m/%d/%Y %H:%M:%S"
SED = compile_later(
    r"s(?P<mark>[/#|,!@])(?P<old>(?:\\.|(?!(?P=mark)).)*)(?P=mark)(?P<new>(?:\\.|(?!(?P=mark)).)*)(?P=mark)(?P<flags>[a-z0-9]*)",
    re.DOTALL,
)
GROUP = compile_later(r"\\(?P<number>[1-9])")
DIGITS = "[^0-9.eE+-]"


def write_time(field: str, format_: str) -> Expression:
    return Call("strftime", (Field(field), Literal(format_)))


def read_time(field: str, format_: str) -> Expression:
    return Call("strptime", (Field(field), Literal(format_)))


def read_number(field: str, _format: str) -> Expression:
    return Call("tonumber", (Field(field),))


def read_leading_number(field: str, _format: str) -> Expression:
    """Return the number before a unit."""
    found = Call("capture", (Field(field), Literal(r"^\s*([-+]?[0-9.]+)")))
    return Call("tonumber", (found,))


def read_with_commas(field: str, _format: str) -> Expression:
    return Call("tonumber", (Call("replace", (Field(field), Literal(","), Literal(""))),))


def read_duration(field: str, _format: str) -> Expression:
    return Call("dur2sec", (Field(field),))


CONVERSIONS: dict[str, Callable[[str, str], Expression]] = {
    "auto": read_number,
    "ctime": write_time,
    "dur2sec": read_duration,
    "mktime": read_time,
    "num": read_number,
    "rmcomma": read_with_commas,
    "rmunit": read_leading_number,
}


def parse_convert(cursor: Cursor) -> Eval:
    """`convert [timeformat="%F"] ctime(a) [as b], num(c), …`."""
    options = take_options(cursor, ("timeformat",))
    format_ = options.get("timeformat", TIME_FORMAT)
    assignments = [parse_conversion(cursor, format_)]
    while take_comma(cursor) or not ends_pipe(cursor):
        assignments.append(parse_conversion(cursor, format_))
    return Eval(tuple(assignments))


def parse_conversion(cursor: Cursor, format_: str) -> tuple[str, Expression]:
    start = cursor.position
    function = (cursor.take(NAME) or "").lower()
    if function not in CONVERSIONS:
        message = f"convert has no function {show(function)}, expected one such as ctime or num"
        raise cursor.error(message, start, cursor.position, sorted(CONVERSIONS))
    cursor.skip_blanks()
    if not cursor.take_character("("):
        raise cursor.unexpected(["("])
    cursor.skip_blanks()
    field = parse_name(cursor)
    if not cursor.take_character(")"):
        raise cursor.unexpected([")"])
    cursor.skip_blanks()
    name = parse_name(cursor, "a column name") if cursor.take(tokens.AS) else field
    return name, CONVERSIONS[function](field, format_)


def parse_field_format(cursor: Cursor) -> Eval:
    """`fieldformat a = …`: Splunk changes only the display, we change the value."""
    evaluated = parse_eval(cursor)
    names = ", ".join(show(name) for name, _ in evaluated.assignments)
    cursor.notice(
        "read_as_meant", f"fieldformat is read as eval, so that {names} is text from here on"
    )
    return evaluated


def parse_strcat(cursor: Cursor) -> Eval:
    """`strcat a "-" b name`."""
    start = cursor.position
    leave_out_options(cursor, take_options(cursor, ("allrequired",)))
    parts: list[Expression] = []
    while not ends_pipe(cursor):
        is_text = cursor.sees_any('"')
        text = parse_text(cursor)
        parts.append(Literal(text) if is_text else Field(text))
        take_comma(cursor)
    name = parts.pop() if parts else None
    if not isinstance(name, Field) or not parts:
        message = "strcat without a name for the result, expected it last"
        raise cursor.error(message, start, cursor.position, ["a field name"])
    return Eval(((name.name, Call("concat", tuple(parts))),))


def parse_spath(cursor: Cursor) -> Eval | Unpack:
    """`spath [input=f] [output=name] [path=a.b]`: the value at a path; without one, all fields inside a JSON text."""
    options = take_options(cursor, ("input", "output", "path"))
    path = options.get("path")
    if path is None and not ends_pipe(cursor) and not OPTION.match(cursor.text, cursor.position):
        path = parse_text(cursor, "a path")
    options |= take_options(cursor, ("input", "output", "path"))
    path = options.get("path", path)
    source = options.get("input", "_raw")
    field = MESSAGE if source == "_raw" else source.replace(LIST_MARK, "")
    if path is None:
        return Unpack("json", field)
    plain = path.replace(LIST_MARK, "")
    # The fields of events that came as JSON already exist.
    nested = plain if source == "_raw" else f"{field}.{plain}"
    found = Call("coalesce", (Field(nested), Call("json_get", (Field(field), Literal(plain)))))
    return Eval(((options.get("output", plain), found),))


def read_sed(cursor: Cursor, start: int, field: str, script: str) -> Eval:
    """`s/old/new/g`, as a replacement of the field."""
    found = SED.fullmatch(script.strip())
    if found is None:
        message = f"{show(script)} is not a replacement, expected one such as s/old/new/g"
        raise cursor.error(message, start, cursor.position, ["s/old/new/g"])
    old = check_expression(cursor, start, found["old"])
    new = found["new"]
    if "g" not in found["flags"]:
        # Only the first: everything before it is kept.
        old = f"(?s)^(.*?)(?:{old})"
        new = r"\1" + GROUP.sub(lambda group: f"\\{int(group['number']) + 1}", new)
    if "i" in found["flags"]:
        old = f"(?i){old}"
    return Eval(((field, Call("replace", (Field(field), Literal(old), Literal(new)))),))
