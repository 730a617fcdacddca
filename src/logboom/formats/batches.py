"""Runs our own patterns over many texts in one call.

Polars does it with Rust's regex engine, which has linear time like RE2 and prefers the same match. One call for a
batch costs a fraction of one RE2 call per text. User-written patterns do not come here: see `patterns`.
"""

import re

import polars as pl

from logboom.base.patterns import compile_later
from logboom.formats.patterns import MAX_MATCHED_BYTES

MIN_TEXTS = 64
"""With fewer texts, compiling the pattern costs more than it saves."""

MAX_TEXT_CHARACTERS = MAX_MATCHED_BYTES // 4
"""Longer texts may exceed the limit of RE2, where the two engines would differ."""

CLASSES = {"d": "0-9", "s": r"\t\n\f\r ", "w": "0-9A-Za-z_"}
"""What these mean in RE2; in Rust's engine they are Unicode classes."""

NESTED = {"[": r"\[", "&": r"\&", "~": r"\~"}
"""Characters of a class that would be set operators."""

PIECE = compile_later(
    r"\\(?P<escaped>.)|\[(?P<negated>\^?)(?P<first>\]?)(?P<items>(?:[^\]\\]|\\.)*+)\]", re.DOTALL
)
ITEM = compile_later(r"\\(?P<escaped>.)|[\[&~]", re.DOTALL)


def is_batch(texts: list[str]) -> bool:
    """Return whether a pattern should be run over these texts in one call."""
    return len(texts) >= MIN_TEXTS and max(map(len, texts)) <= MAX_TEXT_CHARACTERS


def find_each(pattern: str, texts: list[str]) -> list[bool]:
    """Return whether the translated pattern is found in each of the texts."""
    return pl.Series(texts, dtype=pl.String).str.contains(pattern).to_list()


def extract_groups(pattern: str, texts: list[str]) -> list[list[str | None]]:
    """Return one column of values per group of the translated pattern.

    Return None where a group or the pattern does not match.
    """
    found = pl.Series(texts, dtype=pl.String).str.extract_groups(pattern).struct.unnest()
    return [column.to_list() for column in found]


def translate(expression: str, *, whole: bool = False) -> str:
    """Translate an RE2 pattern for Rust's engine; `.` matches any character, `whole` only a whole text."""
    translated = PIECE.sub(translate_piece, expression)
    return f"^(?s:{translated})$" if whole else f"(?s:{translated})"


def translate_piece(piece: re.Match[str]) -> str:
    escaped = piece["escaped"]
    if escaped is None:
        first = r"\]" if piece["first"] else ""
        return f"[{piece['negated']}{first}{ITEM.sub(translate_item, piece['items'])}]"
    if escaped.lower() in CLASSES:
        return write_class(escaped)
    if escaped == "b":
        return r"(?-u:\b)"
    return escaped if escaped in "<>" else piece[0]


def translate_item(item: re.Match[str]) -> str:
    escaped = item["escaped"]
    if escaped is None:
        return NESTED[item[0]]
    return CLASSES.get(escaped) or (write_class(escaped) if escaped in "DSW" else item[0])


def write_class(letter: str) -> str:
    return f"[{'^' if letter.isupper() else ''}{CLASSES[letter.lower()]}]"
