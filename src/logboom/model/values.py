"""Finds consecutive JSON values, with or without whitespace between: where each starts and ends.

This is the definition; the compiled twin gives the same result for all bytes. UTF-8 is not validated.
"""

import re
from array import array
from collections.abc import Callable
from functools import cache
from typing import NamedTuple, Protocol

from logboom.base.compiled import find_compiled
from logboom.base.patterns import compile_later
from logboom.model.jsonline import MAX_NESTING
from logboom.model.shredder import NATIVE

MAX_VALUE_DEPTH = MAX_NESTING + 2
"""An event, what wraps it, and a list of those."""

STRING = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
NUMBER = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
VALUE = STRING + rb"|" + NUMBER + rb"|true|false|null|[{\[]"
BLANKS = compile_later(rb"[ \t\r\n]*+")
BETWEEN = compile_later(rb"[ \t\r\n,\[\]]*+")
EXPECTED = {
    "value": compile_later(VALUE),
    "first item": compile_later(VALUE + rb"|\]"),
    "first key": compile_later(STRING + rb"|\}"),
    "key": compile_later(STRING),
    "colon": compile_later(rb":"),
    "next item": compile_later(rb",|\]"),
    "next member": compile_later(rb",|\}"),
}
"""What is allowed at each place in a value."""

FOLLOWS = {
    ("first key", b'"'): "colon",
    ("key", b'"'): "colon",
    ("colon", b":"): "value",
    ("next item", b","): "value",
    ("next member", b","): "key",
}
"""What comes after a token that neither starts nor ends a value."""

OPENS = {b"[": ("first item", "next item"), b"{": ("first key", "next member")}
"""What comes after an opening bracket, and after each value inside."""


class Split(NamedTuple):
    """The values found: start, end, start, end …; and where they stop.

    `stop` is the position of the first token that belongs to no value, which is the end of the data if the last value
    is incomplete; None if no such position was reached.
    """

    spans: "array[int]"
    stop: int | None


class Splitter(Protocol):
    """The interface of `split_values`."""

    def __call__(
        self, data: bytes, at: int, most: int, end: int | None = None, *, is_list: bool = False
    ) -> Split: ...


OddLineFinder = Callable[[bytes, int], int]

SEVERAL = compile_later(rb"\}[ \t\r,]*+\{")
"""What separates two objects on one line, but also occurs inside one."""
BRACE = compile_later(rb'[^"{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}]*+)*+([{}])', re.DOTALL)
"""Up to the next brace outside strings."""
LINE_BLANKS = b" \t\r"


def split_values(
    data: bytes, at: int, most: int, end: int | None = None, *, is_list: bool = False
) -> Split:
    """Find the values from `at` up to `end`, at most `most`, stopping at the first invalid token.

    In a list, commas and brackets may separate them as well.
    """
    if end is not None:
        data = data[:end]
    skip = skip_between if is_list else skip_blanks
    spans = array("q")
    at = skip(data, at)
    while at < len(data) and len(spans) < 2 * most:
        end, is_whole = read_value(data, at)
        if not is_whole:
            return Split(spans, end)
        spans.extend((at, end))
        at = skip(data, end)
    return Split(spans, None)


def skip_blanks(data: bytes, at: int) -> int:
    blanks = BLANKS.match(data, at)
    assert blanks
    return blanks.end()


def skip_between(data: bytes, at: int) -> int:
    between = BETWEEN.match(data, at)
    assert between
    return between.end()


def read_value(data: bytes, at: int) -> tuple[int, bool]:
    """Return the position after the value at `at`, or that of the wrong token; and which of both it is."""
    around: list[str] = []
    state = "value"
    while True:
        at = skip_blanks(data, at)
        match = EXPECTED[state].match(data, at)
        token = data[at : at + 1]
        if match is None or (token in OPENS and len(around) == MAX_VALUE_DEPTH):
            return at, False
        at = match.end()
        if (state, token) in FOLLOWS:
            state = FOLLOWS[state, token]
        elif token in OPENS:
            state, inside = OPENS[token]
            around.append(inside)
        else:
            if token in b"]}":
                around.pop()
            if not around:
                return at, True
            state = around[-1]


def find_odd_line(data: bytes, at: int) -> int:
    """Return the start of the first line, from the line at `at` on, that does not look like one object; else the end.

    Blank lines are not odd. What looks like one object may still be invalid JSON.
    """
    while at < len(data):
        end = data.find(b"\n", at)
        line = data[at : end if end >= 0 else len(data)]
        if not looks_like_object(line.strip(LINE_BLANKS)):
            return at
        at += len(line) + 1
    return len(data)


def looks_like_object(line: bytes) -> bool:
    if not line:
        return True
    if not (line.startswith(b"{") and line.endswith(b"}")):
        return False
    return not SEVERAL.search(line) or find_closing(line, 0, len(line)) in (None, len(line))


def find_closing(data: bytes, at: int, end: int) -> int | None:
    """Return the position after the brace that closes the one at `at`, or None if it is not before `end`."""
    depth = 0
    while brace := BRACE.match(data, at, end):
        at = brace.end()
        depth += 1 if brace[1] == b"{" else -1
        if not depth:
            return at
    return None


@cache
def open_odd_line_finder() -> OddLineFinder:
    """Return the compiled twin of `find_odd_line`, or the function itself if there is none."""
    native = find_compiled(NATIVE)
    return native.find_odd_line if native else find_odd_line


@cache
def open_splitter() -> Splitter:
    """Return the compiled twin of `split_values`, or the function itself if there is none."""
    native = find_compiled(NATIVE)
    return native.split_values if native else split_values
