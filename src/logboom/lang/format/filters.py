"""Filters as canonical text. One function per node."""

import re
from collections.abc import Callable
from typing import Any

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import (
    And,
    AnyField,
    Between,
    Compare,
    During,
    Everything,
    Exact,
    Exists,
    Filter,
    HasPattern,
    InQuery,
    Match,
    Network,
    Not,
    OneOf,
    Or,
    Query,
    Range,
    Regex,
    ScopeFilter,
    SomeField,
    Truth,
    Word,
)
from logboom.lang.expression_tokens import KEYWORDS as EXPRESSION_KEYWORDS
from logboom.lang.format.nodes import format_node
from logboom.lang.format.values import (
    format_field,
    format_limit,
    format_member,
    format_pattern,
    format_value,
)

KEYWORDS = tokens.RESERVED_WORDS | tokens.HABIT_WORDS | EXPRESSION_KEYWORDS
PLAIN_WORD = compile_later(r"\w[\w.%@+/-]*")
PLAIN_TIME = compile_later(r"[\w+@-][\w:.@+/-]*", re.ASCII)


def format_query(query: Query) -> str:
    return " | ".join(map(format_node, (query.filter, *query.pipes)))


def format_everything(_: Everything) -> str:
    return "*"


def format_word(node: Word) -> str:
    is_keyword = node.text.lower() in KEYWORDS
    is_plain = PLAIN_WORD.fullmatch(node.text) and not is_keyword
    return node.text if is_plain else tokens.quote(node.text)


def format_match(node: Match) -> str:
    return f"{format_field(node.field)}:{format_pattern(node.pattern)}"


def format_exact(node: Exact) -> str:
    return f"{format_field(node.field)}:={format_value(node.text)}"


def format_one_of(node: OneOf) -> str:
    return f"{format_field(node.field)} IN ({', '.join(map(format_member, node.patterns))})"


def format_in_query(node: InQuery) -> str:
    """Print it, with double parentheses without pipes: a short filter would be parsed as a list of values."""
    text = format_query(node.query)
    return f"{format_field(node.field)}:in({text if node.query.pipes else f'({text})'})"


def format_exists(node: Exists) -> str:
    is_time = node.field in tokens.TIME_NAMES
    return f"{node.field if is_time else format_field(node.field)}:*"


def format_compare(node: Compare) -> str:
    return f"{format_field(node.field)}{node.operator}{format_limit(node.limit)}"


def format_range(node: Range) -> str:
    opening = "[" if node.includes_low else "{"
    closing = "]" if node.includes_high else "}"
    limits = f"{format_limit(node.low)} TO {format_limit(node.high)}"
    return f"{format_field(node.field)}:{opening}{limits}{closing}"


def format_network(node: Network) -> str:
    return f"{format_field(node.field)}:{node.network}"


def format_regex(node: Regex) -> str:
    """Print a regular expression: between slashes if it is parsed as one there, else in quotes."""
    flag = "i" if node.ignores_case else ""
    slashed = f"/{tokens.escape_slashes(node.expression)}/{flag}"
    if tokens.SLASHED.fullmatch(slashed) and not tokens.PATH.fullmatch(slashed):
        return f"{format_field(node.field)}:{slashed}"
    return f"{format_field(node.field)}=~{tokens.quote(node.expression)}{flag}"


def format_has_pattern(node: HasPattern) -> str:
    star = "*" if node.is_prefix else ""
    return f"{format_field(node.field)}:pattern({tokens.quote(node.text)}{star})"


def format_any_field(node: AnyField) -> str:
    return f"*:{format_pattern(node.pattern)}"


def format_some_field(node: SomeField) -> str:
    return f"{node.names}:{format_pattern(node.pattern)}"


def format_during(node: During) -> str:
    return f"_time:{format_time(node.period)}"


def format_between(node: Between) -> str:
    if node.end is None:
        return f"_time{'>=' if node.includes_start else '>'}{format_time(node.start)}"
    if node.start is None:
        return f"_time{'<=' if node.includes_end else '<'}{format_time(node.end)}"
    opening = "[" if node.includes_start else "{"
    closing = "]" if node.includes_end else "}"
    return f"_time:{opening}{format_time(node.start)} TO {format_time(node.end)}{closing}"


def format_time(text: str | None) -> str:
    assert text is not None, "a range has a limit"
    return text if PLAIN_TIME.fullmatch(text) else tokens.quote(text)


def format_scope(node: ScopeFilter) -> str:
    return f"{node.kind}:{format_pattern(node.pattern)}"


def format_truth(node: Truth) -> str:
    return f"eval({format_node(node.expression)})"


def format_not(node: Not) -> str:
    return f"NOT {format_operand(node.term)}"


def format_and(node: And) -> str:
    return " ".join(map(format_operand, node.terms))


def format_or(node: Or) -> str:
    return " OR ".join(map(format_operand, node.terms))


def format_operand(node: Filter) -> str:
    """Print an operand, in parentheses even if precedence would suffice, so that readers need not know it."""
    text = format_node(node)
    return f"({text})" if isinstance(node, And | Or) else text


FILTER_FORMATS: dict[type, Callable[[Any], str]] = {
    Everything: format_everything,
    Word: format_word,
    Match: format_match,
    Exact: format_exact,
    OneOf: format_one_of,
    InQuery: format_in_query,
    Exists: format_exists,
    Compare: format_compare,
    Range: format_range,
    Network: format_network,
    Regex: format_regex,
    HasPattern: format_has_pattern,
    AnyField: format_any_field,
    SomeField: format_some_field,
    During: format_during,
    Between: format_between,
    ScopeFilter: format_scope,
    Truth: format_truth,
    Not: format_not,
    And: format_and,
    Or: format_or,
}
