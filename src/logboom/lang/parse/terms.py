"""Single terms: the test of a field, a phrase, a regular expression, a selector or a word."""

from typing import NamedTuple

from logboom.lang import tokens
from logboom.lang.ast import MESSAGE, During, Everything, Filter, Match, Not, Regex, Wildcard, Word
from logboom.lang.dialects.logql.regexes import escape
from logboom.lang.errors import InvalidQuery
from logboom.lang.expression_tokens import FUNCTION
from logboom.lang.parse import lucene
from logboom.lang.parse.brackets import SUBSEARCH, parse_subsearch
from logboom.lang.parse.cursor import Cursor, show, unknown_macro
from logboom.lang.parse.fields.calls import LONE_CALL, parse_call, parse_networks
from logboom.lang.parse.fields.directives import FIRST_LETTERS, parse_directive
from logboom.lang.parse.fields.field import parse_exact, parse_test, take_operator
from logboom.lang.parse.fields.lists import parse_value_group
from logboom.lang.parse.fields.paths import check_no_path
from logboom.lang.parse.fields.selectors import parse_selector
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.fields.values import (
    check_expression,
    make_pattern,
    make_regex,
    parse_regex,
    parse_text,
    parse_value,
    take_slashed,
)
from logboom.lang.parse.quantities import UNIT_ALIASES
from logboom.lang.parse.truths import parse_truth
from logboom.lang.tokens import IN_FILTER

FEW_WORDS = 2
"""More of them are text, not a typing error."""
FILTER_EXPECTED = ["a word", "field:value", "("]
MARKS = frozenset("{~!=/C")
PERIOD_STARTS = frozenset("lLpP")
ANYWHERE = Subject(None)
IN_MESSAGE = Subject(MESSAGE)


class Term(NamedTuple):
    """A firm term cannot be mere text, so that lower-case operators beside it are operators."""

    filter: Filter
    is_firm: bool = True


def parse_term(cursor: Cursor) -> Term:
    start = cursor.position
    if cursor.next in tokens.KEYWORD_STARTS and cursor.sees(tokens.KEYWORD):
        raise missing_term(cursor)
    if cursor.take(tokens.LONE_STAR):
        return Term(Everything(), is_firm=False)
    if (special := parse_special(cursor)) is not None:
        return Term(special)
    if cursor.next == "`":
        check_macro(cursor)
    check_no_path(cursor)
    phrase = cursor.take_quoted()
    if phrase is None:
        name = cursor.take(tokens.NAME)
    else:
        name = tokens.settle_quoted_name(phrase, cursor.text[start])
    if name is not None:
        subject = Subject(name, is_quoted=phrase is not None)
        operator = take_operator(cursor, subject)
        if operator is not None:
            settled = subject if subject.is_quoted else Subject(cursor.settle_name(name))
            return Term(parse_test(cursor, settled, operator, start))
    if phrase is not None:
        cursor.take(tokens.STAR_AFTER_QUOTE)
        lucene.leave_out_distance(cursor)
        return Term(read_phrase(cursor, start, phrase))
    cursor.position = start
    return Term(parse_word(cursor), is_firm=False)


def check_macro(cursor: Cursor) -> None:
    """Raise InvalidQuery for a Splunk macro, which would be searched as a phrase."""
    macro = tokens.MACRO.match(cursor.text, cursor.position)
    if macro is not None:
        raise unknown_macro(cursor, macro)


def parse_special(cursor: Cursor) -> Filter | None:
    """Parse anything but a word or the plain test of a field; the first checks are very cheap."""
    character, found = cursor.next, None
    if character in PERIOD_STARTS:
        found = take_last_period(cursor)
    if found is None and character in MARKS:
        found = parse_marked(cursor)
    if found is None and character in FIRST_LETTERS and "(" in cursor.text:
        found = parse_directive(cursor)
    if found is None and character == "[" and cursor.sees(SUBSEARCH):
        found = parse_subsearch(cursor)
    if found is None and "*" in cursor.text:
        found = parse_wild_fields(cursor)
    if found is None and "(" in cursor.text and cursor.sees(FUNCTION):
        found = parse_lone_call(cursor) or parse_truth(cursor)
    return found


