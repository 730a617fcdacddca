"""Filters: conditions on events. NOT binds before AND, AND before OR."""

import re
from typing import Literal

from logboom.lang import tokens
from logboom.lang.ast import And, Filter, Not, Or
from logboom.lang.format.filters import format_operand
from logboom.lang.parse import lucene
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.terms import Term, leave_out_plus, parse_term, sees_firm_term
from logboom.lang.parse.variables import check_alternatives, leave_out_variables

LOWER_OPERATORS = ("and", "or", "not")


def parse_filter(cursor: Cursor) -> Filter:
    """Parse everything up to a pipe, a closing parenthesis or the end."""
    cursor.skip_blanks()
    start = cursor.position
    joined = tokens.JOINED_WORDS.match(cursor.text, start)
    if joined:
        add_joined_notice(cursor, joined)
    term = parse_not(cursor, follows_operator=False)
    terms = [term]
    rows = [[term.filter]]
    while (joint := take_joint(cursor, term, is_joined=joined is not None)) != "END":
        if joint:
            cursor.skip_blanks()
        term = parse_not(cursor, follows_operator=joint != "" or term.is_firm)
        if joint == "OR":
            rows.append([])
        rows[-1].append(term.filter)
        terms.append(term)
    if "$" in cursor.text:
        if len(rows) > 1:
            check_alternatives(cursor, terms)
        else:
            rows = [leave_out_variables(cursor, terms)]
    if len(rows) > 1 and any(len(row) > 1 for row in rows):
        return join_mixed(cursor, start, rows)
    return join(Or, [join(And, row) for row in rows])


def join_mixed(cursor: Cursor, start: int, rows: list[list[Filter]]) -> Filter:
    """Join AND and OR without parentheses: AND binds first, but in a Splunk query OR does."""
    groups = regroup(rows)
    add_mixed_notice(cursor, start, rows, groups)
    if cursor.is_splunk:
        return join(And, [join(Or, group) for group in groups])
    return join(Or, [join(And, row) for row in rows])


def regroup(rows: list[list[Filter]]) -> list[list[Filter]]:
    """Return the terms of OR, given terms that are joined by AND."""
    groups: list[list[Filter]] = [[]]
    for row in rows:
        groups[-1].append(row[0])
        groups.extend([term] for term in row[1:])
    return groups


def join(node: type[And] | type[Or], terms: list[Filter]) -> Filter:
    return node(tuple(terms)) if len(terms) > 1 else terms[0]


def take_joint(cursor: Cursor, before: Term, *, is_joined: bool) -> Literal["AND", "OR", "", "END"]:
    """Return the operator between two terms, empty if they are adjacent."""
    start, character = cursor.position, cursor.next
    if character not in tokens.JOINT_STARTS:
        return ""
    if symbol := cursor.take(tokens.SYMBOL_JOINT):
        return settle_symbol(cursor, start, symbol)
    if character in tokens.PIPE_ENDS:
        return "END"
    return take_keyword(cursor, before, is_joined=is_joined)


def settle_symbol(cursor: Cursor, start: int, symbol: str) -> Literal["AND", "OR"]:
    meant: Literal["AND", "OR"] = "AND" if symbol == "&&" else "OR"
    cursor.symbols += 1
    cursor.read_as_meant(start, meant)
    return meant


def take_keyword(cursor: Cursor, before: Term, *, is_joined: bool) -> Literal["AND", "OR", ""]:
    """Return an operator that is a word; in lower case only beside what cannot be mere text."""
    start = cursor.position
    if cursor.take(tokens.AND):
        return "AND"
    if cursor.take(tokens.OR):
        return "OR"
    word = cursor.take(tokens.LOWER_JOINT)
    if word and (is_joined or before.is_firm or sees_firm_term(cursor)):
        return "OR" if word == "or" else "AND"
    cursor.position = start
    return ""


def parse_not(cursor: Cursor, follows_operator: bool) -> Term:
    """Parse one term and the blanks after it."""
    start, character = cursor.position, cursor.next
    if character in tokens.NOT_STARTS and (sign := take_not(cursor, follows_operator)):
        if sign in tokens.DASHES:
            cursor.read_as_meant(start, "NOT")
        cursor.skip_blanks()
        with cursor.nested(start):
            term = parse_not(cursor, follows_operator=True)
            return Term(Not(term.filter), term.is_firm)
    if character == "+":
        leave_out_plus(cursor)
    term = Term(parse_group(cursor)) if cursor.next == "(" else parse_term(cursor)
    cursor.skip_blanks()
    return term


def take_not(cursor: Cursor, follows_operator: bool) -> str | None:
    start = cursor.position
    if sign := cursor.take(tokens.NEGATION):
        return sign
    word = cursor.take(tokens.LOWER_NOT)
    if word and (follows_operator or sees_firm_term(cursor)):
        return word
    cursor.position = start
    return None


def parse_group(cursor: Cursor) -> Filter:
    start = cursor.position
    cursor.take_character("(")
    with cursor.nested(start):
        inside = parse_filter(cursor)
    cursor.close_parenthesis(start)
    if not cursor.in_condition:
        lucene.leave_out_distance(cursor)
    return inside


def add_joined_notice(cursor: Cursor, joined: re.Match[str]) -> None:
    """`error or timeout`: only words and operators."""
    text = joined[0].rstrip()
    words = [f'"{word}"' if word in tokens.LOWER_KEYWORDS else word for word in text.split()]
    start, end = joined.start(), joined.start() + len(text)
    found = " and ".join(word.upper() for word in LOWER_OPERATORS if f" {word} " in text)
    cursor.notice(
        "read_as_meant",
        f"{show(text)} is read with the operator {found}, in quotes it is a word",
        alt=cursor.replace(start, end, " ".join(words)),
    )


def add_mixed_notice(
    cursor: Cursor, start: int, rows: list[list[Filter]], groups: list[list[Filter]]
) -> None:
    """AND and OR occurred without parentheses: report which binds first, and offer the alternative."""
    if cursor.has_notice("mixed_and_or"):
        return
    end = len(cursor.text[: cursor.position].rstrip())
    and_first = " OR ".join(enclose(row, " AND ") for row in rows)
    or_first = " ".join(enclose(group, " OR ") for group in groups)
    message = "AND binds tighter than OR here, use parentheses to be explicit"
    if cursor.is_splunk:
        message = "OR binds tighter than AND here, as in Splunk, use parentheses to be explicit"
        and_first, or_first = or_first, and_first
    cursor.notice(
        "mixed_and_or",
        message,
        read_as=cursor.replace(start, end, and_first),
        alt=cursor.replace(start, end, or_first),
    )


def enclose(terms: list[Filter], joint: str) -> str:
    texts = [format_operand(term) for term in terms]
    return f"({joint.join(texts)})" if len(texts) > 1 else texts[0]
