"""Expands short tests: `took:1500ms`, `@f:v`. The syntax tree keeps them as they are written."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from logboom.lang import ast
from logboom.lang.parse.quantities import read_quantity
from logboom.lang.tokens import TIME_NAMES

ATTRIBUTE = "@"
TESTS = (
    *(ast.Match, ast.OneOf, ast.Exact, ast.Exists, ast.Compare, ast.Range),
    *(ast.Network, ast.Regex, ast.HasPattern, ast.InQuery),
)


def spell_out(node: Any) -> Any:
    """Return the same test, or several joined by OR."""
    if not isinstance(node, TESTS):
        return node
    tests = [test for each in list_named(node) for test in list_meant(each)]
    return ast.Or(tuple(tests)) if len(tests) > 1 else tests[0]


def list_named(node: Any) -> Iterator[Any]:
    """Yield a test and its equivalents: `@f` is the field of that name, or `f`, as some products write attributes."""
    yield node
    name = node.field.removeprefix(ATTRIBUTE)
    if node.field.startswith(ATTRIBUTE) and name and node.field not in TIME_NAMES:
        yield replace(node, field=name)


def list_meant(node: Any) -> Iterator[Any]:
    """Yield a test and its equivalents: a number with a unit may be stored with another unit."""
    yield node
    if node.field != ast.MESSAGE:
        quantities = (
            read_quantity(pattern.text) for pattern in list_patterns(node) if pattern.text
        )
        yield from (ast.Range(node.field, each, each) for each in quantities if each)


def list_patterns(node: Any) -> tuple[ast.Pattern, ...]:
    match node:
        case ast.Match(_, pattern):
            return (pattern,)
        case ast.OneOf(_, patterns):
            return patterns
        case _:
            return ()
