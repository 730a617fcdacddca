"""Dashboard variables among the terms of a filter: `source:nginx $host`, where $host is the reader's choice.

`$name$`, as Splunk writes it, can be nothing else.
"""

from logboom.lang import tokens
from logboom.lang.ast import And, Everything, Filter, Or, Word
from logboom.lang.parse.cursor import Cursor, check_no_placeholder, show
from logboom.lang.parse.terms import Term


def leave_out_variables(cursor: Cursor, terms: list[Term]) -> list[Filter]:
    """Return the terms joined by AND, without variables; these are words unless a field is tested beside them."""
    terms = leave_out_placeholders(cursor, terms)
    variables = [term.filter for term in terms if is_variable(term)]
    words = [term for term in terms if not term.is_firm and not is_variable(term)]
    has_tests = any(term.is_firm and tests_field(term.filter) for term in terms)
    first = variables[0] if variables and has_tests and all(map(is_plain, words)) else None
    if not isinstance(first, Word):
        return [term.filter for term in terms]
    add_notice(cursor, first.text)
    return [term.filter for term in terms if not is_variable(term)]


def leave_out_placeholders(cursor: Cursor, terms: list[Term]) -> list[Term]:
    """Return the other terms; beside a mere sign a placeholder is the value of a comparison, which is an error."""
    kept = [term for term in terms if not is_placeholder(term)]
    is_compared = not all(is_plain(term) for term in kept if not term.is_firm)
    for term in terms:
        if not isinstance(term.filter, Word) or not is_placeholder(term):
            continue
        if is_compared:
            check_no_placeholder(cursor, cursor.position, term.filter.text)
        add_notice(cursor, term.filter.text)
    return kept or [Term(Everything())]


def check_alternatives(cursor: Cursor, terms: list[Term]) -> None:
    """Raise InvalidQuery for a placeholder beside OR, where leaving it out would find less."""
    for term in terms:
        if isinstance(term.filter, Word) and is_placeholder(term):
            check_no_placeholder(cursor, cursor.position, term.filter.text)


def is_placeholder(term: Term) -> bool:
    if term.is_firm or not isinstance(term.filter, Word):
        return False
    return tokens.SPLUNK_TOKEN.fullmatch(term.filter.text) is not None


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
