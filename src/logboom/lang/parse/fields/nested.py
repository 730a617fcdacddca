"""Tests of the objects in a field, in KQL's syntax: `items:{ name:a and price > 5 }`."""

from msgspec.structs import replace

from logboom.lang import tokens
from logboom.lang.ast import (
    And,
    Compare,
    Exact,
    Exists,
    Filter,
    HasPattern,
    Match,
    Network,
    Not,
    OneOf,
    Or,
    Range,
    Regex,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.subject import Subject


def parse_nested(cursor: Cursor, subject: Subject) -> Filter:
    """Parse the tests in braces; each is of a field inside, and any object may pass it."""
    start = cursor.position
    end = find_brace(cursor)
    whole = cursor.text
    cursor.text = whole[:end]
    cursor.position = start + 1
    try:
        query = cursor.parse_subquery()
        if query.pipes or not cursor.at_end:
            raise cursor.unexpected(["a test", "}"])
    except InvalidQuery as error:
        error.extend_suggestion(whole[end:])
        raise
    finally:
        cursor.text = whole
    cursor.position = end + 1
    written = whole[start : end + 1]
    message = (
        f"{show(written)} is read as tests of {subject.field}.…, which different objects may pass"
    )
    cursor.notice("read_as_meant", message)
    return prefix_fields(query.filter, f"{subject.field}.")


def find_brace(cursor: Cursor) -> int:
    """Return where the brace that opens here is closed; those inside quotes do not count."""
    position, depth = cursor.position, 0
    while position < len(cursor.text):
        quoted = tokens.QUOTED.match(cursor.text, position)
        character = cursor.text[position]
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return position
        position = quoted.end() if quoted else position + 1
    place = len(cursor.text)
    message = 'this brace is never closed, expected "}"'
    raise cursor.error(message, cursor.position, None, ["}"], cursor.replace(place, place, "}"))


def prefix_fields(node: Filter, prefix: str) -> Filter:
    match node:
        case And(terms):
            return And(tuple(prefix_fields(term, prefix) for term in terms))
        case Or(terms):
            return Or(tuple(prefix_fields(term, prefix) for term in terms))
        case Not(term):
            return Not(prefix_fields(term, prefix))
        case (
            Match()
            | Exact()
            | OneOf()
            | Exists()
            | Compare()
            | Range()
            | Network()
            | Regex()
            | HasPattern()
        ):
            return replace(node, field=prefix + node.field)
        case _:
            return node
