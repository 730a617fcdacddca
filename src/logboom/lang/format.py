"""Syntax tree to its canonical text, which parses back to an equal tree. One function per node."""

import re
from collections.abc import Callable
from typing import Any

from logboom.lang import tokens
from logboom.lang.ast import (
    Aggregate,
    And,
    Compare,
    Everything,
    Exact,
    Exists,
    Filter,
    Match,
    Not,
    Or,
    Pattern,
    Query,
    Stats,
    Wildcard,
    Word,
)

PLAIN_WORD = re.compile(r"\w[\w.%@+/-]*")
PLAIN_VALUE = re.compile(r"(?!//)[\w/-][\w.%@+/-]*")
PATTERN_SPECIAL = re.compile(rf"[{tokens.RUN_BREAKS}{tokens.CURLY_SINGLE}\\*?]")
PATTERN_START_SPECIAL = re.compile(rf"[{re.escape(tokens.VALUE_STARTS_RESERVED)}:']|//")


def format_query(query: Query) -> str:
    return " | ".join(map(format_node, (query.filter, *query.pipes)))


def format_node(node: object) -> str:
    return FORMATS[type(node)](node)


def format_everything(_: Everything) -> str:
    return "*"


def format_word(node: Word) -> str:
    is_plain = PLAIN_WORD.fullmatch(node.text) and node.text.lower() not in tokens.RESERVED_WORDS
    return node.text if is_plain else tokens.quote(node.text)


def format_match(node: Match) -> str:
    return f"{format_name(node.field)}:{format_pattern(node.pattern)}"


def format_exact(node: Exact) -> str:
    return f"{format_name(node.field)}:={format_value(node.text)}"


def format_exists(node: Exists) -> str:
    return f"{format_name(node.field)}:*"


def format_compare(node: Compare) -> str:
    return f"{format_name(node.field)}{node.operator}{node.number!r}"


def format_not(node: Not) -> str:
    return f"NOT {format_operand(node.term)}"


def format_and(node: And) -> str:
    return " ".join(map(format_operand, node.terms))


def format_or(node: Or) -> str:
    return " OR ".join(map(format_operand, node.terms))


def format_operand(node: Filter) -> str:
    """In parentheses also where precedence alone would do, so that nobody has to know it."""
    text = format_node(node)
    return f"({text})" if isinstance(node, And | Or) else text


def format_stats(node: Stats) -> str:
    text = "stats " + ", ".join(map(format_node, node.aggregates))
    return f"{text} by {', '.join(map(format_name, node.keys))}" if node.keys else text


def format_aggregate(node: Aggregate) -> str:
    default = node.function if node.argument is None else f"{node.function}({node.argument})"
    return default if node.name == default else f"{default} as {format_name(node.name)}"


FORMATS: dict[type, Callable[[Any], str]] = {
    Everything: format_everything,
    Word: format_word,
    Match: format_match,
    Exact: format_exact,
    Exists: format_exists,
    Compare: format_compare,
    Not: format_not,
    And: format_and,
    Or: format_or,
    Stats: format_stats,
    Aggregate: format_aggregate,
}


def format_name(name: str) -> str:
    is_keyword = tokens.PIPE_KEYWORD.fullmatch(name) or name.lower() in tokens.RESERVED_WORDS
    is_plain = tokens.NAME.fullmatch(name) and not is_keyword
    return name if is_plain else tokens.quote(name)


def format_value(text: str) -> str:
    is_plain = PLAIN_VALUE.fullmatch(text) and tokens.name_reserved_form(text) is None
    return text if is_plain else tokens.quote(text)


def format_pattern(pattern: Pattern) -> str:
    """Wildcards work only outside quotes, so around them text is escaped, not quoted."""
    if pattern.text is not None:
        return format_value(pattern.text)
    raw = "".join(
        part.value if isinstance(part, Wildcard) else PATTERN_SPECIAL.sub(r"\\\g<0>", part)
        for part in pattern.parts
    )
    is_special = PATTERN_START_SPECIAL.match(raw) or tokens.name_reserved_form(raw)
    return f"\\{raw}" if is_special else raw
