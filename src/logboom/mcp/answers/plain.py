"""Makes foreign text harmless: it cannot end a line, move a cursor, or hide or reorder what is shown."""

import re
import unicodedata

from logboom.base.texts import write_value

LONGEST_LINE = 600
LONGEST_VALUE = 240
LONGEST_CELL = 160

NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
SUSPECT = re.compile(r"[^\x20-\x7e]")
HIDDEN_KINDS = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
HIDDEN_MARKS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""Invisible characters that Unicode classifies as letters or marks."""
PLAIN = re.compile(r"[^\s\"'=|\\]+")


def clean(text: str) -> str:
    """Return the text on one line; control and invisible characters are written as escapes."""
    return HIDDEN_MARKS.sub(escape, SUSPECT.sub(escape_hidden, text))


def escape_hidden(found: re.Match[str]) -> str:
    return escape(found) if unicodedata.category(found[0]) in HIDDEN_KINDS else found[0]


def escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in NAMED:
        return NAMED[found[0]]
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shorten(value: object, most: int = LONGEST_VALUE, remedy: str = "") -> str:
    """Return a value as clean text; a long one is cut, with a note that says how to get the rest."""
    text = write(value)
    if len(text) <= most:
        return clean(text)
    return f"{clean(text[:most])}…[{len(text) - most} more characters{remedy}]"


def write(value: object) -> str:
    """Return a value as text; empty for null."""
    return "" if value is None else write_value(value)


def write_pair(name: str, value: object, remedy: str = "") -> str:
    """Return `name=value`, quoted if needed to see where it ends."""
    text = shorten(value, LONGEST_VALUE, remedy)
    shown = text if PLAIN.fullmatch(text) else quote(text)
    return f"{shorten(name, LONGEST_CELL)}={shown}"


def quote(text: str) -> str:
    return '"' + text.replace('"', r"\"") + '"'
