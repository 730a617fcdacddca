"""Selectors in braces, as in LogQL and LogsQL: `{app="web", level!="debug"}`."""

from collections.abc import Callable

from logboom.lang import tokens
from logboom.lang.ast import And, Everything, Filter, Not, Or, Regex
from logboom.lang.dialects.logql.regexes import anchor
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.fields.lists import parse_in
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.fields.times import parse_period
from logboom.lang.parse.fields.values import parse_regex, parse_text, parse_value
from logboom.lang.tokens import IN_SELECTOR, Site


def parse_selector(cursor: Cursor) -> Filter:
    """`{app="web", level!="debug"}`; a flat JSON object is one as well."""
    start = cursor.position
    cursor.take_character("{")
    cursor.skip_blanks()
    rows: list[list[Filter]] = [[]]
    while not cursor.take_character("}"):
        if rows[-1] and cursor.take(tokens.SELECTOR_OR):
            rows.append([])
        elif rows[-1] and not cursor.take_character(","):
            raise not_continued(cursor, start)
        cursor.skip_blanks()
        rows[-1].append(parse_selected(cursor))
        cursor.skip_blanks()
    if not rows[0]:
        return Everything()
    alternatives = [And(tuple(row)) if len(row) > 1 else row[0] for row in rows]
    return Or(tuple(alternatives)) if len(alternatives) > 1 else alternatives[0]


def parse_selected(cursor: Cursor) -> Filter:
    is_quoted = cursor.next in tokens.QUOTES
    name = cursor.take_name()
    if name is None:
        raise cursor.unexpected(["a field name"])
    cursor.skip_blanks()
    operator = cursor.take(tokens.SELECTOR_OPERATOR)
    if operator is None:
        raise cursor.unexpected(["=", "!=", "=~", "!~"])
    cursor.skip_blanks()
    return SELECTOR_TESTS[operator](cursor, Subject(name, is_quoted), IN_SELECTOR)


def not_continued(cursor: Cursor, start: int) -> InvalidQuery:
    """Return an error about a selector that began at `start` and has neither a comma nor its end here."""
    place = len(cursor.text[: cursor.position].rstrip())
    if not cursor.at_end:
        return cursor.unexpected([",", "}"], cursor.replace(place, place, ","))
    message = 'this brace is never closed, expected "}"'
    return cursor.error(message, start, None, ["}"], cursor.replace(place, place, "}"))


def select_value(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return (
        parse_period(cursor, subject, site)
        if subject.is_time
        else parse_value(cursor, subject, site)
    )


def select_text(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    """Return the test after `=`: a quoted text is the exact value, as in LogQL."""
    is_quoted = cursor.next in tokens.QUOTES and not subject.is_time
    return (select_exact if is_quoted else select_value)(cursor, subject, site)


def select_other_text(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return Not(select_text(cursor, subject, site))


def select_exact(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return subject.exact(parse_text(cursor, site))


def select_matching(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return match_whole(parse_regex(cursor, subject, site))


def select_unmatched(cursor: Cursor, subject: Subject, site: Site) -> Filter:
    return Not(select_matching(cursor, subject, site))


def match_whole(filter_: Filter) -> Filter:
    """Return the filter with regular expressions that match whole values, as those of a selector do."""
    match filter_:
        case Regex(field, expression, ignores_case):
            return Regex(field, anchor(expression), ignores_case)
        case Or(terms):
            return Or(tuple(map(match_whole, terms)))
        case _:
            return filter_


def select_listed(cursor: Cursor, subject: Subject, _site: Site) -> Filter:
    return parse_in(cursor, subject)


def select_unlisted(cursor: Cursor, subject: Subject, _site: Site) -> Filter:
    return Not(parse_in(cursor, subject))


SELECTOR_TESTS: dict[str, Callable[[Cursor, Subject, Site], Filter]] = {
    "=": select_text,
    ":": select_value,
    "!=": select_other_text,
    "==": select_exact,
    ":=": select_exact,
    "=~": select_matching,
    "!~": select_unmatched,
    "in": select_listed,
    "not_in": select_unlisted,
}
