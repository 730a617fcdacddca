"""Names and values joined by `=`: logfmt, and pairs anywhere in a text."""

import re
from collections.abc import Callable
from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.reader import (
    NUMERIC,
    LineReader,
    Options,
    Reader,
    encode_each,
    read_cell,
)

QUOTED = compile_later(r"\"([^\"\\]*+(?:\\.[^\"\\]*+)*+)(\"?)", re.DOTALL)
"""A quoted value, and its closing quote."""

PAIR = compile_later(
    r"(?<!\w)(?P<name>[^\W\d][\w.@/-]{0,255}+)\s?=(?:\s(?![^\W\d][\w.@/-]{0,255}+\s?=))?"
    r"(?:\"(?P<quoted>(?:[^\"\\]|\\.)*+)\"|'(?P<single>[^']*+)'|(?P<plain>[^\s,;\"'()\[\]{}]++))",
    re.DOTALL,
)
ESCAPE = compile_later(r"\\(.)", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


def open_logfmt(options: Options) -> Reader:
    return LineReader("logfmt", encode_each(parse_event), options)


def parse_event(text: str) -> dict[str, Any] | None:
    """Parse like `parse_logfmt`, but plain numbers become numbers, and a repeated name has all its values."""
    pairs = find_pairs(text, read_cell)
    if pairs is None:
        return None
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    gathered: dict[str, list[Any]] = {}
    for name, value in pairs:
        gathered.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in gathered.items()}


def parse_logfmt(text: str) -> dict[str, Any] | None:
    """Parse `name=value name="a value" flag`; a name without a value is true. Nothing else is allowed."""
    pairs = find_pairs(text, str)
    return None if pairs is None else dict(pairs)


def find_pairs(text: str, read: Callable[[str], Any]) -> list[tuple[str, Any]] | None:
    """Return the names and values of a text, or None if it has no values, or is not logfmt.

    Quoted values are replaced by their opening quote first, so that blanks only separate pairs.
    """
    pieces = QUOTED.split(text) if '"' in text else [text]
    plain, quoted = '"'.join(pieces[::3]), pieces[1::3]
    if "=" not in plain or (quoted and not pieces[-2]):
        return None
    pairs: list[tuple[str, Any]] = []
    used = 0
    for token in plain.split():
        name, sign, value = token.partition("=")
        if not name:
            return None
        if value == '"':
            pairs.append((name, unescape(quoted[used])))
            used += 1
        elif value:
            pairs.append((name, read(value) if value[0] in NUMERIC else value))
        else:
            pairs.append((name, "" if sign else True))
    return pairs if used == len(quoted) else None


def parse_pairs(text: str) -> dict[str, Any] | None:
    """Return pairs anywhere in a text; the first of a repeated name wins."""
    fields: dict[str, Any] = {}
    for match in PAIR.finditer(text):
        name, quoted, single, plain = match.groups()
        fields.setdefault(name, unescape(quoted) if quoted is not None else single or plain or "")
    return fields or None


def unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return ESCAPE.sub(lambda escape: ESCAPED.get(escape[1], escape[1]), text)