def parse_lone_call(cursor: Cursor) -> Filter | None:
    """`seq(a, b)` on the message, which may have been meant as a text."""
    start = cursor.position
    call = cursor.take_match(LONE_CALL)
    if call is None:
        return None
    test = parse_call(cursor, start, call["name"], None)
    written = cursor.text[start : cursor.position]
    message = f"{show(written)} is read as a test of the message, in quotes it is a text"
    alternative = cursor.replace(start, cursor.position, tokens.quote(written))
    cursor.notice("read_as_meant", message, alt=alternative)
    return test


def missing_term(cursor: Cursor) -> InvalidQuery:
    """Return an error about an operator without an operand on one side; the suggestion omits it."""
    before, after = cursor.text[: cursor.position], cursor.text[cursor.position :]
    kept = before
    while (shorter := tokens.DANGLING.sub("", kept)) != kept:
        kept = shorter.rstrip()
    if kept == before and (keyword := tokens.KEYWORD.match(after)):
        after = after[keyword.end() :].lstrip()
    repaired = " ".join(filter(None, (kept.rstrip(), after)))
    is_repaired = repaired and repaired != cursor.text
    return cursor.unexpected(FILTER_EXPECTED, repaired if is_repaired else None)


def take_last_period(cursor: Cursor) -> Filter | None:
    """`last 5m` at an end of the filter, unless it is prose: "in the last 5m"."""
    start = cursor.position
    found = tokens.LAST_PERIOD.match(cursor.text, start)
    if found is None or tokens.PROSE.search(cursor.text[max(0, start - 20) : start]):
        return None
    is_first = not cursor.text[:start].strip()
    is_last = not cursor.text[found.end() :].split("|", 1)[0].strip()
    if not (is_first or is_last):
        return None
    unit = UNIT_ALIASES.get(found["unit"].lower(), found["unit"].lower())
    period = f"{found['number']}{unit}"
    cursor.position = found.end()
    alternative = cursor.replace(start, cursor.position, tokens.quote(found[0]))
    message = f"{show(found[0])} is read as {show(f'_time:{period}')}"
    cursor.notice("read_as_meant", message, alt=alternative)
    return During(period)


def parse_marked(cursor: Cursor) -> Filter | None:
    """Parse a term that is recognised by its first characters."""
    start = cursor.position
    if cursor.sees_any("{") and cursor.sees(tokens.SELECTOR):
        return parse_selector(cursor)
    if network := cursor.take_match(tokens.CIDR):
        return parse_networks(cursor, start, Subject(network["name"]))
    if cursor.take(tokens.EXPRESSION_SIGN):
        return parse_regex(cursor, IN_MESSAGE)
    if line_filter := cursor.take_match(tokens.LINE_FILTER):
        is_regex = line_filter["sign"] == "!~"
        return Not(parse_regex(cursor, IN_MESSAGE) if is_regex else parse_line_text(cursor))
    if cursor.take(tokens.EXACT_SIGN):
        return parse_exact(cursor, IN_MESSAGE)
    slashed = take_slashed(cursor, IN_FILTER)
    return None if slashed is None else make_regex(cursor, IN_MESSAGE, start, *slashed)


def parse_wild_fields(cursor: Cursor) -> Filter | None:
    """`*:value` in any field, `a.*:value` in those whose names match."""
    cursor.take(tokens.STAR_BEFORE_QUOTE)
    subject = ANYWHERE
    if wild := cursor.take_match(tokens.WILD_FIELD):
        subject = Subject(wild["names"], is_wild=True)
    elif not cursor.take(tokens.ALL_FIELDS):
        return None
    is_group = cursor.sees_any("(")
    return parse_value_group(cursor, subject) if is_group else parse_value(cursor, subject)


def parse_line_text(cursor: Cursor) -> Filter:
    """Parse a text that the message contains; unlike a word, it is case-sensitive."""
    start = cursor.position
    return Regex(MESSAGE, check_expression(cursor, start, escape(parse_text(cursor))))


def sees_firm_term(cursor: Cursor) -> bool:
    """Return whether a group, a quoted text or the test of a field follows, perhaps negated."""
    mark = cursor.mark()
    cursor.skip_blanks()
    if cursor.take(tokens.LOWER_NOT) or cursor.take(tokens.NEGATION):
        cursor.skip_blanks()
    is_firm = cursor.sees(tokens.FIRM_START) or sees_test(cursor)
    cursor.rewind(mark)
    return is_firm


