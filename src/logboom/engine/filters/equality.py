"""Tests of whole values: texts ignoring case, numbers in every spelling, multi-valued fields by any element."""

from collections.abc import Iterable
from functools import lru_cache

import msgspec
import polars as pl

from logboom.engine.filters.texts import contains, matches_whole
from logboom.engine.rows.table import Table, match_names
from logboom.engine.rows.values import NEVER, Value, ValueTest, as_text, fit_int, read_value
from logboom.engine.terms.bound import Values
from logboom.lang import ast
from logboom.model.columns import MESSAGE, Kind, Scalar
from logboom.model.names import fold_name

SPELLED = (Kind.STR, Kind.TIME)
"""Kinds whose values are compared as texts."""
MAX_KNOWN_LISTS = 32
"""Long lists are parsed once, not again for each block."""


def build_match(node: ast.Match, table: Table) -> pl.Expr:
    return build_patterns(node.field, (node.pattern,), table)


def build_one_of(node: ast.OneOf, table: Table) -> pl.Expr:
    return build_patterns(node.field, node.patterns, table)


def build_patterns(field: str, patterns: tuple[ast.Pattern, ...], table: Table) -> pl.Expr:
    """Return the test whether a value equals one of the patterns, or the message contains it."""
    value = Value.of_field(table, field)
    if fold_name(field) == MESSAGE.field:
        return value.passes(contains(patterns))
    return pl.any_horizontal([value.passes(test) for test in list_tests(patterns)])


def build_some_field(node: ast.SomeField, table: Table) -> pl.Expr:
    """Return the test of every field whose name matches, like that of a named one."""
    names = {column.field for column in table.list_columns()}
    tests = [build_named(name, node.pattern, table) for name in match_names([node.names], names)]
    return pl.any_horizontal(tests or [NEVER])


def build_named(field: str, pattern: ast.Pattern, table: Table) -> pl.Expr:
    if pattern.parts == (ast.Wildcard.ANY,):
        return Value.of_field(table, field).exists()
    return build_patterns(field, (pattern,), table)


def list_tests(patterns: tuple[ast.Pattern, ...]) -> list[ValueTest]:
    texts = [pattern.text for pattern in patterns]
    wild = [pattern for pattern, text in zip(patterns, texts, strict=True) if text is None]
    tests = [matches_whole(pattern) for pattern in wild]
    plain = tuple(text for text in texts if text is not None)
    return [equals(plain), *tests] if plain else tests


def build_values(node: Values, table: Table) -> pl.Expr:
    return Value.of_field(table, node.field).passes(equals(spell_all(node.values)))


def spell_all(values: Iterable[Scalar]) -> tuple[str, ...]:
    """Return values as a query would write them, whole numbers without a fraction."""
    return tuple(value if isinstance(value, str) else spell(value) for value in values)


def spell(number: int | float | bool) -> str:
    whole = fit_int(number) if isinstance(number, float) else None
    return msgspec.json.encode(number if whole is None else whole).decode()


def equals(texts: tuple[str, ...]) -> ValueTest:
    """Return the test whether the value equals one of the texts."""

    def test(value: pl.Expr, kind: Kind) -> pl.Expr:
        compared = as_text(value, kind).str.to_lowercase() if kind in SPELLED else value
        return is_one_of(compared, read_texts(texts, kind))

    return test


@lru_cache(maxsize=MAX_KNOWN_LISTS)
def read_texts(texts: tuple[str, ...], kind: Kind) -> list[Scalar]:
    """Return the values of a kind that some of the texts spell, texts folded, without duplicates."""
    if kind in SPELLED:
        return list(dict.fromkeys(text.lower() for text in texts))
    read = (read_value(text, kind) for text in texts)
    return list(dict.fromkeys(value for value in read if value is not None))


def is_one_of(value: pl.Expr, wanted: list[Scalar]) -> pl.Expr:
    if len(wanted) > 1:
        return value.is_in(wanted)
    return value == wanted[0] if wanted else NEVER


def build_exact(node: ast.Exact, table: Table) -> pl.Expr:
    def test(value: pl.Expr, kind: Kind) -> pl.Expr:
        if kind in SPELLED:
            return as_text(value, kind) == node.text
        wanted = read_value(node.text, kind)
        return NEVER if wanted is None else value == wanted

    return Value.of_field(table, node.field).passes(test)


def build_exists(node: ast.Exists, table: Table) -> pl.Expr:
    return Value.of_field(table, node.field).exists()


def build_scope(node: ast.ScopeFilter, table: Table) -> pl.Expr:
    """Return the test of the event's environment or index, or of the event's own field of that name."""
    values = [Value.of_field(table, name) for name in (f"_{node.kind}", node.kind)]
    tests = list_tests((node.pattern,))
    return pl.any_horizontal([value.passes(test) for value in values for test in tests])
