"""Tests of labels by texts: `=`, `!=`, `=~` and `!~`, the same in selectors and after a bar.

A missing label counts as an empty text. Expressions match whole values. A dashboard variable as a value stands for
any value.
"""

from collections.abc import Callable
from typing import TypeAlias

from logboom.lang.ast import (
    And,
    Compare,
    Everything,
    Exact,
    Exists,
    Filter,
    Match,
    Network,
    Not,
    Or,
    Pattern,
    Range,
    Regex,
    ScopeFilter,
)
from logboom.lang.dialects.logql import regexes
from logboom.lang.dialects.logql.tokens import Token, TokenReader

SCOPES = {"env": "_env", "index": "_index"}
NEGATED = ("!=", "!~")
FieldTest: TypeAlias = Exact | Exists | Regex | Match | Compare | Range | Network
"""A test of one field."""


def make_label_test(
    reader: TokenReader,
    name: str,
    operator: str,
    text: str,
    token: Token,
    *,
    is_selected: bool = False,
) -> Filter:
    """Return the test `name operator "text"`; labels of a selector may also name the environment or index."""
    is_open = reader.has_variables and regexes.has_variable(text)
    if is_open and regexes.is_variable(text):
        is_place = is_selected and name in SCOPES
        return Everything() if operator in NEGATED or is_place else Exists(name)
    if operator in ("=", "!=") and not is_open:
        found = equal(name, text, is_selected=is_selected)
    else:
        expression = regexes.open_variables(text) if operator in ("=", "!=") else text
        opened = regexes.open_expression(expression) if is_open else expression
        found = match_expression(reader, name, opened, token, is_selected=is_selected)
    return negate(found) if operator in NEGATED else found


def equal(name: str, text: str, *, is_selected: bool) -> Filter:
    if not text:
        return Or((Not(Exists(name)), Exact(name, "")))
    if is_selected and name == "env":
        return ScopeFilter("env", Pattern.literal(text))
    if is_selected and name == "index":
        return ScopeFilter("index", Pattern.literal(text))
    return Exact(name, text)


def match_expression(
    reader: TokenReader, name: str, expression: str, token: Token, *, is_selected: bool
) -> Filter:
    if expression == regexes.ANY_TEXT:
        return Everything()
    if not expression:
        return equal(name, "", is_selected=False)
    if expression == ".+":
        return Everything() if is_selected and name in SCOPES else Regex(name, ".")
    found = regexes.match_whole(reader, name, expression, token)
    if is_selected and name in SCOPES:
        found = any_of([regexes.match_whole(reader, SCOPES[name], expression, token), found])
    return any_of([Not(Exists(name)), found]) if regexes.matches_nothing(expression) else found


def negate(filter_: Filter) -> Filter:
    """Return the opposite of a filter, without a second NOT."""
    match filter_:
        case Not(term):
            return term
        case Or((Not(Exists(name)), Exact(_, ""))):
            return And((Exists(name), Not(Exact(name, ""))))
        case _:
            return Not(filter_)


def all_of(filters: list[Filter]) -> Filter:
    """Return a filter that matches if all of them do, flattened."""
    terms: list[Filter] = []
    for each in filters:
        if isinstance(each, And):
            terms += each.terms
        elif not isinstance(each, Everything):
            terms.append(each)
    if not terms:
        return Everything()
    return And(tuple(terms)) if len(terms) > 1 else terms[0]


def any_of(filters: list[Filter]) -> Filter:
    """Return a filter that matches if any of them does, flattened."""
    terms: list[Filter] = []
    for each in filters:
        if isinstance(each, Everything):
            return each
        terms += each.terms if isinstance(each, Or) else (each,)
    return Or(tuple(terms)) if len(terms) > 1 else terms[0]


def change_tests(filter_: Filter, change: Callable[[FieldTest], Filter]) -> Filter:
    """Return the filter with each test of a field changed."""
    match filter_:
        case And(terms):
            return all_of([change_tests(term, change) for term in terms])
        case Or(terms):
            return any_of([change_tests(term, change) for term in terms])
        case Not(term):
            return Not(change_tests(term, change))
        case Exact() | Exists() | Regex() | Match() | Compare() | Range() | Network():
            return change(filter_)
        case _:
            return filter_