def leave_out_plus(cursor: Cursor) -> None:
    """Take the sign of a required term; before a plain word it is part of the text, with a notice."""
    start = cursor.position
    if not cursor.take(lucene.PLUS):
        return
    after = cursor.position
    if word := cursor.take(lucene.PLAIN_WORD):
        lucene.suggest_word(cursor, start, word)
        cursor.position = start
    elif cursor.sees_any('"(') or sees_test(cursor):
        cursor.position = after
        cursor.leave_out(start)
    else:
        cursor.position = start


def sees_test(cursor: Cursor) -> bool:
    name = cursor.take_bare_name()
    return name is not None and take_operator(cursor, Subject(name)) is not None


def read_word(cursor: Cursor, start: int, raw: str) -> str:
    """Return the word without the sign that ends the whole query; for statuses a notice says how to test them."""
    if (
        raw[0].isdigit()
        and tokens.STATUS_SPAN.fullmatch(raw)
        and len(cursor.text.split("|")[0].split()) <= FEW_WORDS
    ):
        low, high = raw.split("-")
        message = f"{show(raw)} is searched as text, write status:[{low} TO {high}] for the numbers between"
        alternative = cursor.replace(start, cursor.position, f"status:[{low} TO {high}]")
        cursor.notice("read_as_text", message, alt=alternative)
    lucene.check_word(cursor, start, raw)
    lucene.check_wildcard(cursor, start, raw)
    bare = tokens.strip_signs(raw)
    if not bare or bare == raw or cursor.text[cursor.position :].strip():
        return raw
    cursor.read_as_meant(start, bare)
    return bare


def check_no_computed_field(cursor: Cursor, start: int, raw: str) -> None:
    """Raise InvalidQuery for a test of a field that Datadog computes, which would be searched as a text."""
    name = tokens.COMPUTED_FIELD.match(raw)
    if name is not None:
        message = f"{show(name[0])} is computed by Datadog, expected eval and where; in quotes it is a text"
        suggestion = cursor.replace(start, cursor.position, tokens.quote(raw))
        raise cursor.error(message, start, start + name.end(), ["a field name"], suggestion)


def parse_word(cursor: Cursor) -> Filter:
    """Parse unquoted text. Stars at its ends add nothing to a substring search."""
    start = cursor.position
    raw = cursor.take(tokens.WORD)
    if raw is None:
        raise missing_term(cursor)
    if raw[0] == "#":
        check_no_computed_field(cursor, start, raw)
    raw = read_word(cursor, start, raw)
    if raw in tokens.LOWER_KEYWORDS:
        operator = raw.upper()
        message = f'"{raw}" between words is read as a word, write {operator} for the operator'
        alternative = cursor.replace(start, cursor.position, operator)
        cursor.notice("words_not_operators", message, alt=alternative)
    if tokens.RUN_SPECIAL.search(raw) is None:
        return Word(raw)
    parts = list(tokens.decode_run(tokens.keep_backslashes(raw), wildcards="*"))
    return search_message(cursor, start, parts)


def read_phrase(cursor: Cursor, start: int, phrase: str) -> Filter:
    """Read the text in the quotes that opened at `start`; in a query of Splunk stars in it stand for any text."""
    is_wild = cursor.is_splunk and cursor.stars_in_quotes and "*" in phrase
    if not is_wild or cursor.text[start] != '"':
        return Word(phrase)
    message = f"the star in {show(phrase)} stands for any text, in single quotes it is a star"
    cursor.notice("read_as_meant", message)
    return search_message(cursor, start, list(tokens.split_stars(phrase)))


def search_message(cursor: Cursor, start: int, parts: list[str | Wildcard]) -> Filter:
    """Return the test that the message contains the pattern; stars at its ends add nothing."""
    if parts and parts[0] is Wildcard.ANY:
        del parts[0]
    if parts and parts[-1] is Wildcard.ANY:
        del parts[-1]
    if not parts:
        return Everything()
    pattern = make_pattern(cursor, start, tuple(parts))
    return Match(MESSAGE, pattern) if pattern.text is None else Word(pattern.text)
