"""Pipes for events near each other in time: `context` and `transaction`."""

from logboom.lang.ast import Context, Filter, Transaction, Word
from logboom.lang.parse.conditions import parse_condition
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.options import leave_out_options, take_options
from logboom.lang.parse.pipes.parts import (
    ends_pipe,
    parentheses,
    parse_count,
    parse_names,
    parse_text,
)
from logboom.lang.parse.quantities import parse_duration
from logboom.lang.parse.truths import EVAL

TRANSACTION_IGNORED = ("keepevicted", "mvlist", "keeporphans", "unifyends", "connected", "delim")


def parse_context(cursor: Cursor) -> Context:
    """`context [before 2] [after 5] [same field, …]`."""
    if not (cursor.sees(tokens.BEFORE) or cursor.sees(tokens.AFTER)):
        raise cursor.unexpected(["before 2", "after 2"])
    before = after = 0
    same: tuple[str, ...] = ()
    while True:
        if cursor.take(tokens.BEFORE):
            before = parse_count(cursor)
        elif cursor.take(tokens.AFTER):
            after = parse_count(cursor)
        elif cursor.take(tokens.SAME):
            same = parse_names(cursor, tokens.CONTEXT_OPTION)
        elif cursor.take(tokens.TIME_WINDOW):
            leave_out_window(cursor)
        else:
            return Context(before, after, same)


def leave_out_window(cursor: Cursor) -> None:
    """Leave out LogsQL's limit of the distance; here neighbours are found at any distance."""
    start = cursor.position
    parse_duration(cursor)
    cursor.skip_blanks()
    written = cursor.text[start : cursor.position].strip()
    cursor.notice(
        "read_as_meant", f"time_window {written} is ignored, neighbours are found at any distance"
    )


def parse_transaction(cursor: Cursor) -> Transaction:
    """`transaction [field, …] [maxspan 1h] [maxpause 5m] [start (filter)] [end (filter)]`."""
    fields: tuple[str, ...] = ()
    if not ends_pipe(cursor) and not cursor.sees(tokens.TRANSACTION_OPTION):
        cursor.take(tokens.BY)
        fields = parse_names(cursor, tokens.TRANSACTION_OPTION)
    max_span = max_pause = start = end = None
    while True:
        if cursor.take(tokens.MAX_SPAN):
            max_span = parse_duration(cursor)
        elif cursor.take(tokens.MAX_PAUSE):
            max_pause = parse_duration(cursor)
        elif cursor.take(tokens.START):
            start = parse_border(cursor)
        elif cursor.take(tokens.END):
            end = parse_border(cursor)
        elif options := take_options(cursor, TRANSACTION_IGNORED):
            leave_out_options(cursor, options)
        else:
            return Transaction(fields, max_span, max_pause, start, end)
        cursor.skip_blanks()


def parse_border(cursor: Cursor) -> Filter:
    """`(filter)`, `eval(expression)`, or just a text."""
    if not (cursor.sees_any("(") or cursor.sees(EVAL)):
        return Word(parse_text(cursor, 'a text in quotes or "("'))
    cursor.take(EVAL)
    with parentheses(cursor):
        return parse_condition(cursor)
