"""Dashboard variables: `$name` in a query is replaced by a value, which is never parsed as query text."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from logboom.engine.terms.tree import rebuild
from logboom.lang import ast
from logboom.lang.reading import join_filters

ALL = ("", "*")
"""Values that stand for any value: a field test with one of them is dropped."""
ANYTHING = ast.Everything()
QUOTED = r'"(?:[^"\\]|\\.)*"|`[^`]*`|(?<![\w])\'(?:[^\'\\]|\\.)*\''
VALUE_START, VALUE_END = r"(?<![^\s:=<>(,])", r"(?=[\s),|]|\Z)"


def quote_variables(text: str, names: Iterable[str]) -> str:
    """Return the query with quotes around these variables, so that each is parsed as a value."""
    written = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if not written or "$" not in text:
        return text
    pattern = rf"(?P<quoted>{QUOTED})|{VALUE_START}\$(?P<name>{written}){VALUE_END}"
    return re.sub(
        pattern,
        lambda found: found["quoted"] or f'"${found["name"]}"',
        text,
        flags=re.DOTALL,
    )


def put_values(query: ast.Query, values: Mapping[str, str]) -> ast.Query:
    """Return the query with variables replaced by values; tests that any value satisfies are dropped."""
    if not values:
        return query
    chosen = {f"${name}": value for name, value in values.items()}

    def change(node: Any) -> Any:
        return replace_node(node, chosen)

    return rebuild(query, change)


def replace_node(node: Any, chosen: Mapping[str, str]) -> Any:
    match node:
        case ast.Not(term=term) if term is ANYTHING:
            return ANYTHING
        case ast.And(terms=terms) if any(term is ANYTHING for term in terms):
            return join_filters(*terms)
        case ast.OneOf(patterns=patterns):
            texts = [pattern.text for pattern in patterns]
            return (
                ANYTHING
                if any(chosen.get(text or "", "?") in ALL for text in texts)
                else (
                    replace(
                        node, patterns=tuple(replace_pattern(each, chosen) for each in patterns)
                    )
                )
            )
        case ast.Literal(value=str(text)) if text in chosen:
            return ast.Literal(chosen[text])
        case _:
            return replace_test(node, chosen)


def replace_test(node: Any, chosen: Mapping[str, str]) -> Any:
    """Return a test of a field, or of the whole message, whose value is a variable."""
    text = find_value(node)
    if text is None or text not in chosen:
        return node
    value = chosen[text]
    if value in ALL:
        return ANYTHING
    match node:
        case ast.Word() | ast.Exact():
            return replace(node, text=value)
        case ast.Regex():
            return replace(node, expression=re.escape(value))
        case ast.Compare():
            return replace(node, limit=read_limit(value))
        case _:
            return replace(node, pattern=ast.Pattern.literal(value))


def find_value(node: Any) -> str | None:
    """Return the text that a test compares with, if it is a text without wildcards."""
    match node:
        case ast.Word(text=text) | ast.Exact(text=text) | ast.Regex(expression=text):
            return text
        case ast.Compare(limit=str(text)):
            return text
        case ast.Match() | ast.AnyField() | ast.SomeField() | ast.ScopeFilter():
            return node.pattern.text
        case _:
            return None


def replace_pattern(pattern: ast.Pattern, chosen: Mapping[str, str]) -> ast.Pattern:
    value = chosen.get(pattern.text or "")
    return pattern if value is None else ast.Pattern.literal(value)


def read_limit(value: str) -> ast.Quantity | str:
    """Return a number if the value is one, so that it is compared as a number."""
    if not re.fullmatch(r"-?[0-9]{1,15}(?:\.[0-9]{1,9})?", value):
        return value
    return ast.Quantity(float(value) if "." in value else int(value))
