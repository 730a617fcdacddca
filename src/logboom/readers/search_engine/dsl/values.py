"""Tests of single fields: whole values, wildcards, and words inside messages."""

from functools import partial

from logboom.base.patterns import compile_later
from logboom.lang import ast
from logboom.model.names import normalise_index
from logboom.readers.search_engine.dsl.context import (
    ANY_FIELD,
    EVERYTHING,
    NOTHING,
    TIME,
    Context,
    is_message,
    join_all,
    join_any,
)
from logboom.readers.search_engine.dsl.members import Scalar, write_scalar
from logboom.readers.search_engine.dsl.times import during, read_period

WORD = compile_later(r"\w+(?:[.']\w+)*")
WILDCARDS = {wildcard.value: wildcard for wildcard in ast.Wildcard}
INDEX = "_index"


def match_pattern(field: str, pattern: ast.Pattern) -> ast.Filter:
    """Match a pattern with a whole value, ignoring case; messages, and any field, contain it."""
    is_lone = pattern.parts == ast.LONE_STAR
    if field == ANY_FIELD:
        return EVERYTHING if is_lone or not pattern.parts else ast.AnyField(pattern)
    if is_lone:
        return ast.Exists(field)
    if not pattern.parts:
        return ast.And((ast.Exists(field), ast.Exact(field, "")))
    if field == INDEX:
        return match_index(pattern)
    return ast.SomeField(field, pattern) if "*" in field else ast.Match(field, pattern)


def match_index(pattern: ast.Pattern) -> ast.Filter:
    """Match the index of an event, whose name is written as it was sent."""
    parts = [normalise_index(part) if isinstance(part, str) else part for part in pattern.parts]
    return ast.Match(INDEX, join_pattern([*parts]))


def match_value(field: str, value: Scalar, context: Context) -> ast.Filter:
    """Match a value, ignoring case; messages contain it."""
    if field == TIME:
        return during(read_period(value, context.now_ns))
    return match_pattern(field, ast.Pattern.literal(write_scalar(value)))


def match_exactly(field: str, value: Scalar, context: Context) -> ast.Filter:
    """Match a value exactly, in the same case; messages contain it."""
    text = write_scalar(value)
    if not text or "*" in field or field in (TIME, INDEX) or is_message(field):
        return match_value(field, value, context)
    return ast.Exact(field, text)


def match_words(
    field: str, value: Scalar, context: Context, *, needs_all: bool = False
) -> ast.Filter:
    """Match any or all words in the message; other fields have the whole value."""
    if field != ANY_FIELD and not is_message(field):
        return match_value(field, value, context)
    words = WORD.findall(write_scalar(value))
    context.allowance.spend(len(words))
    found = [match_value(field, word, context) for word in words]
    if not found:
        return NOTHING
    return join_all(found) if needs_all else join_any(found)


def match_phrase(field: str, value: Scalar, context: Context) -> ast.Filter:
    """Match a text in the message, or as the whole value of any other field."""
    text = write_scalar(value)
    return match_value(field, text.strip() if is_message(field) else value, context)


def match_prefix(field: str, value: Scalar, context: Context) -> ast.Filter:
    """Match values that start with a text; messages contain it."""
    text = write_scalar(value)
    if is_message(field) or field == ANY_FIELD:
        return match_value(field, text.strip(), context)
    return match_pattern(field, join_pattern([text, ast.Wildcard.ANY]))


match_all_words = partial(match_words, needs_all=True)


def read_wildcards(text: str) -> ast.Pattern:
    """Return a text in which `*` and `?` are wildcards unless they follow a backslash."""
    parts: list[str | ast.Wildcard] = []
    characters = iter(text)
    for character in characters:
        if character == "\\":
            parts.append(next(characters, character))
        else:
            parts.append(WILDCARDS.get(character, character))
    return join_pattern(parts)


def join_pattern(parts: list[str | ast.Wildcard]) -> ast.Pattern:
    """Return a pattern of pieces and wildcards: neighbouring pieces are joined, neighbouring stars are one."""
    joined: list[str | ast.Wildcard] = []
    pieces: list[str] = []
    for part in [*parts, None]:
        if isinstance(part, str):
            pieces.append(part)
            continue
        if text := "".join(pieces):
            joined.append(text)
        pieces = []
        if part is not None and not (part is ast.Wildcard.ANY and joined[-1:] == [part]):
            joined.append(part)
    return ast.Pattern(tuple(joined))
