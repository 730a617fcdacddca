"""Tests of what texts contain, ignoring case; numbers and booleans are searched as JSON writes them."""

import re
from collections.abc import Callable, Iterable, Iterator

import polars as pl

from logboom.engine.filters.literals import list_literals
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import NEVER, Value, ValueTest, as_text, search_part
from logboom.lang import ast
from logboom.model.columns import MESSAGE, Kind
from logboom.model.containing import Finder, make_finder

MAX_EXPRESSION_LENGTH = 256
"""Longer texts are searched without a regular expression, which would be slow to compile."""
MAX_JOINED_LENGTH = 4096
"""Characters of patterns that are searched in one pass."""
BETWEEN_TEXTS = "\0"
NUMBER_LETTERS = frozenset("0123456789+-.eE")
SPARSE = 2
"""If at most one text in this many has the literals of a regular expression, only those are matched with it."""
WILD = {ast.Wildcard.ANY: ".*", ast.Wildcard.ONE: "."}

TextTest = Callable[[pl.Expr], pl.Expr]


def build_word(node: ast.Word, table: Table) -> pl.Expr:
    """Return the test whether the message contains the text, or any text of an event without a message."""
    test = contains([ast.Pattern.literal(node.text)])
    message = Value.of_field(table, MESSAGE.field)
    found = [message.passes(test)]
    if not has_every_message(table):
        has_none = ~message.exists()
        found += [
            search_texts(pl.when(has_none).then(pl.col(column.name)), column.kind, test, node.text)
            for column in table.list_searched()
            if column.kind.element is Kind.STR and column.field != MESSAGE.field
        ]
    return pl.any_horizontal(found)


def search_texts(part: pl.Expr, kind: Kind, test: ValueTest, text: str) -> pl.Expr:
    """Search the texts of each list as one text: each by itself would take Polars many times the memory and time."""
    if kind.is_list and text and BETWEEN_TEXTS not in text:
        return search_part(part.list.join(BETWEEN_TEXTS, ignore_nulls=True), Kind.STR, test)
    return search_part(part, kind, test)


def has_every_message(table: Table) -> bool:
    frame = table.frame
    return MESSAGE.name in frame.columns and not frame[MESSAGE.name].null_count()


def build_any_field(node: ast.AnyField, table: Table) -> pl.Expr:
    test = contains([node.pattern])
    found = [
        search_part(pl.col(column.name), column.kind, test) for column in table.list_searched()
    ]
    return pl.any_horizontal(found) if found else NEVER


def build_regex(node: ast.Regex, table: Table) -> pl.Expr:
    expression = f"(?i){node.expression}" if node.ignores_case else node.expression
    return Value.of_field(table, node.field).passes(
        lambda value, kind: matches(expression)(as_text(value, kind))
    )


def contains(patterns: Iterable[ast.Pattern]) -> ValueTest:
    """Return the test whether the value contains one of the patterns."""
    bare = [strip_stars(pattern) for pattern in patterns]

    def test(value: pl.Expr, kind: Kind) -> pl.Expr:
        is_number = kind in (Kind.INT, Kind.FLOAT)
        possible = list(filter(may_be_in_number, bare)) if is_number else bare
        text = as_text(value, kind)
        return pl.any_horizontal([finds(text) for finds in make_tests(possible)] or [NEVER])

    return test


def strip_stars(pattern: ast.Pattern) -> ast.Pattern:
    """Return the pattern without surrounding stars: whatever contains one contains the other too."""
    parts = pattern.parts
    while parts and parts[0] is ast.Wildcard.ANY:
        parts = parts[1:]
    while parts and parts[-1] is ast.Wildcard.ANY:
        parts = parts[:-1]
    return ast.Pattern(parts)


def may_be_in_number(pattern: ast.Pattern) -> bool:
    return all(
        isinstance(part, ast.Wildcard) or set(part) <= NUMBER_LETTERS for part in pattern.parts
    )


def make_tests(patterns: Iterable[ast.Pattern]) -> Iterator[TextTest]:
    """Yield a few tests that together search for all patterns."""
    joined: list[ast.Pattern] = []
    length = 0
    for pattern in patterns:
        text = pattern.text
        if text is not None and len(text) > MAX_EXPRESSION_LENGTH:
            yield holds_folded(text.lower())
            continue
        if length > MAX_JOINED_LENGTH:
            yield matches_one(joined)
            joined, length = [], 0
        joined.append(pattern)
        length += sum(len(part) for part in pattern.parts if isinstance(part, str))
    if joined:
        yield matches_one(joined)


def holds_folded(folded: str) -> TextTest:
    size_bytes = len(folded.encode())

    def test(text: pl.Expr) -> pl.Expr:
        lowered = text.str.to_lowercase()
        long_enough = pl.when(lowered.str.len_bytes() >= size_bytes).then(lowered)
        return long_enough.str.count_matches(folded, literal=True) > 0

    return test


def matches_one(patterns: list[ast.Pattern]) -> TextTest:
    """Return the test whether a text equals one of these, ignoring case by Unicode's rules."""
    texts = [pattern.text for pattern in patterns]
    words = tuple(text for text in texts if text and text.isascii())
    if len(words) == len(patterns):
        return passes(make_finder(words))
    expression = f"(?is){'|'.join(map(write_pattern, patterns))}"
    return lambda text: text.str.contains(expression)


def passes(finder: Finder) -> TextTest:
    return lambda text: text.map_batches(finder, return_dtype=pl.Boolean)


def matches(expression: str) -> TextTest:
    """Return the test for a regular expression, which is tried only on texts that contain its literals."""
    literals = [text for text in list_literals(expression) if text.isascii()]
    if not literals:
        return lambda text: text.str.contains(expression)
    has_longest = make_finder((max(literals, key=len),))

    def find(texts: pl.Series) -> pl.Series:
        may_match = has_longest(texts)
        if SPARSE * int(may_match.sum()) > len(texts):
            return texts.str.contains(expression).fill_null(value=False)
        matched = texts.filter(may_match).str.contains(expression)
        return may_match.scatter(may_match.arg_true().filter(~matched), False)

    return passes(find)


def write_pattern(pattern: ast.Pattern) -> str:
    """Return the regular expression of a pattern."""
    return "".join(
        re.escape(part) if isinstance(part, str) else WILD[part] for part in pattern.parts
    )


def matches_whole(pattern: ast.Pattern) -> ValueTest:
    """Return the test whether the whole value matches a pattern."""
    expression = f"(?is)^(?:{write_pattern(pattern)})$"
    return lambda value, kind: as_text(value, kind).str.contains(expression)
