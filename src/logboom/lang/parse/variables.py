"""Dashboard variables among the terms of a filter: `source:nginx $host`, where $host is the reader's choice."""

from logboom.lang import tokens
from logboom.lang.ast import And, Filter, Or, Word
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.terms import Term


def leave_out_variables(cursor: Cursor, terms: list[Term]) -> list[Filter]:
    """Return the terms joined by AND, without variables; these are words unless a field is tested beside them."""
    variables = [term.filter for term in terms if is_variable(term)]
    words = [term for term in terms if not term.is_firm and not is_variable(term)]
    has_tests = any(term.is_firm and tests_field(term.filter) for term in terms)
    first = variables[0] if variables and has_tests and all(map(is_plain, words)) else None
    if not isinstance(first, Word):
        return [term.filter for term in terms]
    add_notice(cursor, first.text)
    return [term.filter for term in terms if not is_variable(term)]


def is_variable(term: Term) -> bool:
    if term.is_firm or not isinstance(term.filter, Word):
        return False
    return tokens.VARIABLE.fullmatch(term.filter.text) is not None


def is_plain(term: Term) -> bool:
    """Return whether a word is not a mere sign, such as the operator of a comparison with a variable."""
    return not isinstance(term.filter, Word) or any(map(str.isalnum, term.filter.text))


def tests_field(node: Filter) -> bool:
    if isinstance(node, And | Or):
        return all(map(tests_field, node.terms))
    return not isinstance(node, Word)


def add_notice(cursor: Cursor, name: str) -> None:
    message = f"{show(name)} is treated as a variable and ignored, in quotes it is searched for"
    place = cursor.text.index(name)
    alternative = cursor.replace(place, place + len(name), tokens.quote(name))
    cursor.notice("read_as_meant", message, alt=alternative)
