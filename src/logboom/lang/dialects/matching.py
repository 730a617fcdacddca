"""Tests of one field in other languages, as our filters. All of them are in TESTS."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    MESSAGE,
    And,
    Compare,
    Exact,
    Exists,
    Filter,
    InQuery,
    Match,
    Not,
    OneOf,
    Or,
    Pattern,
    Quantity,
    Range,
    Regex,
    Wildcard,
)
from logboom.lang.dialects.lowering import WILDCARDS, Lowering, spell
from logboom.lang.dialects.textual import TEXT_TESTS, TextTest, make_text_filter, read_wildcards
from logboom.lang.dialects.times import fold_span, to_quantity
from logboom.lang.dialects.tree import Constant, Minus, Node, Sequence, Table
from logboom.lang.tokens import COMPARISONS

TEXT_FIELD = compile_later(r"(?:text|message|body|content|description)$", re.IGNORECASE)
"""Fields with texts of many words, by name."""
WORD_BREAKS = compile_later(r"[\s|,;]+")

Test: TypeAlias = Callable[[Lowering, str, Node], Filter | None]


def join_and(filters: Iterable[Filter]) -> Filter:
    terms = [term for each in filters for term in (each.terms if isinstance(each, And) else [each])]
    return terms[0] if len(terms) == 1 else And(tuple(terms))


def join_or(filters: Iterable[Filter]) -> Filter:
    terms = [term for each in filters for term in (each.terms if isinstance(each, Or) else [each])]
    return terms[0] if len(terms) == 1 else Or(tuple(terms))


def fold(node: Node) -> Node:
    """Return a negated constant as a constant, and anything else as it is."""
    match node:
        case Minus(operand=Constant(value=int() | float() as value)):
            return Constant(-value, node.start, node.end)
        case _:
            return node


def match_equal(lowering: Lowering, field: str, right: Node) -> Filter | None:
    if not isinstance(right, Constant):
        return None
    if right.value is None:
        raise lowering.refuse("nothing equals null, test whether it is null", right)
    return equal(field, right.value)


def equal(field: str, value: str | int | float | bool) -> Filter:
    """Return a test of equality: of texts case-sensitively, of numbers in every spelling."""
    if isinstance(value, str):
        return Exact(field, value)
    return Match(field, Pattern.literal(spell(value)))


def match_order(operator: str, _lowering: Lowering, field: str, right: Node) -> Filter | None:
    limit = read_limit(right)
    return None if limit is None else Compare(field, COMPARISONS[operator], limit)


def read_limit(node: Node) -> Quantity | str | None:
    """Return what values can be compared with: a number, a text or a duration."""
    span = fold_span(node)
    if span is not None and not span.months:
        return to_quantity(span)
    if not isinstance(node, Constant) or isinstance(node.value, bool) or node.value is None:
        return None
    return node.value if isinstance(node.value, str) else Quantity(node.value)


def match_range(_lowering: Lowering, field: str, right: Node) -> Filter | None:
    assert isinstance(right, Sequence)
    low, high = (read_limit(fold(member)) for member in right.members)
    if low is None or high is None or isinstance(low, str) != isinstance(high, str):
        return None
    return Range(field, low, high)


def match_list(lowering: Lowering, field: str, right: Node, *, counts_case: bool) -> Filter | None:
    """Return the test for one of several values, or of those that a query finds."""
    if isinstance(right, Table):
        return InQuery(field, right.query)
    values = list_values(right)
    if not values:
        return None
    if "" in values:
        known = [value for value in values if value != ""]
        rest = [match_values(field, known, counts_case=counts_case)] if known else []
        return join_or((*rest, match_nothing(lowering, field)))
    return match_values(field, values, counts_case=counts_case)


def match_nothing(lowering: Lowering, field: str) -> Filter:
    """Return the test for an empty text, which is the same as no value where nothing is null."""
    language = lowering.language
    is_exact = language.drops_missing or language.is_two_valued
    return Exact(field, "") if is_exact else read_empty(field, is_true=True)


def match_values(
    field: str, values: list[str | int | float | bool], *, counts_case: bool
) -> Filter:
    """Return the test for one of several values, none of which is an empty text."""
    if counts_case and any(isinstance(value, str) for value in values):
        return join_or(equal(field, value) for value in values)
    if field.lower() == MESSAGE:
        return make_text_filter(TEXT_TESTS["=~"], field, tuple(map(spell, values)))
    patterns = tuple(Pattern.literal(spell(value)) for value in values)
    return Match(field, patterns[0]) if len(patterns) == 1 else OneOf(field, patterns)


def list_values(right: Node) -> list[str | int | float | bool]:
    """Return the constants of a list; None if it contains anything else."""
    members = right.members if isinstance(right, Sequence) else ()
    values = [member.value for member in map(fold, members) if isinstance(member, Constant)]
    known = [value for value in values if value is not None]
    return known if len(known) == len(members) else []


def read_empty(field: str, *, is_true: bool) -> Filter:
    """Return the test for an empty text, which some languages equate with a missing value."""
    empty = Exact(field, "")
    if is_true:
        return Or((Not(Exists(field)), empty))
    return And((Exists(field), Not(empty)))


def match_any_word(lowering: Lowering, field: str, right: Node) -> Filter:
    return make_checked(lowering, TEXT_TESTS["has"], field, read_texts(lowering, right), right)


def match_all_words(lowering: Lowering, field: str, right: Node) -> Filter:
    texts = read_texts(lowering, right)
    return join_and(
        make_checked(lowering, TEXT_TESTS["has"], field, (text,), right) for text in texts
    )


def read_texts(lowering: Lowering, right: Node) -> tuple[str, ...]:
    members = right.members if isinstance(right, Sequence) else ()
    if not members:
        raise lowering.refuse("expected a list of texts", right)
    return tuple(map(lowering.read_text, members))


def match_text(operator: str, lowering: Lowering, field: str, right: Node) -> Filter | None:
    if not isinstance(right, Constant):
        return None
    texts = (lowering.read_text(right),)
    return make_checked(lowering, TEXT_TESTS[operator], field, texts, right)


def make_checked(
    lowering: Lowering, test: TextTest, field: str, texts: tuple[str, ...], right: Node
) -> Filter:
    found = make_text_filter(test, field, texts)
    if isinstance(found, Regex):
        lowering.check_regex(found.expression, right)
    return found


def match_regex(operator: str, lowering: Lowering, field: str, right: Node) -> Filter:
    expression = lowering.make_regex(operator.removeprefix("i"), right)
    return Regex(field, expression, ignores_case=operator.startswith("i"))


def match_wild(operator: str, lowering: Lowering, field: str, right: Node) -> Filter:
    """Return the test of a whole value by a pattern; a case-sensitive one needs a regular expression."""
    parts = read_wildcards(lowering.read_text(right), *WILDCARDS[operator])
    if parts == (Wildcard.ANY,):
        return Exists(field)
    if operator.endswith("ilike") and field.lower() != MESSAGE:
        return Match(field, Pattern(parts))
    if operator.endswith("ilike"):
        expression = lowering.make_regex(operator.replace("ilike", "like"), right)
        return Regex(field, expression, ignores_case=True)
    if all(isinstance(part, str) for part in parts):
        return Exact(field, "".join(part for part in parts if isinstance(part, str)))
    return Regex(field, lowering.make_regex(operator, right))


def match_search(lowering: Lowering, field: str, right: Node) -> Filter:
    """Return a full-text search: any word of the text in a text field, the whole value of any other."""
    text = lowering.read_text(right)
    words = tuple(dict.fromkeys(filter(None, WORD_BREAKS.split(text))))
    if not words or (len(words) == 1 and not TEXT_FIELD.search(field)):
        return Match(field, Pattern.literal(text))
    return make_checked(lowering, TEXT_TESTS["has"], field, words, right)


TESTS: dict[str, Test] = {
    "==": match_equal,
    **{sign: partial(match_order, sign) for sign in COMPARISONS},
    "between": match_range,
    "in": partial(match_list, counts_case=True),
    "in~": partial(match_list, counts_case=False),
    "has_any": match_any_word,
    "has_all": match_all_words,
    "match": match_search,
    **{name: partial(match_regex, name) for name in ("matches", "imatches", "rlike", "irlike")},
    **{name: partial(match_wild, name) for name in WILDCARDS},
    **{name: partial(match_text, name) for name in TEXT_TESTS},
}
