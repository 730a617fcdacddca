"""JSON values that follow one another, with or without white space between: where each begins and ends.

This is the definition; the compiled twin says the same of all bytes. Whether strings are UTF-8 is not asked.
"""

import re
from array import array
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import NamedTuple

from logboom.model.jsonline import MAX_NESTING
from logboom.model.shredder import is_compiled

MAX_VALUE_DEPTH = MAX_NESTING + 2
"""An event, what wraps it, and a list of those."""

STRING = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
NUMBER = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
VALUE = STRING + rb"|" + NUMBER + rb"|true|false|null|[{\[]"
BLANKS = re.compile(rb"[ \t\r\n]*+")
EXPECTED = {
    "value": re.compile(VALUE),
    "first item": re.compile(VALUE + rb"|\]"),
    "first key": re.compile(STRING + rb"|\}"),
    "key": re.compile(STRING),
    "colon": re.compile(rb":"),
    "next item": re.compile(rb",|\]"),
    "next member": re.compile(rb",|\}"),
}
"""What may stand at each place of a value."""

FOLLOWS = {
    ("first key", b'"'): "colon",
    ("key", b'"'): "colon",
    ("colon", b":"): "value",
    ("next item", b","): "value",
    ("next member", b","): "key",
}
"""What comes after a token that neither begins nor ends a value."""

OPENS = {b"[": ("first item", "next item"), b"{": ("first key", "next member")}
"""What comes after an opening bracket, and after each value inside."""


class Split(NamedTuple):
    """The values found: start, end, start, end …; and where they stop.

    `stop` is the place of the first token that belongs to no value, which is the end of the data when the
    last value lacks its own; None when no such place was reached.
    """

    spans: "array[int]"
    stop: int | None


Splitter = Callable[[bytes, int, int], Split]


def split_values(data: bytes, at: int, most: int) -> Split:
    """Find the values from `at` on, up to the first place that is none, and not more than `most`."""
    spans = array("q")
    at = skip_blanks(data, at)
    while at < len(data) and len(spans) < 2 * most:
        end, is_whole = read_value(data, at)
        if not is_whole:
            return Split(spans, end)
        spans.extend((at, end))
        at = skip_blanks(data, end)
    return Split(spans, None)


def skip_blanks(data: bytes, at: int) -> int:
    blanks = BLANKS.match(data, at)
    assert blanks
    return blanks.end()


def read_value(data: bytes, at: int) -> tuple[int, bool]:
    """The place behind the value at `at`, or that of the token that is wrong; and which of both it is."""
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


@cache
def open_splitter() -> Splitter:
    """The compiled twin of `split_values`, or that itself."""
    if not is_compiled():
        return split_values
    compiled: Splitter = import_module("logboom.model._native").split_values
    return compiled
