"""Options in Splunk's syntax, `name=value`, anywhere in a pipe."""

import re
from collections.abc import Collection

from logboom.base.patterns import compile_later
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes.parts import parse_text

OPTION = compile_later(r"(?P<name>[A-Za-z_]++)\s*+=(?![=~])\s*+", re.ASCII)
NEXT_OPTION = compile_later(r",\s*+(?P<name>[A-Za-z_]++)\s*+=", re.ASCII)
# `limit = count()` names a column: an option has a plain value.
PLAIN_OPTION = compile_later(
    r"(?P<name>[A-Za-z_]++)\s*+=\s*+(?P<value>[-+]?[0-9][\w.@-]*+|t|f|true|false|auto|(?:top|bottom)\s?[0-9]++"
    r"|@\w++|\"[^\"]*+\")(?=[\s,|)\]]|\Z)",
    re.IGNORECASE | re.ASCII,
)
TRUE = frozenset({"t", "true", "1", "yes"})
FALSE = frozenset({"f", "false", "0", "no"})


def take_options(cursor: Cursor, names: Collection[str]) -> dict[str, str]:
    """Return the following options of these names, as they are written."""
    options: dict[str, str] = {}
    while (match := OPTION.match(cursor.text, cursor.position)) and match["name"].lower() in names:
        cursor.position = match.end()
        options[match["name"].lower()] = parse_text(cursor, "a value")
        if (comma := NEXT_OPTION.match(cursor.text, cursor.position)) and comma["name"] in names:
            cursor.position = comma.start("name")
    return options


def read_flag(cursor: Cursor, start: int, name: str, value: str) -> bool:
    """Return the value of an option that is on or off."""
    if value.lower() not in TRUE | FALSE:
        message = f"{name}={value} is neither on nor off, expected true or false"
        raise cursor.error(message, start, cursor.position, ["true", "false"])
    return value.lower() in TRUE


def take_flag(cursor: Cursor, options: dict[str, str], name: str, default: bool) -> bool:
    """Return an option that is on or off, among those consumed."""
    value = options.pop(name, None)
    return default if value is None else read_flag(cursor, cursor.position, name, value)


def leave_out_options(cursor: Cursor, options: Collection[str]) -> None:
    """Report that options are ignored."""
    if options:
        names = ", ".join(f"{name}=" for name in options)
        cursor.notice("read_as_meant", f"{names} is ignored")
